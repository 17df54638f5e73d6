//! The entities of an artifact as flat fields by name, with `inherits` and `default_inherits` folded in.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use indexmap::IndexMap;
use num_bigint::BigInt;
use tpv_bytecode::listing::meaning;
use tpv_bytecode::{CodeKind, CodeRef, ProgramData};
use tpv_literal::float_text;
use tpv_model::field::{Kind, Parts};
use tpv_model::merge::{Env, RuleList, merge_env, merge_rules};
use tpv_model::{self as model, TagType};
use tpv_runtime::artifact::Rules;
use tpv_runtime::artifact::tables::{EntityRow, EntityTable, StringId, Tables, TagsRow, ValueRow};
use tpv_runtime::first_line::first_line;

/// The sections in the order of a report.
pub(super) const SECTIONS: [&str; 6] = ["global", "tools", "roles", "users", "destinations", "pools"];

/// A field, or one of those that have no row in the model's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Group {
    /// A field of entities or rules.
    Of(model::Field),
    /// A field of `global`.
    Global(&'static str),
    /// The fields that TPV does not know.
    Further,
}

impl Group {
    /// The name by which the fields of an entity are sorted.
    fn name(self) -> &'static str {
        match self {
            Self::Of(field) => field.name(),
            Self::Global(name) => name,
            Self::Further => "further",
        }
    }
}

impl PartialOrd for Group {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Group {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name().cmp(other.name())
    }
}

/// A field, and the name of a part of it (`env`, `params`, tags, ...); the name is empty for `cores` and the like.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Field {
    pub(super) group: Group,
    pub(super) name: Arc<str>,
}

impl Field {
    fn new(group: Group, name: impl Into<Arc<str>>) -> Self {
        Self { group, name: name.into() }
    }

    /// A field of entities or rules, or a part of one.
    fn of(field: model::Field, name: impl Into<Arc<str>>) -> Self {
        Self::new(Group::Of(field), name)
    }

    /// Returns `true` if it is this field, or a part of it.
    pub(super) fn is(&self, field: model::Field) -> bool {
        self.group == Group::Of(field)
    }

    /// The field as a config would call it.
    pub(super) fn shown(&self) -> String {
        let group = match self.group {
            Group::Of(field) => field.alias(),
            group => group.name(),
        };
        if self.name.is_empty() { group.to_owned() } else { format!("{group}.{}", self.name) }
    }
}

/// A value of a field.
#[derive(Clone, Debug)]
pub(super) struct Value {
    /// Equal for values that mean the same.
    pub(super) key: Arc<str>,
    /// The value as a person reads it.
    pub(super) shown: Arc<str>,
    /// The site of the entity or rule that has it.
    pub(super) owner: u32,
    /// The site of the value, where it is code.
    pub(super) site: Option<u32>,
}

/// The fields that are set.
pub(super) type Fields = BTreeMap<Field, Value>;

/// A rule.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) id: Arc<str>,
    pub(super) site: u32,
    /// All fields, `if`, `execute` and `fail` among them.
    pub(super) fields: Fields,
}

impl Rule {
    /// Returns `true` if its id was made by counting, and so has no meaning.
    pub(super) fn is_nameless(&self) -> bool {
        let number = self.id.strip_prefix("tpv_rule_");
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    }

    /// Returns `true` if another has the same content.
    pub(super) fn same(&self, other: &Self) -> bool {
        same(&self.fields, &other.fields)
    }

    /// The name used in messages: its id, or its condition if the id was generated.
    pub(super) fn shown(&self) -> String {
        if !self.is_nameless() {
            return self.id.to_string();
        }
        let condition = self.fields.get(&Field::of(model::Field::If, ""));
        condition
            .map_or_else(|| "always".to_owned(), |value| format!("if {}", first_line(&value.shown, MOST_OF_CONDITION)))
    }
}

/// The characters shown of a condition that stands for a rule.
const MOST_OF_CONDITION: usize = 60;

/// An entity.
#[derive(Clone, Debug)]
pub(super) struct Entity {
    pub(super) site: u32,
    pub(super) inherits: Option<Arc<str>>,
    pub(super) fields: Fields,
    /// The names of `env`, in order.
    pub(super) env: Vec<Arc<str>>,
    pub(super) rules: Vec<Arc<Rule>>,
    /// Equal for entities that say the same themselves, whatever the default one says.
    pub(super) own: u64,
}

impl Entity {
    /// A hash of what the entity says, as it is.
    fn hash_of_own(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let rules = self.rules.iter().map(|rule| &rule.fields);
        for fields in std::iter::once(&self.fields).chain(rules) {
            hasher.write_usize(fields.len());
            fields.iter().for_each(|(field, value)| (field, &value.key).hash(&mut hasher));
        }
        hasher.finish()
    }

