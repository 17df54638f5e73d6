//! Reports of `tpvc simulate` and `tpvc diff`: jobs that fail come first, and no total counts them as saved.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use crate::support::{run, site};

/// Small jobs and large ones, on nodes that hold a large one only with its 100 GiB.
const CONFIG: &str = "
tools:
  small: {cores: 4, mem: 16}
  large: {cores: 16, mem: 100}
destinations:
  main: {runner: slurm}
";
const CAPACITY: &str = "clusters:\n  main: {destinations: [main], nodes: [{count: 2, cores: 16, mem: 128}]}\n";
/// The rules ask for more memory than any node has.
const TOO_LARGE: &str = "
tools:
  small: {cores: 4, mem: 16}
  large: {cores: 16, mem: 200}
destinations:
  main: {runner: slurm}
";

/// A job file: in each line of `jobs` the tool, the minute of its arrival and its minutes.
fn jobs(jobs: impl IntoIterator<Item = (&'static str, usize, usize)>) -> String {
    jobs.into_iter().fold(String::new(), |mut text, (tool, minute, runs)| {
        let (day, hour, minute) = (2 + minute / 1440, minute / 60 % 24, minute % 60);
        let _ = writeln!(
            text,
            r#"{{"tool": {{"id": "{tool}"}}, "user": {{"email": "jo@example.org", "roles": ["jo@example.org", "course"]}}, "job": {{"create_time": "2026-03-{day:02}T{hour:02}:{minute:02}:00"}}, "outcome": {{"runtime_seconds": {}}}}}"#,
            runs * 60
        );
        text
    })
}

/// 300 jobs, of which every fourth is large.
fn busy() -> String {
    jobs((0..300).map(|n| (if n % 4 == 3 { "large" } else { "small" }, n * 4, 5 + n * 7 % 20)))
}

fn ran(folder: &Path, args: &[&str]) -> String {
    let (status, text) = run(folder, args);
    assert_eq!(status, 0, "{args:?}: {text}");
    text
}

fn json(folder: &Path, args: &[&str]) -> Value {
    ran(folder, &[args, &["--format", "json", "-o", "report.json"]].concat());
    serde_json::from_str(&std::fs::read_to_string(folder.join("report.json")).unwrap()).unwrap()
}

#[test]
fn a_job_that_fails_is_no_wait_of_zero() {
    let folder =
        site(&[("old.yml", CONFIG), ("new.yml", TOO_LARGE), ("capacity.yml", CAPACITY), ("jobs.jsonl", &busy())]);
    let args = ["simulate", "new.yml", "--old", "old.yml", "--jobs", "jobs.jsonl", "--capacity", "capacity.yml"];
    let text = ran(folder.path(), &args);
    let first = text.find("75 jobs fail by the new rules only (75 too large for any node)").unwrap();
    let waits = text.find("of the 225 jobs that both rules finish").unwrap();
    assert!(first < waits && waits < text.find("mean wait").unwrap(), "{text}");
    let report = json(folder.path(), &args);
    let figure = |name: &str| {
        let figures = report["changes"]["figures"].as_array().unwrap();
        figures.iter().find(|figure| figure["name"] == name).unwrap().clone()
    };
    // 225 small jobs of 4 cores take as long by both.
    let hours = figure("core·h");
    assert_eq!(hours["old"], hours["new"]);
    assert_eq!(report["changes"]["both_finish"].as_f64(), Some(225.0));
    assert_eq!(report["changes"]["failures"][0]["new"].as_f64(), Some(75.0));
    let large = report["sets"][1]["tools"].as_array().unwrap().iter().find(|row| row["name"] == "large").unwrap();
    assert_eq!((large["failed"].as_f64(), large["wait_median"].as_f64()), (Some(75.0), None));
    let markdown = ran(folder.path(), &[&args[..], &["--format", "markdown"]].concat());
    assert!(markdown.contains(":x: 75 jobs fail by the new rules only"), "{markdown}");
    let page = ran(folder.path(), &[&args[..], &["--format", "html"]].concat());
    let body = page.split("<script").next().unwrap();
    assert!(body.contains("<span class=\"badge bad\">75 jobs fail by the new rules only"), "{body}");
    // A shorter wait is no success while jobs fail for it.
    assert!(!body.contains("badge good"), "{body}");
}

#[test]
fn a_point_of_a_grid_at_which_jobs_fail_is_not_praised() {
    let folder = site(&[("tpv.yml", CONFIG), ("capacity.yml", CAPACITY), ("jobs.jsonl", &busy())]);
    let args = ["simulate", "tpv.yml", "--jobs", "jobs.jsonl", "--capacity", "capacity.yml", "--vary"];
    let report = json(folder.path(), &[&args[..], &["main.mem=64,128", "--vary", "main.cores=16,24"]].concat());
    for point in report["points"].as_array().unwrap() {
        let fails = point["figures"]["failed"].as_f64().unwrap() > 0.0;
        assert_eq!(fails, point["values"][0].as_f64() == Some(64.0), "{point}");
        assert!(!(fails && point["on_front"] == true), "{point}");
    }
    assert!(report["points"].as_array().unwrap().iter().any(|point| point["on_front"] == true));
    let text = ran(folder.path(), &[&args[..], &["main.nodes=1..5"]].concat());
    assert!(text.contains("main.nodes=5") && text.contains("GIB·H IDLE") && !text.contains("GPU·H"), "{text}");
    let report = json(folder.path(), &[&args[..], &["main.nodes=2,4"]].concat());
    let waits: Vec<f64> = [0, 1].map(|at| report["points"][at]["figures"]["wait_mean"].as_f64().unwrap()).into();
    assert!(waits[0] > waits[1], "{waits:?}");
    // More nodes of which nobody has use are no gain, though nobody waits.
    let report = json(folder.path(), &[&args[..], &["main.gpus=0,8", "--vary", "main.nodes=20,21"]].concat());
    let front: Vec<bool> =
        report["points"].as_array().unwrap().iter().map(|point| point["on_front"].as_bool().unwrap()).collect();
    assert_eq!(front, [true, false, false, false]);
    let (status, text) = run(folder.path(), &[&args[..], &["main.nodes=1.5"]].concat());
    assert!(status == 1 && text.contains("a cluster has from 1 to 100,000 nodes"), "{text}");
}

#[test]
fn an_interval_needs_three_runs_and_names_them() {
    let folder =
        site(&[("old.yml", CONFIG), ("new.yml", TOO_LARGE), ("capacity.yml", CAPACITY), ("jobs.jsonl", &busy())]);
    let args =
        ["simulate", "new.yml", "--old", "old.yml", "--jobs", "jobs.jsonl", "--capacity", "capacity.yml", "--seeds"];
    let two = ran(folder.path(), &[&args[..], &["2"]].concat());
    assert!(!two.contains("INTERVAL"), "{two}");
    for format in ["text", "markdown", "html"] {
        let three = ran(folder.path(), &[&args[..], &["3", "--seed", "7", "--format", format]].concat());
        assert!(three.to_lowercase().contains("95 % interval"), "{three}");
        assert!(three.contains("3 runs with the seeds 7 to 9"), "{three}");
    }
}

#[test]
fn any_free_node_is_looked_at_for_backfill() {
    let config = "tools:\n  c3: {cores: 3}\n  c6: {cores: 6}\n  head: {cores: 4}\n  small: {cores: 1}\ndestinations:\n  main: {runner: slurm}\n";
    let capacity = "clusters:\n  main: {destinations: [main], nodes: [{cores: 4}, {cores: 8}]}\n";
    let jobs = jobs([("c3", 0, 60), ("c6", 1, 600), ("head", 2, 60), ("small", 3, 120)]);
    let folder = site(&[("tpv.yml", config), ("capacity.yml", capacity), ("jobs.jsonl", &jobs)]);
    let report = json(folder.path(), &["simulate", "tpv.yml", "--jobs", "jobs.jsonl", "--capacity", "capacity.yml"]);
    let wait = |tool: &str| {
        let rows = report["sets"][0]["tools"].as_array().unwrap();
        rows.iter().find(|row| row["name"] == tool).unwrap()["wait_most"].as_f64().unwrap()
    };
    // On the small node it would delay the head, on the large one it does not.
    assert_eq!((wait("head"), wait("small")), (58.0 * 60.0, 0.0));
}

#[test]
fn gpus_are_where_they_are_named_and_left_to_those_that_need_them() {
    let config = "tools:\n  gpu: {cores: 1, gpus: 1}\n  plain: {cores: 1}\ndestinations:\n  main: {runner: slurm}\n";
    // The node with GPUs has fewer free cores, and would be taken first for that.
    let capacity = "clusters:\n  main: {destinations: [main], nodes: [{cores: 1, gpus: 1}, {cores: 4}]}\n";
    let jobs = jobs([("plain", 0, 60), ("gpu", 1, 60), ("gpu", 2, 60)]);
    let folder = site(&[("tpv.yml", config), ("capacity.yml", capacity), ("jobs.jsonl", &jobs)]);
    let report = json(folder.path(), &["simulate", "tpv.yml", "--jobs", "jobs.jsonl", "--capacity", "capacity.yml"]);
    let rows = report["sets"][0]["tools"].as_array().unwrap();
    let gpu = rows.iter().find(|row| row["name"] == "gpu").unwrap();
    // The first starts at once, and the second waits for the only GPU.
    assert_eq!((gpu["wait_mean"].as_f64(), gpu["wait_most"].as_f64()), (Some(59.0 * 30.0), Some(59.0 * 60.0)));
    assert_eq!(report["sets"][0]["clusters"][0]["gpus"].as_f64(), Some(1.0));
}

#[test]
fn a_destination_is_in_one_cluster() {
    let config = "tools: {'.*': {cores: 1}}\ndestinations:\n  slurm: {runner: slurm}\n  pulsar: {runner: pulsar}\n";
    let capacity = |a: &str, b: &str| {
        format!("clusters:\n  a: {{destinations: [{a}], cores: 1}}\n  b: {{destinations: [{b}], cores: 1}}\n")
    };
    let jobs = jobs([("t", 0, 1)]);
    for (a, b, is_refused) in [
        ("slurm", "slurm", true),
        ("'sl*'", "'*rm'", true),
        ("'sl*'", "'sl*'", true),
        ("slurm", "'*'", false),
        ("'s*'", "'p*'", false),
        ("slurm, slurm", "pulsar", false),
    ] {
        let folder = site(&[("tpv.yml", config), ("capacity.yml", &capacity(a, b)), ("jobs.jsonl", &jobs)]);
        let (status, text) =
            run(folder.path(), &["simulate", "tpv.yml", "--jobs", "jobs.jsonl", "--capacity", "capacity.yml"]);
        assert_eq!(
            (
                status == 1,
                text.contains("the destination `slurm` is in two clusters")
                    || text.contains("`sl*` is in two clusters")
            ),
            (is_refused, is_refused),
            "{a} {b}: {text}"
        );
    }
}

#[test]
fn a_guessed_capacity_is_one_that_the_simulation_takes() {
    let config = "tools: {'.*': {cores: 1}}\ndestinations:\n  slurm: {runner: slurm}\n";
    let mut jobs = String::new();
    for (n, (destination, slots)) in
        [("slurm", 2), ("slurm", 4), ("local", 0), ("", 1), ("off", 1)].into_iter().cycle().take(50).enumerate()
    {
        let _ = writeln!(
            jobs,
            r#"{{"tool": {{"id": "t"}}, "job": {{"create_time": "2026-03-02T{:02}:00:00"}}, "outcome": {{"destination_id": "{destination}", "slots": {slots}, "running_time": "2026-03-02T{:02}:00:40", "end_time": "2026-03-02T{:02}:30:40", "runtime_seconds": 1800}}}}"#,
            n % 24,
            n % 24,
            n % 24
        );
    }
    let folder = site(&[("tpv.yml", config), ("jobs.jsonl", &jobs)]);
    ran(folder.path(), &["simulate", "--guess-capacity", "--jobs", "jobs.jsonl", "-o", "capacity.yml"]);
    let text = std::fs::read_to_string(folder.path().join("capacity.yml")).unwrap();
    assert!(text.contains("start_delay: 40") && !text.contains("jobs: ") && !text.contains("cores: 0"), "{text}");
    let simulate = ["simulate", "tpv.yml", "--jobs", "jobs.jsonl", "--capacity", "capacity.yml"];
    let said = ran(folder.path(), &simulate);
    assert!(said.contains("the rules have no destination `local`"), "{said}");
    ran(folder.path(), &["simulate", "tpv.yml", "--guess-capacity", "--jobs", "jobs.jsonl", "-o", "capacity.yml"]);
    let text = std::fs::read_to_string(folder.path().join("capacity.yml")).unwrap();
    assert!(text.contains("these destinations of the history: local, \"off\"") && !text.contains("  local:"), "{text}");
    assert!(!ran(folder.path(), &simulate).contains("warning"));
}

#[test]
fn users_are_named_only_if_asked() {
    let folder =
        site(&[("old.yml", CONFIG), ("new.yml", TOO_LARGE), ("capacity.yml", CAPACITY), ("jobs.jsonl", &busy())]);
    let args =
        ["simulate", "new.yml", "--old", "old.yml", "--jobs", "jobs.jsonl", "--capacity", "capacity.yml", "--format"];
    for format in ["text", "json", "csv", "markdown", "html"] {
        let text = ran(folder.path(), &[&args[..], &[format]].concat());
        assert!(!text.contains("jo@") && text.contains("user-") && text.contains("course"), "{format}: {text}");
        let named = ran(folder.path(), &[&args[..], &[format, "--with-users"]].concat());
        assert!(named.contains("jo@"), "{format}: {named}");
    }
}

#[test]
fn a_message_of_the_rules_does_not_name_a_user() {
    let config = "tools:\n  '.*':\n    rules:\n    - if: true\n      fail: \"no place for {user.email}\"\ndestinations:\n  main: {runner: slurm}\n";
    let folder = site(&[("tpv.yml", config), ("old.yml", CONFIG), ("jobs.jsonl", &jobs([("small", 0, 1)]))]);
    for args in [["simulate", "tpv.yml", "--jobs", "jobs.jsonl"], ["diff", "old.yml", "tpv.yml", "--jobs=jobs.jsonl"]] {
        let text = ran(folder.path(), &args);
        assert!(!text.contains("jo@") && text.contains("no place for user-"), "{text}");
        assert!(ran(folder.path(), &[&args[..], &["--with-users"]].concat()).contains("no place for jo@example.org"));
    }
}

#[test]
fn the_totals_of_diff_are_of_jobs_that_both_rules_map() {
    let new = CONFIG.replace("{runner: slurm}", "{runner: slurm, max_accepted_cores: 8}");
    let jobs = jobs((0..20).map(|n| (if n % 4 == 3 { "large" } else { "small" }, n, 1)));
    let folder = site(&[("old.yml", CONFIG), ("new.yml", &new), ("jobs.jsonl", &jobs)]);
    let args = ["diff", "old.yml", "new.yml", "--jobs", "jobs.jsonl"];
    let text = ran(folder.path(), &args);
    assert!(text.starts_with("5 jobs fail now and did not before: they had 80 cores, 500 GiB\n"), "{text}");
    assert!(text.contains("cores     60\n") && !text.contains("cores 140"), "{text}");
    let report = json(folder.path(), &args);
    let jobs = &report["jobs"];
    assert_eq!((jobs["fail_now"].as_u64(), jobs["all"]["old"]["cores"].as_f64()), (Some(5), Some(60.0)));
    assert_eq!(
        (jobs["all"]["new"]["cores"].as_f64(), jobs["apart"]["old"]["cores"].as_f64()),
        (Some(60.0), Some(80.0))
    );
    let markdown = ran(folder.path(), &[&args[..], &["--format", "markdown"]].concat());
    assert!(markdown.contains(":x: 5 jobs fail now and did not before"), "{markdown}");
}

#[test]
fn a_tool_with_another_id_is_another_tool() {
    let config = |id: &str| {
        format!(
            "tools:\n  {id}: {{cores: 8, inherits: base}}\n  base: {{mem: 3, abstract: true}}\ndestinations:\n  main: {{runner: slurm}}\n"
        )
    };
    let folder = site(&[("old.yml", &config("bwa")), ("new.yml", &config("bwa_mem"))]);
    let text = ran(folder.path(), &["diff", "old.yml", "new.yml"]);
    assert!(text.contains("- `bwa`") && text.contains("+ `bwa_mem`") && !text.contains("renamed"), "{text}");
}

#[test]
fn rules_that_are_never_ready_end_the_run() {
    let config = "
tools:
  '.*':
    cores: 1
    rules:
    - if: |
        import random
        random.random() > 0.0001
      execute: |
        from galaxy.jobs.mapper import JobNotReadyException
        raise JobNotReadyException()
destinations:
  main: {runner: slurm}
";
    let folder = site(&[("tpv.yml", config), ("jobs.jsonl", &jobs((0..40).map(|n| ("small", n, 1))))]);
    let text = ran(folder.path(), &["simulate", "tpv.yml", "--jobs", "jobs.jsonl", "--format", "csv"]);
    let said = text.lines().find(|line| line.starts_with("stopped: ")).unwrap();
    assert!(said.contains("jobs undecided"), "{text}");
}
