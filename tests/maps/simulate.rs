//! The grid of `tpvc simulate --vary` as a map: its report equals the local one, whatever became of its components in between.

#![cfg(unix)]

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use crate::support::random::Random;
use crate::support::{site, small_program, stderr, stdout};
use serde_json::Value;

/// A rank function that asks for the load, a limit by tool, and a resource pool: what a run depends on besides its jobs.
const RULES: &str = r#"
global:
  default_inherits: default
  resource_pool_store:
    url: valkey://127.0.0.1:1
  context:
    share: 0.3
    small_max: 4
pools:
  default:
    max_concurrent_cores: 40
tools:
  default:
    abstract: true
    cores: 2
    mem: 1 + 16 * share
    rank: |
      from galaxy.model import Job
      load = lambda d: app.model.context.query(Job).filter(Job.state == "queued", Job.destination_id == d.id).count()
      sorted(candidate_destinations, key=load)
  bwa:
    rules:
    - if: input_size > small_max
      cores: 8
destinations:
  main: {runner: slurm}
  side: {runner: slurm}
"#;
const CAPACITY: &str = "
clusters:
  main: {destinations: [main], cores: 16}
  side: {destinations: [side], nodes: [{count: 3, cores: 8, mem: 64}], discipline: fifo}
";
const WORLD: &str = r#"{"now": "2026-03-01T00:00:00", "jobs": [{"tool_id": "bwa", "user_id": 1, "state": "queued", "destination_id": "side"}]}"#;

struct Site(tempfile::TempDir);

impl Site {
    fn new() -> Self {
        let mut random = Random::new(30);
        let mut jobs = String::new();
        let mut minute = 0;
        for number in 0..60 {
            minute += random.below(4);
            let (hour, size) = (minute / 60, (1 + random.below(9)) as u64 * (1 << 30));
            let (tool, user) = (if random.one_in(2) { "bwa" } else { "sort" }, 1 + random.below(5));
            let (seconds, memory) = (60 + random.below(1800), u64::from(random.below(8)) << 30);
            let _ = writeln!(
                jobs,
                r#"{{"id": {number}, "tool": {{"id": "{tool}"}}, "user": {{"id": {user}, "username": "u{user}"}}, "job": {{"id": {number}, "create_time": "2026-03-02T{hour:02}:{:02}:00", "input_datasets": [{{"name": "a", "id": 1, "size": {size}}}]}}, "outcome": {{"runtime_seconds": {seconds}, "memory_bytes": {memory}}}}}"#,
                minute % 60
            );
        }
        let files = [("rules.yml", RULES), ("capacity.yml", CAPACITY), ("world.json", WORLD), ("jobs.jsonl", &jobs)];
        let site = Self(site(&files));
        small_program(site.0.path());
        fs::write(site.path("jobs.jsonl.zst"), zstd::encode_all(jobs.as_bytes(), 1).unwrap()).unwrap();
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tpvc"));
        command.args(arguments).current_dir(self.0.path()).env("HOME", self.0.path()).env("NO_COLOR", "1");
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("TPVC_MAPS_")) {
            command.env_remove(name);
        }
        command.env("TPVC_MAPS_PROGRAM", self.path("program"));
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).stdin(Stdio::null()).output().unwrap()
    }

    fn done(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        stdout(&output)
    }

    /// The words on stderr of a command that fails.
    fn failed(&self, status: i32, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!((output.status.code(), stdout(&output)), (Some(status), String::new()), "{arguments:?}");
        stderr(&output)
    }

    /// The JSON report of `tpvc simulate` on these values.
    fn local(&self, values: &[&str]) -> String {
        self.done(&[&["simulate"], &INPUTS[..], &["--format", "json"], values].concat())
    }

    fn create(&self, tag: &str, more: &[&str]) {
        assert_eq!(self.done(&[&["simulate", "-q", "--map", tag], &INPUTS[..], more].concat()), format!("{tag}\n"));
    }

    fn wait(&self, tag: &str) {
        self.done(&["maps", "wait", "-q", "--timeout", "100", tag]);
    }

    fn report(&self, tag: &str) -> String {
        self.done(&["simulate", "--map", tag, "--format", "json"])
    }

    fn map(&self, tag: &str) -> PathBuf {
        PathBuf::from(self.done(&["maps", "path", tag]).trim())
    }
}

const INPUTS: [&str; 7] =
    ["rules.yml", "--jobs", "jobs.jsonl.zst", "--capacity", "capacity.yml", "--world", "world.json"];
/// Of 0.1..0.9, two values have no short decimals.
const GRID: [&str; 6] = ["--vary", "main.cores=8,24", "--vary", "context.share=0.1..0.9", "--seeds", "2"];

