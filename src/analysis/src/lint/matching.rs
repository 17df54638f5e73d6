//! The entities of a section that typical jobs of an entity get.

use tpv_config::Config;
use tpv_config::entity::Entity;

/// The entities of an entity's class whose keys match a typical id of its pattern, itself among them, in the order of the config.
pub(super) fn beside<'a>(config: &'a Config, entity: &Entity) -> impl Iterator<Item = &'a Entity> + use<'a> {
    config.matching(entity.class, &sample(&entity.id)).map(|entity| &**entity)
}

/// An id that a pattern matches: its text with something for each wildcard.
fn sample(pattern: &str) -> String {
    pattern.replace(".*", "x").replace(".+", "x").replace('\\', "")
}