    /// Returns `true` if another has the same content.
    pub(super) fn same(&self, other: &Self) -> bool {
        let rules = || self.rules.iter().zip(&other.rules);
        same(&self.fields, &other.fields)
            && self.env == other.env
            && self.rules.len() == other.rules.len()
            && rules().all(|(one, other)| one.same(other) && (one.is_nameless() || one.id == other.id))
    }
}

fn same(one: &Fields, other: &Fields) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|((name, value), (other, other_value))| name == other && value.key == other_value.key)
}

/// `default_inherits` of `global`.
pub(super) const DEFAULT_INHERITS: Group = Group::Global("default_inherits");
const STORE: Group = Group::Global("resource_pool_store");

/// The facts of a rule set.
pub(super) struct Facts {
    /// The entities of each of [`SECTIONS`], in order; `global` is one entity of that name.
    pub(super) sections: [IndexMap<Arc<str>, Entity>; 6],
}

impl Facts {
    /// The facts of an artifact.
    pub(super) fn of(rules: &Rules) -> Self {
        let tables = rules.tables();
        let mut reader = Reader { tables, program: rules.program(), rules: HashMap::new(), codes: HashMap::new() };
        let global = IndexMap::from([(Arc::from("global"), reader.global())]);
        let [tools, roles, users] = [&tables.tools, &tables.roles, &tables.users].map(|table| reader.table(table));
        let mut rows =
            |rows: &[EntityRow]| rows.iter().map(|row| (reader.string(row.id), reader.entity(row))).collect();
        let sections = [global, tools, roles, users, rows(&tables.destinations), rows(&tables.pools)];
        Self { sections }
    }
}

struct Reader<'a> {
    tables: &'a Tables,
    program: &'a ProgramData,
    /// Rules that were read: entities share those that they inherit.
    rules: HashMap<u32, Arc<Rule>>,
    /// The meanings of codes.
    codes: HashMap<u32, Arc<str>>,
}

