//! T110: zeros that have another effect than they seem to.

use std::collections::HashSet;

use super::Linter;
use tpv_config::entity::Common;
use tpv_model::{EntityClass, Resource};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;
use tpv_yaml::value::{ConfigValue, ValueKind};

/// Looks at the resources of all entities and rules.
pub(super) fn check(linter: &mut Linter<'_>) {
    let mut seen = HashSet::new();
    for kind in EntityClass::COMBINED {
        for entity in linter.config.section(kind).values() {
            let mut found = Vec::new();
            zeros(&entity.common, false, &mut found);
            for rule in entity.rules.values() {
                zeros(&rule.common, true, &mut found);
            }
            for (span, diagnostic) in found {
                if seen.insert(span) {
                    linter.report(Finding::new(Code::MisleadingZero, diagnostic).of(&entity.common.no_qa_codes));
                }
            }
        }
    }
}

fn zeros(common: &Common, in_rule: bool, found: &mut Vec<(Span, Diagnostic)>) {
    for (resource, value) in common.amounts.resources().filter(|(_, value)| is_zero(value)) {
        let name = resource.name();
        let diagnostic = match resource {
            _ if resource.clamped_by().is_none() => Diagnostic::warning(format!("`{name}: 0` sets no limit"))
                .at(value.span, "TPV takes 0 as not set")
                .help("remove it, unless it is there to take an inherited limit away"),
            Resource::Cores | Resource::Mem if in_rule => Diagnostic::warning(format!(
                "`{name}: 0` in a rule gives the job no {}",
                if resource == Resource::Mem { "memory" } else { name }
            ))
            .at(value.span, "0 is a value, not \"unset\"")
            .help("leave the field out to keep what the entity has, or write `null`"),
            _ => continue,
        };
        found.push((value.span, diagnostic));
    }
}

fn is_zero(value: &ConfigValue) -> bool {
    match &value.kind {
        ValueKind::Int(number) => *number == 0,
        ValueKind::Float(number) => *number == 0.0,
        ValueKind::Str(text) => matches!(text.value.trim(), "0" | "0.0"),
        _ => false,
    }
}
