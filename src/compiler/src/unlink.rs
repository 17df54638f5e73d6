//! The config of an artifact: [`crate::link`] backwards, for questions about entities rather than jobs.
//!
//! An artifact keeps the entities as they are merged, with the lines of entities, rules and code. Any other value gets the
//! line of its entity, and pools and sections that TPV does not know are left out.

use std::collections::HashMap;
use std::sync::Arc;

use num_bigint::BigInt;
use tpv_model::{Field, FieldMap, TagType};
use tpv_runtime::artifact::tables::{EntityRow, StringId, Tables, TagsRow, ValueRow};

use tpv_config::Config;
use tpv_config::entity::{Amounts, Common, Dict, Entity, EnvEntry, GlobalConfig, Rule};
use tpv_config::rules::Rules;
use tpv_config::scheduling::SchedulingTags;
use tpv_config::validate::Section;
use tpv_text::source::{SourceId, SourceMap, Span};
use tpv_yaml::timestamp::Date;
use tpv_yaml::value::{ConfigValue, Entry, Map, TaggedScalar, Text, ValueKind};

/// The most lines of all files that are told apart. A place further down counts as the last of them.
const MOST_LINES: u32 = 1 << 22;

/// The config of an artifact, and texts of blank lines that give its places their files and lines.
pub fn unlink(tables: &Tables) -> (Config, SourceMap) {
    let strings = tables.strings.iter().map(|text| text.as_str().into()).collect();
    let mut unlinker = Unlinker { tables, strings, rules: HashMap::new() };
    let mut config = Config::default();
    config.version = tables.global.version;
    config.global = GlobalConfig {
        default_inherits: tables.global.default_inherits.map(|id| unlinker.text(id, Span::default())),
        context: Arc::new(unlinker.dict(&tables.global.context, Span::default())),
        ..GlobalConfig::default()
    };
    config.tools = unlinker.section(&tables.tools.rows);
    config.roles = unlinker.section(&tables.roles.rows);
    config.users = unlinker.section(&tables.users.rows);
    config.destinations = unlinker.section(&tables.configured_destinations);
    (config, sources(tables))
}

/// Texts with as many blank lines as the artifact has places in.
fn sources(tables: &Tables) -> SourceMap {
    let mut lines = vec![1; tables.sources.len()];
    for site in &tables.sites {
        if let Some(last) = lines.get_mut(site.source as usize) {
            *last = site.line.max(*last);
        }
    }
    let (mut sources, mut left) = (SourceMap::new(), MOST_LINES);
    for (name, lines) in tables.sources.iter().zip(lines) {
        let name = tables.strings.get(*name as usize).map_or("", String::as_str);
        let lines = lines.min(left);
        left -= lines;
        sources.add(name, &"\n".repeat(lines as usize));
    }
    sources
}

struct Unlinker<'a> {
    tables: &'a Tables,
    /// The strings of the tables, which values share.
    strings: Vec<Arc<str>>,
    /// The rules made so far, by their row and key: entities share them.
    rules: HashMap<(u32, StringId), Arc<Rule>>,
}

