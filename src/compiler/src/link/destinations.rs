//! Destinations with the defaults that TPV gives each of them for every job: `default_inherits`, then the refusal of
//! user-defined tools, under the destination's own fields.

use std::sync::Arc;

use tpv_runtime::artifact::tables::EntityRow;

use tpv_config::Config;
use tpv_config::entity::Entity;
use tpv_config::rules::Rules;
use tpv_config::scheduling::SchedulingTags;
use tpv_model::{EntityClass, TagType};
use tpv_text::source::Span;
use tpv_yaml::value::Text;

use super::Linker;

/// The tag that destinations reject unless they say otherwise: a user's own tool must be accepted explicitly.
const USER_DEFINED: &str = "tool_type_user_defined";

impl Linker<'_> {
    /// All destinations, in order.
    pub(super) fn destinations(&mut self, config: &Config, default: Option<&str>) -> Vec<EntityRow> {
        let base = defaults(config, default);
        let resolve = |destination: &Arc<Entity>| match &base {
            Some(base) => Arc::new(destination.inherit(base, config.version)),
            None => destination.clone(),
        };
        config.destinations.values().map(|destination| self.entity(&resolve(destination))).collect()
    }
}

/// The entity that every destination inherits from last, if there is one.
pub fn destination_defaults(config: &Config) -> Option<Entity> {
    defaults(config, config.global.default_inherits.as_ref().map(Text::as_str))
}

fn defaults(config: &Config, default: Option<&str>) -> Option<Entity> {
    // In TPV 1 destinations inherit from it when they are loaded.
    let default = default.filter(|_| !config.version.evaluates_early()).and_then(|id| config.destinations.get(id));
    let base = config.version.tags_tool_types().then(secure_defaults);
    match (base, default) {
        (Some(base), Some(default)) => Some(base.inherit(default, config.version)),
        (base, default) => base.or_else(|| default.map(|default| Entity::clone(default))),
    }
}

fn secure_defaults() -> Entity {
    // It has no place of its own in a file.
    let span = Span::default();
    let tags = SchedulingTags::single(TagType::Reject, vec![Text::new(USER_DEFINED, span)]);
    Entity {
        class: EntityClass::Destination,
        id: "tool_type_secure_defaults".into(),
        span,
        common: Default::default(),
        rules: Rules::default(),
        dest_tags: Some(Arc::new(tags)),
        oversize: None,
    }
}
