//! The output of `tpvc maps results` equals that of `tpvc map`, and its summaries are those of the answers.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::{project, small_program, stderr, stdout};
use serde_json::Value;

/// A folder with rules, jobs and maps of its own.
struct Site(tempfile::TempDir);

impl Site {
    fn new() -> Self {
        let site = Self(tempfile::tempdir().unwrap());
        let fixture = project().join("fixtures/production");
        let configs = ["1-shared.yml", "2-site.yml", "3-people.yml"];
        for (folder, replaced) in [("old", ""), ("new", "cores: 3")] {
            fs::create_dir(site.path(folder)).unwrap();
            for name in configs {
                let text = fs::read_to_string(fixture.join(name)).unwrap();
                let text =
                    if replaced.is_empty() { text } else { text.replace("cores: 2\n", &format!("{replaced}\n")) };
                fs::write(site.path(folder).join(name), text).unwrap();
            }
            site.done(&["compile", "-q", folder, "-o", &format!("{folder}.bin")]);
        }
        let mut jobs = fs::read(fixture.join("jobs.jsonl")).unwrap();
        jobs.extend(b"\nno job\n");
        fs::write(site.path("jobs.jsonl.zst"), zstd::encode_all(&jobs[..], 1).unwrap()).unwrap();
        fs::copy(fixture.join("world.json"), site.path("world.json")).unwrap();
        small_program(site.0.path());
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tpvc"));
        command.args(arguments).current_dir(self.0.path()).env("HOME", self.0.path());
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("TPVC_MAPS_")) {
            command.env_remove(name);
        }
        command.env("TPVC_MAPS_PROGRAM", self.path("program"));
        command.output().unwrap()
    }

    fn done(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        stdout(&output)
    }

    /// The answers of `tpvc map`.
    fn answers(&self, rules: &str) -> String {
        // One line is no job, which is its exit status.
        let output = self.run(&["map", "-q", rules, "jobs.jsonl.zst", "--world", "world.json"]);
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        stdout(&output)
    }

    fn create(&self, tag: &str, more: &[&str]) {
        let create =
            ["maps", "create", "-q", "--tag", tag, "jobs.jsonl.zst", "--world", "world.json", "--slice-bytes", "40000"];
        self.done(&[&create[..], more].concat());
        self.done(&["maps", "wait", "-q", tag]);
    }

    fn summary(&self, tag: &str, by: &str) -> Vec<Value> {
        serde_json::from_str(&self.done(&["maps", "results", "-q", tag, "--by", by, "--format", "json"])).unwrap()
    }

    /// The file of a component's answers.
    fn output_of(&self, tag: &str, component: u32) -> PathBuf {
        let map = self.done(&["maps", "path", tag]);
        Path::new(map.trim()).join(format!("outputs/{component}.jsonl.zst"))
    }
}

fn values(lines: &str) -> Vec<Value> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The jobs, thousandths of cores and GPUs, and bytes, by a name that some answers have.
fn sums(answers: &[Value], name: impl Fn(&Value) -> Option<String>) -> BTreeMap<String, [i64; 4]> {
    let mut sums = BTreeMap::new();
    for answer in answers {
        let Some(name) = name(answer) else { continue };
        let scaled = |field: &str, unit: f64| (answer[field].as_f64().unwrap_or(0.0) * unit).round() as i64;
        let sum: &mut [i64; 4] = sums.entry(name).or_default();
        let gib = f64::from(1 << 30);
        for (sum, value) in sum.iter_mut().zip([1, scaled("cores", 1e3), scaled("mem", gib), scaled("gpus", 1e3)]) {
            *sum += value;
        }
    }
    sums
}

/// The same of a summary's rows, with memory in thousandths of a GiB.
fn shown(rows: &[Value], name: &str) -> BTreeMap<String, [i64; 4]> {
    let number = |row: &Value, field: &str| (row[field].as_f64().unwrap() * 1e3).round() as i64;
    let row = |row: &Value| {
        let sums = [row["jobs"].as_i64().unwrap(), number(row, "cores"), number(row, "gib"), number(row, "gpus")];
        (row[name].as_str().unwrap().to_owned(), sums)
    };
    rows.iter().map(row).collect()
}

