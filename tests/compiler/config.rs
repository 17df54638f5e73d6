//! The loaded form of a config, compared with the real TPV's after loading the same files.
//!
//! Each folder of `tests/config` is a case: its `*.yml` files in the order of their names, and `expected.json`, which
//! `tests/record/record_config.py` wrote; the first differences of a failing case are shown. `CONFIG_CASES="a.yml b.yml expected.json;..."` adds others.

use std::path::{Path, PathBuf};

use crate::support::dump;
use serde_json::Value;
use tpv_config::{ConfigTexts, Input};
use tpv_model::Version;
use tpv_text::diagnostic::Diagnostics;
use tpv_text::render::Render;
use tpv_text::source::{Limits, SourceMap};

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
    let (mut texts, mut problems) = (ConfigTexts::default(), Diagnostics::new());
    let inputs: Vec<Input> = files.iter().map(|file| Input::Named(file.to_str().unwrap().to_owned())).collect();
    let config = tpv_config::load(&inputs, &Limits::default(), &mut texts, &mut problems);
    let sources = texts.sources;
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

/// Loads texts as files named `1.yml`, `2.yml` and so on.
fn load(texts: &[&str]) -> (tpv_config::Config, Diagnostics, SourceMap) {
    let mut sources = SourceMap::new();
    let mut problems = Diagnostics::new();
    let ids: Vec<_> = texts.iter().zip(1..).map(|(text, n)| sources.add(&format!("{n}.yml"), text)).collect();
    let config = tpv_config::load_sources(Version::default(), &sources, &ids, &mut problems);
    (config, problems, sources)
}

#[test]
fn one_run_reports_the_errors_of_all_files() {
    let texts = ["tools: {a: {cores: []}}\n", "tools: {b: {id: 5}, c: {inherits: d}}\n", "users: {u: {inherits: a}}\n"];
    let (_, problems, sources) = load(&texts);
    let said = problems.render(&sources, false);
    assert_eq!(problems.errors(), 4, "{said}");
    for place in ["1.yml:1:20", "2.yml:1:17", "2.yml:1:35", "3.yml:1:23"] {
        assert!(said.contains(place), "{place} is missing in\n{said}");
    }
    // What a broken file would have defined is not reported as missing in the others.
    let (_, problems, sources) = load(&["tools: {a: {}\n", "tools: {b: {inherits: a}}\n"]);
    assert_eq!(problems.errors(), 1, "{}", problems.render(&sources, false));
}

#[test]
fn a_missing_file_is_reported_without_its_consequences() {
    let folder = tempfile::tempdir().unwrap();
    let present = folder.path().join("present.yml");
    std::fs::write(&present, "tools: {a: {inherits: elsewhere}}\n").unwrap();
    let (mut texts, mut problems) = (ConfigTexts::default(), Diagnostics::new());
    let inputs = Input::named(&["no/such.yml".to_owned(), present.to_str().unwrap().to_owned()]);
    tpv_config::load(&inputs, &Limits::default(), &mut texts, &mut problems);
    let said = problems.render(&texts.sources, false);
    assert!(said.starts_with("error: cannot read `no/such.yml`: no such file\n"), "{said}");
    assert!(said.contains("help: check the path"), "{said}");
    assert_eq!(problems.errors(), 1, "{said}");
}

#[test]
fn code_is_listed_with_its_kind_and_whether_loading_checks_it() {
    let (config, problems, sources) = load(&[
        "destinations:
  d:
    cores: a
    mem: 2
    env: {A: b, B: 3}
    params: {k: [{l: c}, 4]}
    tags: [d]
    rank: e
    rules:
      - {if: f, gpus: g, execute: h, fail: i}
",
        "destinations: {d: {cores: z}}\n",
    ]);
    assert!(problems.is_empty(), "{}", problems.render(&sources, false));
    let show = |code: &tpv_config::code::CodeText| format!("{}={}:{:?}", code.property, code.text.as_str(), code.kind);
    let checked: Vec<String> = config.checks.iter().map(show).collect();
    let expected = "cores=a:Block env=A:FString env=b:FString env=B:FString env=3:FString params=c:FString \
                    rank=e:Block tags=d:FString cores=z:Block";
    assert_eq!(checked.join(" "), expected);
    let merged = &config.destinations["d"];
    let mut others = Vec::new();
    let mut show = |text: &tpv_yaml::value::Text, kind, property| {
        others.push(format!("{property}={}:{kind:?}", text.as_str()));
    };
    tpv_config::code::each_own_code(&merged.common, &mut show);
    merged.rules.values().for_each(|rule| rule.each_code(&mut show));
    let expected = "destination_name_override=d:FString if=f:Block gpus=g:Block execute=h:Exec fail=i:FString";
    assert_eq!(others.join(" "), expected);
    assert_eq!(sources.locate(merged.checked_at_load(tpv_model::Version::default())[0].text.span), "2.yml:1:27");
}

/// Every character of every code text leads back to the same character in the file, unless an escape wrote it.
#[test]
fn code_leads_back_to_where_it_was_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/config");
    let mut compared = 0;
    // In the case `noqa`, TPV puts codes of comments among the f-strings.
    let cases = std::fs::read_dir(folder).unwrap().filter(|case| case.as_ref().unwrap().file_name() != "noqa");
    for case in cases {
        let (mut texts, mut problems) = (ConfigTexts::default(), Diagnostics::new());
        let entries = std::fs::read_dir(case.unwrap().path()).unwrap().map(|entry| entry.unwrap().path());
        let names = entries.map(|path| path.to_str().unwrap().to_owned()).filter(|name| name.ends_with(".yml"));
        let inputs: Vec<Input> = names.map(Input::Named).collect();
        let config = tpv_config::load(&inputs, &Limits::default(), &mut texts, &mut problems);
        let sources = texts.sources;
        for code in &config.checks {
            let written = sources.text(code.text.span).to_owned();
            // A value of `env` that is no string was converted.
            let is_converted = code.property == "env" && written != code.text.as_str();
            if written.contains('\\') || (is_converted && !written.starts_with(['"', '\''])) {
                continue;
            }
            for (at, c) in code.text.as_str().char_indices().filter(|(_, c)| !c.is_whitespace()) {
                let span = tpv_config::origin::TextOrigin::new(&code.text, &sources).span(at..at + c.len_utf8());
                let found = sources.text(tpv_text::source::Span { end: code.text.span.end, ..span }).chars().next();
                assert_eq!(found, Some(c), "{} of {:?} at {}", at, code.text.as_str(), sources.locate(span));
                compared += 1;
            }
        }
    }
    assert!(compared > 100, "only {compared} characters were compared");
}
