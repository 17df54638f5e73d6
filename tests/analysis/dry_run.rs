//! `tpvc dry-run` and `tpvc dump` against what TPV's own commands said, and what they say beyond that.
//!
//! `tests/dry_run/recorded.json` was recorded with `tests/record/record_dry_run.py`. The other expectations are rewritten
//! with `UPDATE_EXPECT=1` in the environment; review the change before committing it.

use std::path::PathBuf;

use crate::support::{expect_file, project, site, stderr, stdout, tpvc_in};
use serde_json::Value;

fn folder() -> PathBuf {
    project().join("tests/dry_run")
}

fn run(args: &[&str]) -> std::process::Output {
    tpvc_in(&folder(), args)
}

/// Both streams and the status, as a file to compare.
fn shown(args: &[&str]) -> String {
    let output = run(args);
    let status = output.status.code().unwrap();
    format!("--- stdout\n{}--- stderr\n{}--- status {status}\n", stdout(&output), stderr(&output))
}

fn expect(name: &str, args: &[&str]) {
    expect_file(&folder().join("expected").join(name), &shown(args));
}

#[test]
fn answers_are_those_of_tpv() {
    let cases: Vec<Value> =
        serde_json::from_str(&std::fs::read_to_string(folder().join("recorded.json")).unwrap()).unwrap();
    assert!(cases.len() >= 40);
    let artifact = tempfile::NamedTempFile::new().unwrap();
    let artifact = artifact.path().to_str().unwrap();
    assert!(run(&["compile", "shared.yml", "local.yml", "-q", "-o", artifact]).status.success());
    for (number, case) in cases.iter().enumerate() {
        // The rules come in turn from a job configuration, config files and an artifact.
        let rules: &[&str] = match number % 4 {
            0 => &["--job-conf", "job_conf.yml"],
            1 => &["--job-conf", "job_conf.xml"],
            2 => &["--config", "shared.yml", "--config", "local.yml"],
            _ => &["--config", artifact],
        };
        let own: Vec<&str> = case["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
        let rules = if own.contains(&"--") { &[][..] } else { rules };
        let args: Vec<&str> = ["dry-run"].iter().chain(rules).chain(&own).copied().collect();
        let output = run(&args);
        match case["stdout"].as_str() {
            Some(expected) => {
                assert_eq!(stdout(&output), expected, "{args:?}\n{}", stderr(&output));
                assert_eq!(output.status.code(), Some(0), "{args:?}");
            }
            None => {
                let error = case["error"].as_str().unwrap();
                assert!(stderr(&output).contains(error), "{args:?}: {error}\n{}", stderr(&output));
                assert_eq!(output.status.code(), Some(1), "{args:?}");
            }
        }
    }
}

#[test]
fn failures_name_the_place() {
    expect("failed.txt", &["dry-run", "shared.yml", "local.yml", "--tool", "broken", "--user", "a@b"]);
    expect("refused.txt", &["dry-run", "shared.yml", "local.yml", "--tool", "bwa", "--input-size", "200"]);
    let output = run(&["map", "-v", "--config", "shared.yml", "--config", "local.yml", "jobs.jsonl"]);
    let said = stderr(&output);
    assert!(said.contains("KeyError") && said.contains("raised at shared.yml:61:18"), "{said}");
}

#[test]
fn explanations_tell_everything() {
    let job = ["--tool", "bwa_mem", "--input-size", "5", "--user", "ada@example.org", "--explain"];
    // The paths of a job configuration are absolute: the config files are named instead.
    let start = ["dry-run", "shared.yml", "local.yml"];
    let with = |more: &[&'static str]| start.iter().chain(&job).chain(more).copied().collect::<Vec<_>>();
    expect("explain.txt", &with(&[]));
    expect("explain.yaml", &with(&["--output-format", "yaml"]));
    expect("explain.json", &with(&["--output-format", "json"]));
    let page = shown(&with(&["--output-format", "html"]));
    // The style is that of all pages.
    let (before, rest) = page.split_once("<style>").unwrap();
    let (_, after) = rest.split_once("</style>").unwrap();
    expect_file(&folder().join("expected/explain.html"), &format!("{before}<style></style>{after}"));
    expect(
        "explain-failed.txt",
        &["dry-run", "shared.yml", "local.yml", "--tool", "broken", "--user", "a@b", "--explain"],
    );
    expect(
        "explain-nowhere.txt",
        &["dry-run", "shared.yml", "local.yml", "--tool", "x/spades/y", "--roles", "training", "--explain"],
    );
}

#[test]
fn values_of_the_context_have_their_places() {
    let job = ["--tool", "bwa", "--input-size", "2", "--explain"];
    let args: Vec<&str> = ["dry-run", "context.yml"].into_iter().chain(job).collect();
    expect("explain-context.txt", &args);
    expect("dump-context.txt", &["dump", "context.yml", "--provenance"]);
}

#[test]
fn pages_need_nothing_from_elsewhere() {
    let output = run(&["dry-run", "shared.yml", "local.yml", "--tool", "<b>\"&", "--output-format", "html"]);
    let page = stdout(&output);
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("&lt;b&gt;&quot;&amp;"));
    for foreign in ["<script", "http://", "https://", "src=", "@import", "<b>\"&"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
}

#[test]
fn jobs_are_changed_field_by_field() {
    let set = ["--set", "tool.version=1.20", "--set", "job.input_datasets.0.size=12G", "--set", "user.email=a@b"];
    let start = ["dry-run", "shared.yml", "local.yml", "--tool", "bwa", "--output-format", "json"];
    let args: Vec<&str> = start.iter().chain(&set).copied().collect();
    let output = run(&args);
    let answer: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(answer["cores"], 12, "{}", stderr(&output));
    expect("bad-set.txt", &["dry-run", "shared.yml", "--set", "tool.id.x=1"]);
    expect("not-a-job.txt", &["dry-run", "shared.yml", "--set", "job.input_datasets.0.size=big"]);
}

#[test]
fn configs_may_stand_in_the_job_configuration() {
    let output = run(&["dry-run", "--job-conf", "job_conf_inline.yml", "--tool", "bwa", "--output-format", "json"]);
    let answer: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&answer["cores"], &answer["destination"]["id"]), (&3.into(), &"inline".into()), "{answer}");
}