fn in_thousandths_of_gib(sums: BTreeMap<String, [i64; 4]>) -> BTreeMap<String, [i64; 4]> {
    let shown = |bytes: i64| (bytes as f64 / f64::from(1 << 30) * 1e3).round() as i64;
    sums.into_iter().map(|(name, [jobs, cores, bytes, gpus])| (name, [jobs, cores, shown(bytes), gpus])).collect()
}

#[test]
fn results_are_the_answers_of_map_and_summaries_are_theirs() {
    let site = Site::new();
    let (old, new) = (site.answers("old.bin"), site.answers("new.bin"));
    assert_ne!(old, new);
    site.create("both", &["--rules", "*.bin"]);
    // Rule set by rule set, by name.
    assert!(site.done(&["maps", "results", "-q", "both"]) == format!("{new}{old}"));
    assert!(site.done(&["maps", "results", "-q", "both", "--rules", "old*"]) == old);
    site.done(&["maps", "results", "-q", "both", "--rules", "new.bin", "-o", "answers.jsonl"]);
    assert!(fs::read_to_string(site.path("answers.jsonl")).unwrap() == new);
    let first = site.done(&["maps", "results", "-q", "both", "--components", "0"]);
    assert!(!first.is_empty() && first.len() < new.len() && new.starts_with(&first));

    let answers = values(&old);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let destination = |answer: &Value| text(&answer["destination"]["id"]);
    let rows = site.summary("both", "destination");
    let rows: Vec<Value> = rows.into_iter().filter(|row| row["rules"] == "old.bin").collect();
    assert_eq!(shown(&rows, "destination"), in_thousandths_of_gib(sums(&answers, destination)));
    let jobs: Vec<u64> = rows.iter().map(|row| row["jobs"].as_u64().unwrap()).collect();
    assert!(jobs.is_sorted_by(|one, other| one >= other) && jobs.len() > 3, "{jobs:?}");

    let errors = sums(&answers, |answer| text(&answer["error"]["type"]));
    let rows = site.summary("both", "error").into_iter().filter(|row| row["rules"] == "old.bin");
    let rows: BTreeMap<_, _> = rows.map(|row| (text(&row["error"]).unwrap(), row["jobs"].as_i64().unwrap())).collect();
    assert_eq!(rows, errors.iter().map(|(name, sums)| (name.clone(), sums[0])).collect());
    assert_eq!(rows["InvalidJob"], 1);

    let jobs = fs::read(site.path("jobs.jsonl.zst")).unwrap();
    let jobs = String::from_utf8(zstd::decode_all(&jobs[..]).unwrap()).unwrap();
    let tools = jobs.lines().filter(|line| line.starts_with('{'));
    let mut by_tool: BTreeMap<String, i64> = BTreeMap::new();
    for job in tools {
        let job: Value = serde_json::from_str(job).unwrap();
        *by_tool.entry(text(&job["tool"]["id"]).unwrap()).or_default() += 1;
    }
    let rows = site.summary("both", "tool").into_iter().filter(|row| row["rules"] == "old.bin");
    let rows: BTreeMap<_, _> = rows.map(|row| (text(&row["tool"]).unwrap(), row["jobs"].as_i64().unwrap())).collect();
    assert_eq!(rows, by_tool);

    let rows = site.summary("both", "rules");
    let [of_new, of_old] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!((&of_new["rules"], &of_old["rules"]), (&"new.bin".into(), &"old.bin".into()));
    assert_eq!(of_old["jobs"].as_u64().unwrap(), answers.len() as u64);
    assert_eq!(of_old["errors"].as_i64().unwrap(), errors.values().map(|sums| sums[0]).sum::<i64>());
    assert_eq!(shown(&rows[1..], "rules"), in_thousandths_of_gib(sums(&answers, |_| Some("old.bin".to_owned()))));
    let misuse = site.run(&["maps", "results", "both", "--by", "cause"]);
    assert_eq!(misuse.status.code(), Some(2));
    assert!(stderr(&misuse).starts_with("error: the map `both` has answers, not differences\n"), "{}", stderr(&misuse));
}

