//! Python's `re`, against what CPython 3.11 answered: `recorded/regex.json`, made by `record/record_regex.py`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

use serde_json::{Value, json};
use tpv_python::regex::{CompileError, Effort, Regex, SearchError, Spans};

fn recorded() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recorded/regex.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn spans_in_chars(text: &str, spans: &Spans) -> Value {
    let chars = |byte: usize| text[..byte].chars().count();
    spans.iter().map(|span| span.map_or(json!(-1), |(start, end)| json!([chars(start), chars(end)]))).collect()
}

fn found(regex: &Regex, text: &str, result: Result<Option<Spans>, SearchError>) -> Value {
    match result {
        Ok(Some(spans)) => json!([regex.last_index(&spans), spans_in_chars(text, &spans)]),
        Ok(None) => Value::Null,
        Err(error) => json!(error.to_string()),
    }
}

fn all(regex: &Regex, text: &str) -> Value {
    let mut scan = regex.scan(0);
    let mut matches = Vec::new();
    loop {
        match scan.next(regex, text, &Effort::default()) {
            Ok(Some(spans)) => matches.push(spans_in_chars(text, &spans)),
            Ok(None) => return json!(matches),
            Err(error) => return json!(error.to_string()),
        }
    }
}

fn compiled(pattern: &str, flags: u32) -> (Value, Option<Regex>) {
    match Regex::new(pattern, flags) {
        Ok(regex) => {
            let names: serde_json::Map<String, Value> =
                regex.names().iter().map(|(name, group)| (name.clone(), json!(group))).collect();
            (json!([regex.flags(), regex.groups(), names]), Some(regex))
        }
        Err(error) => {
            let position = match &error {
                CompileError::Syntax { position, .. } => *position,
                _ => None,
            };
            (json!([error.class_name(), error.text(pattern), position]), None)
        }
    }
}

/// Patterns with a group in a repeat that can match the empty text. CPython goes one empty round further and leaves
/// the group empty; the runtime does not (see the list of differences in `python::regex`).
const EMPTY_LAST_ROUND: &[&str] = &["(a*)*", "(a*)+", "(a?)*"];

/// The answer with whole matches only, the groups left out.
fn without_groups(case: &Value) -> Value {
    let whole = |found: &Value| found.get(1).map(|spans| spans[0].clone());
    let all: Vec<&Value> = case[4].as_array().unwrap().iter().map(|spans| &spans[0]).collect();
    json!([whole(&case[1]), whole(&case[2]), whole(&case[3]), all])
}

#[test]
fn answers_as_cpython_recorded() {
    let mut wrong = Vec::new();
    let mut asked = 0;
    for row in recorded() {
        let pattern = row[0].as_str().unwrap();
        let flags = u32::try_from(row[1].as_u64().unwrap()).unwrap();
        let (answer, regex) = compiled(pattern, flags);
        asked += 1;
        if answer != row[2] {
            wrong.push(format!("{pattern:?} {flags}: {answer}, CPython {}", row[2]));
            continue;
        }
        let Some(regex) = regex else { continue };
        for case in row[3].as_array().unwrap() {
            let text = case[0].as_str().unwrap();
            let answer = json!([
                text,
                found(&regex, text, regex.match_at(text, 0, &Effort::default())),
                found(&regex, text, regex.full_match(text, 0, &Effort::default())),
                found(&regex, text, regex.search(text, 0, &Effort::default())),
                all(&regex, text)
            ]);
            asked += 1;
            let known = EMPTY_LAST_ROUND.contains(&pattern) || pattern.contains(r"(\w*)+");
            if known && without_groups(&answer) == without_groups(case) {
                continue;
            }
            if answer != *case {
                wrong.push(format!("{pattern:?} {flags}: {answer}\n    CPython {case}"));
            }
        }
    }
    assert!(asked > 3000, "only {asked} cases");
    assert!(wrong.is_empty(), "{} of {asked} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// An explosive pattern ends in an error, and soon. CPython would run for years.
#[test]
fn stops_explosive_patterns() {
    let text = "a".repeat(4000);
    for pattern in
        [r"(?:a|a)*(?=b)c", r"(.+)+\1b", r"(?:.+)(?:.+)(?!a)(?=c)", r"(a*)*(?<=b)", r"(?=(a+)+$)\1b|(a|aa)+(?!a)b"]
    {
        let regex = Regex::new(pattern, 0).unwrap();
        let begin = std::time::Instant::now();
        let result = regex.search(&text, 0, &Effort::default());
        let spent = begin.elapsed();
        assert!(matches!(result, Ok(None) | Err(SearchError::Budget)), "{pattern}: {result:?}");
        assert!(spent.as_millis() < 2000, "{pattern}: {spent:?}");
        println!("{pattern}: {spent:?}");
    }
    let linear = Regex::new(r"(?:a+)+b", 0).unwrap();
    assert_eq!(linear.search(&text, 0, &Effort::default()), Ok(None));
}

/// Patterns of any size and depth end in an answer or an error, soon and without overflowing the stack.
#[test]
fn survives_monstrous_patterns() {
    let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
    let patterns = [
        (nested(30), None),
        (nested(100), Some("RuntimeError")),
        (nested(200), Some("RecursionError")),
        (nested(100_000), Some("RecursionError")),
        ("(?:".repeat(100_000), Some("RecursionError")),
        ("(?=".repeat(100_000), Some("RecursionError")),
        ("(?(1)".repeat(100_000), Some("RecursionError")),
        ("a{1000}".to_owned(), None),
        ("(?:a{1000}){1000}".to_owned(), Some("RuntimeError")),
        ("(?:(?:(?:\\w{100}){100}){100}){100}".to_owned(), Some("RuntimeError")),
        ("(?:(?=a)a){1000}".to_owned(), None),
        ("(?:(?:(?:(?=a)a){1000}){1000}){1000}".to_owned(), None),
        ("a|".repeat(20_000), None),
        ("[a-z]?".repeat(2000), None),
        ("(a)|".repeat(3000), None),
        ("a*?(?=b)".repeat(1000), None),
    ];
    for (pattern, expected) in patterns {
        let begin = std::time::Instant::now();
        let class = Regex::new(&pattern, 0).err().map(|error| error.class_name());
        let spent = begin.elapsed();
        println!("{:.40}: {class:?} {spent:?}", pattern);
        assert!(class == expected || class == Some("RuntimeError"), "{pattern:.40}: {class:?}");
        assert!(spent.as_secs() < 10, "{pattern:.40}: {spent:?}");
    }
}
