//! From the artifact's rows to one thread's entities and values.

use std::rc::Rc;

use num_bigint::BigInt;

use crate::artifact::tables::{EntityRow, Tables, TagsRow, ValueRow};
use tpv_python::dict::{Dict, Key, Table};
use tpv_python::modules::datetime;
use tpv_python::string::Str;
use tpv_python::value::Value;

use super::cache::Cache;
use super::entity::Entity;
use super::rule_map::RuleMap;
use super::tags::Tags;

/// Reads rows; interned strings become one [`Str`] each, on first use.
pub(super) struct Rows {
    strings: Vec<std::cell::OnceCell<Str>>,
    rules: Vec<std::cell::OnceCell<Rc<Entity>>>,
    empty_tags: Rc<Tags>,
    cache: Rc<Cache>,
}

impl Rows {
    pub(super) fn new(tables: &Tables, cache: Rc<Cache>) -> Self {
        Self {
            strings: tables.strings.iter().map(|_| std::cell::OnceCell::new()).collect(),
            rules: tables.rules.iter().map(|_| std::cell::OnceCell::new()).collect(),
            empty_tags: Rc::default(),
            cache,
        }
    }

    /// An interned string.
    pub(super) fn string(&self, tables: &Tables, id: u32) -> Str {
        match (self.strings.get(id as usize), tables.strings.get(id as usize)) {
            (Some(cell), Some(text)) => cell.get_or_init(|| Str::from(text.as_str())).clone(),
            _ => Str::from(""),
        }
    }

    /// A value.
    pub(super) fn value(&self, tables: &Tables, row: &ValueRow) -> Value {
        match row {
            ValueRow::None => Value::None,
            ValueRow::Bool(value) => Value::Bool(*value),
            ValueRow::Int(value) => Value::Int(*value),
            ValueRow::BigInt(bytes) => Value::from_bigint(BigInt::from_signed_bytes_le(bytes)),
            ValueRow::Float(value) => Value::Float(*value),
            ValueRow::Str(id) => Value::Str(self.string(tables, *id)),
            ValueRow::Code(id, code) => {
                let text = tables.strings.get(*id as usize).map_or("", String::as_str);
                Value::Str(Str::with_code(text, *code))
            }
            ValueRow::Date(year, month, day) => datetime::date(*year, *month, *day),
            ValueRow::DateTime(microseconds, offset) => datetime::datetime(*microseconds, *offset),
            // DIFFERENCE: in TPV these are of classes of ruamel.yaml, which messages name.
            ValueRow::List(items) => Value::list(items.iter().map(|item| self.value(tables, item)).collect()),
            ValueRow::Dict(items) => {
                let table: Table = items
                    .iter()
                    .filter_map(|(key, value)| Some((self.key(tables, key)?, self.value(tables, value))))
                    .collect();
                Value::dict(Dict::from_table(table))
            }
        }
    }

    /// A key of a config mapping: one of YAML's scalars.
    fn key(&self, tables: &Tables, row: &ValueRow) -> Option<Key> {
        Key::constant(self.value(tables, row))
    }

    fn tags(&self, row: &TagsRow) -> Rc<Tags> {
        if *row == TagsRow::default() { self.empty_tags.clone() } else { Rc::new(Tags::from_row(row)) }
    }

    /// A rule.
    fn rule(&self, tables: &Tables, index: u32) -> Option<Rc<Entity>> {
        let row = tables.rules.get(index as usize)?;
        let cell = self.rules.get(index as usize)?;
        Some(cell.get_or_init(|| self.cache.share(self.entity(tables, row))).clone())
    }

    /// An entity or a rule.
    pub(super) fn entity(&self, tables: &Tables, row: &EntityRow) -> Entity {
        let value = |row: &ValueRow| self.value(tables, row);
        let mut entity = Entity::new(row.class, self.string(tables, row.id));
        entity.is_abstract = Value::Bool(row.abstract_);
        entity.inherits = row.inherits.map_or(Value::None, |id| Value::Str(self.string(tables, id)));
        for (field, row) in row.values.iter() {
            entity.set(field, value(row));
        }
        entity.tags = self.tags(&row.tags);
        let rules =
            row.rules.iter().filter_map(|(key, index)| Some((self.string(tables, *key), self.rule(tables, *index)?)));
        entity.rules = Rc::new(RuleMap::new(rules.collect()));
        let extras = row.extras.iter().map(|(name, row)| (self.string(tables, *name), value(row)));
        entity.extras = Rc::new(extras.collect());
        entity.dest_tags = row.dest_tags.as_ref().map(|row| self.tags(row));
        entity.site = row.site;
        entity
    }
}
