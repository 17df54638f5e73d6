//! Ids as patterns: what they match besides what they say.
//!
//! TPV looks an id up by `re.match`: every key that matches the id's beginning counts, in the order of the config, and each inherits
//! from the one before.

mod covered;
mod empty;
mod keys;
mod language;
mod slips;
mod taken;

use crate::config::entity::EntityKind;
use crate::lint::Linter;
use keys::Keys;

/// Looks at the sections whose ids are patterns.
pub(super) fn check(linter: &mut Linter<'_>) {
    for kind in [EntityKind::Tool, EntityKind::Role, EntityKind::User] {
        let keys = Keys::new(linter.config, kind);
        empty::check(linter, &keys);
        slips::check(linter, &keys);
        covered::check(linter, &keys);
        taken::check(linter, &keys);
    }
}
