//! Each field of each table in turn holds a value of every kind.

use std::cell::RefCell;

use serde_json::{Map, Value, json};
use tpv_analysis::schema::File;
use tpv_galaxy::shape::{Object, Shape};

use super::Judge;
use super::readers::{Verdict, settings, verdict};
use crate::support::random::{a_fifth, at_least};

/// Values of all kinds, and texts that are read as other kinds in places.
fn samples() -> Vec<Value> {
    let mut samples = vec![
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(2),
        json!(-1),
        json!(1.5),
        json!([]),
        json!([1]),
        json!([null]),
        json!(["a"]),
        json!(["a", "b"]),
        json!(["a", "a"]),
        json!([[]]),
        json!([{}]),
        json!([{"a": "b"}]),
        json!([{"a": 1}]),
        json!({}),
        json!({"T102": null}),
        json!({"T102": 1}),
        json!({"T102": "off"}),
        json!({"T102": []}),
        json!({"T102": {}}),
        json!({"T102": {"a": "b"}}),
        json!({"T102": {"a": null, "b": 1.5, "c": true}}),
        json!({"T102": {"a": []}}),
        json!({"T102": [{}]}),
        json!({"T102": {"if": true}}),
        json!({"if": true}),
        json!([{"if": true}]),
    ];
    let texts = [
        "",
        "a",
        "2",
        " 2 ",
        "2.0",
        "2.50",
        "+1_000",
        "1__0",
        "1e3",
        "1.",
        ".5",
        "-.5e-3",
        "inf",
        "-INF",
        "NaN",
        "0x10",
        "1e",
        "true",
        "TRUE",
        " true",
        "yes",
        "No",
        "y",
        "N",
        "on",
        "oFF",
        "t",
        "f",
        "1",
        "0",
        "maybe",
        "off",
        "warning",
        "slurm",
        "2026-01-31T12:00:00Z",
        "2026-01-31",
    ];
    samples.extend(texts.map(Value::from));
    samples
}

/// The least that a shape takes.
fn least(shape: &Shape) -> Value {
    match shape {
        Shape::Any | Shape::Null => Value::Null,
        Shape::Never => panic!("nothing stands there"),
        Shape::Bool => json!(true),
        Shape::Integer | Shape::Count | Shape::Number => json!(1),
        Shape::Numbers(numbers) => json!(numbers[0]),
        Shape::Text => json!("a"),
        Shape::Pattern(_) => json!("2026-01-31T12:00:00Z"),
        Shape::Words(words) => json!(words[0]),
        Shape::List(_) | Shape::Distinct(_) | Shape::EmptyList => json!([]),
        Shape::Filled(item) => json!([least(item)]),
        Shape::Map(_) | Shape::Keys(..) => json!({}),
        Shape::Object(object) => least_object(object).into(),
        Shape::Union(shapes) => least(&shapes[0]),
    }
}

fn least_object(object: &Object) -> Map<String, Value> {
    let required = object.fields().filter(|field| field.is_required);
    required.map(|field| (field.name.to_owned(), least(&field.shape))).collect()
}

/// Puts all samples in a place and in every place below it. `document` makes a document of what stands in the place.
fn probe(shape: &Shape, path: &str, document: &dyn Fn(Value) -> Value, judge: &dyn Fn(&str, &Shape, &Value, Value)) {
    // Places of paths of other lengths get others.
    for sample in a_fifth(samples(), path.len()) {
        judge(path, shape, &sample, document(sample.clone()));
    }
    for shape in shape.alternatives() {
        match shape {
            Shape::List(item) | Shape::Filled(item) | Shape::Distinct(item) => {
                probe(item, &format!("{path}[]"), &|value| document(json!([value])), judge);
            }
            Shape::Map(value) => {
                probe(value, &format!("{path}.*"), &|value| document(json!({"T102": value})), judge);
            }
            Shape::Keys(names, value) => {
                for name in *names {
                    probe(value, &format!("{path}.{name}"), &|value| document(json!({*name: value})), judge);
                }
                judge(path, shape, &Value::Null, document(json!({"other": least(value)})));
            }
            Shape::Object(object) => {
                for field in object.fields() {
                    let holder = |value| {
                        let mut items = least_object(object);
                        items.insert(field.name.to_owned(), value);
                        document(items.into())
                    };
                    probe(&field.shape, &format!("{path}.{}", field.name), &holder, judge);
                    // Without it, and with a name like it.
                    let mut items = least_object(object);
                    let value = items.remove(field.name).unwrap_or(Value::Null);
                    judge(path, shape, &Value::Null, document(items.clone().into()));
                    items.insert(format!("{}_", field.name), value);
                    judge(path, shape, &Value::Null, document(items.into()));
                }
            }
            _ => {}
        }
    }
}

/// Errors in test files that no schema knows.
const KNOWN: [&str; 8] = [
    "an anonymous job cannot have roles",
    " conflicts with ",
    "the job has no tool",
    "must be a size in GiB",
    "the property promises nothing",
    "names nothing",
    "does not bound a number",
    "this is not a regular expression",
];

