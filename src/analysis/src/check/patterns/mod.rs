//! Ids as patterns: what they match besides what they say.
//!
//! TPV looks an id up by `re.match`: every key that matches the id's beginning counts, in the order of the config, and each inherits
//! from the one before.

mod covered;
mod empty;
mod keys;
mod language;
mod sample;
mod slips;
mod taken;

use crate::check::budget::{Budget, Unproved};
use crate::lint::Linter;
use keys::Keys;
pub use sample::{sample_id, sample_ids};
use tpv_model::EntityClass;

/// Looks at the sections whose ids are patterns. Returns what is not proved of them.
pub(super) fn check(linter: &mut Linter<'_>) -> Vec<Unproved> {
    let kinds = EntityClass::MATCHED;
    kinds.into_iter().filter_map(|kind| section(linter, kind, &Budget::new())).collect()
}

fn section(linter: &mut Linter<'_>, kind: EntityClass, budget: &Budget) -> Option<Unproved> {
    let keys = Keys::new(linter.config, kind, budget);
    empty::check(linter, &keys);
    slips::check(linter, &keys);
    covered::check(linter, &keys);
    taken::check(linter, &keys);
    let span = keys.given_up()?;
    let section = kind.section();
    let message = format!(
        "too many patterns under `{section}` to compare all of them; T211 to T215 were not looked for everywhere there"
    );
    Some(Unproved { message, span: Some(span) })
}
