//! T113: numbers that are no GiB, and T111: numbers that TPV cannot read back.

use super::{Finding, Linter};
use crate::config::entity::{Common, Entity, EntityKind};
use crate::config::value::{ConfigValue, ValueKind};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// More memory than this, in GiB, no machine has.
pub(super) const MOST_GIB: f64 = 10_000.0;

/// As much memory for a core, in GiB, no tool needs.
pub(super) const PER_CORE: f64 = 1_000.0;

/// Looks at every number that is a memory.
pub(super) fn check(linter: &mut Linter<'_>) {
    for kind in EntityKind::ALL {
        for entity in linter.config.section(kind).values() {
            common(linter, entity, &entity.common);
            for rule in entity.rules.values() {
                common(linter, entity, &rule.common);
            }
            if let Some(fields) = &entity.destination {
                for (name, value) in
                    [("max_accepted_mem", &fields.max_accepted_mem), ("min_accepted_mem", &fields.min_accepted_mem)]
                {
                    number(linter, entity, name, value.as_deref());
                }
            }
        }
    }
}

fn common(linter: &mut Linter<'_>, entity: &Entity, common: &Common) {
    for (name, value) in common.resources.evaluated() {
        let Some(ConfigValue { kind: ValueKind::Float(number), span }) = value.as_deref() else { continue };
        if !number.is_finite() {
            // TPV evaluates the text of the number, which is a name in Python.
            let diagnostic = Diagnostic::warning(format!("`{name}` is no number that TPV can evaluate"))
                .at(*span, "raises `NameError`")
                .help(format!("write `{name}: float('inf')`, or leave it out"));
            linter.report(Finding::new("T111", diagnostic).of(&entity.common));
        }
    }
    for (name, value) in common.resources.fields() {
        if name.ends_with("mem") {
            number(linter, entity, name, value.as_deref());
        }
    }
}

fn number(linter: &mut Linter<'_>, entity: &Entity, name: &str, value: Option<&ConfigValue>) {
    let Some(value) = value else { return };
    #[allow(clippy::cast_precision_loss, reason = "only the order of magnitude counts")]
    let amount = match value.kind {
        ValueKind::Int(amount) => amount as f64,
        ValueKind::Float(amount) => amount,
        _ => return,
    };
    if amount > MOST_GIB && amount.is_finite() {
        let written = value.python_str();
        linter.report(self::finding(name, value.span, &written).of(&entity.common));
    }
}

/// The finding for a memory.
pub(super) fn finding(name: &str, span: Span, written: &str) -> Finding {
    let diagnostic = Diagnostic::warning(format!("`{name}` is in GiB, and `{written}` looks like another unit"))
        .at(span, "this many GiB")
        .help("divide MiB by 1024, and bytes by `1024**3`");
    Finding::new("T113", diagnostic)
}