/// Returns `true` if reader and schema are known to differ here, for reasons in docs/schema.md.
fn is_known_difference(file: File, path: &str, sample: &Value, verdict: &Verdict) -> bool {
    let text = sample.as_str().unwrap_or_default();
    match file {
        // A date is compared with a pattern.
        File::World => path == ".now" && text.starts_with("2026-01-31"),
        // Serde reads a list in the place of a table as its fields in order.
        File::Settings => {
            let is_list = [".lint", ".test", ".maps"].contains(&path) && sample.is_array();
            // The keys of a map are any texts to a schema.
            is_list || verdict.errors.iter().any(|error| error.contains(" is no URL"))
        }
        File::Test => {
            let is_world = path == ".world" || path.ends_with(".now");
            // A path of a file that is not there, and a date that is compared with a pattern.
            (is_world && sample.is_string())
                // A job has one of each only, and a property.
                || verdict.errors.iter().any(|error| KNOWN.iter().any(|words| error.contains(words)))
        }
        _ => false,
    }
}

fn compare(file: File) {
    let (judge, strict) = (Judge::new(file, false), Judge::new(file, true));
    let (count, different) = (RefCell::new(0), RefCell::new(Vec::new()));
    // Every test has a tool.
    let complete = |mut document: Value| {
        if let (File::Test, Value::Object(items)) = (file, &mut document) {
            items.entry("defaults").or_insert_with(|| json!({"tool": "a"}));
            // Without a test nobody looks at the defaults.
            if items.get("tests").is_none_or(|tests| *tests == json!([])) {
                items.insert("tests".to_owned(), json!([{}]));
            }
        }
        document
    };
    probe(&file.shape(), "", &complete, &|path, _, sample, document| {
        let Some(verdict) = verdict(file, &document) else { return };
        *count.borrow_mut() += 1;
        let mut different = different.borrow_mut();
        if judge.accepts(&document) != verdict.errors.is_empty() && !is_known_difference(file, path, sample, &verdict) {
            different.push(format!("{path} with {sample}: {document}: {verdict:?}"));
        }
        let is_known = verdict == Verdict::default();
        if file == File::Config && strict.accepts(&document) != is_known {
            different.push(format!("{path} with {sample}, strictly: {document}: {verdict:?}"));
        }
    });
    let (count, different) = (count.into_inner(), different.into_inner());
    eprintln!("{file:?}: {count} documents");
    assert!(count > at_least(400), "{count}");
    let first = different.iter().take(40).map(|line| line.chars().take(300).collect::<String>()).collect::<Vec<_>>();
    assert!(different.is_empty(), "{} of {count} documents:\n{}", different.len(), first.join("\n"));
}

#[test]
fn configs() {
    compare(File::Config);
}

#[test]
fn jobs() {
    compare(File::Job);
}

#[test]
fn worlds() {
    compare(File::World);
}

#[test]
fn test_files() {
    compare(File::Test);
}

#[test]
fn settings_files() {
    compare(File::Settings);
}

/// Every release of TPV is a version of a config, and what follows the last one of a major version is none.
#[test]
fn versions_of_settings() {
    let judge = Judge::new(File::Settings, false);
    let is_known = |tpv: &str| {
        let document = json!({ "tpv": tpv });
        let is_known = judge.accepts(&document);
        let verdict = verdict(File::Settings, &document).unwrap();
        assert_eq!(is_known, verdict.errors.is_empty(), "{tpv}: {verdict:?}");
        is_known
    };
    for [major, minor, patch] in tpv_model::releases() {
        assert!(is_known(&format!("{major}.{minor}")), "{major}.{minor}");
        assert!(is_known(&format!("{major}.{minor}.{patch}")), "{major}.{minor}.{patch}");
        let next = minor + 1;
        let is_released = tpv_model::releases().any(|release| release[..2] == [major, next]);
        assert_eq!(is_known(&format!("{major}.{next}")), is_released, "{major}.{next}");
    }
    assert!(is_known("next"));
    for other in ["3", "3.3.", "3.03", "3.3.01", "3.3.0.0", "v3.3", " 3.3", "3.3\n", "latest"] {
        assert!(!is_known(other), "{other:?}");
    }
}

/// The reader of settings tells the names that it knows.
#[test]
fn settings_are_all_in_their_table() {
    fn check(object: &Object, table: &str) {
        let header = if table.is_empty() { String::new() } else { format!("[{table}]\n") };
        let message = settings(&format!("{header}no_such_setting = 1\n")).unwrap();
        let mut known: Vec<&str> = message.split('`').skip(1).step_by(2).skip(1).collect();
        known.sort_unstable();
        let mut listed: Vec<&str> = object.names().collect();
        listed.sort_unstable();
        assert_eq!(
            known, listed,
            "src/analysis/src/schema/settings.rs lacks what src/settings/src/lib.rs reads, or the other way round: {message}"
        );
        for field in object.fields() {
            if let Some(object) = field.shape.object() {
                check(object, field.name);
            }
        }
    }
    check(&tpv_analysis::schema::settings::SETTINGS, "");
}