#[test]
fn the_report_of_a_map_is_the_local_one() {
    let site = Site::new();
    site.create("grid", &GRID);
    site.wait("grid");
    for format in ["text", "json", "csv", "markdown", "html"] {
        let local = site.done(&[&["simulate"], &INPUTS[..], &GRID, &["--format", format]].concat());
        // A page has a column for each value.
        let is_by_column = matches!(format, "json" | "html");
        assert!(local.matches("main.cores=24 context.share=0.").count() == 5 || is_by_column, "{local}");
        assert_eq!(site.done(&["simulate", "--map", "grid", "--format", format]), local, "{format}");
    }
    let report: Value = serde_json::from_str(&site.report("grid")).unwrap();
    let waits: Vec<f64> = report["points"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| point["figures"]["wait_mean"].as_f64().unwrap())
        .collect();
    assert_eq!(waits.len(), 10);
    assert!(waits.windows(2).any(|pair| pair[0] != pair[1]), "{waits:?}");
    let runs = site.done(&["maps", "results", "grid"]);
    assert_eq!(runs.lines().count(), 20);
    let first: Value = serde_json::from_str(runs.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&first["point"], &first["run"], &first["ended"]["arrived"]),
        (&serde_json::json!(["8", "0.1"]), &0.into(), &60.into())
    );
    assert!(site.done(&["maps", "status", "grid", "--format", "text"]).contains("runs"));

    // Jobs at random, from stdin, by an artifact: a map reads them once.
    site.done(&["compile", "-q", "rules.yml", "-o", "rules.bin"]);
    let more = [
        "--capacity",
        "capacity.yml",
        "--world",
        "world.json",
        "--rate",
        "33.3",
        "--seed",
        "7",
        "--vary",
        "side.cores=8,16",
    ];
    let mut create =
        site.command(&[&["simulate", "-q", "rules.bin", "--jobs", "-", "--map", "stdin"], &more[..]].concat());
    let create = create.stdin(fs::File::open(site.path("jobs.jsonl")).unwrap()).output().unwrap();
    assert!(create.status.success(), "{}", stderr(&create));
    site.wait("stdin");
    let local =
        site.done(&[&["simulate", "rules.bin", "--jobs", "jobs.jsonl", "--format", "json"], &more[..]].concat());
    assert_eq!(site.report("stdin"), local);
}

#[test]
fn lost_damaged_and_failed_runs_are_named_and_run_again() {
    let site = Site::new();
    site.create("grid", &GRID);
    site.wait("grid");
    let local = site.local(&GRID);
    let map = site.map("grid");
    // Component 5 is the second run of the third point, 18 the first of the last.
    for component in [5, 18] {
        fs::remove_file(map.join(format!("summaries/{component}.json"))).unwrap();
    }
    let said = site.failed(1, &["simulate", "--map", "grid", "--format", "json"]);
    assert!(said.contains("the map `grid` is not complete: 2 of 10 points are missing: main.cores=8 context.share=0.5, main.cores=24 context.share=0.9\n"), "{said}");
    assert!(said.contains("`tpvc maps rerun grid` runs them again"), "{said}");
    let partial = site.done(&["simulate", "--map", "grid", "--partial"]);
    assert!(partial.ends_with("Not complete: 2 of 10 points are missing: main.cores=8 context.share=0.5, main.cores=24 context.share=0.9\n"), "{partial}");
    let partial: Value =
        serde_json::from_str(&site.done(&["simulate", "--map", "grid", "--partial", "--format", "json"])).unwrap();
    let whole: Value = serde_json::from_str(&local).unwrap();
    assert_eq!((partial["points"].as_array().unwrap().len(), partial["missing"].as_array().unwrap().len()), (8, 2));
    assert_eq!(partial["points"][0]["figures"], whole["points"][0]["figures"]);
    site.done(&["maps", "rerun", "grid"]);
    site.wait("grid");
    assert_eq!(site.report("grid"), local);

    fs::write(map.join("outputs/3.jsonl.zst"), b"another").unwrap();
    let said = site.failed(1, &["simulate", "--map", "grid"]);
    assert!(said.contains("1 of 10 points is missing: main.cores=8 context.share=0.3"), "{said}");
    site.done(&["maps", "rerun", "grid"]);
    site.wait("grid");
    let output = map.join("outputs/3.jsonl.zst");
    let mut bytes = fs::read(&output).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&output, bytes).unwrap();
    let said = site.failed(1, &["simulate", "--map", "grid"]);
    assert!(
        said.contains("the answers of component 3 of `grid` are damaged") && said.contains("`tpvc maps rerun grid`"),
        "{said}"
    );
    site.done(&["maps", "rerun", "grid"]);
    site.wait("grid");
    assert_eq!(site.report("grid"), local);

    // Too little memory for any run.
    site.create("small", &[&GRID[..], &["--memory", "4"]].concat());
    assert_eq!(site.run(&["maps", "wait", "-q", "--timeout", "100", "small"]).status.code(), Some(1));
    let said = site.failed(1, &["simulate", "--map", "small"]);
    assert!(said.contains("10 of 10 points are missing") && said.contains(", and 5 more\n"), "{said}");
    let errors = site.done(&["maps", "errors", "small"]);
    assert!(errors.contains("  point   main.cores=8 context.share=0.1, run 2 of it\n"), "{errors}");
    site.done(&["maps", "edit", "small", "--memory", "8000"]);
    site.done(&["maps", "rerun", "small"]);
    site.wait("small");
    assert_eq!(site.report("small"), local);
}

