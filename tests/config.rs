//! What a config is after loading, compared with what the real TPV had after loading the same files.
//!
//! Each folder of `tests/config` is a case: its `*.yml` files in the order of their names, and `expected.json`, which
//! `tests/record/record_config.py` wrote. `CONFIG_CASES="a.yml b.yml expected.json;..."` adds others.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

#[path = "support/dump.rs"]
mod dump;

use std::path::{Path, PathBuf};

use serde_json::Value;
use tpvc::diagnostic::Diagnostics;
use tpvc::source::{Limits, SourceMap};

/// The first few places where two values differ.
fn differences(path: &str, ours: &Value, theirs: &Value, out: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(a), Value::Object(b)) => {
            for key in a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))) {
                let nothing = Value::String("(absent)".to_owned());
                let (a, b) = (a.get(key).unwrap_or(&nothing), b.get(key).unwrap_or(&nothing));
                differences(&format!("{path}.{key}"), a, b, out);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                let name = a.get(0).and_then(Value::as_str).map_or(index.to_string(), str::to_owned);
                differences(&format!("{path}[{name}]"), a, b, out);
            }
        }
        _ if ours == theirs => {}
        _ => out.push(format!("{path}\n  tpvc: {ours}\n  TPV:  {theirs}")),
    }
}

fn check(files: &[PathBuf], expected: &Path) -> Result<(), String> {
    let mut sources = SourceMap::new();
    let mut problems = Diagnostics::new();
    let names = files.iter().map(|file| file.to_str().unwrap());
    let config = tpvc::config::load(names, &Limits::default(), &mut sources, &mut problems);
    if std::env::var_os("SHOW_PROBLEMS").is_some() {
        eprint!("{}", problems.render(&sources, false));
    }
    if problems.has_errors() {
        return Err(problems.render(&sources, false));
    }
    let expected: Value = serde_json::from_str(&std::fs::read_to_string(expected).unwrap()).unwrap();
    let mut out = Vec::new();
    differences("config", &dump::config(&config), &expected, &mut out);
    let shown: Vec<String> = out.iter().take(10).cloned().collect();
    if out.is_empty() { Ok(()) } else { Err(format!("{} differences\n{}", out.len(), shown.join("\n"))) }
}

#[test]
fn configs_load_as_in_tpv() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/config");
    let mut cases = Vec::new();
    for case in std::fs::read_dir(folder).unwrap() {
        let case = case.unwrap().path();
        let entries = std::fs::read_dir(&case).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<PathBuf> =
            entries.filter(|path| path.extension().is_some_and(|name| name == "yml")).collect();
        files.sort();
        cases.push((files, case.join("expected.json")));
    }
    for extra in std::env::var("CONFIG_CASES").iter().flat_map(|extra| extra.split(';')) {
        let mut files: Vec<PathBuf> = extra.split(' ').map(PathBuf::from).collect();
        let expected = files.pop().unwrap();
        cases.push((files, expected));
    }
    assert!(!cases.is_empty());
    let mut failures = String::new();
    for (files, expected) in cases {
        if let Err(message) = check(&files, &expected) {
            failures += &format!("{}: {message}\n", expected.display());
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
