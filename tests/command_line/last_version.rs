//! Commands that the last version's documents show: they work, and earlier spellings give what those of today give. The file has the status of each, if it
//! is not 0, behind `#`; `UPDATE_EXPECT=1` writes it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{expect_file, git, project, site, stderr, stdout, tpvc_in};

const CONFIG: &str = "
global: {default_inherits: default, context: {small_max: 4}}
tools:
  default: {abstract: true, cores: 2, mem: cores * 4}
  bwa_mem:
    cores: 4
    params: {docker_memory: '{mem}G'}
    rules:
      - {id: large, if: input_size > 20, cores: 8}
  toolshed.g2.bx.psu.edu/repos/iuc/bwa/bwa/.*: {cores: 3, env: {TMPDIR: /tmp}}
  metaspades: {mem: 60}
roles:
  training.*: {max_cores: 2}
destinations:
  slurm: {runner: slurm, max_accepted_mem: 100}
  main: {runner: slurm}
  gpunode: {runner: slurm, scheduling: {require: [gpu]}}
  bigmem: {runner: slurm, scheduling: {accept: [big]}}
";

const JOB: &str = r#"{"id": 1, "tool": {"id": "bwa_mem"}, "user": {"email": "a@example.org"}, "job": {"create_time": "2026-03-01T10:00:00"}, "outcome": {"state": "ok", "destination_id": "main", "running_time": "2026-03-01T10:01:00", "end_time": "2026-03-01T11:00:00", "runtime_seconds": 3540, "memory_bytes": 1073741824, "slots": 4}}
"#;

const TESTS: &str = "tests:\n  - name: bwa\n    job: {tool: {id: bwa_mem}}\n    expect: {cores: 4}\n";

const JOB_CONF: &str = "
runners: {local: {load: 'galaxy.jobs.runners.local:LocalJobRunner'}}
execution:
  default: tpv_dispatcher
  environments:
    tpv_dispatcher: {runner: dynamic, type: python, function: map_tool_to_destination, rules_module: tpv.rules, tpv_config_files: [tpv.yml]}
    local: {runner: local}
";

/// The names of configs, of artifacts and of job files in these commands.
const CONFIGS: [&str; 19] = [
    "shared.yml",
    "tpv.yml",
    "local.yml",
    "config.yml",
    "base.yml",
    "one.yml",
    "other.yml",
    "old.yml",
    "new.yml",
    "tpv_rules.yml",
    "tpv_rules_local.yml",
    "changed.yml",
    "fitted.yml",
    "stranger.yml",
    "tpv/a.yml",
    "rules/a.yml",
    "1-shared.yml",
    "2-site.yml",
    "3-people.yml",
];
const ARTIFACTS: [&str; 4] = ["rules.bin", "old.bin", "new.bin", "v1.bin"];
const JOBS: [&str; 6] =
    ["jobs.jsonl", "jobs.jsonl.gz", "jobs.jsonl.zst", "2025.jsonl.gz", "history.jsonl", "jobs/a.jsonl.zst"];

/// The maps that these commands name.
const MAPS: [&str; 4] = ["q3", "m", "knee", "versions"];

/// A folder with all that these commands name.
fn folder(command: &str, artifact: &[u8]) -> tempfile::TempDir {
    let (tests, below) = (format!("config: [tpv.yml]\n{TESTS}"), format!("config: [../tpv.yml]\n{TESTS}"));
    let settings = "files = [\"tpv.yml\"]\nworld = \"world.json\"\n\n[environments.test]\nfiles = [\"tpv.yml\"]\n";
    let mut files = vec![
        ("world.json", "{}"),
        ("job.json", "{\"tool\": {\"id\": \"bwa_mem\"}, \"user\": {\"email\": \"a@example.org\"}}"),
        ("usage.csv", "peak_memory_gb,wall_seconds,input_gb\n1,3600,1\n"),
        ("jobs.txt", "JobID|JobName|MaxRSS|ElapsedRaw|AllocCPUS\n1|bwa_mem|1G|3600|4\n"),
        ("capacity.yml", "clusters:\n  slurm: {destinations: [main, slurm], nodes: [{cores: 32, mem: 256}]}\n"),
        ("job_conf.yml", JOB_CONF),
        ("tests.yml", &tests),
        ("attempts.yml", &tests),
        ("tests/bwa.yml", &below),
        ("templates/tpv_rules.yml.j2", CONFIG),
        ("group_vars/galaxy.yml", "a: 1\n"),
        ("host_vars/main.yml", "b: 2\n"),
    ];
    if command != "tpvc init" {
        files.push(("tpvc.toml", settings));
    }
    files.extend(CONFIGS.map(|name| (name, CONFIG)));
    files.extend(JOBS.map(|name| (name, JOB)));
    let folder = site(&files);
    for name in ARTIFACTS {
        std::fs::write(folder.path().join(name), artifact).unwrap();
    }
    if ["main..", "v1..", "HEAD"].iter().any(|revision| command.contains(revision)) {
        for arguments in [&["init", "-q", "-b", "main"][..], &["add", "."], &["commit", "-qm", "all"]] {
            git(folder.path(), arguments);
        }
        ["v1", "v2"].iter().for_each(|tag| git(folder.path(), &["tag", tag]));
    }
    folder
}

