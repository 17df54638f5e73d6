//! The verdicts of tpvc's own readers on a document.

use serde_json::{Value, json};
use tpv_analysis::cases::read::Defaults;
use tpv_analysis::schema::File;
use tpv_config::validate::Validator;
use tpv_runtime::{Job, World};
use tpv_settings::Settings;
use tpv_text::code::Code;
use tpv_text::diagnostic::Diagnostics;
use tpv_text::source::SourceMap;
use tpv_yaml::value::{ConfigValue, ValueKind};

/// A reader's verdict on a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The errors.
    pub errors: Vec<String>,
    /// The fields that are not known, of which it warns.
    pub unknown: Vec<String>,
}

/// The verdict of a file's reader on a document; `None` if the document cannot be written in the file's language.
pub fn verdict(file: File, document: &Value) -> Option<Verdict> {
    let text = if file == File::Settings { toml(document)? } else { document.to_string() };
    Some(verdict_on_text(file, &text))
}

/// The same of a text.
pub fn verdict_on_text(file: File, text: &str) -> Verdict {
    let error = match file {
        // JSON is YAML.
        File::Config => return config(text).0,
        File::Job => Job::parse(text).err().map(|error| error.to_string()),
        File::World => World::parse(text).err().map(|error| error.to_string()),
        File::Settings => settings(text),
        File::Fit => tpv_fit::summary::Summary::read(text).err(),
        File::Test => return tests(text),
        File::Capacity => return capacity(text),
        File::Answer => panic!("answers are written only"),
    };
    Verdict { errors: error.into_iter().collect(), unknown: Vec::new() }
}

/// The verdict of validating a config, before files are merged; and its value.
pub fn config(text: &str) -> (Verdict, Option<ConfigValue>) {
    let mut sources = SourceMap::new();
    let id = sources.add("config.yml", text);
    let mut problems = Diagnostics::new();
    let document = tpv_yaml::load(&sources, id, &mut problems);
    let root = document.map(|document| document.root);
    if let Some(root) = &root {
        Validator::new(tpv_model::Version::default(), &mut problems).file(root.clone(), "config.yml");
    }
    let mut verdict = Verdict::default();
    for problem in problems.iter() {
        if problem.severity == tpv_text::diagnostic::Severity::Error {
            verdict.errors.push(problem.message.clone());
        } else if problem.code == Some(Code::UnknownField) {
            verdict.unknown.push(problem.message.clone());
        }
    }
    (verdict, root)
}

/// The verdict of the reader of test files.
fn tests(text: &str) -> Verdict {
    let mut sources = SourceMap::new();
    let id = sources.add("tests.yml", text);
    let mut problems = Diagnostics::new();
    let defaults = Defaults { config: vec!["config.yml".to_owned()], ..Defaults::default() };
    let file = tpv_analysis::cases::read::read(&mut sources, id, &defaults, &mut problems);
    assert_eq!(file.is_some(), !problems.has_errors());
    Verdict { errors: problems.iter().map(|problem| problem.message.clone()).collect(), unknown: Vec::new() }
}

/// The verdict of the reader of capacity files, to which any destination is known.
fn capacity(text: &str) -> Verdict {
    let mut sources = SourceMap::new();
    let id = sources.add("capacity.yml", text);
    let mut problems = Diagnostics::new();
    let file = tpv_simulate::capacity::read(&sources, id, None, &mut problems);
    assert_eq!(file.is_some(), !problems.has_errors());
    Verdict { errors: problems.iter().map(|problem| problem.message.clone()).collect(), unknown: Vec::new() }
}

/// The fault of settings.
pub fn settings(text: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tpvc.toml");
    std::fs::write(&path, text).unwrap();
    let read = Settings::of_file(&path, None).and_then(|settings| settings.maps());
    read.err().map(|problem| problem.diagnostic.message)
}

/// A document as TOML, which has no null.
fn toml(document: &Value) -> Option<String> {
    fn inline(value: &Value) -> Option<String> {
        let joined = |items: Option<Vec<String>>| Some(items?.join(", "));
        Some(match value {
            Value::Null => return None,
            Value::Array(items) => format!("[{}]", joined(items.iter().map(inline).collect())?),
            Value::Object(items) => {
                let pairs = items.iter().map(|(name, value)| Some(format!("{} = {}", json!(name), inline(value)?)));
                format!("{{{}}}", joined(pairs.collect())?)
            }
            other => other.to_string(),
        })
    }
    let lines =
        document.as_object()?.iter().map(|(name, value)| Some(format!("{} = {}\n", json!(name), inline(value)?)));
    lines.collect()
}

/// A value of a YAML file as editors see it. JSON has no dates, sets and tags. `None` if there is a number that JSON lacks, or a
/// name that isn't text.
pub fn as_json(value: &ConfigValue) -> Option<Value> {
    Some(match &value.kind {
        ValueKind::Null => Value::Null,
        ValueKind::Bool(truth) | ValueKind::AnchoredBool(truth) => json!(truth),
        ValueKind::Int(number) => json!(number),
        ValueKind::BigInt(number) => json!(number.to_string().parse::<f64>().ok()?),
        ValueKind::Float(number) if number.is_finite() => json!(number),
        ValueKind::Float(_) => return None,
        ValueKind::Str(text) => json!(text.as_str()),
        ValueKind::Date(_) | ValueKind::DateTime(_) | ValueKind::Tagged(_) => json!(value.python_str()),
        ValueKind::List(items) | ValueKind::Set(items) => items.iter().map(as_json).collect::<Option<Vec<_>>>()?.into(),
        ValueKind::Map(map) | ValueKind::OrderedMap(map) => {
            let pairs = map.entries.iter().map(|entry| Some((entry.key.as_str()?.to_owned(), as_json(&entry.value)?)));
            Value::Object(pairs.collect::<Option<_>>()?)
        }
    })
}
