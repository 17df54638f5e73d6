//! Configs of the fixtures with a random change or two.

use serde_json::{Value, json};
use tpv_analysis::schema::File;
use tpv_config::fields;

use super::Judge;
use super::documents::files;
use super::readers::{as_json, config};
use crate::support::project;
use crate::support::random::{Random, rounds, setting};

/// All places in a document, as JSON pointers.
fn places(value: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| places(item, &format!("{at}/{index}"), out));
        }
        Value::Object(items) => {
            for (name, item) in items {
                places(item, &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), out);
            }
        }
        _ => {}
    }
}

fn mutate(document: &mut Value, random: &mut Random) {
    let mut all = Vec::new();
    places(document, "", &mut all);
    let objects =
        [&fields::ENTITY, &fields::DESTINATION, &fields::RULE, &fields::POOL, &fields::SCHEDULING, &fields::OVERSIZE];
    let names: Vec<&str> = objects.into_iter().flat_map(|object| object.fields().map(|field| field.name)).collect();
    let values = [
        json!(null),
        json!(true),
        json!(0),
        json!(3.5),
        json!("text"),
        json!("7"),
        json!([]),
        json!({}),
        json!(["a"]),
        json!([{"if": "cores > 2", "fail": "no"}]),
        json!({"a": {"if": true}}),
        json!({"require": ["b"], "reject": ["c"]}),
    ];
    let at: &String = random.pick(&all);
    let Some(place) = document.pointer_mut(at) else { return };
    match (random.below(5), place) {
        (0, place) => *place = random.pick(&values).clone(),
        (1, place) => *place = json!([place.take()]),
        (2, Value::Object(items)) if !items.is_empty() => {
            let name = items.keys().nth(random.below(items.len() as u32) as usize).unwrap().clone();
            let value = items.remove(&name).unwrap();
            let name = if random.one_in(2) { (*random.pick(&names)).to_owned() } else { format!("{name}x") };
            items.insert(name, value);
        }
        (3, Value::Object(items)) => {
            items.insert((*random.pick(&names)).to_owned(), random.pick(&values).clone());
        }
        (_, Value::Array(items)) if !items.is_empty() => {
            let item = random.pick(items).clone();
            items.push(item);
        }
        (_, Value::Object(items)) if !items.is_empty() => {
            let name = items.keys().nth(random.below(items.len() as u32) as usize).unwrap().clone();
            items.remove(&name);
        }
        (_, place) => *place = random.pick(&values).clone(),
    }
}

/// `SCHEMA_SEED` is the seed, `SCHEMA_MUTATIONS` the number of configs.
#[test]
fn mutated_configs_are_judged_alike() {
    let (seed, count) = (setting("SCHEMA_SEED", 18), rounds("SCHEMA_MUTATIONS", 3000));
    let (judge, strict) = (Judge::new(File::Config, false), Judge::new(File::Config, true));
    let documents: Vec<Value> = files(&project().join("fixtures"), ".yml")
        .into_iter()
        .filter_map(|path| {
            let text = std::fs::read_to_string(path).unwrap();
            // What a comment turns off is in no schema.
            let is_small = text.len() < 6000 && !text.contains("noqa");
            config(&text).1.filter(|_| is_small).and_then(|root| as_json(&root))
        })
        .collect();
    assert!(documents.len() > 60, "{}", documents.len());
    let mut random = Random::new(seed);
    let (mut different, mut refused, mut unknown, mut left_out) = (Vec::new(), 0, 0, 0);
    for _ in 0..count {
        let mut document = random.pick(&documents).clone();
        for _ in 0..=random.below(2) {
            mutate(&mut document, &mut random);
        }
        let (verdict, _) = config(&document.to_string());
        // A schema cannot compare two lists.
        if verdict.errors.iter().any(|error| error.contains("is in both")) {
            left_out += 1;
            continue;
        }
        let is_known = verdict.errors.is_empty() && verdict.unknown.is_empty();
        refused += usize::from(!verdict.errors.is_empty());
        unknown += usize::from(!verdict.unknown.is_empty());
        if judge.accepts(&document) != verdict.errors.is_empty() || strict.accepts(&document) != is_known {
            different.push(format!("{document}\n  {verdict:?}\n  {:?}", judge.complaint(&document)));
        }
    }
    eprintln!("seed {seed}: {count} configs, {refused} refused, {unknown} with unknown fields, {left_out} left out");
    assert!(refused > count as usize / 10 && unknown > count as usize / 20 && left_out < count as usize / 50);
    assert!(
        different.is_empty(),
        "seed {seed}: {} of {count}:\n{}",
        different.len(),
        different[..different.len().min(10)].join("\n")
    );
}