#[test]
fn points_are_added_to_a_map_without_running_the_old_ones_again() {
    let site = Site::new();
    let seeds = ["--vary", "main.cores=8", "--vary", "context.share=0.1,0.2", "--seeds", "2"];
    site.create("grid", &seeds);
    site.wait("grid");
    let map = site.map("grid");
    let old = fs::read(map.join("summaries/0.json")).unwrap();
    // An addition that was killed before the number of components was written.
    let items = fs::read_to_string(map.join("itemdata.json")).unwrap();
    let last = items.lines().nth(4).unwrap();
    let more = last.replace("\"component\":3", "\"component\":4").replace("0.2", "0.77");
    fs::write(map.join("itemdata.json"), items.replace(last, &format!("{last},\n{more}"))).unwrap();
    assert_eq!(site.report("grid"), site.local(&seeds));

    let add = ["simulate", "--map", "grid", "--vary", "main.cores=8,24", "--vary", "context.share=0.1,0.2"];
    assert!(stderr(&site.run(&add)).contains("grid: 4 runs added"));
    site.wait("grid");
    assert_eq!(
        site.report("grid"),
        site.local(&["--vary", "main.cores=8,24", "--vary", "context.share=0.1,0.2", "--seeds", "2"])
    );
    assert_eq!(fs::read(map.join("summaries/0.json")).unwrap(), old);
    assert!(stderr(&site.run(&add)).contains("grid: 0 runs added"));
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let site = Site::new();
    site.create("grid", &["--vary", "main.cores=8"]);
    site.wait("grid");
    let inputs = |words: &[&'static str]| [&["simulate"], &INPUTS[..], words].concat();
    let jobs = ["maps", "create", "-q", "-t", "answers", "-r", "rules.bin", "jobs.jsonl"];
    site.done(&["compile", "-q", "rules.yml", "-o", "rules.bin"]);
    let plain = "destinations: {a: {runner: slurm}}\ntools: {bwa: {cores: 1}}\n";
    fs::write(site.path("plain.yml"), plain).unwrap();
    site.done(&["compile", "-q", "plain.yml", "-o", "plain.bin"]);
    site.done(&jobs.map(|word| if word == "rules.bin" { "plain.bin" } else { word }));
    fs::write(site.path("empty.jsonl"), "").unwrap();
    let empty = [
        "simulate",
        "rules.yml",
        "--jobs",
        "empty.jsonl",
        "--capacity",
        "capacity.yml",
        "--vary",
        "main.cores=8",
        "--map",
        "empty",
    ];
    for (status, words, message, help) in [
        (1, inputs(&["--map", "grid", "--vary", "main.cores=8"]), "there is a map `grid` already", "tpvc maps"),
        (2, inputs(&["--map", "new"]), "there is no `--vary`", "tpvc simulate --map new"),
        (
            2,
            inputs(&["--map", "new", "--vary", "main.cores=8", "--format", "csv"]),
            "no report is written",
            "tpvc simulate --map new",
        ),
        (2, inputs(&["--engine", "slurm", "--vary", "main.cores=8"]), "are about the components of a map", "--map TAG"),
        (1, inputs(&["--map", "new", "--vary", "other.cores=8"]), "no cluster `other`", "slurm.cores"),
        (2, vec!["simulate", "--map", "grid", "--memory", "9"], "has its engine", "tpvc maps edit grid"),
        (2, vec!["simulate", "--map", "grid", "--seeds", "3"], "--jobs", "--help"),
        (1, vec!["simulate", "--map", "grid", "--vary", "side.cores=8"], "varies `main.cores`", "the same order"),
        (1, vec!["simulate", "--map", "missing"], "no map `missing`", "tpvc maps list"),
        (1, vec!["simulate", "--map", "answers"], "the map `answers` has no simulations", "tpvc maps results answers"),
        (2, vec!["maps", "results", "grid", "--summary"], "which have no summary", "tpvc simulate --map grid"),
        (1, empty.to_vec(), "`empty.jsonl` has no jobs", "tpvc export-jobs"),
    ] {
        let said = site.failed(status, &words);
        assert!(said.contains(message) && said.contains(help), "{words:?}: {said}");
    }
    assert!(!site.run(&["maps", "path", "empty"]).status.success(), "nothing is left of it");

    // The lines that cannot be used are those of the local run.
    fs::write(site.path("bad.jsonl"), "{\"tool\": 1}\n").unwrap();
    let bad = ["simulate", "rules.yml", "--jobs", "bad.jsonl", "--capacity", "capacity.yml", "--vary", "main.cores=8"];
    let local = site.failed(1, &bad);
    assert!(local.contains("1 line of `bad.jsonl` cannot be used: line 1"), "{local}");
    site.done(&[&bad[..], &["-q", "--map", "bad"]].concat());
    site.wait("bad");
    assert_eq!(site.failed(1, &["simulate", "--map", "bad"]), local);
}
