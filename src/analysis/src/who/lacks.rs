//! The tools that do not set a field themselves.

use std::sync::Arc;

use tpv_config::Config;
use tpv_config::entity::Entity;
use tpv_model::EntityClass;
use tpv_runtime::mapper::places::ConfigPlace;
use tpv_text::source::SourceMap;

use super::field::Field;
use crate::check::reach::{Beside, Overlap};
use crate::explain::config_place;
use crate::lint::tags::default;

/// A tool without a value of its own.
#[derive(Clone, Debug)]
pub struct Lacking {
    /// Its id, which is a pattern.
    pub tool: String,
    /// Its place.
    pub place: ConfigPlace,
    /// The default's value, which its jobs get. `None` if the default has none.
    pub gets: Option<String>,
    /// The place of that value.
    pub from: Option<ConfigPlace>,
    /// The rules that set the field for some of its jobs.
    pub rules: Vec<String>,
}

/// The tools that set a field neither themselves nor by another id that matches all of their jobs. `None` if an id is not a
/// valid pattern.
pub fn lacking(config: &Config, sources: &SourceMap, field: &Field) -> Option<Vec<Lacking>> {
    let overlap = Overlap::new(config.tools.keys().map(|key| &**key))?;
    let default = default(config, EntityClass::Tool);
    let of_default = default.and_then(|default| field.part(&default.common));
    let sets = |tool: &&Arc<Entity>| field.part(&tool.common).is_some();
    let is_own = |tool: &Arc<Entity>| !tool.common.is_abstract && default.is_none_or(|default| default.id != tool.id);
    let mut out = Vec::new();
    for (index, tool) in config.tools.values().enumerate().filter(|(_, tool)| is_own(tool)) {
        if sets(&tool) {
            continue;
        }
        let beside = overlap.beside(index);
        let always = || {
            let all = beside.iter().filter(|Beside { always, .. }| *always);
            all.filter_map(|Beside { index, .. }| config.tools.get_index(*index)).map(|(_, tool)| tool)
        };
        if always().any(|other| is_own(other) && sets(&other)) {
            continue;
        }
        let entities = default.into_iter().chain(always().map(|tool| &**tool));
        let rules = entities.flat_map(|entity| entity.rules.values());
        let mut names: Vec<String> =
            rules.filter(|rule| field.part(&rule.common).is_some()).map(|rule| rule.id.to_string()).collect();
        names.dedup();
        out.push(Lacking {
            tool: tool.id.to_string(),
            place: config_place(sources, tool.span),
            gets: of_default.as_ref().map(|part| part.value.to_string()),
            from: of_default.as_ref().map(|part| config_place(sources, part.span)),
            rules: names,
        });
    }
    Some(out)
}
