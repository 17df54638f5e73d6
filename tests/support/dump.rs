//! A loaded config in the JSON form of `tests/record/record_config.py`.

use std::borrow::Borrow;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tpv_config::Config;
use tpv_config::entity::{Common, Dict, Entity, Oversize, Rule, StoreConfig};
use tpv_config::scheduling::SchedulingTags;
use tpv_literal::float_text;
use tpv_model::{Amount, EntityClass, Field, TagType};
use tpv_yaml::value::{ConfigValue, Text, ValueKind};

pub(crate) fn config(config: &Config) -> Value {
    let mut out = Map::new();
    out.insert(
        "global".to_owned(),
        json!({
            "default_inherits": text(&config.global.default_inherits),
            "context": dict(&config.global.context),
            "resource_pool_store": config.global.resource_pool_store.as_ref().map(store),
            "$extra": dict(&config.global.extras),
        }),
    );
    out.insert("$extra".to_owned(), dict(&config.extras));
    for kind in EntityClass::SECTIONS {
        let entities = config.section(kind).iter().map(|(id, item)| json!([&**id, entity(item)]));
        out.insert(kind.section().to_owned(), entities.collect());
    }
    Value::Object(out)
}

fn text(text: &Option<Text>) -> Value {
    text.as_ref().map_or(Value::Null, |text| json!(text.as_str()))
}

fn texts(list: &[Text]) -> Value {
    list.iter().map(|text| json!(text.as_str())).collect()
}

fn pairs(pairs: Vec<Value>) -> Value {
    json!({ "$dict": pairs })
}

fn dict(dict: &Dict) -> Value {
    pairs(dict.iter().map(|(key, item)| json!([&**key, codes_sorted(key, item)])).collect())
}

fn codes_sorted(key: &str, item: &ConfigValue) -> Value {
    let mut out = value(item);
    if let ("no_qa_codes", Value::Array(items)) = (key, &mut out) {
        items.sort_by_key(|item| item.as_str().map(str::to_owned));
    }
    out
}

fn store(store: &StoreConfig) -> Value {
    let mut entries = vec![json!(["store_class", store.store_class.as_str()])];
    entries.extend(store.options.iter().map(|(key, item)| json!([&**key, value(item)])));
    pairs(entries)
}

fn value(item: &ConfigValue) -> Value {
    match &item.kind {
        ValueKind::Null => Value::Null,
        ValueKind::Bool(flag) => json!(flag),
        ValueKind::Int(number) => json!(number),
        ValueKind::AnchoredBool(flag) => json!(i64::from(*flag)),
        ValueKind::BigInt(number) => json!({ "$int": number.to_string() }),
        ValueKind::Float(number) => json!({ "$float": float_text::repr(*number) }),
        ValueKind::Str(text) => json!(text.as_str()),
        ValueKind::Date(_) | ValueKind::DateTime(_) => json!({ "$date": item.python_str() }),
        ValueKind::Tagged(tagged) => json!({ "$tagged": tagged.text.as_str() }),
        ValueKind::List(items) | ValueKind::Set(items) => items.iter().map(value).collect(),
        ValueKind::Map(map) | ValueKind::OrderedMap(map) => {
            let entry = |entry: &tpv_yaml::value::Entry| {
                json!([value(&entry.key), codes_sorted(entry.key.as_str().unwrap_or(""), &entry.value)])
            };
            pairs(map.entries.iter().map(entry).collect())
        }
    }
}

fn optional(item: &Option<impl Borrow<ConfigValue>>) -> Value {
    item.as_ref().map_or(Value::Null, |item| value(item.borrow()))
}

fn tags(tags: &SchedulingTags) -> Value {
    let mut entries = Vec::new();
    for kind in TagType::ALL {
        entries.push(json!([kind.field(), tags.list(kind).map(|list| texts(list))]));
    }
    entries.extend(tags.extras.iter().map(|(key, item)| json!([&**key, codes_sorted(key, item)])));
    pairs(entries)
}

fn common(common: &Common, out: &mut Map<String, Value>) {
    let mut put = |key: &str, value: Value| out.insert(key.to_owned(), value);
    put("abstract", json!(common.is_abstract));
    put("inherits", text(&common.inherits));
    for amount in Amount::common() {
        put(amount.name(), optional(&common.amounts.get(amount).cloned()));
    }
    let env = common.env.as_ref().map(|env| {
        let element = |element: &Vec<(Arc<str>, ConfigValue)>| {
            pairs(element.iter().map(|(key, value)| json!([&**key, value.as_str()])).collect())
        };
        env.iter().map(element).collect::<Value>()
    });
    put("env", json!(env));
    put("params", common.params.as_ref().map_or(Value::Null, |params| dict(params)));
    put("resubmit", dict(&common.resubmit));
    put("rank", optional(&common.singles.get(Field::Rank)));
    put("context", common.context.as_ref().map_or(Value::Null, |context| dict(context)));
    put("tpv_tags", tags(&common.tags));
    let mut codes: Vec<&str> = common.no_qa_codes.iter().map(Text::as_str).collect();
    codes.sort_unstable();
    put("no_qa_codes", json!(codes));
    put("$extra", dict(&common.extras));
}

fn rule(rule: &Rule) -> Value {
    let mut out = Map::new();
    common(&rule.common, &mut out);
    out.insert("id".to_owned(), json!(&*rule.id));
    for field in [Field::If, Field::Execute, Field::Fail] {
        out.insert(field.name().to_owned(), optional(&rule.common.singles.get(field)));
    }
    Value::Object(out)
}

fn oversize(oversize: &Oversize) -> Value {
    let max_concurrent = oversize.max_concurrent.as_ref().map_or(json!(0), value);
    pairs(vec![
        json!(["max_concurrent", max_concurrent]),
        json!(["hard_max_cores", optional(&oversize.hard_max_cores)]),
        json!(["hard_max_mem", optional(&oversize.hard_max_mem)]),
        json!(["hard_max_gpus", optional(&oversize.hard_max_gpus)]),
        json!(["reserve_pool", oversize.reserve_pool.unwrap_or(false)]),
    ])
}

fn entity(entity: &Entity) -> Value {
    let mut out = Map::new();
    common(&entity.common, &mut out);
    let mut put = |key: &str, value: Value| out.insert(key.to_owned(), value);
    put("id", json!(&*entity.id));
    put("rules", pairs(entity.rules.iter().map(|(key, item)| json!([&**key, rule(item)])).collect()));
    let single = |field| entity.common.singles.get(field);
    if entity.class == EntityClass::Destination {
        put("runner", optional(&single(Field::Runner)));
        for amount in Amount::accepted() {
            put(amount.name(), optional(&entity.common.amounts.get(amount).cloned()));
        }
        put("dest_name", optional(&single(Field::DestName)));
        put("handler_tags", single(Field::HandlerTags).map_or(json!([]), value));
    }
    if let Some(policy) = &entity.oversize {
        put("oversize", oversize(policy));
        put("fail_open", single(Field::FailOpen).map_or(json!(false), value));
    }
    if let Some(offered) = &entity.dest_tags {
        put("tpv_dest_tags", tags(offered));
    }
    Value::Object(out)
}
