//! Reports of exceptions that the code of a config raised: the file, the line, the column, an excerpt with a caret, and
//! the calls that led there. Each tool of `tests/traces/raising.yml` raises in another way, and has a file with the
//! output of `tpvc dry-run` and `tpvc map -v`, by the config and by an artifact.
//!
//! With `UPDATE_EXPECT=1` in the environment the expectations are rewritten; review the change before committing it.

use std::fmt::Write;
use std::path::PathBuf;

use crate::support::{expect_file, project, stderr, tpvc_in};

const CONFIG: &str = "raising.yml";

fn folder() -> PathBuf {
    project().join("tests/traces")
}

/// The tools of the config but the default one.
fn tools() -> Vec<String> {
    let text = std::fs::read_to_string(folder().join(CONFIG)).unwrap();
    let section = text.split("\ntools:\n").nth(1).unwrap().split("\ndestinations:").next().unwrap();
    let keys = section.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let ids = keys.filter_map(|line| line.trim().split_once(':').map(|(id, _)| id.to_owned()));
    ids.filter(|id| id != "default" && !id.starts_with('#')).collect()
}

fn said(args: &[&str]) -> String {
    stderr(&tpvc_in(&folder(), args))
}

/// The log of `tpvc map -v` for its only job.
fn logged(rules: &[&str], jobs: &str) -> String {
    let output = said(&[&["map", "-v", "-o", "/dev/null"], rules, &[jobs]].concat());
    let end = output.find("mapped 1 job").unwrap_or_else(|| panic!("{jobs}: {output}"));
    let start = output
        .find("info: job")
        .unwrap_or_else(|| panic!("{rules:?} {}: {output}", std::fs::read_to_string(jobs).unwrap()));
    output[start..end].to_owned()
}

#[test]
fn exceptions_lead_into_the_config() {
    let scratch = tempfile::tempdir().unwrap();
    let artifact = scratch.path().join("rules.bin");
    let artifact = artifact.to_str().unwrap();
    let compiled = tpvc_in(&folder(), &["compile", CONFIG, "-o", artifact]);
    assert!(compiled.status.success(), "{}", stderr(&compiled));
    let tools = tools();
    assert!(tools.len() > 25, "{tools:?}");
    for tool in tools {
        let jobs = scratch.path().join("jobs.jsonl");
        std::fs::write(&jobs, format!("{{\"id\": 1, \"tool\": {{\"id\": \"{tool}\"}}}}\n")).unwrap();
        let jobs = jobs.to_str().unwrap();
        let mut text = String::new();
        let by_config = said(&["dry-run", CONFIG, "--tool", &tool]);
        writeln!(text, "$ tpvc dry-run {CONFIG} --tool {tool}\n{by_config}").unwrap();
        let by_artifact = said(&["dry-run", artifact, "--tool", &tool]);
        if by_artifact == by_config {
            writeln!(text, "$ tpvc dry-run rules.bin --tool {tool}\n(the same)\n").unwrap();
        } else {
            writeln!(text, "$ tpvc dry-run rules.bin --tool {tool}\n{by_artifact}").unwrap();
        }
        let log = logged(&["--config", CONFIG], jobs);
        assert_eq!(log, logged(&[artifact], jobs), "{tool}");
        write!(text, "$ tpvc map -v rules.bin jobs.jsonl\n{log}").unwrap();
        expect_file(&folder().join("expected").join(format!("{tool}.txt")), &text);
    }
}

#[test]
fn explanations_name_the_calls() {
    let shown = |format: &str| {
        let args = ["dry-run", CONFIG, "--tool", "calls_in_execute", "--explain", "--output-format", format];
        crate::support::stdout(&tpvc_in(&folder(), &args))
    };
    let explained: serde_json::Value = serde_json::from_str(&shown("json")).unwrap();
    let error = &explained["result"]["error"];
    let calls = error["calls"].as_array().unwrap_or_else(|| panic!("{explained}"));
    let functions: Vec<_> = calls.iter().map(|call| call["in"].as_str()).collect();
    assert_eq!(functions, [Some("`cores`"), Some("`mem`"), None]);
    assert_eq!(calls[0]["at"], error["at"]);
    let page = shown("html");
    assert!(page.contains("called at <span") && page.contains(", in `cores`"), "{page}");
}
