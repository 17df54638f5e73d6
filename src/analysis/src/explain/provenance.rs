//! The location in the config of an entity's or a rule's value.

use std::collections::HashMap;
use std::sync::Arc;

use tpv_runtime::artifact::Rules;
use tpv_runtime::mapper::places::ConfigPlace;
use tpv_runtime::mapper::trace::word_length;

use tpv_config::Config;
use tpv_config::entity::{Common, Entity, Rule, entries, whole};
use tpv_config::scheduling::SchedulingTags;
use tpv_model::field::Parts;
use tpv_model::merge::env_subject;
use tpv_model::{EntityClass, Field, TagType};
use tpv_text::source::{SourceId, SourceMap, Span};
use tpv_yaml::value::ConfigValue;

enum Owner {
    Entity(Arc<Entity>),
    Rule(Arc<Rule>),
}

/// Finds places: to the value where the config is known, to the entity otherwise.
pub struct Provenance<'a> {
    rules: &'a Rules,
    sources: Option<&'a SourceMap>,
    owners: HashMap<(u32, usize, usize), Owner>,
    defaults: Vec<Arc<Entity>>,
}

impl<'a> Provenance<'a> {
    /// For rules, and the config and the texts that they were compiled from where those are known.
    pub fn new(rules: &'a Rules, origin: Option<(&Config, &'a SourceMap)>) -> Self {
        let mut owners = HashMap::new();
        let mut defaults = Vec::new();
        if let Some((config, sources)) = origin {
            let key = |span: Span| {
                let place = sources.place(span);
                (span.source.0, place.line, place.column)
            };
            for kind in EntityClass::SECTIONS {
                for entity in config.section(kind).values() {
                    owners.insert(key(entity.span), Owner::Entity(entity.clone()));
                    for rule in entity.rules.values() {
                        owners.insert(key(rule.span), Owner::Rule(rule.clone()));
                    }
                }
                defaults.extend(config.default_entity(kind).cloned());
            }
        }
        Self { rules, sources: origin.map(|(_, sources)| sources), owners, defaults }
    }

    /// The place of an entity, a rule or a text.
    pub fn site(&self, site: u32) -> Option<ConfigPlace> {
        ConfigPlace::of_site(self.rules, site)
    }

    /// The place of a field of the entity or rule at a site, or of the part `name` of the field; that of the entity itself where more
    /// is not known.
    pub fn field(&self, site: u32, field: Field, name: &str) -> Option<ConfigPlace> {
        let place = self.site(site)?;
        let owner = self.owners.get(&(place.source, place.line as usize, place.column as usize));
        let span = match owner {
            Some(Owner::Entity(entity)) => of_entity(entity, field, name).or_else(|| {
                let default = self.defaults.iter().find(|default| default.class == entity.class)?;
                of_entity(default, field, name)
            }),
            Some(Owner::Rule(rule)) => of_common(&rule.common, field, name),
            None => None,
        };
        match (span, self.sources) {
            (Some(span), Some(sources)) => Some(config_place(sources, span)),
            _ => Some(place),
        }
    }
}

/// A span as a place of the config.
pub(crate) fn config_place(sources: &SourceMap, span: Span) -> ConfigPlace {
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    let place = sources.place(span);
    let file = sources.get(span.source).map_or_else(String::new, |source| source.name.to_string());
    ConfigPlace { file, source: span.source.0, line: number(place.line), column: number(place.column) }
}

/// The word at a place of the config, or one character, where the text is known.
pub fn word_at(sources: &SourceMap, place: &ConfigPlace) -> Option<Span> {
    let id = SourceId(place.source);
    let source = sources.get(id)?;
    let start = source.line_start(place.line as usize);
    let line = source.text.get(start..)?.lines().next()?;
    let at = |column: usize| line.char_indices().nth(column).map_or(line.len(), |(at, _)| at) + start;
    let column = place.column.saturating_sub(1) as usize;
    line.char_indices().nth(column)?;
    let length = word_length(line.chars().skip(column));
    Some(Span::new(id, at(column), at(column + length)))
}

fn of_entity(entity: &Entity, field: Field, name: &str) -> Option<Span> {
    let offered = entity.dest_tags.as_ref().filter(|_| field == Field::Tags).and_then(|tags| of_tags(tags, name));
    offered.or_else(|| of_common(&entity.common, field, name))
}

/// The place of a field of an entity or rule, or of the part `name` of it.
pub fn of_common(common: &Common, field: Field, name: &str) -> Option<Span> {
    if Field::singles().contains(&field) {
        return whole(common, field).map(|(_, span)| span).filter(|span| span.end > span.start);
    }
    match field.kind().parts()? {
        Parts::Entries if field == Field::Env => {
            let entries = common.env.as_ref()?;
            let entry = entries.iter().find(|entry| env_name(entry) == name)?;
            // The place of the value is of more use than that of the name.
            let (_, text) = entry.iter().find(|(key, _)| &**key != "name").or_else(|| entry.first())?;
            Some(text.span)
        }
        Parts::Entries => entries(common, field)?.get(name).map(|value| value.span),
        Parts::Tags => of_tags(&common.tags, name),
        Parts::Whole => whole(common, field).map(|(_, span)| span),
    }
}

/// The subject of an element of `env`: its `name`, or else its first key (`file`, `execute`) and value.
fn env_name(entry: &[(Arc<str>, ConfigValue)]) -> &str {
    env_subject(entry, |(key, _)| &**key == "name").and_then(|(_, value)| value.as_str()).unwrap_or("")
}

fn of_tags(tags: &SchedulingTags, name: &str) -> Option<Span> {
    let all = TagType::APPLICATION.into_iter().flat_map(|kind| tags.get(kind));
    all.into_iter().find(|tag| tag.as_str() == name).map(|tag| tag.span)
}
