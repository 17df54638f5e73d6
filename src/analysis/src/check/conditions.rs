//! T203: rules that never apply. T204: rules that always apply though their condition says something.

use std::collections::HashSet;

use crate::lint::Linter;
use tpv_config::entity::{Entity, Rule};
use tpv_model::EntityClass;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;

use super::reach::{Deciding, Reach};
use tpv_text::code::Code;

/// Conditions that say themselves what they are.
const PLAIN: [&str; 8] = ["True", "False", "true", "false", "1", "0", "None", "not True"];

/// Looks at the rules that jobs come to.
pub(super) fn check(linter: &mut Linter<'_>, reach: &Reach) {
    let config = linter.config;
    let mut seen = HashSet::new();
    for kind in EntityClass::MATCHED {
        for entity in config.section(kind).values() {
            for rule in entity.rules.values() {
                if seen.insert(rule.span)
                    && let Some(finding) = judge(reach, entity, rule)
                {
                    linter.report(finding.of(&entity.common.no_qa_codes));
                }
            }
        }
    }
}

fn judge(reach: &Reach, entity: &Entity, rule: &Rule) -> Option<Finding> {
    let condition = rule.condition().as_text()?;
    if PLAIN.contains(&condition.as_str().trim()) {
        return None;
    }
    let Deciding { own, over } = reach.conditions.of(rule)?;
    let (code, message, label, help) = match (own.yes, own.no) {
        (false, true) if !over.yes => (
            Code::NeverApplies,
            format!("the rule `{}` never applies", rule.id),
            if own.raises { "this is never true: it is false, or raises" } else { "this is false for every job" },
            "correct the condition, or remove the rule; `if: false` switches it off",
        ),
        (true, false) if !own.raises && !over.no && !over.raises => (
            Code::AlwaysApplies,
            format!("the rule `{}` applies to every job", rule.id),
            "this is true for every job",
            "correct the condition, or write `if: true` if the rule applies to all jobs",
        ),
        _ => return None,
    };
    let noun = format!("in the {} `{}`", entity.class.noun(), entity.id);
    let diagnostic = Diagnostic::warning(message).at(condition.span, label).also(entity.span, noun).help(help);
    Some(Finding::new(code, diagnostic))
}
