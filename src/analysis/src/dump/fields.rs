//! The fields of TPV's classes in the order of their definition, with their names and aliases.

use std::sync::Arc;

use tpv_config::entity::{Common, Dict, Entity, EnvEntry, GlobalConfig, Oversize, Rule};
use tpv_config::scheduling::SchedulingTags;
use tpv_model::field::Unset;
use tpv_model::{self as model, EntityClass, TagType};
use tpv_yaml::value::{ConfigValue, Entry, Map, Text, ValueKind};

use super::{made, map, text_value};

/// A field of an entity or rule.
pub(super) struct Field {
    /// The name in TPV's class.
    pub(super) name: String,
    /// The name in the config.
    pub(super) alias: String,
    /// The value.
    pub(super) value: ConfigValue,
    /// `true` if it is the default of the field.
    pub(super) is_default: bool,
    /// The value without the fields in it that have their defaults.
    pub(super) short: Option<ConfigValue>,
}

/// The sections that TPV does not know.
pub(super) fn unknown_section(value: &ConfigValue) -> ConfigValue {
    any(value, false)
}

/// The value of a field, before it has its name.
struct Dumped {
    value: ConfigValue,
    is_default: bool,
    short: Option<ConfigValue>,
}

impl Dumped {
    fn new(value: ConfigValue, is_default: bool) -> Self {
        Self { value, is_default, short: None }
    }

    /// A field that has no default.
    fn set(value: ConfigValue) -> Self {
        Self::new(value, false)
    }

    fn text(value: Option<&Text>) -> Self {
        Self::new(optional_text(value), value.is_none())
    }

    fn named(self, field: model::Field) -> Field {
        let Self { value, is_default, short } = self;
        Field { name: field.name().to_owned(), alias: field.alias().to_owned(), value, is_default, short }
    }
}

fn null() -> ConfigValue {
    made(ValueKind::Null)
}

fn text(text: &Text) -> ConfigValue {
    ConfigValue::new(ValueKind::Str(text.clone()), text.span)
}

fn optional_text(value: Option<&Text>) -> ConfigValue {
    value.map_or_else(null, text)
}

/// A value of type `Any` as pydantic dumps it. The loader makes a dict of a mapping that stands in mappings only; any other
/// is ruamel.yaml's, which becomes an `OrderedDict`.
fn any(value: &ConfigValue, in_list: bool) -> ConfigValue {
    let kind = match &value.kind {
        ValueKind::List(items) => ValueKind::List(Arc::new(items.iter().map(|item| any(item, true)).collect())),
        ValueKind::Map(map) => {
            let entry = |entry: &Entry| Entry { value: any(&entry.value, in_list), ..entry.clone() };
            let map = Arc::new(Map { entries: map.entries.iter().map(entry).collect() });
            if in_list { ValueKind::OrderedMap(map) } else { ValueKind::Map(map) }
        }
        kind => kind.clone(),
    };
    ConfigValue::new(kind, value.span)
}

fn texts(list: &[Text]) -> ConfigValue {
    made(ValueKind::List(Arc::new(list.iter().map(text).collect())))
}

fn dict(dict: &Dict, in_list: bool) -> ConfigValue {
    map(dict.iter().map(|(key, value)| (&**key, any(value, in_list))))
}

fn env(entries: &[EnvEntry]) -> ConfigValue {
    let entry = |entry: &EnvEntry| map(entry.iter().map(|(key, value)| (&**key, any(value, false))));
    made(ValueKind::List(Arc::new(entries.iter().map(entry).collect())))
}

/// `global`
pub(super) fn global(global: &GlobalConfig) -> ConfigValue {
    let store = global.resource_pool_store.as_ref().map_or_else(null, |store| {
        let class = ("store_class", text(&store.store_class));
        map(std::iter::once(class).chain(store.options.iter().map(|(key, value)| (&**key, any(value, false)))))
    });
    let fields = [
        ("default_inherits", optional_text(global.default_inherits.as_ref())),
        ("context", dict(&global.context, false)),
        ("resource_pool_store", store),
    ];
    map(fields.into_iter().chain(global.extras.iter().map(|(key, value)| (&**key, any(value, false)))))
}

/// All fields of an entity.
pub(super) fn entity(entity: &Entity) -> Vec<Field> {
    let offers = entity.class.offers_tags();
    // A destination's and a pool's own demands stay inside.
    let shown = model::Field::of(entity.class).filter(|field| !offers || *field != model::Field::Tags);
    let own = |field| match field {
        model::Field::Id => Some(Dumped::set(text_value(&entity.id))),
        model::Field::Rules => Some(rules(entity)),
        model::Field::DestTags => Some(tags(entity.dest_tags.as_ref()?, false)),
        model::Field::Oversize => Some(oversize(entity.oversize.as_ref()?)),
        _ => None,
    };
    let mut fields: Vec<Field> = shown
        .filter_map(|field| {
            let value = own(field).or_else(|| of_common(&entity.common, field, false));
            Some(value?.named(field))
        })
        .collect();
    extras(&entity.common, false, &mut fields);
    fields
}

/// All fields of a rule.
pub(super) fn rule(rule: &Rule) -> Vec<Field> {
    let value = |field| match field {
        model::Field::Id => Some(Dumped::set(text_value(&rule.id))),
        _ => of_common(&rule.common, field, rule.in_list),
    };
    let all = model::Field::of(EntityClass::Rule);
    let mut fields: Vec<Field> = all.filter_map(|field| Some(value(field)?.named(field))).collect();
    extras(&rule.common, rule.in_list, &mut fields);
    fields
}