impl Reader<'_> {
    fn string(&self, id: StringId) -> Arc<str> {
        self.tables.strings.get(id as usize).map_or("", String::as_str).into()
    }

    fn global(&mut self) -> Entity {
        let global = &self.tables.global;
        let mut fields = Fields::new();
        if let Some(id) = global.default_inherits {
            fields.insert(Field::new(DEFAULT_INHERITS, ""), plain(&self.string(id), u32::MAX));
        }
        for (name, value) in &global.context {
            let value = self.value(value, u32::MAX);
            fields.insert(Field::of(model::Field::Context, self.string(*name)), value);
        }
        if let Some(store) = &global.resource_pool_store {
            fields.insert(Field::new(STORE, ""), plain(&self.string(store.class), u32::MAX));
            for (name, value) in &store.options {
                let value = self.value(value, u32::MAX);
                fields.insert(Field::new(STORE, self.string(*name)), value);
            }
        }
        Entity { site: u32::MAX, inherits: None, fields, env: Vec::new(), rules: Vec::new(), own: 0 }
    }

    /// The entities of a section; what they inherit from the default one is theirs, too.
    fn table(&mut self, table: &EntityTable) -> IndexMap<Arc<str>, Entity> {
        let mut entities: IndexMap<Arc<str>, Entity> =
            table.rows.iter().map(|row| (self.string(row.id), self.entity(row))).collect();
        let default = table.default.and_then(|index| entities.get_index(index as usize));
        if let Some((id, default)) = default.map(|(id, default)| (id.clone(), default.clone())) {
            entities.iter_mut().filter(|(other, _)| **other != id).for_each(|(_, entity)| entity.fold_in(&default));
        }
        entities
    }

    fn entity(&mut self, row: &EntityRow) -> Entity {
        let mut fields = self.fields(row);
        let mut env = Vec::new();
        if let Some(ValueRow::List(items)) = row.value(model::Field::Env) {
            env.extend(items.iter().filter_map(|item| self.env_name(item)));
        }
        let rules: Vec<Arc<Rule>> = row.rules.iter().filter_map(|(_, index)| self.rule(*index)).collect();
        if row.abstract_ {
            fields.insert(Field::of(model::Field::Abstract, ""), plain("true", row.site));
        }
        let inherits = row.inherits.map(|id| self.string(id)).filter(|id| !id.is_empty());
        let entity = Entity { site: row.site, inherits, fields, env, rules, own: 0 };
        Entity { own: entity.hash_of_own(), ..entity }
    }

    fn rule(&mut self, index: u32) -> Option<Arc<Rule>> {
        if let Some(rule) = self.rules.get(&index) {
            return Some(rule.clone());
        }
        let row = self.tables.rules.get(index as usize)?;
        let rule = Arc::new(Rule { id: self.string(row.id), site: row.site, fields: self.fields(row) });
        self.rules.insert(index, rule.clone());
        Some(rule)
    }

    /// The fields of an entity or rule, but for what only entities have.
    fn fields(&mut self, row: &EntityRow) -> Fields {
        let mut fields = Fields::new();
        for field in model::Field::of(row.class) {
            let Some(value) = row.value(field).filter(|value| **value != ValueRow::None) else { continue };
            match (field.kind().parts(), value) {
                (Some(Parts::Entries), ValueRow::List(items)) => self.env(&mut fields, items, row.site),
                (Some(Parts::Entries), ValueRow::Dict(entries)) => {
                    for (key, value) in entries {
                        let (name, value) = (self.shown(key), self.value(value, row.site));
                        fields.insert(Field::of(field, name), value);
                    }
                }
                (Some(Parts::Entries), _) => {}
                // Unset, they are the id, an empty list and `false`.
                _ if field == model::Field::DestName && self.shown(value) == *self.string(row.id) => {}
                _ if matches!(value, ValueRow::List(items) if items.is_empty()) => {}
                _ if field.kind() == Kind::Flag && *value == ValueRow::Bool(false) => {}
                _ => {
                    let value = self.value(value, row.site);
                    fields.insert(Field::of(field, ""), value);
                }
            }
        }
        for (name, value) in &row.extras {
            let value = self.value(value, row.site);
            fields.insert(Field::new(Group::Further, self.string(*name)), value);
        }
        self.tags(&mut fields, &row.tags, row.site);
        row.dest_tags.iter().for_each(|tags| self.tags(&mut fields, tags, row.site));
        if let Some(oversize) = &row.oversize {
            let hard = ["hard_max_cores", "hard_max_mem", "hard_max_gpus"].into_iter().zip(oversize.hard_max);
            let hard = hard.filter_map(|(name, most)| Some((name, float_text::repr(most?))));
            let reserve = oversize.reserve_pool.then(|| ("reserve_pool", "true".to_owned()));
            let count = (oversize.max_concurrent != 0).then(|| ("max_concurrent", oversize.max_concurrent.to_string()));
            for (name, shown) in hard.chain(reserve).chain(count) {
                fields.insert(Field::of(model::Field::Oversize, name), plain(&shown, row.site));
            }
        }
        fields
    }

    fn env(&mut self, fields: &mut Fields, items: &[ValueRow], owner: u32) {
        for item in items {
            let (Some(name), ValueRow::Dict(entries)) = (self.env_name(item), item) else { continue };
            let is_named = |key: &ValueRow| matches!(key, ValueRow::Str(id) if &*self.string(*id) == "name");
            let only = entries.iter().filter(|(key, _)| !is_named(key)).map(|(_, value)| value).collect::<Vec<_>>();
            let value = match only.as_slice() {
                [only] => self.value(only, owner),
                _ => self.value(item, owner),
            };
            // Of two of one name, each is told.
            let mut field = Field::of(model::Field::Env, name);
            while fields.contains_key(&field) {
                field.name = format!("{} (again)", field.name).into();
            }
            fields.insert(field, value);
        }
    }

    fn tags(&self, fields: &mut Fields, tags: &TagsRow, owner: u32) {
        for (kind, list) in TagType::ALL.map(TagType::field).into_iter().zip(&tags.lists) {
            for tag in list.iter().flatten() {
                let name = self.tables.tags.get(*tag as usize).map(|id| self.string(*id)).unwrap_or_default();
                fields.insert(Field::of(model::Field::Tags, name), plain(kind, owner));
            }
        }
    }

    /// The subject of an element of `env`: its `name`, or else its first key (`file`, `execute`) and value.
    fn env_name(&self, item: &ValueRow) -> Option<Arc<str>> {
        let ValueRow::Dict(entries) = item else { return None };
        let name = entries.iter().find(|(key, _)| self.shown(key) == "name");
        let shown = match (name, entries.first()) {
            (Some((_, value)), _) => self.shown(value),
            (None, Some((key, value))) => format!("{} {}", self.shown(key), self.shown(value)),
            (None, None) => String::new(),
        };
        Some(shown.into())
    }

    fn value(&mut self, value: &ValueRow, owner: u32) -> Value {
        let shown: Arc<str> = self.shown(value).into();
        let mut key = String::new();
        self.key(value, &mut key);
        let site = match value {
            ValueRow::Code(_, code) => Some(code.site),
            _ => None,
        };
        Value { key: key.into(), shown, owner, site }
    }

    /// Appends what is equal for values that mean the same.
    fn key(&mut self, value: &ValueRow, out: &mut String) {
        match value {
            ValueRow::Code(text, code) if code.code != CodeRef::PLAIN => {
                let text = self.string(*text);
                let kind = self.program.codes.get(code.code as usize).map(|code| code.kind);
                // A number may be written as code.
                if kind == Some(CodeKind::Block)
                    && let Some(number) = number(text.trim())
                {
                    return self.key(&number, out);
                }
                let program = self.program;
                let meant = self.codes.entry(code.code).or_insert_with(|| meaning(program, code.code).into());
                out.push_str("code ");
                out.push_str(meant);
            }
            ValueRow::List(items) => {
                out.push('[');
                for item in items {
                    self.key(item, out);
                    out.push(',');
                }
                out.push(']');
            }
            ValueRow::Dict(entries) => {
                out.push('{');
                let mut keys: Vec<String> = Vec::with_capacity(entries.len());
                for (name, value) in entries {
                    let mut entry = String::new();
                    self.key(name, &mut entry);
                    entry.push(':');
                    self.key(value, &mut entry);
                    keys.push(entry);
                }
                keys.sort();
                out.push_str(&keys.join(","));
                out.push('}');
            }
            ValueRow::Str(id) | ValueRow::Code(id, _) => out.push_str(&format!("{:?}", self.string(*id))),
            other => out.push_str(&self.shown(other)),
        }
    }

    /// A value as a person reads it.
    fn shown(&self, value: &ValueRow) -> String {
        match value {
            ValueRow::None => "null".to_owned(),
            ValueRow::Bool(value) => value.to_string(),
            ValueRow::Int(value) => value.to_string(),
            ValueRow::BigInt(bytes) => BigInt::from_signed_bytes_le(bytes).to_string(),
            ValueRow::Float(value) => float_text::repr(*value),
            ValueRow::Str(id) | ValueRow::Code(id, _) => self.string(*id).to_string(),
            ValueRow::Date(year, month, day) => format!("{year:04}-{month:02}-{day:02}"),
            ValueRow::DateTime(microseconds, offset) => format!("{microseconds} µs after 1970 ({offset:?})"),
            ValueRow::List(items) => {
                format!("[{}]", items.iter().map(|item| self.shown(item)).collect::<Vec<_>>().join(", "))
            }
            ValueRow::Dict(entries) => {
                let entries = entries.iter().map(|(key, value)| format!("{}: {}", self.shown(key), self.shown(value)));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// The number that a text is, where Python and YAML read it alike.
fn number(text: &str) -> Option<ValueRow> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || (whole.len() > 1 && whole.starts_with('0')) {
        return None;
    }
    if text.contains('.') { text.parse().ok().map(ValueRow::Float) } else { text.parse().ok().map(ValueRow::Int) }
}

fn plain(shown: &str, owner: u32) -> Value {
    Value { key: shown.into(), shown: shown.into(), owner, site: None }
}

impl Entity {
    /// Gives the entity what it inherits from the default one, as each job's lookup does.
    fn fold_in(&mut self, default: &Self) {
        inherit(&mut self.fields, &default.fields);
        let Ok(env) = merge_env(&mut ByName, std::mem::take(&mut self.env), default.env.clone());
        self.env = env;
        let Ok(rules) = merge_rules(&mut ByName, &self.rules, &default.rules);
        self.rules = rules;
    }
}

/// Variables of `env` and rules, which are known by their names alone.
struct ByName;

impl Env for ByName {
    type Entry = Arc<str>;
    type Name = Arc<str>;
    type Error = Infallible;

    fn name(&mut self, entry: &Arc<str>) -> Result<Option<Arc<str>>, Infallible> {
        Ok(Some(entry.clone()))
    }

    fn equal(&mut self, entry: &Arc<str>, other: &Arc<str>) -> Result<bool, Infallible> {
        Ok(entry == other)
    }
}

impl RuleList for ByName {
    type Rule = Arc<Rule>;
    type Id = Arc<str>;
    type Error = Infallible;

    fn key<'r>(&self, rule: &'r Arc<Rule>) -> &'r str {
        &rule.id
    }

    fn id(&mut self, rule: &Arc<Rule>) -> Result<Arc<str>, Infallible> {
        Ok(rule.id.clone())
    }

    fn inherit(&mut self, child: &Arc<Rule>, parent: &Arc<Rule>, _: Arc<str>) -> Result<Arc<Rule>, Infallible> {
        Ok(Arc::new(child.over(parent)))
    }
}

impl Rule {
    /// This rule over one of the same id.
    fn over(&self, inherited: &Self) -> Self {
        let mut fields = self.fields.clone();
        inherit(&mut fields, &inherited.fields);
        Self { id: self.id.clone(), site: self.site, fields }
    }
}

/// Adds the parent's fields that the child does not set, as far as they are inherited.
fn inherit(child: &mut Fields, parent: &Fields) {
    let is_inherited = |field: &Field| !field.is(model::Field::Abstract) && field.group != Group::Further;
    for (field, value) in parent.iter().filter(|(field, _)| is_inherited(field)) {
        child.entry(field.clone()).or_insert_with(|| value.clone());
    }
}