/// The words of a command line behind the name of the program; quotes hold a pattern together.
fn words(command: &str) -> Vec<String> {
    // More tools than a test has time for.
    let words = command.split(' ').skip(1).map(|word| if word == "100000" { "100" } else { word });
    words.map(|word| word.trim_matches('\'').to_owned()).collect()
}

/// All files of a folder with their texts, by their paths from `root`.
fn files(folder: &Path, root: &Path, all: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, root, all);
        } else {
            all.insert(path.strip_prefix(root).unwrap().display().to_string(), std::fs::read(&path).unwrap());
        }
    }
}

/// The result of a command: its status, its notes, and what it printed and wrote.
struct Ran {
    status: i32,
    told: String,
    printed: String,
    written: BTreeMap<String, Vec<u8>>,
}

fn run(command: &str, artifact: &[u8]) -> Ran {
    let folder = folder(command, artifact);
    let words = words(command);
    let run = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tpvc"));
        // Maps are kept in the home.
        command.args(words).current_dir(folder.path()).env("HOME", folder.path().join("home")).stdin(Stdio::null());
        command.output().unwrap()
    };
    let is_named =
        |map: &&str| words.first().is_some_and(|verb| verb == "maps") && words.iter().any(|word| word == map);
    let map = MAPS.into_iter().find(is_named);
    if let Some(tag) = map {
        let create = run(&["maps", "create", "-t", tag, "-e", "local", "-r", "rules.bin", "jobs.jsonl"]);
        assert!(create.status.success() && run(&["maps", "wait", tag]).status.success(), "{}", stderr(&create));
    }
    let output = run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    if let Some(tag) = map {
        run(&["maps", "remove", tag]);
    }
    let mut written = BTreeMap::new();
    files(folder.path(), folder.path(), &mut written);
    let shown = |text: String| text.replace(&*folder.path().to_string_lossy(), "HERE");
    let (mut printed, told) = (shown(stdout(&output)), shown(stderr(&output)));
    if words.first().is_some_and(|verb| verb == "bench") {
        // The figures are of this run.
        printed.retain(|letter| !letter.is_ascii_digit() && !matches!(letter, '.' | ',' | ' '));
    }
    Ran { status: output.status.code().unwrap(), told, printed, written }
}

#[test]
fn commands_of_the_last_version_work() {
    let made = site(&[("a.yml", CONFIG)]);
    assert!(tpvc_in(made.path(), &["compile", "a.yml", "-o", "rules.bin"]).status.success());
    let artifact = std::fs::read(made.path().join("rules.bin")).unwrap();
    let file = project().join("tests/command_line/last_version.txt");
    let text = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() > 150, "{}", lines.len());
    let results = tpv_text::parallel::map_on(2, &lines, |line| {
        if line.starts_with('#') {
            return ((*line).to_owned(), String::new());
        }
        let plain = line.split(" # ").next().unwrap();
        let (command, today) = plain.split_once(" => ").map_or((plain, None), |(old, new)| (old, Some(new)));
        let mut faults = String::new();
        let ran = run(command, &artifact);
        if ran.status > 1 || ran.told.contains("unexpected argument") {
            let _ = writeln!(faults, "{command}: status {}: {}", ran.status, ran.told);
        }
        // Spellings of `tpv` stay, silently.
        let is_earlier = today.is_some() && !command.contains("--output-format");
        if ran.told.contains("` is now `") != is_earlier {
            let _ = writeln!(faults, "{command}: a note of an earlier spelling: {}", ran.told);
        }
        if let Some(today) = today {
            let now = run(today, &artifact);
            if (now.status, &now.printed) != (ran.status, &ran.printed) {
                let _ =
                    writeln!(faults, "{command}: prints other things than `{today}`: {}{}", now.printed, ran.printed);
            }
            for (name, text) in now.written.iter().filter(|(name, text)| ran.written.get(*name) != Some(text)) {
                let _ = writeln!(faults, "{command}: `{name}` is not as `{today}` writes it ({} bytes)", text.len());
            }
        }
        let error = ran.told.lines().find_map(|line| line.strip_prefix("error: ")).filter(|_| ran.status > 0);
        let status = match (ran.status, error) {
            (0, _) => String::new(),
            (status, None) => format!(" # {status}"),
            (status, Some(error)) => format!(" # {status}: {error}"),
        };
        (format!("{plain}{status}"), faults)
    });
    let (lines, faults): (Vec<String>, Vec<String>) = results.into_iter().unzip();
    assert!(faults.concat().is_empty(), "{}", faults.concat());
    expect_file(&file, &(lines.join("\n") + "\n"));
}
