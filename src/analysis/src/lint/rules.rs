//! T116: fields of a rule that have no effect beside `fail` or `execute`. T118: rules that set nothing.

use std::collections::HashSet;

use super::Linter;
use tpv_config::entity::Rule;
use tpv_model::{EntityClass, TagType};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;

/// Looks at the rules of all entities.
pub(super) fn check(linter: &mut Linter<'_>) {
    let mut seen = HashSet::new();
    for kind in EntityClass::COMBINED {
        for entity in linter.config.section(kind).values() {
            for rule in entity.rules.values() {
                let is_set = |text: &tpv_yaml::value::Text| !text.value.is_empty();
                let (fails, executes) =
                    (rule.fail().filter(|text| is_set(text)), rule.execute().filter(|text| is_set(text)));
                let Some(stop) = fails.or(executes) else {
                    if seen.insert(rule.span) && is_empty(linter, rule) {
                        let diagnostic = Diagnostic::warning("the rule sets nothing")
                            .at(rule.span, "it has only an `if`")
                            .also(entity.span, format!("in the {} `{}`", kind.noun(), entity.id))
                            .help("indent its fields like `if`, or remove the rule");
                        linter.report(Finding::new(Code::EmptyRule, diagnostic).of(&entity.common.no_qa_codes));
                    }
                    continue;
                };
                let mut lost = fields(rule);
                if let (Some(_), Some(execute)) = (fails, executes) {
                    lost.push(("execute", execute.span));
                }
                // Fields that the rule inherits stand elsewhere, and are meant to be overridden.
                let is_own = |span: Span| span.source == rule.span.source && span.start >= rule.span.start;
                lost.retain(|(_, span)| is_own(*span) && is_own(stop.span));
                let Some((first, at)) = lost.first().copied() else { continue };
                if !seen.insert(at) {
                    continue;
                }
                let names: Vec<String> = lost.iter().map(|(name, _)| format!("`{name}`")).collect();
                let verb = if names.len() == 1 { "has" } else { "have" };
                let (what, why, help) = if fails.is_some() {
                    ("fail", "a job that the rule fits ends here", "remove what has no effect, or `fail`")
                } else {
                    (
                        "execute",
                        "what `execute` leaves in `entity` takes the place of the rule",
                        "set these in the code, as in `entity.cores = 4`, or move them to a rule of their own",
                    )
                };
                let message =
                    format!("{} of the rule `{}` {verb} no effect beside `{what}`", names.join(", "), rule.id);
                let diagnostic = Diagnostic::warning(message)
                    .at(at, format!("this `{first}` is dropped"))
                    .also(rule.span, "in this rule")
                    .note(why)
                    .help(help);
                linter.report(Finding::new(Code::UselessFields, diagnostic).of(&entity.common.no_qa_codes));
            }
        }
    }
}

/// Returns `true` if a rule has no effect. One that is never true, or that has the id of another, removes that one; a
/// condition of several lines, or one that logs or reads the entity, may have an effect by itself.
fn is_empty(linter: &Linter<'_>, rule: &Rule) -> bool {
    let common = &rule.common;
    let sets = !fields(rule).is_empty()
        || common.amounts.common().next().is_some()
        || !common.resubmit.is_empty()
        || !common.extras.is_empty()
        || !common.tags.extras.is_empty()
        || common.inherits.is_some()
        || common.is_abstract;
    let acts = match rule.condition().as_str() {
        Some(code) => {
            matches!(code.trim(), "False" | "0") || ["\n", "entity", "log"].iter().any(|part| code.contains(part))
        }
        None => !rule.condition().python_bool(),
    };
    let entities = EntityClass::SECTIONS.into_iter().flat_map(|kind| linter.config.section(kind).values());
    let mut others = entities.flat_map(|entity| entity.rules.values()).filter(|other| other.id == rule.id);
    !sets && !acts && others.all(|other| other.span == rule.span)
}

/// The fields that the rule would set, with their places.
fn fields(rule: &Rule) -> Vec<(&'static str, Span)> {
    let common = &rule.common;
    let mut out: Vec<(&'static str, Span)> =
        common.amounts.common().map(|(amount, value)| (amount.name(), value.span)).collect();
    let env = common.env.iter().flat_map(|env| env.iter().flatten()).map(|(_, text)| text.span).next();
    out.extend(env.map(|span| ("env", span)));
    let params = common.params.iter().flat_map(|params| params.values()).map(|value| value.span).next();
    out.extend(params.map(|span| ("params", span)));
    let singles = common.singles.iter().filter(|(field, _)| field.is_common());
    out.extend(singles.map(|(field, value)| (field.alias(), value.span)));
    let context = common.context.iter().flat_map(|context| context.values()).map(|value| value.span).next();
    out.extend(context.map(|span| ("context", span)));
    let tag = TagType::APPLICATION.into_iter().flat_map(|kind| common.tags.get(kind)).map(|tag| tag.span).next();
    out.extend(tag.map(|span| ("scheduling", span)));
    out
}
