//! T121: a minimum above its maximum.

use std::collections::HashSet;

use super::Linter;
use super::tags::default;
use super::units::amount;
use tpv_config::entity::{Common, Entity};
use tpv_model::{EntityClass, Quantity};
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostic;
use tpv_text::finding::Finding;
use tpv_text::source::Span;
use tpv_yaml::value::ConfigValue;

/// Looks at the limits of all entities and rules.
pub(super) fn check(linter: &mut Linter<'_>) {
    let mut seen = HashSet::new();
    for kind in EntityClass::COMBINED {
        for entity in linter.config.section(kind).values() {
            let rules = entity.rules.values().map(|rule| &rule.common);
            // The default's limits hold for all of its section, unless they set their own.
            let default = default(linter.config, kind).filter(|default| default.id != entity.id);
            let inherited = default.map(|default| &default.common);
            asked(linter, entity, &entity.common, inherited, &mut seen);
            for common in rules {
                asked(linter, entity, common, None, &mut seen);
            }
            accepted(linter, entity);
        }
    }
}

/// `min_cores` above `max_cores`: TPV raises to the one, then lowers to the other.
fn asked(
    linter: &mut Linter<'_>,
    entity: &Entity,
    common: &Common,
    inherited: Option<&Common>,
    seen: &mut HashSet<(Span, Span)>,
) {
    let own = &common.amounts;
    let inherited = inherited.map_or(own, |inherited| &inherited.amounts);
    for quantity in Quantity::ALL {
        let most = own.get(quantity.most()).or_else(|| inherited.get(quantity.most()));
        let (Some(least), Some(most)) = (own.get(quantity.least()), most) else { continue };
        let name = quantity.name();
        // A maximum of 0 is none.
        if !is_above(least, most) || amount(most) == Some(0.0) || !seen.insert((least.span, most.span)) {
            continue;
        }
        let diagnostic = Diagnostic::warning(format!("`min_{name}` is above `max_{name}`"))
            .at(least.span, format!("no job gets this: the maximum, {}, counts", most.python_str()))
            .also(most.span, "the maximum")
            .also(entity.span, format!("in the {} `{}`", entity.class.noun(), entity.id))
            .help(format!("swap the two, or remove `min_{name}`"));
        linter.report(Finding::new(Code::MinimumAboveMaximum, diagnostic).of(&entity.common.no_qa_codes));
    }
}

/// `min_accepted_cores` above `max_accepted_cores`: only a job without `cores` passes both.
fn accepted(linter: &mut Linter<'_>, entity: &Entity) {
    let own = &entity.common.amounts;
    for quantity in Quantity::ALL {
        let accepted = (own.get(quantity.least_accepted()), own.get(quantity.most_accepted()));
        let (Some(least), Some(most)) = accepted else { continue };
        let name = quantity.name();
        if !is_above(least, most) {
            continue;
        }
        let diagnostic = Diagnostic::warning(format!("`min_accepted_{name}` is above `max_accepted_{name}`"))
            .at(least.span, format!("the destination takes no job that has `{name}`"))
            .also(most.span, "the maximum")
            .also(entity.span, format!("in the destination `{}`", entity.id))
            .help("swap the two");
        linter.report(Finding::new(Code::MinimumAboveMaximum, diagnostic).of(&entity.common.no_qa_codes));
    }
}

fn is_above(least: &ConfigValue, most: &ConfigValue) -> bool {
    matches!((amount(least), amount(most)), (Some(least), Some(most)) if least > most)
}