/// Fields as one mapping, under the names of the class. An unknown field of a config may have the name of one of them and
/// then takes its place.
pub(super) fn data(fields: &[Field]) -> ConfigValue {
    let named: indexmap::IndexMap<&str, &ConfigValue> =
        fields.iter().map(|field| (&*field.name, &field.value)).collect();
    map(named.into_iter().map(|(name, value)| (name, value.clone())))
}

/// The value of a field that entities and rules have.
fn of_common(common: &Common, field: model::Field, in_list: bool) -> Option<Dumped> {
    let optional_dict = |value: Option<&Arc<Dict>>| value.map_or_else(null, |value| dict(value, in_list));
    let context = common.context.as_ref();
    Some(match field {
        model::Field::Abstract => Dumped::new(made(ValueKind::Bool(common.is_abstract)), !common.is_abstract),
        model::Field::Inherits => Dumped::text(common.inherits.as_ref()),
        model::Field::Amount(amount) => {
            let value = common.amounts.get(amount);
            Dumped::new(value.map_or_else(null, |value| (**value).clone()), value.is_none())
        }
        model::Field::Env => {
            Dumped::new(common.env.as_ref().map_or_else(null, |entries| env(entries)), common.env.is_none())
        }
        model::Field::Params => Dumped::new(optional_dict(common.params.as_ref()), common.params.is_none()),
        model::Field::Resubmit => Dumped::new(dict(&common.resubmit, false), common.resubmit.is_empty()),
        model::Field::Context => Dumped::new(optional_dict(context), context.is_some_and(|context| context.is_empty())),
        model::Field::Tags => tags(&common.tags, in_list),
        model::Field::NoQaCodes => Dumped::new(texts(&common.no_qa_codes), common.no_qa_codes.is_empty()),
        single if model::Field::singles().contains(&single) => of_single(common.singles.get(single), single),
        _ => return None,
    })
}

fn extras(common: &Common, in_list: bool, fields: &mut Vec<Field>) {
    fields.extend(common.extras.iter().map(|(key, value)| {
        let (name, alias) = (key.to_string(), key.to_string());
        Field { name, alias, value: any(value, in_list), is_default: false, short: None }
    }));
}

fn tags(tags: &SchedulingTags, in_list: bool) -> Dumped {
    let value = |kind: TagType| tags.list(kind).map_or_else(null, |list| texts(list));
    let is_empty = |kind: &TagType| tags.list(*kind).is_some_and(|list| list.is_empty());
    let extras = || tags.extras.iter().map(|(key, value)| (&**key, any(value, in_list)));
    let all = map(TagType::ALL.into_iter().map(|kind| (kind.field(), value(kind))).chain(extras()));
    let set = TagType::ALL.into_iter().filter(|kind| !is_empty(kind)).map(|kind| (kind.field(), value(kind)));
    let is_default = TagType::ALL.iter().all(is_empty) && tags.extras.is_empty();
    let short = map(set.chain(extras()));
    Dumped { short: Some(short), ..Dumped::new(all, is_default) }
}

fn rules(entity: &Entity) -> Dumped {
    let entries =
        entity.rules.iter().map(|(key, item)| Entry { key: text_value(key), value: data(&rule(item)), noqa: None });
    let value = made(ValueKind::Map(Arc::new(Map { entries: entries.collect() })));
    Dumped::new(value, entity.rules.is_empty())
}

/// The value of one of the model's singles.
fn of_single(value: Option<&ConfigValue>, field: model::Field) -> Dumped {
    match (value.map(|value| &value.kind), field.unset()) {
        (Some(ValueKind::Str(tag)), Unset::Empty) => Dumped::set(texts(std::slice::from_ref(tag))),
        (Some(ValueKind::List(items)), Unset::Empty) => {
            Dumped::new(made(ValueKind::List(items.clone())), items.is_empty())
        }
        (None, Unset::Empty) => Dumped::new(texts(&[]), true),
        (Some(ValueKind::Bool(flag)), Unset::False) => Dumped::new(made(ValueKind::Bool(*flag)), !flag),
        (None, Unset::False) => Dumped::new(made(ValueKind::Bool(false)), true),
        _ => Dumped::new(value.map_or_else(null, ConfigValue::clone), value.is_none()),
    }
}

fn oversize(oversize: &Oversize) -> Dumped {
    let number = |value: &Option<ConfigValue>, default: ValueKind| value.clone().unwrap_or_else(|| made(default));
    let unset = |value: &Option<ConfigValue>| value.as_ref().is_none_or(ConfigValue::is_null);
    let is_zero = |value: &ConfigValue| matches!(value.kind, ValueKind::Int(0));
    let max_concurrent = number(&oversize.max_concurrent, ValueKind::Int(0));
    let reserve_pool = made(ValueKind::Bool(oversize.reserve_pool.unwrap_or(false)));
    let items = [
        ("max_concurrent", max_concurrent.clone(), is_zero(&max_concurrent)),
        ("hard_max_cores", number(&oversize.hard_max_cores, ValueKind::Null), unset(&oversize.hard_max_cores)),
        ("hard_max_mem", number(&oversize.hard_max_mem, ValueKind::Null), unset(&oversize.hard_max_mem)),
        ("hard_max_gpus", number(&oversize.hard_max_gpus, ValueKind::Null), unset(&oversize.hard_max_gpus)),
        ("reserve_pool", reserve_pool, oversize.reserve_pool != Some(true)),
    ];
    let short: Vec<_> =
        items.iter().filter(|(.., is_default)| !is_default).map(|(name, value, _)| (*name, value.clone())).collect();
    let is_default = short.is_empty();
    let all = map(items.into_iter().map(|(name, value, _)| (name, value)));
    Dumped { short: Some(map(short)), ..Dumped::new(all, is_default) }
}