impl Unlinker<'_> {
    fn str(&self, id: StringId) -> Arc<str> {
        self.strings.get(id as usize).cloned().unwrap_or_default()
    }

    fn text(&self, id: StringId, span: Span) -> Text {
        Text::new(self.str(id), span)
    }

    /// The line of a site.
    fn span(&self, site: u32) -> Span {
        self.tables.sites.get(site as usize).map_or_else(Span::default, |site| {
            let line = site.line.clamp(1, MOST_LINES) as usize;
            Span::new(SourceId(site.source), line - 1, line)
        })
    }

    fn section(&mut self, rows: &[EntityRow]) -> Section {
        rows.iter().map(|row| self.entity(row)).map(|entity| (entity.id.clone(), Arc::new(entity))).collect()
    }

    fn entity(&mut self, row: &EntityRow) -> Entity {
        let span = self.span(row.site);
        let rules = row.rules.iter().filter_map(|(key, index)| self.rule(*key, *index)).collect();
        Entity {
            class: row.class,
            id: self.str(row.id),
            span,
            common: self.common(row, span),
            rules: Rules::shared(rules),
            dest_tags: row.dest_tags.as_ref().map(|tags| Arc::new(self.tags(tags, span))),
            oversize: None,
        }
    }

    fn rule(&mut self, key: StringId, index: u32) -> Option<Arc<Rule>> {
        if let Some(known) = self.rules.get(&(index, key)) {
            return Some(known.clone());
        }
        let row = self.tables.rules.get(index as usize)?;
        row.value(Field::If)?;
        let span = self.span(row.site);
        let rule = Arc::new(Rule {
            key: self.str(key),
            id: self.str(row.id),
            span,
            inherited: Some(Vec::new()),
            in_list: false,
            common: self.common(row, span),
        });
        self.rules.insert((index, key), rule.clone());
        Some(rule)
    }

    fn common(&self, row: &EntityRow, span: Span) -> Common {
        let (mut amounts, mut singles) = (Amounts::default(), FieldMap::default());
        for (field, value) in row.values.iter() {
            match field {
                Field::Amount(amount) => amounts.set(amount, Some(Arc::new(self.value(value, span)))),
                single if Field::singles().contains(&single) => singles.set(single, self.value(value, span)),
                _ => {}
            }
        }
        let dict = |field| self.optional_dict(row.value(field)?, span);
        Common {
            is_abstract: row.abstract_,
            inherits: row.inherits.map(|id| self.text(id, span)),
            amounts: Arc::new(amounts),
            singles: Arc::new(singles),
            env: row.value(Field::Env).and_then(|env| self.env(env, span)).map(Arc::new),
            params: dict(Field::Params),
            resubmit: dict(Field::Resubmit).unwrap_or_default(),
            context: if row.value(Field::Context).is_none() { Some(Arc::default()) } else { dict(Field::Context) },
            tags: self.tags(&row.tags, span),
            no_qa_codes: Arc::default(),
            extras: Arc::new(self.dict(&row.extras, span)),
        }
    }

    fn tags(&self, row: &TagsRow, span: Span) -> SchedulingTags {
        let mut tags = SchedulingTags::default();
        for (kind, list) in TagType::ALL.into_iter().zip(&row.lists) {
            let name = |tag: &u32| self.tables.tags.get(*tag as usize).map(|id| self.text(*id, span));
            tags.set(kind, list.as_ref().map(|list| Arc::new(list.iter().filter_map(name).collect())));
        }
        tags
    }

    /// `env`, which is a dict of the variables if TPV evaluates early.
    fn env(&self, row: &ValueRow, span: Span) -> Option<Vec<EnvEntry>> {
        let items = |items: &[(ValueRow, ValueRow)]| -> EnvEntry {
            items.iter().filter_map(|(key, value)| Some((self.key(key)?, self.value(value, span)))).collect()
        };
        match row {
            ValueRow::List(entries) => {
                let entry = |entry: &ValueRow| match entry {
                    ValueRow::Dict(own) => Some(items(own)),
                    _ => None,
                };
                Some(entries.iter().filter_map(entry).collect())
            }
            ValueRow::Dict(variables) => {
                let entry = |(name, value): &(ValueRow, ValueRow)| {
                    vec![("name".into(), self.value(name, span)), ("value".into(), self.value(value, span))]
                };
                Some(variables.iter().map(entry).collect())
            }
            _ => None,
        }
    }

    fn key(&self, row: &ValueRow) -> Option<Arc<str>> {
        match row {
            ValueRow::Str(id) | ValueRow::Code(id, _) => Some(self.str(*id)),
            _ => None,
        }
    }

    fn dict(&self, items: &[(StringId, ValueRow)], span: Span) -> Dict {
        items.iter().map(|(key, value)| (self.str(*key), self.value(value, span))).collect()
    }

    fn optional_dict(&self, row: &ValueRow, span: Span) -> Option<Arc<Dict>> {
        let ValueRow::Dict(items) = row else { return None };
        let item = |(key, value): &(ValueRow, ValueRow)| Some((self.key(key)?, self.value(value, span)));
        Some(Arc::new(items.iter().filter_map(item).collect()))
    }

    fn optional_text(&self, row: &ValueRow, span: Span) -> Option<Text> {
        match row {
            ValueRow::Str(id) => Some(self.text(*id, span)),
            ValueRow::Code(id, code) => Some(self.text(*id, self.span(code.site))),
            _ => None,
        }
    }

    fn value(&self, row: &ValueRow, span: Span) -> ConfigValue {
        let kind = match row {
            ValueRow::None => ValueKind::Null,
            ValueRow::Bool(value) => ValueKind::Bool(*value),
            ValueRow::Int(value) => ValueKind::Int(*value),
            ValueRow::BigInt(bytes) => ValueKind::int(BigInt::from_signed_bytes_le(bytes)),
            ValueRow::Float(value) => ValueKind::Float(*value),
            ValueRow::Str(_) | ValueRow::Code(..) => {
                let text = self.optional_text(row, span).unwrap_or_default();
                return ConfigValue::new(ValueKind::Str(text.clone()), text.span);
            }
            ValueRow::Date(year, month, day) => {
                ValueKind::Date(Date { year: u16::try_from(*year).unwrap_or_default(), month: *month, day: *day })
            }
            // No question depends on the moment, only on its being an object.
            ValueRow::DateTime(microseconds, _) => ValueKind::Tagged(Arc::new(TaggedScalar {
                tag: "!!timestamp".into(),
                text: Text::new(microseconds.to_string(), span),
            })),
            ValueRow::List(items) => {
                ValueKind::List(Arc::new(items.iter().map(|item| self.value(item, span)).collect()))
            }
            ValueRow::Dict(items) => {
                let entry = |(key, value): &(ValueRow, ValueRow)| Entry {
                    key: self.value(key, span),
                    value: self.value(value, span),
                    noqa: None,
                };
                ValueKind::Map(Arc::new(Map { entries: items.iter().map(entry).collect() }))
            }
        };
        ConfigValue::new(kind, span)
    }
}
