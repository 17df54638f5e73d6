//! The fields of TPV's classes in the order of their definition, with their names and aliases.

use std::sync::Arc;

use crate::config::entity::{
    Common, DestinationFields, Dict, Entity, EnvEntry, GlobalConfig, Oversize, PoolFields, Rule,
};
use crate::config::scheduling::SchedulingTags;
use crate::yaml::value::{ConfigValue, Entry, Map, Text, ValueKind};
use tpv_model::{Amount, TagType};

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

fn field(name: &str, value: ConfigValue, is_default: bool) -> Field {
    Field { name: name.to_owned(), alias: name.to_owned(), value, is_default, short: None }
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
    let entry = |entry: &EnvEntry| map(entry.iter().map(|(key, value)| (&**key, text(value))));
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
    let mut fields = vec![field("id", text_value(&entity.id), false)];
    // A destination's and a pool's own demands stay inside.
    common(&entity.common, !entity.class.offers_tags(), false, &mut fields);
    fields.push(rules(entity));
    if let Some(destination) = &entity.destination {
        destination_fields(destination, &entity.common, &mut fields);
    }
    if let Some(pool) = &entity.pool {
        pool_fields(pool, &mut fields);
    }
    extras(&entity.common, false, &mut fields);
    fields
}

/// All fields of a rule.
pub(super) fn rule(rule: &Rule) -> Vec<Field> {
    let mut fields = vec![field("id", text_value(&rule.id), false)];
    common(&rule.common, true, rule.in_list, &mut fields);
    let condition = field("if_condition", rule.condition.clone(), false);
    fields.push(Field { alias: "if".to_owned(), ..condition });
    for (name, value) in [("execute", &rule.execute), ("fail", &rule.fail)] {
        fields.push(field(name, optional_text(value.as_ref()), value.is_none()));
    }
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

fn amount_field(common: &Common, amount: Amount) -> Field {
    let value = common.amounts.get(amount);
    field(amount.name(), value.map_or_else(null, |value| (**value).clone()), value.is_none())
}

fn common(common: &Common, with_tags: bool, in_list: bool, fields: &mut Vec<Field>) {
    fields.push(field("abstract", made(ValueKind::Bool(common.is_abstract)), !common.is_abstract));
    fields.push(field("inherits", optional_text(common.inherits.as_ref()), common.inherits.is_none()));
    fields.extend(Amount::common().map(|amount| amount_field(common, amount)));
    fields.push(field("env", common.env.as_ref().map_or_else(null, |entries| env(entries)), common.env.is_none()));
    let params = common.params.as_ref().map_or_else(null, |params| dict(params, in_list));
    fields.push(field("params", params, common.params.is_none()));
    fields.push(field("resubmit", dict(&common.resubmit, false), common.resubmit.is_empty()));
    fields.push(field("rank", optional_text(common.rank.as_ref()), common.rank.is_none()));
    let context = common.context.as_ref().map_or_else(null, |context| dict(context, in_list));
    fields.push(field("context", context, common.context.as_ref().is_some_and(|context| context.is_empty())));
    if with_tags {
        fields.push(tags("tpv_tags", &common.tags, in_list));
    }
    fields.push(field("no_qa_codes", texts(&common.no_qa_codes), common.no_qa_codes.is_empty()));
}

fn extras(common: &Common, in_list: bool, fields: &mut Vec<Field>) {
    fields.extend(common.extras.iter().map(|(key, value)| field(key, any(value, in_list), false)));
}

fn tags(name: &str, tags: &SchedulingTags, in_list: bool) -> Field {
    let value = |kind: TagType| tags.list(kind).map_or_else(null, |list| texts(list));
    let is_empty = |kind: &TagType| tags.list(*kind).is_some_and(|list| list.is_empty());
    let extras = || tags.extras.iter().map(|(key, value)| (&**key, any(value, in_list)));
    let all = map(TagType::ALL.into_iter().map(|kind| (kind.field(), value(kind))).chain(extras()));
    let set = TagType::ALL.into_iter().filter(|kind| !is_empty(kind)).map(|kind| (kind.field(), value(kind)));
    let is_default = TagType::ALL.iter().all(is_empty) && tags.extras.is_empty();
    let short = map(set.chain(extras()));
    Field { name: name.to_owned(), alias: "scheduling".to_owned(), value: all, is_default, short: Some(short) }
}

fn rules(entity: &Entity) -> Field {
    let entries =
        entity.rules.iter().map(|(key, item)| Entry { key: text_value(key), value: data(&rule(item)), noqa: None });
    let value = made(ValueKind::Map(Arc::new(Map { entries: entries.collect() })));
    field("rules", value, entity.rules.is_empty())
}

fn destination_fields(destination: &DestinationFields, common: &Common, fields: &mut Vec<Field>) {
    fields.push(field("runner", optional_text(destination.runner.as_ref()), destination.runner.is_none()));
    fields.extend(Amount::accepted().map(|amount| amount_field(common, amount)));
    let name = field("dest_name", text(&destination.dest_name), false);
    fields.push(Field { alias: "destination_name_override".to_owned(), ..name });
    fields.push(tags("tpv_dest_tags", &destination.dest_tags, false));
    let handler_tags = field("handler_tags", texts(&destination.handler_tags), destination.handler_tags.is_empty());
    fields.push(Field { alias: "tags".to_owned(), ..handler_tags });
}

fn pool_fields(pool: &PoolFields, fields: &mut Vec<Field>) {
    fields.push(oversize(&pool.oversize));
    fields.push(field("fail_open", made(ValueKind::Bool(pool.fail_open)), !pool.fail_open));
    fields.push(tags("tpv_dest_tags", &pool.dest_tags, false));
}

fn oversize(oversize: &Oversize) -> Field {
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
    Field { short: Some(map(short)), ..field("oversize", all, is_default) }
}
