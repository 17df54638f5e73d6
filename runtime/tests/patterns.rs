//! The matcher of many patterns, against CPython's recorded answers and against trying each pattern alone.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../tests/support/random.rs"]
mod random;

use std::time::Instant;

use serde_json::Value;
use tpv_python::regex::{Effort, Regex};
use tpv_runtime::patterns::{Engine, Matcher, PatternKind, PatternSet};

use random::{Random, rounds, setting};

/// The matcher's result, with the index of the pattern whose error ended it early.
fn matches(matcher: &Matcher<&PatternSet>, id: &str) -> (Vec<u32>, Option<u32>) {
    let mut found = Vec::new();
    let error = matcher.matches(id, &mut found).err().map(|error| error.index);
    (found, error)
}

/// The result of trying each key in order.
fn one_by_one(keys: &[Result<Regex, ()>], id: &str) -> (Vec<u32>, Option<u32>) {
    let mut found = Vec::new();
    for (index, key) in keys.iter().enumerate() {
        let index = u32::try_from(index).unwrap();
        match key {
            Ok(regex) if regex.match_at(id, 0, &Effort::default()).unwrap().is_some() => found.push(index),
            Ok(_) => {}
            Err(()) => return (found, Some(index)),
        }
    }
    (found, None)
}

fn compile_each(keys: &[String]) -> Vec<Result<Regex, ()>> {
    keys.iter().map(|key| Regex::new(key, 0).map_err(|_| ())).collect()
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

#[test]
fn finds_what_cpython_recorded() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recorded/patterns.json");
    let cases: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut asked = 0;
    for case in &cases {
        let keys = strings(&case["keys"]);
        let set = PatternSet::build(&keys);
        set.verify().unwrap();
        let matcher = Matcher::new(&set);
        for (id, expected) in strings(&case["ids"]).iter().zip(case["matches"].as_array().unwrap()) {
            let (found, _) = matches(&matcher, id);
            assert_eq!(serde_json::to_value(&found).unwrap(), *expected, "{id:?} in {keys:?}");
            asked += 1;
        }
    }
    assert!(asked > 700, "only {asked} lookups");
}

fn join(random: &mut Random, parts: &[&str], most: u32) -> String {
    (0..random.below(most + 1)).map(|_| *random.pick(parts)).collect()
}

#[test]
fn finds_what_trying_each_key_finds() {
    const PARTS: &[&str] = &[
        "a",
        "a",
        "b",
        "b",
        ".",
        "/",
        ".*",
        "a?",
        "(a|b)",
        "b*",
        "[ab]",
        "\\w",
        "$",
        "(?:ab)?",
        "a+",
        "(|a)",
        "é",
        "^",
        "b{2}",
        "(?=a)",
        "a*?",
        "\\Z",
        "|",
        "(?:a|bb|)",
        "b{1,2}",
        "[^a]",
        "(a",
        ")",
        "(?i:a)",
        "b?+",
        "\\.",
        "[.é]",
        "(?>a|ab)",
        "(b)\\1",
        ".*",
        ".*?b",
        ".+",
        ".*a.*b",
    ];
    let (seed, count) = (setting("TPVC_SEED", 0x5eed), rounds("TPVC_ROUNDS", 400));
    println!("seed {seed}, {count} sets (TPVC_SEED, TPVC_ROUNDS)");
    let mut random = Random::new(seed);
    for _ in 0..count {
        let keys: Vec<String> = (0..8).map(|_| join(&mut random, PARTS, 6)).collect();
        let alone = compile_each(&keys);
        let set = PatternSet::build(&keys);
        set.verify().unwrap();
        let matcher = Matcher::new(&set);
        for _ in 0..12 {
            let id = join(&mut random, &["a", "a", "b", ".", "/", "é", "\n", "A"], 6);
            assert_eq!(matches(&matcher, &id), one_by_one(&alone, &id), "{id:?} in {keys:?}");
        }
    }
}

#[test]
fn says_what_each_key_is() {
    let keys = ["bwa.*", "bwa/\\d+", "bwa(?!2)", "(bwa", "x|*", "a{99999999999}"];
    let set = PatternSet::build(&keys);
    assert_eq!(set.pattern(0), Some(&PatternKind::Simple));
    assert!(matches!(set.pattern(1), Some(PatternKind::Regex { engine: Engine::Linear, .. })));
    assert!(matches!(set.pattern(2), Some(PatternKind::Regex { engine: Engine::Backtracking, .. })));
    let invalid: Vec<_> = set.invalid().map(|i| (i.index, i.class, i.message)).collect();
    assert_eq!(
        invalid,
        [
            (3, "error", "missing ), unterminated subpattern at position 0"),
            (4, "error", "nothing to repeat at position 2"),
            (5, "OverflowError", "the repetition number is too large"),
        ]
    );
    let matcher = Matcher::new(&set);
    let mut found = Vec::new();
    let error = matcher.matches("bwa/1", &mut found).unwrap_err();
    assert_eq!((found, error.index), (vec![0, 1, 2], 3));
    assert_eq!(error.message, "missing ), unterminated subpattern at position 0");
}