#[test]
fn command_lines_without_rules_are_wrong() {
    for args in [&["dry-run"][..], &["dump"], &["dump", "shared.yml", "--provenance", "--output-format", "text"]] {
        assert_eq!(run(args).status.code(), Some(2), "{args:?}");
    }
    expect("no-job-conf.txt", &["dry-run", "--job-conf", "nowhere.yml"]);
    expect("no-entity.txt", &["dump", "shared.yml", "--entity", "defualt"]);
}

/// The id of a tool that no entity has shows what the tool gets: the default, and all whose patterns match, merged as for its jobs.
#[test]
fn the_id_of_a_tool_shows_what_it_gets() {
    let text = "global: {default_inherits: default}\ntools:\n  default: {abstract: true, mem: 1, env: {A: a}}\n  toolshed/.*:\n    cores: 2\n    \
                env: {B: b}\n  toolshed/bwa/.*:\n    mem: 3\n    rules: [{id: r, if: input_size > 1, cores: 4}]\n  other: {}\ndestinations: {d: {runner: local}}\n";
    let site = site(&[("tpv.yml", text)]);
    let (status, said) = crate::support::run(
        site.path(),
        &["dump", "tpv.yml", "--entity", "toolshed/bwa/1.0", "--output-format", "yaml"],
    );
    assert_eq!(status, 0, "{said}");
    for expected in
        ["tools:\n  toolshed/bwa/1.0:\n", "cores: 2\n", "mem: 3\n", "name: A\n", "name: B\n", "input_size > 1"]
    {
        assert!(said.contains(expected), "{expected}:\n{said}");
    }
    assert!(!said.contains("other") && !said.contains("destinations"), "{said}");
    let note =
        "`toolshed/bwa/1.0` gets what these say, later over earlier: `default`, `toolshed/.*`, `toolshed/bwa/.*`\n";
    assert!(said.ends_with(note), "{said}");
    // The same as the mapper's.
    let (_, answer) = crate::support::run(
        site.path(),
        &["dry-run", "tpv.yml", "--tool", "toolshed/bwa/1.0", "--input-size", "0.5", "--output-format", "json"],
    );
    assert!(answer.contains("\"cores\": 2") && answer.contains("\"mem\": 3"), "{answer}");
}

#[test]
fn dumps_are_those_of_tpv() {
    let text = stdout(&run(&["dump", "shared.yml", "local.yml"]));
    expect_file(&folder().join("dump.txt"), &text);
    let yaml = stdout(&run(&["dump", "shared.yml", "local.yml", "--output-format", "yaml"]));
    expect_file(&folder().join("dump.yaml"), &yaml);
    expect_file(&folder().join("odd.txt"), &stdout(&run(&["dump", "odd.yml"])));
    // The same data as in TPV's own, which keeps more of how the config writes it.
    expect_file(&folder().join("odd.yaml"), &stdout(&run(&["dump", "odd.yml", "--output-format", "yaml"])));
}

#[test]
fn dumps_tell_where_values_came_from() {
    expect("dump-resolved.txt", &["dump", "shared.yml", "local.yml", "--entity", "fast", "--resolved", "--provenance"]);
    expect("dump-entity.txt", &["dump", "shared.yml", "local.yml", "--entity", "bwa.*", "--resolved"]);
}

#[test]
fn completions_and_man_pages_know_every_verb() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = stdout(&run(&["completions", shell]));
        assert!(text.contains("dry-run") && text.contains("provenance"), "{shell}");
    }
    let out = tempfile::tempdir().unwrap();
    assert!(run(&["man", "--out", out.path().to_str().unwrap()]).status.success());
    for verb in ["compile", "map", "dry-run", "dump"] {
        assert!(out.path().join(format!("tpvc-{verb}.1")).is_file(), "{verb}");
    }
    assert!(stdout(&run(&["man"])).contains(".TH tpvc 1"));
    assert!(stdout(&run(&["--version"])).contains("follows TPV 3.3.0"));
}

#[test]
fn pools_are_explained() {
    let user = ["--user", "a@b", "--explain"];
    for tool in ["default", "big", "huge", "deep", "untrusted"] {
        let args: Vec<&str> = ["dry-run", "pools.yml", "--tool", tool].into_iter().chain(user).collect();
        expect(&format!("pools-{tool}.txt"), &args);
    }
    expect("pools-anonymous.txt", &["dry-run", "pools.yml", "--tool", "huge", "--explain"]);
    expect(
        "pools.yaml",
        &["dry-run", "pools.yml", "--tool", "big", "--user", "a@b", "--explain", "--output-format", "yaml"],
    );
}
