//! Compares tpvc's answers with TPV's: for every case in `fixtures/`, compiles its configs, maps its jobs, and compares
//! each answer with the one that the real TPV gave (`expected.jsonl`, see `docs/recording.md`).
//!
//! `TPVC_CASES=clamp-zero,resubmit` runs the cases named and no others.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use serde_json::value::RawValue;
use tpv_model::Version;

use crate::support::cases::Case;

/// The number of a case's differences printed.
const SHOWN: usize = 5;

/// A JSON value that keeps what Python keeps: an int of any size is not a float, and `-0.0` is not `0.0`.
#[derive(Debug, Clone, PartialEq)]
enum Json {
    Null,
    Bool(bool),
    /// The digits as they stand: Python's ints have no bound.
    Int(String),
    /// The bits of the double, so that equality is identity.
    Float(u64),
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

impl Json {
    fn parse(text: &str) -> Result<Json, String> {
        let fault = |e: serde_json::Error| format!("not JSON ({e}): {text}");
        Ok(match text.trim().as_bytes().first() {
            Some(b'{') => {
                let fields: BTreeMap<String, Box<RawValue>> = serde_json::from_str(text).map_err(fault)?;
                let parsed = fields.into_iter().map(|(key, raw)| Ok((key, Json::parse(raw.get())?)));
                Json::Object(parsed.collect::<Result<_, String>>()?)
            }
            Some(b'[') => {
                let items: Vec<Box<RawValue>> = serde_json::from_str(text).map_err(fault)?;
                let parsed = items.iter().map(|raw| Json::parse(raw.get()));
                Json::List(parsed.collect::<Result<_, String>>()?)
            }
            Some(b'"') => Json::Text(serde_json::from_str(text).map_err(fault)?),
            Some(b't' | b'f') => Json::Bool(serde_json::from_str(text).map_err(fault)?),
            Some(b'n') => serde_json::from_str::<()>(text).map(|()| Json::Null).map_err(fault)?,
            _ => {
                let float: f64 = serde_json::from_str(text).map_err(fault)?;
                if text.contains(['.', 'e', 'E']) {
                    Json::Float(float.to_bits())
                } else {
                    Json::Int(text.trim().to_owned())
                }
            }
        })
    }

    /// A field of an object; null if there is none.
    fn get(&self, key: &str) -> &Json {
        match self {
            Json::Object(fields) => fields.get(key).unwrap_or(&Json::Null),
            _ => &Json::Null,
        }
    }