#[test]
fn a_key_that_takes_too_long_is_an_error_in_its_place() {
    let set = PatternSet::build(&["a", "(?:a|a)*(?=b)c", "aa"]);
    let mut found = Vec::new();
    let error = Matcher::new(&set).matches(&"a".repeat(3000), &mut found).unwrap_err();
    assert_eq!((found.as_slice(), error.index, error.class.as_str()), (&[0][..], 1, "RuntimeError"));
}

#[test]
fn threads_share_one_matcher() {
    let matcher = Matcher::new(std::sync::Arc::new(PatternSet::build(&["bwa/\\d+", "bwa.*"])));
    std::thread::scope(|scope| {
        for n in 0..4 {
            let matcher = &matcher;
            scope.spawn(move || {
                let mut found = Vec::new();
                matcher.matches(&format!("bwa/{n}"), &mut found).unwrap();
                assert_eq!(found, [0, 1]);
            });
        }
    });
}

#[test]
fn refuses_damaged_data() {
    let set = PatternSet::build(&["abc", "abd", "x.y", "a\\d"]);
    let config = bincode::config::standard();
    let bytes = bincode::encode_to_vec(&set, config).unwrap();
    let (same, _): (PatternSet, usize) = bincode::decode_from_slice(&bytes, config).unwrap();
    assert_eq!(set, same);
    let mut refused = 0;
    for at in 0..bytes.len() {
        for change in [1, 0x7f, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= change;
            let Ok((set, _)) = bincode::decode_from_slice::<PatternSet, _>(&damaged, config) else { continue };
            if set.verify().is_err() {
                refused += 1;
                continue;
            }
            let matcher = Matcher::new(&set);
            for id in ["abc", "a1", "xéy", ""] {
                let _ = matcher.matches(id, &mut Vec::new());
            }
        }
    }
    assert!(refused > 20, "{refused}");
}

#[test]
fn holds_a_hundred_thousand_keys() {
    let key = |n: usize| format!("toolshed.g2.bx.psu.edu/repos/owner{}/suite_{}/tool_{n}/.*", n % 97, n % 5003);
    let keys: Vec<String> = (0..100_000).map(key).collect();
    let set = PatternSet::build(&keys);
    set.verify().unwrap();
    let memory = set.memory();
    assert!(memory < 30 << 20, "{memory} bytes");
    let few = PatternSet::build(&keys[..1000]);
    let time = |set: &PatternSet| {
        let matcher = Matcher::new(set);
        let ids: Vec<String> = (0..1000).map(|n| key(n).replace(".*", "1.0")).collect();
        let mut found = Vec::new();
        let begin = Instant::now();
        for _ in 0..10 {
            for (n, id) in ids.iter().enumerate() {
                found.clear();
                matcher.matches(id, &mut found).unwrap();
                assert_eq!(found, [u32::try_from(n).unwrap()]);
            }
        }
        begin.elapsed()
    };
    let (many, few) = (time(&set), time(&few));
    println!("{memory} bytes; {:?} a lookup among 100,000 keys, {:?} among 1,000", many / 10_000, few / 10_000);
    // A lookup that tried the keys one by one would take a hundred times as long.
    assert!(many < few * 20, "{many:?} against {few:?}");
}

/// All keys and ids of the config sets in the folder that `TPVC_CORPUS` names, if it is set: YAML files whose keys stand
/// two spaces in, and `jobs.jsonl` beside them.
#[test]
fn finds_what_trying_each_key_finds_in_real_configs() {
    let Ok(corpus) = std::env::var("TPVC_CORPUS") else { return };
    for folder in std::fs::read_dir(corpus).unwrap() {
        let folder = folder.unwrap().path();
        let Ok(jobs) = std::fs::read_to_string(folder.join("jobs.jsonl")) else { continue };
        let mut keys = Vec::new();
        for file in std::fs::read_dir(&folder).unwrap() {
            let file = file.unwrap().path();
            if file.extension().is_some_and(|e| e == "yml") {
                let text = std::fs::read_to_string(file).unwrap();
                let names = text.lines().filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':'));
                keys.extend(
                    names
                        .filter(|name| !name.starts_with([' ', '#']))
                        .map(|name| name.trim_matches(['\'', '"']).to_owned()),
                );
            }
        }
        let alone = compile_each(&keys);
        let set = PatternSet::build(&keys);
        set.verify().unwrap();
        let matcher = Matcher::new(&set);
        let mut ids: Vec<String> = jobs
            .lines()
            .filter_map(|line| Some(serde_json::from_str::<Value>(line).ok()?["tool"]["id"].as_str()?.to_owned()))
            .collect();
        ids.sort();
        ids.dedup();
        let mut total = 0;
        for id in &ids {
            let found = matches(&matcher, id);
            total += found.0.len();
            assert_eq!(found, one_by_one(&alone, id), "{id:?}");
        }
        let regexes =
            keys.iter().enumerate().filter(|(n, _)| matches!(set.pattern(*n), Some(PatternKind::Regex { .. })));
        println!(
            "{folder:?}: {} keys, {} ids, {total} matches; run as regexes: {:?}",
            keys.len(),
            ids.len(),
            regexes.collect::<Vec<_>>()
        );
    }
}
