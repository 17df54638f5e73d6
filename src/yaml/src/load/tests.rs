#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

use std::time::Instant;

use serde_json::Value as Json;

use crate as yaml;
use crate::value::ConfigValue;
use tpv_text::diagnostic::Diagnostics;
use tpv_text::source::SourceMap;

fn read(text: &str) -> Result<(SourceMap, ConfigValue), String> {
    let mut sources = SourceMap::new();
    let id = sources.add("f", text);
    let mut problems = Diagnostics::new();
    match yaml::load(&sources, id, &mut problems) {
        Some(document) => Ok((sources, document.root)),
        None => Err(problems.iter().map(|problem| problem.line(&sources)).collect()),
    }
}

fn repr(text: &str) -> String {
    read(text).unwrap_or_else(|error| panic!("{text:?}: {error}")).1.python_repr()
}

/// The cases of YAML's own test suite that ruamel.yaml reads as no config is read, or refuses though they are read here.
const EXCEPTIONS: [(&str, &str); 3] = [
    ("565N", "`!!binary`, whose bytes no field takes"),
    ("MUS6/02", "version 1.1, see docs/differences.md"),
    ("MUS6/04", "version 1.1, see docs/differences.md"),
];

#[test]
fn the_test_suite_of_yaml_reads_as_in_ruamel_yaml() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/yaml/suite.jsonl");
    let suite = std::fs::read_to_string(path).unwrap();
    let mut different = Vec::new();
    let mut accepted = 0;
    for case in suite.lines() {
        let case: Json = serde_json::from_str(case).unwrap();
        let read = read(case["yaml"].as_str().unwrap()).ok().map(|(_, root)| root.python_repr());
        accepted += usize::from(read.is_some());
        if read.as_deref() != case["value"].as_str() {
            different.push(case["name"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(different, EXCEPTIONS.map(|(name, _)| name));
    assert!(accepted > 250, "{accepted} cases");
}

#[test]
fn brackets_and_quotes_may_stand_further_left() {
    let cases = [
        ("t:\n  x: {\n a: b\n}\n", "{'t': {'x': {'a': 'b'}}}"),
        ("t:\n  x: [\na,\n  b # c\n]\n  y: [c,\nd]\n", "{'t': {'x': ['a', 'b'], 'y': ['c', 'd']}}"),
        ("t:\n  x: \"a\nb\\\"\n\n c\"\n  y: 'd''\ne'\n", "{'t': {'x': 'a b\"\\nc', 'y': \"d' e\"}}"),
        ("t:\n  x: {\n    k: \"a\nb\"\n}\n", "{'t': {'x': {'k': 'a b'}}}"),
        ("t:\n  x: \"a\n\tb\"# c\n  y: [c]# d\n", "{'t': {'x': 'a b', 'y': ['c']}}"),
    ];
    for (text, expected) in cases {
        assert_eq!(repr(text), expected);
    }
}

#[test]
fn places_are_those_of_the_file() {
    let (sources, root) = read("t:\n  é: {\n a: [\n],\n b: here\n}\n  x: there\r\n  y: |\r\n    z\r\n").unwrap();
    let outer = root.as_map().unwrap().get("t").unwrap().as_map().unwrap().clone();
    let place = |value: &ConfigValue| (sources.locate(value.span), sources.text(value.span).to_owned());
    let here = outer.get("é").unwrap().as_map().unwrap().get("b").unwrap().clone();
    assert_eq!(place(&here), ("f:5:5".to_owned(), "here".to_owned()));
    assert_eq!(place(outer.get("x").unwrap()), ("f:7:6".to_owned(), "there".to_owned()));
    assert_eq!(place(outer.get("y").unwrap()), ("f:9:5".to_owned(), "z\r\n".to_owned()));
}

#[test]
fn line_ends_of_other_systems_are_read_as_in_text_mode() {
    for text in ["a: |\n  b\n  c\nd: \"e\n\n  f\" # g\n", "a: >-\n\n  b\n  c\n\n# d\n[e]:\n- f\n- g\n"] {
        for line_end in ["\r\n", "\r"] {
            assert_eq!(read(&text.replace('\n', line_end)).ok().map(|(_, root)| root.python_repr()), Some(repr(text)));
        }
    }
}

/// Time grows with the text, whatever is in it.
#[test]
fn reading_is_linear() {
    type Text = fn(usize) -> String;
    let texts: [(&str, Text); 12] = [
        ("brackets", |count| format!("t:\n  x: {{\n{}}}\n", " a: [\n],\n".repeat(count))),
        ("open brackets", |count| "[".repeat(count * 8)),
        ("dashes", |count| "- ".repeat(count * 8)),
        ("questions", |count| "? ".repeat(count * 8)),
        ("quotes", |count| format!("x: \"{}\"\n", "a\n\\\n".repeat(count))),
        ("open quotes", |count| format!("x: '{}", "a ''\n".repeat(count))),
        ("comments", |count| format!("x:\n{}", "  # c\n\n".repeat(count))),
        ("plain lines", |count| format!("x: a\n{}", "  b \n".repeat(count))),
        ("blank lines", |count| format!("x: |\n{}  a\n", " \n".repeat(count))),
        ("items", |count| "- a # b\n".repeat(count)),
        ("one line", |count| format!("x: [{}]\n", "{a: b}, ".repeat(count))),
        ("tags", |count| format!("- !{}\n", "a".repeat(count * 8))),
    ];
    for (name, text) in texts {
        let time = |count: usize| {
            let text = text(count);
            let best = (0..3).map(|_| {
                let start = Instant::now();
                let _ = read(&text);
                start.elapsed()
            });
            best.min().unwrap().as_secs_f64()
        };
        let (small, large) = (time(200), time(3200));
        assert!(large < small * 16.0 * 6.0 + 0.05, "{name}: {small} s, 16 times as much {large} s");
    }
}
