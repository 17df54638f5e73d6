//! T113: memories that are not in GiB, and T111: numbers that TPV cannot read back.

use std::sync::Arc;

use super::Linter;
use tpv_compiler::checker::units::{MOST_GIB, PER_CORE, finding};
use tpv_config::entity::{Common, Entity};
use tpv_model::{Amount, EntityClass, Limit, Quantity, Resource};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_yaml::value::{ConfigValue, ValueKind};

/// A larger number is likely meant as bytes, not as MiB.
const MOST_MIB: f64 = 100_000_000.0;

/// More than this, in GiB, no job asks for: machines that have it are shared.
const MOST_ASKED: f64 = 4_096.0;

/// As much memory for a core, in GiB, no machine has.
const PER_CORE_OF_MACHINE: f64 = 250.0;

/// The number that a field holds, if it is plain.
pub(super) fn amount(value: &ConfigValue) -> Option<f64> {
    #[allow(clippy::cast_precision_loss, reason = "only the order of magnitude counts")]
    match &value.kind {
        ValueKind::Int(amount) => Some(*amount as f64),
        ValueKind::Float(amount) => Some(*amount).filter(|amount| amount.is_finite()),
        ValueKind::Str(text) => {
            let text = text.value.trim();
            let is_plain =
                text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(|c| c.is_ascii_digit() || c == '.');
            text.parse().ok().filter(|_| is_plain)
        }
        _ => None,
    }
}

/// Returns `true` if a number looks like an amount of memory in MiB: thousands, in round steps.
pub(super) fn looks_like_mib(amount: f64) -> bool {
    amount >= 1_000.0 && (amount % 1_000.0 == 0.0 || amount % 512.0 == 0.0)
}

/// MiB as GiB, rounded.
pub(super) fn in_gib(mib: f64) -> f64 {
    let step = if mib % 1_000.0 == 0.0 { 1_000.0 } else { 1_024.0 };
    (mib / step * 10.0).round() / 10.0
}

/// Looks at every number that is a memory.
pub(super) fn check(linter: &mut Linter<'_>) {
    // A destination that accepts so much is believed, unless its own number looks wrong.
    let accepted = linter.config.destinations.values().filter_map(|destination| {
        destination
            .common
            .amounts
            .get(Limit::MaxAcceptedMem)
            .and_then(|most| amount(most))
            .filter(|most| *most <= MOST_GIB)
    });
    let most_asked = accepted.fold(MOST_ASKED, f64::max);
    for kind in EntityClass::SECTIONS {
        for entity in linter.config.section(kind).values() {
            common(linter, entity, &entity.common, most_asked);
            for rule in entity.rules.values() {
                common(linter, entity, &rule.common, most_asked);
            }
            let amounts = &entity.common.amounts;
            for (limit, value) in amounts.accepted().filter(|(limit, _)| limit.quantity() == Quantity::Mem) {
                let cores = amounts.get(Limit::MaxAcceptedCores).filter(|_| limit.is_upper()).map(Arc::as_ref);
                let bounds = Bounds { most: MOST_GIB, cores, per_core: PER_CORE_OF_MACHINE };
                number(linter, entity, limit.name(), value, bounds);
            }
        }
    }
}

fn common(linter: &mut Linter<'_>, entity: &Entity, common: &Common, most_asked: f64) {
    for (resource, value) in common.amounts.resources() {
        let (name, ConfigValue { kind: ValueKind::Float(number), span }) = (resource.name(), &**value) else {
            continue;
        };
        if !number.is_finite() {
            // TPV evaluates the text of the number, which is a name in Python.
            let diagnostic = Diagnostic::warning(format!("TPV cannot evaluate `{name}` as a number"))
                .at(*span, "raises `NameError`")
                .help(format!("write `{name}: float('inf')`, or leave it out"));
            linter.report(Finding::new(Code::AlwaysRaises, diagnostic).of(&entity.common.no_qa_codes));
        }
    }
    for (name, value) in common.amounts.common().filter(|(name, _)| name.quantity() == Quantity::Mem) {
        let (most, cores) = match name {
            Amount::Resource(Resource::Mem) => (most_asked, common.amounts.get(Resource::Cores).map(Arc::as_ref)),
            Amount::Resource(Resource::MinMem) => (most_asked, None),
            _ => (MOST_GIB, None),
        };
        number(linter, entity, name.name(), value, Bounds { most, cores, per_core: PER_CORE });
    }
}

/// Judges one number. `cores` is what it is for, `per_core` how much one of them may have.
fn number(linter: &mut Linter<'_>, entity: &Entity, name: &str, value: &ConfigValue, bounds: Bounds<'_>) {
    let Some(number) = amount(value) else { return };
    let per_core = bounds.cores.and_then(amount).filter(|cores| *cores > 0.0).map(|cores| number / cores);
    let is_much = number >= 1_000.0 && per_core.is_some_and(|share| share >= bounds.per_core);
    if number > bounds.most || is_much {
        let written = value.python_str();
        let written = written.trim();
        let mut finding = finding(name, value.span, written);
        if looks_like_mib(number) && number < MOST_MIB {
            finding.diagnostic.help = Some(format!("write `{name}: {}` for {written} MiB", in_gib(number)));
        }
        linter.report(finding.of(&entity.common.no_qa_codes));
    }
}

/// The bounds beyond which memory is too much.
#[derive(Clone, Copy)]
struct Bounds<'a> {
    most: f64,
    cores: Option<&'a ConfigValue>,
    per_core: f64,
}