    fn has(&self, key: &str) -> bool {
        matches!(self, Json::Object(fields) if fields.contains_key(key))
    }
}

impl std::fmt::Display for Json {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => write!(f, "{value}"),
            Json::Int(digits) => f.write_str(digits),
            Json::Float(bits) => write!(f, "{:?}", f64::from_bits(*bits)),
            Json::Text(text) => f.write_str(&serde_json::to_string(text).unwrap()),
            Json::List(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Json::Object(fields) => {
                f.write_str("{")?;
                for (i, (key, value)) in fields.iter().enumerate() {
                    write!(f, "{}{key:?}: {value}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("}")
            }
        }
    }
}

/// The first place where two values differ: its path, what was wanted, what was found.
#[derive(Debug, PartialEq)]
struct Difference {
    path: String,
    want: String,
    got: String,
}

impl Difference {
    fn new(path: impl Into<String>, want: impl ToString, got: impl ToString) -> Self {
        Difference { path: path.into(), want: want.to_string(), got: got.to_string() }
    }
}

fn value_difference(path: &str, want: &Json, got: &Json) -> Option<Difference> {
    match (want, got) {
        (Json::Object(a), Json::Object(b)) => {
            let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            keys.into_iter().find_map(|key| {
                let path = format!("{path}.{key}");
                match (a.get(key), b.get(key)) {
                    (Some(a), Some(b)) => value_difference(&path, a, b),
                    (Some(a), None) => Some(Difference::new(path, a, "(absent)")),
                    (_, b) => Some(Difference::new(path, "(absent)", b.unwrap_or(&Json::Null))),
                }
            })
        }
        (Json::List(a), Json::List(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().find_map(|(i, (a, b))| value_difference(&format!("{path}[{i}]"), a, b))
        }
        _ if want == got => None,
        _ => Some(Difference::new(path, want, got)),
    }
}

/// The difference between two answers to one job. The text of an error counts unless `any_message`.
fn answer_difference(want: &Json, got: &Json, any_message: bool) -> Option<Difference> {
    let kind = |answer: &Json| {
        if answer.has("error") { answer.get("error").clone() } else { answer.get("destination").clone() }
    };
    if let Some(found) = value_difference("id", want.get("id"), got.get("id")) {
        return Some(found);
    }
    if want.has("error") != got.has("error") || want.has("destination") != got.has("destination") {
        return Some(Difference::new("answer", kind(want), kind(got)));
    }
    if want.has("error") {
        let (want, got) = (want.get("error"), got.get("error"));
        if want.get("type") != got.get("type") {
            return Some(Difference::new("error.type", want, got));
        }
        if any_message {
            return None;
        }
        return value_difference("error.message", want.get("message"), got.get("message"));
    }
    ["destination", "cores", "mem", "gpus", "candidates"]
        .iter()
        .find_map(|field| value_difference(field, want.get(field), got.get(field)))
}

fn id_text(answer: &Json) -> String {
    match answer.get("id") {
        Json::Text(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Runs tpvc; its standard output, or what went wrong.
fn tpvc(args: &[&std::ffi::OsStr]) -> Result<String, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_tpvc"))
        .args(args)
        .output()
        .map_err(|e| format!("tpvc does not start: {e}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let verb = args.first().map(|verb| verb.to_string_lossy().into_owned()).unwrap_or_default();
    let told = String::from_utf8_lossy(&output.stderr);
    let told: String = told.lines().take(12).fold(String::new(), |all, line| all + "\n      " + line);
    Err(format!("tpvc {verb} ended with {}:{told}", output.status))
}

/// All cases, those for newcomers among them.
fn cases() -> Vec<Case> {
    Case::of(&["fixtures", "examples"])
}

/// The records of a case, each with its version of TPV: `expected.jsonl` is that of the newest.
fn records(case: &Case) -> Vec<(Version, String)> {
    let name = |version: Version| match version == Version::default() {
        true => "expected.jsonl".to_owned(),
        false => format!("expected-{version}.jsonl"),
    };
    let patches = ["3.1.0", "3.1.2", "3.2.0"].map(|patch| patch.parse().unwrap());
    let all = Version::ALL.into_iter().chain(patches).map(|version| (version, name(version)));
    all.filter(|(_, name)| case.folder.join(name).is_file()).collect()
}

/// The faults of tpvc's answers to a case: empty if they are TPV's.
fn judge(case: &Case) -> Result<(), String> {
    records(case).into_iter().try_for_each(|(version, expected)| {
        judge_version(case, version, &expected).map_err(|report| format!("TPV {version}: {report}"))
    })
}

fn judge_version(case: &Case, version: Version, expected: &str) -> Result<(), String> {
    let work = tempfile::tempdir().map_err(|e| e.to_string())?;
    let rules = work.path().join("rules.bin");
    let configs: Vec<PathBuf> = case.configs().into_iter().map(PathBuf::from).collect();
    let mut args = vec!["compile".as_ref(), "--tpv".as_ref(), version.name().as_ref()];
    args.extend(configs.iter().map(|path| path.as_os_str()));
    args.extend(["-o".as_ref(), rules.as_os_str()]);
    let want = case.lines(expected);
    if let [line] = &want[..]
        && line.starts_with("{\"does_not_load\"")
    {
        return tpvc(&args).map_or(Ok(()), |_| Err("compiles, and TPV does not load it".to_owned()));
    }
    tpvc(&args)?;

    let jobs = case.folder.join("jobs.jsonl");
    let world = case.world_file();
    let mut args = vec!["map".as_ref(), rules.as_os_str(), jobs.as_os_str(), "--detail".as_ref()];
    if let Some(world) = &world {
        args.extend(["--world".as_ref(), world.as_os_str()]);
    }
    let answers = tpvc(&args)?;

    let got: Vec<&str> = answers.split('\n').filter(|line| !line.trim().is_empty()).collect();
    if want.len() != got.len() {
        return Err(format!("{} answers expected, {} found", want.len(), got.len()));
    }
    let mut differences = Vec::new();
    for (want, got) in want.iter().zip(got) {
        let (want, got) = (Json::parse(want)?, Json::parse(got)?);
        let id = id_text(&want);
        let any_message = case.description.messages_differ.contains_key(&id);
        let found = answer_difference(&want, &got, any_message);
        if case.description.answers_differ.contains_key(&id) {
            if found.is_none() {
                return Err(format!("{id} is listed in answers_differ, but agrees"));
            }
        } else if let Some(found) = found {
            differences.push((id, found));
        }
    }
    if differences.is_empty() {
        return Ok(());
    }
    let mut report = format!("{} of {} answers differ", differences.len(), want.len());
    for (id, Difference { path, want, got }) in differences.iter().take(SHOWN) {
        let _ = write!(report, "\n    {id}: {path}\n      TPV  {want}\n      tpvc {got}");
    }
    Err(report)
}

#[test]
fn answers_are_tpvs() {
    let named = std::env::var("TPVC_CASES").unwrap_or_default();
    let named: Vec<&str> = named.split(',').filter(|name| !name.is_empty()).collect();
    let chosen: Vec<Case> =
        cases().into_iter().filter(|case| named.is_empty() || named.contains(&case.name.as_str())).collect();
    assert!(!chosen.is_empty(), "no such case: {named:?}");
    let mut failing = Vec::new();
    for case in &chosen {
        if let Err(report) = judge(case) {
            eprintln!("{}: {report}\n  ({})", case.name, case.description.about);
            failing.push(case.name.as_str());
        }
    }
    assert!(failing.is_empty(), "{} of {} cases fail: {}", failing.len(), chosen.len(), failing.join(", "));
}

/// The fixtures themselves: each job is answered, named once and seeded, and each excuse is for an error on record.
/// Cases that the newest version does not load.
#[test]
fn what_only_older_versions_load_is_answered() {
    let older = Case::of(&["tests/older"]);
    let faults: Vec<String> = older.iter().filter_map(|case| judge(case).err()).collect();
    assert!(older.iter().all(|case| records(case).len() > 1) && faults.is_empty(), "{faults:?}");
}

#[test]
fn fixtures_are_sound() {
    for case in cases() {
        let name = &case.name;
        assert!(!case.description.about.is_empty(), "{name}: says not what it shows");
        let (jobs, expected) = (case.lines("jobs.jsonl"), case.lines("expected.jsonl"));
        assert_eq!(jobs.len(), expected.len(), "{name}: every job has one answer");
        let mut ids = BTreeSet::new();
        let mut failed = BTreeSet::new();
        for (job, answer) in jobs.iter().zip(&expected) {
            let (job, answer) = (Json::parse(job).unwrap(), Json::parse(answer).unwrap());
            let id = id_text(&answer);
            assert_eq!(job.get("id"), answer.get("id"), "{name}: answers stand in the order of the jobs");
            // An example for newcomers draws nothing, and is easier to read without.
            let is_seeded =
                matches!(job.get("seed"), Json::Int(_)) || case.folder.parent().unwrap().ends_with("examples");
            assert!(is_seeded, "{name}: {id} has no seed");
            assert!(ids.insert(id.clone()), "{name}: two jobs are called {id}");
            if answer.has("error") {
                failed.insert(id);
            }
        }
        for (id, reason) in &case.description.messages_differ {
            assert!(failed.contains(id), "{name}: messages_differ names {id}, which is no error");
            assert!(!reason.is_empty(), "{name}: messages_differ gives no reason for {id}");
        }
    }
}

#[cfg(test)]
mod comparer {
    use super::*;

    /// The path of the first difference between two answers, or "" if they agree.
    fn check(want: &str, got: &str, expect: &str) {
        let found = answer_difference(&Json::parse(want).unwrap(), &Json::parse(got).unwrap(), false);
        assert_eq!(found.map(|d| d.path).unwrap_or_default(), expect, "{want} against {got}");
    }

    fn answer(id: &str, params: &str, cores: &str) -> String {
        format!(r#"{{"id": "j", "destination": {{"id": "{id}", "params": {params}}}, "cores": {cores}, "mem": null}}"#)
    }

    #[test]
    fn equal_answers_agree() {
        check(&answer("a", "{}", "4"), &answer("a", "{}", "4"), "");
        check(
            r#"{"id": 1, "destination": {"a": 1, "b": 2}}"#,
            r#"{"destination": {"b": 2, "a": 1}, "id": 1, "gpus": null}"#,
            "",
        );
        check(&answer("a", r#"["\u00e9"]"#, "1e2"), &answer("a", r#"["é"]"#, "100.0"), "");
    }

    #[test]
    fn numbers_keep_their_kind() {
        check(&answer("a", "{}", "4"), &answer("a", "{}", "4.0"), "cores");
        check(&answer("a", "{}", "1"), &answer("a", "{}", "true"), "cores");
        check(&answer("a", "{}", "-0.0"), &answer("a", "{}", "0.0"), "cores");
        check(&answer("a", "{}", "100000000000000000001"), &answer("a", "{}", "100000000000000000002"), "cores");
    }

    #[test]
    fn a_difference_is_found_where_it_is() {
        check(&answer("a", "{}", "4"), &answer("b", "{}", "4"), "destination.id");
        check(
            &answer("a", r#"{"x": [1, {"y": "2"}]}"#, "4"),
            &answer("a", r#"{"x": [1, {"y": "3"}]}"#, "4"),
            "destination.params.x[1].y",
        );
        check(&answer("a", r#"{"x": 1}"#, "4"), &answer("a", "{}", "4"), "destination.params.x");
        check(&answer("a", "[1, 2]", "4"), &answer("a", "[1]", "4"), "destination.params");
        check(
            r#"{"id": 1, "destination": {}, "candidates": ["a", "b"]}"#,
            r#"{"id": 1, "destination": {}}"#,
            "candidates",
        );
        check(r#"{"id": 1, "destination": {}}"#, r#"{"id": "1", "destination": {}}"#, "id");
    }

    #[test]
    fn errors_are_compared_by_type_and_message() {
        let error = |kind: &str, message: &str| {
            format!(r#"{{"id": 1, "error": {{"type": "{kind}", "message": "{message}"}}}}"#)
        };
        check(&error("KeyError", "a"), &error("KeyError", "a"), "");
        check(&error("KeyError", "a"), &error("KeyError", "b"), "error.message");
        check(&error("KeyError", "a"), &error("NameError", "a"), "error.type");
        check(&error("KeyError", "a"), r#"{"id": 1, "destination": {}}"#, "answer");
        check(r#"{"id": 1, "destination": {}}"#, r#"{"id": 1}"#, "answer");
        let (want, got) = (error("KeyError", "a"), error("KeyError", "b"));
        assert_eq!(answer_difference(&Json::parse(&want).unwrap(), &Json::parse(&got).unwrap(), true), None);
    }

    #[test]
    fn what_is_not_json_is_said() {
        assert!(Json::parse("{\"a\": }").is_err());
        assert!(Json::parse("NaN").is_err());
        assert!(Json::parse("").is_err());
    }
}