/// Input that can be read only once loses nothing to the sample that decides the size of slices.
#[test]
fn jobs_may_come_from_a_pipe() {
    let site = Site::new();
    let expected = site.answers("old.bin");
    let jobs = zstd::decode_all(&fs::read(site.path("jobs.jsonl.zst")).unwrap()[..]).unwrap();
    fs::write(site.path("jobs.jsonl"), jobs).unwrap();
    let script = "cat jobs.jsonl | $0 maps create -q --tag stdin --rules old.bin --world world.json - &&
        mkfifo pipe && { cat jobs.jsonl.zst > pipe & } &&
        $0 maps create -q --tag pipe --rules old.bin --world world.json pipe &&
        $0 maps create -q --tag file --rules old.bin --world world.json - < jobs.jsonl";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_tpvc")]).current_dir(site.0.path()).env("HOME", site.0.path());
    assert!(shell.stdout(Stdio::null()).status().unwrap().success());
    for tag in ["stdin", "pipe", "file"] {
        site.done(&["maps", "wait", "-q", tag]);
        assert!(site.done(&["maps", "results", "-q", tag]) == expected, "{tag}");
    }
}

#[test]
fn differences_are_those_of_the_answers() {
    let site = Site::new();
    site.create("change", &["--rules", "new.bin", "--against", "old.bin"]);
    let (old, new) = (values(&site.answers("old.bin")), values(&site.answers("new.bin")));
    let differences = values(&site.done(&["maps", "results", "-q", "change"]));
    let mut left: BTreeMap<u64, &Value> = differences.iter().map(|one| (one["line"].as_u64().unwrap(), one)).collect();
    assert_eq!(left.len(), differences.len());
    // The line of each answer: one line of the file is blank.
    let jobs = old.len() as u64;
    let lines = (1..jobs).chain([jobs + 1]);
    for ((old, new), line) in old.iter().zip(&new).zip(lines) {
        match left.remove(&line) {
            Some(difference) => {
                assert_eq!((&difference["old"], &difference["new"], &difference["id"]), (old, new, &new["id"]));
                assert_ne!(old, new);
            }
            None => assert_eq!(old, new, "line {line}"),
        }
    }
    assert!(left.is_empty() && differences.len() > 10, "{}", differences.len());
    let mut causes: BTreeMap<String, u64> = BTreeMap::new();
    for difference in &differences {
        *causes.entry(difference["cause"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    let rows = site.summary("change", "cause");
    let rows: BTreeMap<_, _> =
        rows.iter().map(|row| (row["cause"].as_str().unwrap().to_owned(), row["jobs"].as_u64().unwrap())).collect();
    assert_eq!(rows, causes);
    let note = site.run(&["maps", "results", "change", "--summary"]);
    let expected = format!("{jobs} jobs: {} differ, ", differences.len());
    assert!(stderr(&note).starts_with(&expected), "{}", stderr(&note));
}

#[test]
fn answers_that_are_missing_or_damaged_are_told() {
    let site = Site::new();
    let expected = site.answers("old.bin");
    site.create("q3", &["--rules", "old.bin"]);
    let output = site.output_of("q3", 1);
    let mut bytes = fs::read(&output).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&output, &bytes).unwrap();
    let damaged = site.run(&["maps", "results", "q3", "-o", "answers.jsonl"]);
    assert_eq!(damaged.status.code(), Some(1));
    assert!(
        stderr(&damaged).starts_with("error: the answers of component 1 of `q3` are damaged: "),
        "{}",
        stderr(&damaged)
    );
    assert!(stderr(&damaged).contains("`tpvc maps rerun q3` makes them again"), "{}", stderr(&damaged));
    assert!(!site.path("answers.jsonl").exists());
    site.done(&["maps", "rerun", "-q", "q3"]);
    site.done(&["maps", "wait", "-q", "q3"]);
    assert!(site.done(&["maps", "results", "-q", "q3"]) == expected);

    fs::remove_file(&output).unwrap();
    let incomplete = site.run(&["maps", "results", "q3"]);
    assert_eq!(incomplete.status.code(), Some(1));
    assert!(incomplete.stdout.is_empty());
    let message = stderr(&incomplete);
    assert!(
        message.starts_with("error: 1 of ") && message.contains(" components of `q3` has no answers: 1\n"),
        "{message}"
    );
    let partial = site.done(&["maps", "results", "-q", "q3", "--partial"]);
    assert!(partial.len() < expected.len() && partial.lines().all(|line| expected.contains(line)));
    let all = site.run(&["maps", "results", "q3", "--components", "99"]);
    assert!(stderr(&all).starts_with("error: the map `q3` has no component 99\n"), "{}", stderr(&all));
    site.done(&["maps", "rerun", "-q", "q3"]);
    site.done(&["maps", "wait", "-q", "q3"]);
    assert!(site.done(&["maps", "results", "-q", "q3"]) == expected);
}
