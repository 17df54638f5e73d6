//! The merged config as data: TPV's `model_dump`.

mod fields;
mod text;

use std::sync::Arc;

use tpv_config::Config;
use tpv_config::entity::Entity;
use tpv_model::EntityClass;
use tpv_text::printable::line;
use tpv_text::source::{SourceMap, Span};
use tpv_yaml::value::{ConfigValue, Entry, Map, ValueKind};
use tpv_yaml::write::{Kind, Layout, Node, document};

pub use text::text;

/// The options of a dump.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Entities get what they inherit from `default_inherits`, destinations also TPV's own defaults.
    pub resolved: bool,
    /// Only the entities of this id.
    pub entity: Option<&'a str>,
    /// `true` to show in their place what a tool, role or user of this id gets: all that match it, merged as for a job.
    pub matching: bool,
    /// The texts, where each value is to be followed by the place it came from.
    pub places: Option<&'a SourceMap>,
}

/// The entities of a section that a job's tool, role or user of this id gets, later over earlier: the default and all whose patterns match.
/// Empty if none matches.
pub fn matching<'a>(config: &'a Config, kind: EntityClass, id: &str) -> Vec<&'a Arc<Entity>> {
    let mut matches = config.matching(kind, id).peekable();
    let default = config.default_entity(kind);
    // In TPV 1 entities have inherited from the default when they were loaded.
    let default = default.filter(|_| matches.peek().is_some() && !config.version.evaluates_early());
    default.into_iter().chain(matches).collect()
}

/// A section's entities as they are to be shown.
fn section(config: &Config, kind: EntityClass, options: &Options<'_>) -> Vec<(Arc<str>, Arc<Entity>)> {
    if let Some(id) = options.entity.filter(|_| options.matching) {
        let over = |below: Entity, entity: &Arc<Entity>| entity.inherit(&below, config.version);
        let mut layers = matching(config, kind, id).into_iter();
        let merged = layers.next().map(|first| layers.fold((**first).clone(), over));
        return merged.map(|entity| (Arc::from(id), Arc::new(entity))).into_iter().collect();
    }
    let entities = config.section(kind);
    let default = config.default_entity(kind);
    let wanted = |id: &Arc<str>| options.entity.is_none_or(|wanted| wanted == &**id);
    let resolve = |entity: &Arc<Entity>| {
        if !options.resolved || kind == EntityClass::PoolEntity {
            return entity.clone();
        }
        let base = match kind {
            EntityClass::Destination => tpv_compiler::link::destination_defaults(config),
            _ => default.filter(|default| default.id != entity.id).map(|default| (**default).clone()),
        };
        base.map_or_else(|| entity.clone(), |base| Arc::new(entity.inherit(&base, config.version)))
    };
    entities.iter().filter(|(id, _)| wanted(id)).map(|(id, entity)| (id.clone(), resolve(entity))).collect()
}

/// A value that stands nowhere in a config.
fn made(kind: ValueKind) -> ConfigValue {
    ConfigValue::new(kind, Span::default())
}

fn text_value(text: &str) -> ConfigValue {
    made(ValueKind::Str(tpv_yaml::value::Text::new(text, Span::default())))
}

fn map<'a>(items: impl IntoIterator<Item = (&'a str, ConfigValue)>) -> ConfigValue {
    let entries = items.into_iter().map(|(key, value)| Entry { key: text_value(key), value, noqa: None });
    made(ValueKind::Map(Arc::new(Map { entries: entries.collect() })))
}

/// `file:line` of a span.
fn file_line(sources: &SourceMap, span: Span) -> String {
    let name = sources.get(span.source).map_or("", |source| &source.name);
    format!("{}:{}", line(name), sources.place(span).line)
}

/// The whole config as YAML, as `tpv dump --output-format yaml` gives it. `names` are the config files as they were named.
pub fn yaml(config: &Config, names: &[String], options: &Options<'_>) -> String {
    let comment = |value: &ConfigValue| {
        let sources = options.places?;
        let own = value.span.end > value.span.start;
        // A list or mapping has the places of what is in it.
        let scalar = match &value.kind {
            ValueKind::Map(map) | ValueKind::OrderedMap(map) => map.entries.is_empty(),
            ValueKind::List(items) => items.is_empty(),
            _ => true,
        };
        (own && scalar).then(|| file_line(sources, value.span))
    };
    let node = |value: &ConfigValue| Node::of_config(value, &comment);
    let mut items: Vec<(Node, Node)> = Vec::new();
    if options.entity.is_none() {
        items.push((Node::str("global_config"), node(&fields::global(&config.global))));
    }
    for kind in EntityClass::SECTIONS {
        let entities = section(config, kind, options);
        if entities.is_empty() && options.entity.is_some() {
            continue;
        }
        let entities = entities.iter().map(|(id, entity)| {
            let mut shown = node(&fields::data(&fields::entity(entity)));
            let place = options.places.filter(|_| entity.span.end > entity.span.start);
            shown.comment = place.map(|sources| file_line(sources, entity.span));
            (Node::str(&**id), shown)
        });
        items.push((Node::str(kind.section()), Kind::Map(entities.collect()).into()));
    }
    if options.entity.is_none() {
        items.extend(
            config.extras.iter().map(|(key, value)| (Node::str(&**key), node(&fields::unknown_section(value)))),
        );
        let names = names.iter().map(|name| Node::str(name.as_str())).collect();
        items.push((Node::str("_sources"), Kind::List(names).into()));
    }
    document(&Kind::Map(items).into(), Layout { empty_nulls: true, ..Layout::default() })
}
