//! Text of configs, jobs, arguments and file names that attacks a terminal, a reader or a CI server: wherever it shows, it is only text.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use clap::CommandFactory;
use tpvc::cli::Cli;

use crate::support::{stderr, stdout};

/// Colours, a bell, a C1 control, a character that reorders what follows, lines that are commands of CI servers, and one that looks like tpvc's.
const HOSTILE: &str = "evil\x1b[31m\x07\u{9b}\u{202e}\n::error file=x::y\n##[error]z\r\nforged: x";
/// The same between double quotes in YAML, JSON and TOML.
const QUOTED: &str = r#""evil\u001b[31m\u0007\u009b\u202e\n::error file=x::y\n##[error]z\r\nforged: x""#;

/// A config in which whatever a config may name is hostile, and which compiles.
const CONFIG: &str = "\
global:
  default_inherits: default
  context: {HOSTILE: HOSTILE}
tools:
  default:
    abstract: true
    cores: 2
  HOSTILE:
    inherits: default
    cores: 4
    coers: 2
    params: {HOSTILE: HOSTILE}
    env: {A: HOSTILE}
    scheduling: {prefer: [HOSTILE]}
    rules:
      - id: HOSTILE
        if: cores > 2 or True
        execute: |
          import logging
          logging.getLogger('x').info(HOSTILE)
  failing:
    rules:
      - if: 'True'
        fail: HOSTILE
  raising:
    cores: |
      {}[HOSTILE]
destinations:
  HOSTILE:
    runner: HOSTILE
    scheduling: {accept: [HOSTILE]}
";

/// Files of the table's folder; `HOSTILE` is the quoted text.
const FILES: [(&str, &str); 27] = [
    ("config.yml", CONFIG),
    ("inherits.yml", "tools:\n  HOSTILE:\n    inherits: HOSTILE\n"),
    ("type.yml", "tools:\n  HOSTILE:\n    cores: [HOSTILE]\n"),
    ("code.yml", "tools:\n  HOSTILE:\n    cores: \"evil = '\\x1b[31m' +\"\n"),
    ("twice.yml", "tools:\n  HOSTILE: {}\n  HOSTILE: {}\n"),
    ("default.yml", "global: {default_inherits: HOSTILE}\ntools:\n  a: {}\n"),
    ("section.yml", "HOSTILE: {}\n"),
    ("syntax.yml", "tools:\n  evil\x1b[31m\u{9b}\u{202e}: [\n"),
    (
        "never.yml",
        "tools:\n  a: {cores: 1, mem: 1}\n  HOSTILE:\n    cores: 64\n    mem: 1\n    rules:\n    - {id: HOSTILE, if: input_size < 0, cores: 2}\ndestinations:\n  HOSTILE: {runner: local, max_accepted_cores: 2}\n",
    ),
    (
        "jobs.jsonl",
        "{\"id\": HOSTILE, \"tool\": {\"id\": HOSTILE}, \"user\": {\"email\": HOSTILE}}\n{\"id\": 2, \"tool\": {\"id\": \"failing\"}}\n",
    ),
    ("memory.yml", "tools: {'.*': {mem: 4}}\ndestinations: {d: {runner: slurm}}\n"),
    (
        "finished.jsonl",
        "{\"tool\": {\"id\": HOSTILE, \"version\": HOSTILE}, \"outcome\": {\"state\": HOSTILE, \"memory_bytes\": 1e9, \"runtime_seconds\": 60}}\n",
    ),
    ("bad-jobs.jsonl", "{\"id\": 1, \"tool\": {\"id\": \"a\"}, \"user\": HOSTILE}\n"),
    ("job.json", "{\"tool\": {\"id\": HOSTILE}}\n"),
    ("world.json", "{\"jobs\": [{\"tool_id\": HOSTILE, \"state\": 1}]}\n"),
    (
        "baseline.json",
        "{\"format\": 1, \"findings\": [{\"code\": \"T102\", \"file\": \"gone.yml\", \"path\": \"\", \"message\": HOSTILE, \"line\": \"\"}]}\n",
    ),
    ("template.yml.j2", "tools:\n  a:\n    cores: {{ HOSTILE | evil }}\n"),
    (
        "tests.yml",
        "config: config.yml\ntests:\n  - name: HOSTILE\n    job: {tool: {id: HOSTILE}}\n    expect: {cores: HOSTILE}\n  - name: fails\n    job: {tool: failing}\n    expect: {cores: 1}\n",
    ),
    ("bad-tests.yml", "config: config.yml\ntests:\n  - HOSTILE: 1\n"),
    (
        "job_conf.yml",
        "execution:\n  environments:\n    tpv_dispatcher:\n      runner: dynamic_tpv\n      tpv_config_files: [HOSTILE]\n",
    ),
    (
        "log.jsonl",
        "{\"tpvc\": 1, \"time\": HOSTILE, \"job\": HOSTILE, \"tool\": HOSTILE, \"dispatcher\": HOSTILE, \"rules\": HOSTILE, \"destination\": HOSTILE, \"fired\": [{\"rule\": HOSTILE, \"at\": HOSTILE}], \"rejected\": [[HOSTILE, [\"lacks\", HOSTILE]]], \"read\": {HOSTILE: HOSTILE}}\n",
    ),
    ("setting/tpvc.toml", "HOSTILE = 1\n"),
    // A table has no line ends in a name.
    ("table.csv", "run,tool,memory_bytes,runtime\nevil,evil\x1b[31m\u{9b}\u{202e}::error ##[error]z,1000000,60\n"),
    ("bad-table.csv", "tool,memory_bytes,runtime\na,evil\x1b[31m\u{9b}\u{202e}::error ##[error]z,60\n"),
    (
        "repository/group_vars/all.yml",
        "galaxy_job_config:\n  execution:\n    environments:\n      tpv:\n        tpv_config_files:\n          - \"{{ tpv_dir }}/evil\u{202e}.yml\"\n",
    ),
    ("repository/files/evil\u{202e}.yml", "tools:\n  a:\n    cores: 1\n"),
    ("repository/group_vars/evil\u{202e}.yml", "tpv_dir: files\n"),
];

/// The form of what a command prints.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// For people.
    Text,
    /// JSON on stdout.
    Json,
    /// HTML or XML, or another form in which the text is at least no control character.
    Markup,
    /// Comma-separated values.
    Csv,
    /// Lines that a process wrote.
    Log,
    /// TOML on stdout.
    Toml,
    /// GitHub's annotations: each line on stdout is one.
    Annotations,
}
use Form::{Annotations, Csv, Json, Log, Markup, Text, Toml};

/// Verbs that are not in [`COMMANDS`]: those of maps that take no name and list tags, which hold no odd characters; the one that an engine starts;
/// and those that are Python's.
const NOT_TRIED: [&str; 6] = ["maps list", "maps clean", "maps version", "maps component", "export-jobs", "shadow"];

/// Every verb, and every place in which text of a config, a job, an argument or a file name shows. `HOSTILE` is the text itself; the command runs
/// in a folder with [`FILES`], a copy of the config named `HOSTILE.yml`, and an artifact of it.
const COMMANDS: &[(Form, &[&str])] = &[
    (Text, &["lint", "config.yml"]),
    (Text, &["lint", "HOSTILE.yml"]),
    (Text, &["lint", "HOSTILE"]),
    (Json, &["lint", "HOSTILE.yml", "--format", "json"]),
    (Json, &["lint", "HOSTILE.yml", "--format", "sarif"]),
    (Annotations, &["lint", "HOSTILE.yml", "--format", "github"]),
    (Markup, &["lint", "HOSTILE.yml", "--format", "junit"]),
    (Text, &["lint", "HOSTILE-fix.yml", "--fix", "--diff"]),
    (Text, &["lint", "config.yml", "--ignore", "HOSTILE"]),
    (Text, &["lint", "config.yml", "--baseline", "HOSTILE"]),
    (Text, &["lint", "config.yml", "--baseline", "baseline.json"]),
    (Text, &["lint", "config.yml", "--baseline", "HOSTILE.json", "--update-baseline"]),
    (Text, &["lint", "inherits.yml"]),
    (Text, &["lint", "type.yml"]),
    (Text, &["lint", "code.yml"]),
    (Text, &["lint", "twice.yml"]),
    (Text, &["lint", "default.yml"]),
    (Text, &["lint", "section.yml"]),
    (Text, &["lint", "syntax.yml"]),
    (Text, &["lint", "template.yml.j2"]),
    (Text, &["lint", "config.yml", "--vars", "HOSTILE"]),
    (Text, &["lint", "HOSTILE*.json"]),
    (Text, &["check", "never.yml"]),
    (Annotations, &["check", "never.yml", "--format", "github"]),
    (Text, &["check", "never.yml", "--matrix", "HOSTILE/matrix.html"]),
    (Text, &["compile", "HOSTILE.yml", "-o", "other.bin"]),
    (Text, &["compile", "inherits.yml", "-o", "other.bin"]),
    (Text, &["compile", "type.yml", "-o", "other.bin"]),
    (Text, &["compile", "code.yml", "-o", "other.bin"]),
    (Text, &["compile", "HOSTILE.bin", "-o", "other.bin"]),
    (Text, &["compile", "config.yml", "-o", "HOSTILE/other.bin"]),
    (Text, &["dump", "config.yml"]),
    (Text, &["dump", "HOSTILE.yml"]),
    (Text, &["dump", "config.yml", "--entity", "HOSTILE!"]),
    (Text, &["dump", "--job-conf", "job_conf.yml"]),
    (Text, &["dump", "--job-conf", "HOSTILE"]),
    (Text, &["diff", "never.yml", "HOSTILE.yml"]),
    (Text, &["diff", "never.yml", "HOSTILE.yml", "--format", "markdown"]),
    (Json, &["diff", "never.yml", "HOSTILE.yml", "--format", "json"]),
    (Markup, &["diff", "never.yml", "HOSTILE.yml", "--format", "html"]),
    (Text, &["diff", "never.yml", "HOSTILE.yml", "--jobs", "jobs.jsonl"]),
    (Text, &["diff", "never.yml", "HOSTILE.yml", "--jobs", "jobs.jsonl", "--format", "markdown"]),
    (Text, &["diff", "HOSTILE", "--", "config.yml"]),
    (Text, &["map", "--config", "HOSTILE.yml", "jobs.jsonl", "-v", "-o", "/dev/null"]),
    (Csv, &["map", "--config", "HOSTILE.yml", "jobs.jsonl", "--quiet", "--format", "csv"]),
    (Text, &["map", "--config", "HOSTILE.yml", "jobs.jsonl", "--quiet", "--format", "tsv"]),
    (Text, &["map", "rules.bin", "HOSTILE"]),
    (Text, &["map", "rules.bin", "HOSTILE.yml"]),
    (Text, &["map", "rules.bin", "jobs.jsonl", "--world", "HOSTILE"]),
    (Text, &["map", "rules.bin", "jobs.jsonl", "-o", "HOSTILE/answers"]),
    (Text, &["map", "rules.bin", "jobs.jsonl", "--threads", "HOSTILE"]),
    (Text, &["dry-run", "config.yml", "--tool", "HOSTILE"]),
    (Text, &["dry-run", "config.yml", "--tool", "HOSTILE", "--explain"]),
    (Json, &["dry-run", "config.yml", "--tool", "HOSTILE", "--explain", "--output-format", "json"]),
    (Markup, &["dry-run", "config.yml", "--tool", "HOSTILE", "--output-format", "html"]),
    (Text, &["dry-run", "config.yml", "--tool", "failing"]),
    (Text, &["dry-run", "config.yml", "--tool", "failing", "--explain"]),
    (Text, &["dry-run", "config.yml", "--tool", "raising"]),
    (Text, &["dry-run", "config.yml", "--tool", "raising", "--explain"]),
    (Text, &["dry-run", "config.yml", "--tool", "a", "--set", "HOSTILE"]),
    (Text, &["dry-run", "config.yml", "--job", "HOSTILE"]),
    (Text, &["why", "HOSTILE", "--log", "log.jsonl"]),
    (Text, &["why", "HOSTILE", "--log", "log.jsonl", "--not", "HOSTILE", "--now", "config.yml"]),
    (Json, &["why", "HOSTILE", "--log", "log.jsonl", "--output-format", "json"]),
    (Text, &["why", "other HOSTILE", "--log", "log.jsonl"]),
    (Text, &["why", "1", "--log", "HOSTILE"]),
    (Text, &["log", "--log", "log.jsonl"]),
    (Text, &["log", "--log", "log.jsonl", "--totals"]),
    (Csv, &["log", "--log", "log.jsonl", "--format", "csv"]),
    (Json, &["log", "--log", "log.jsonl", "--format", "json"]),
    (Text, &["log", "--log", "log.jsonl", "--replay", "--jobs", "HOSTILE"]),
    (Text, &["log", "--log", "log.jsonl", "--since", "HOSTILE"]),
    (Text, &["log", "--log", "log.jsonl", "--metrics"]),
    (Text, &["update", "--environment", "HOSTILE"]),
    (Text, &["map", "rules.bin", "jobs.jsonl", "-o", "/dev/null", "--decisions", "HOSTILE/d"]),
    (Json, &["jobs", "config.yml", "--tool", "HOSTILE"]),
    (Text, &["jobs", "never.yml", "--job", "HOSTILE"]),
    (Text, &["sweep", "config.yml", "--job", "job.json", "--over", "user.email=HOSTILE,b"]),
    (Csv, &["sweep", "config.yml", "--job", "job.json", "--over", "user.email=HOSTILE,b", "--format", "csv"]),
    (Json, &["sweep", "config.yml", "--job", "job.json", "--over", "user.email=HOSTILE,b", "--format", "json"]),
    (Markup, &["sweep", "config.yml", "--job", "job.json", "--over", "user.email=HOSTILE,b", "--format", "html"]),
    (Text, &["sweep", "config.yml", "--job", "job.json", "--over", "HOSTILE"]),
    (Text, &["fit", "memory.yml", "--jobs", "finished.jsonl", "--explain"]),
    (Json, &["fit", "memory.yml", "--jobs", "finished.jsonl", "--format", "json"]),
    (Csv, &["fit", "memory.yml", "--jobs", "finished.jsonl", "--format", "csv"]),
    (Text, &["simulate", "config.yml", "--rate", "1", "--jobs", "finished.jsonl"]),
    (Text, &["simulate", "config.yml", "--rate", "1", "--jobs", "finished.jsonl", "--format", "markdown"]),
    (Json, &["simulate", "config.yml", "--rate", "1", "--jobs", "finished.jsonl", "--format", "json"]),
    (Csv, &["simulate", "config.yml", "--rate", "1", "--jobs", "finished.jsonl", "--format", "csv"]),
    (Markup, &["simulate", "config.yml", "--rate", "1", "--jobs", "finished.jsonl", "--format", "html"]),
    (Text, &["simulate", "config.yml", "--rate", "1", "--jobs", "finished.jsonl", "--vary", "HOSTILE.cores=1"]),
    (Text, &["simulate", "config.yml", "--jobs", "finished.jsonl", "--vary", "HOSTILE.cores=1", "--map", "a"]),
    (Text, &["simulate", "--map", "HOSTILE"]),
    (Text, &["simulate", "config.yml", "--rate", "1", "--jobs", "finished.jsonl", "--old", "HOSTILE"]),
    (Text, &["simulate", "config.yml", "--rate", "1", "--jobs", "finished.jsonl", "--old", "HOSTILE.yml"]),
    (
        Text,
        &[
            "simulate",
            "config.yml",
            "--rate",
            "1",
            "--jobs",
            "finished.jsonl",
            "--old",
            "HOSTILE.yml",
            "--format",
            "markdown",
        ],
    ),
    (
        Csv,
        &[
            "simulate",
            "config.yml",
            "--rate",
            "1",
            "--jobs",
            "finished.jsonl",
            "--old",
            "HOSTILE.yml",
            "--format",
            "csv",
        ],
    ),
    (Text, &["simulate", "config.yml", "--jobs", "finished.jsonl", "--capacity", "bad-jobs.jsonl"]),
    (Text, &["simulate", "config.yml", "--jobs", "HOSTILE"]),
    (Markup, &["fit", "memory.yml", "--jobs", "finished.jsonl", "--format", "html"]),
    (Text, &["fit", "config.yml", "--jobs", "HOSTILE"]),
    (Json, &["fit", "memory.yml", "--jobs", "finished.jsonl", "--privacy", "HOSTILE/summary.json", "--format", "json"]),
    (Text, &["fit", "memory.yml", "--jobs", "table.csv", "--csv", "--explain"]),
    (Text, &["fit", "memory.yml", "--jobs", "bad-table.csv", "--csv"]),
    (Text, &["fit", "memory.yml", "--jobs", "table.csv", "--csv", "--columns", "HOSTILE"]),
    (Text, &["fit", "config.yml", "--jobs", "jobs.jsonl", "--csv", "--columns", "memory=HOSTILE"]),
    (Text, &["who", "reaches", "HOSTILE", "never.yml"]),
    (Text, &["who", "reaches", "lost", "never.yml"]),
    (Text, &["who", "sets", "cores", "HOSTILE", "config.yml"]),
    (Text, &["who", "sets", "HOSTILE", "a", "config.yml"]),
    (Json, &["who", "sets", "cores", "HOSTILE", "config.yml", "--format", "json"]),
    (Text, &["who", "lacks", "mem", "config.yml"]),
    (Csv, &["who", "lacks", "mem", "rules.bin", "--format", "csv"]),
    (Text, &["who", "fires", "--jobs", "jobs.jsonl", "config.yml"]),
    (Text, &["who", "fires", "--jobs", "jobs.jsonl", "rules.bin"]),
    (Text, &["who", "fires", "--jobs", "HOSTILE", "config.yml"]),
    (Text, &["who", "fires", "--jobs", "bad-jobs.jsonl", "HOSTILE.yml"]),
    (Text, &["who", "needs", "HOSTILE", "never.yml"]),
    (Text, &["who", "drain", "HOSTILE", "--jobs", "jobs.jsonl", "HOSTILE.yml"]),
    (Text, &["who", "HOSTILE"]),
    (Text, &["test", "tests.yml"]),
    (Text, &["test", "tests.yml", "--coverage"]),
    (Json, &["test", "tests.yml", "--format", "json"]),
    (Text, &["test", "--config", "never.yml", "--suggest"]),
    (Markup, &["test", "tests.yml", "--junit", "-"]),
    (Text, &["test", "tests.yml", "-v", "-k", "evil", "--update"]),
    (Text, &["test", "bad-tests.yml"]),
    (Text, &["format", "HOSTILE.yml", "--check"]),
    (Text, &["format", "syntax.yml"]),
    (Text, &["inspect", "HOSTILE.bin"]),
    (Text, &["inspect", "rules.bin", "--code", "HOSTILE"]),
    (Text, &["explain-code", "HOSTILE"]),
    (Text, &["maps", "create", "--tag", "HOSTILE", "--rules", "rules.bin", "jobs.jsonl"]),
    (Text, &["maps", "status", "HOSTILE"]),
    (Text, &["maps", "remove", "--force", "HOSTILE"]),
    (Text, &["maps", "wait", "HOSTILE"]),
    (Text, &["maps", "results", "HOSTILE"]),
    (Text, &["maps", "errors", "HOSTILE"]),
    (Text, &["maps", "holds", "HOSTILE"]),
    (Text, &["maps", "logs", "HOSTILE"]),
    (Text, &["maps", "hold", "HOSTILE"]),
    (Text, &["maps", "release", "HOSTILE"]),
    (Text, &["maps", "pause", "HOSTILE"]),
    (Text, &["maps", "resume", "HOSTILE"]),
    (Text, &["maps", "vacate", "HOSTILE"]),
    (Text, &["maps", "settings", "--maps-dir", "maps/HOSTILE"]),
    (Text, &["maps", "rerun", "components", "HOSTILE"]),
    (Text, &["maps", "rerun", "map", "HOSTILE"]),
    (Text, &["maps", "path", "HOSTILE"]),
    (Text, &["maps", "transplant", "HOSTILE"]),
    (Text, &["maps", "edit", "HOSTILE", "--memory", "2000"]),
    (Text, &["maps", "retag", "HOSTILE", "other"]),
    (Text, &["maps", "run", "--map", "HOSTILE"]),
    (Text, &["init", "HOSTILE"]),
    (Toml, &["init", "repository", "--print"]),
    (Text, &["maps", "create", "--tag", "a", "--option", "HOSTILE=1", "--rules", "rules.bin", "jobs.jsonl"]),
    (Text, &["bench", "HOSTILE", "--jobs-file", "jobs.jsonl"]),
    (Text, &["schema", "HOSTILE"]),
    (Text, &["completions", "HOSTILE"]),
    (Text, &["man", "--out", "HOSTILE.yml"]),
    (Text, &["HOSTILE"]),
    (Text, &["lint", "--HOSTILE"]),
    (Text, &["lint", "--format", "HOSTILE", "config.yml"]),
];

/// Returns `true` for a character that no terminal should get.
fn is_odd(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns `true` for a line that a line end within a name began. Texts of several lines, such as messages, are indented.
fn is_forged(line: &str) -> bool {
    ["forged", "::error file=x", "\\x3a:error file=x", "&#58;:error file=x", "##[error]z", "\\x23#[error]z"]
        .iter()
        .any(|begin| line.starts_with(begin))
}

/// Returns `true` for a line that GitHub's runner, or Azure's, takes for a command.
fn is_command(line: &str) -> bool {
    line.trim_start().starts_with("::") || line.contains("##[") || line.contains("##vso[")
}

fn tpvc(folder: &Path, args: &[&str]) -> Output {
    let args = args.iter().map(|arg| arg.replace("HOSTILE", HOSTILE));
    let mut command = Command::new(env!("CARGO_BIN_EXE_tpvc"));
    command.args(args).current_dir(folder).env("NO_COLOR", "1").env("TPVC_MAPS_DIR", folder.join("maps"));
    command.stdin(std::process::Stdio::null()).output().unwrap()
}

/// A folder with the files of the table.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in FILES {
        fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
        fs::write(folder.path().join(name), text.replace("HOSTILE", QUOTED)).unwrap();
    }
    fs::write(folder.path().join(format!("{HOSTILE}.yml")), CONFIG.replace("HOSTILE", QUOTED)).unwrap();
    assert!(Command::new("git").args(["init", "-q"]).current_dir(folder.path()).status().unwrap().success());
    let fixable = "global: {default_inherits: defualt}\ntools:\n  default: {abstract: true}\n";
    fs::write(folder.path().join(format!("{HOSTILE}-fix.yml")), fixable).unwrap();
    for name in ["rules.bin", "HOSTILE.bin"] {
        let compiled = tpvc(folder.path(), &["compile", "config.yml", "-o", name]);
        assert!(compiled.status.success(), "{}", stderr(&compiled));
    }
    folder
}

/// The fault in a command's output.
fn complaint(form: Form, run: &Output) -> Option<String> {
    let (out, err) = (stdout(run), stderr(run));
    let both = format!("{out}\n{err}");
    let commands: Vec<&str> = both.lines().filter(|line| is_command(line)).collect();
    let annotations = |line: &&str| line.starts_with("::warning ") || line.starts_with("::error ");
    match () {
        () if run.status.code().is_none_or(|status| status > 2) => Some(format!("it died: {:?}", run.status)),
        () if both.contains(is_odd) => Some("a control character".to_owned()),
        () if matches!(form, Text | Log) && !commands.is_empty() => Some(format!("commands: {commands:?}")),
        () if form == Csv && stdout(run).lines().any(is_command) => Some("a command of a CI server".to_owned()),
        () if form != Log && !out.starts_with("<!DOCTYPE html>") && both.lines().any(is_forged) => {
            Some(format!("a line of its own: {:?}", both.lines().find(|line| is_forged(line))))
        }
        () if form == Annotations && !out.lines().all(|line| annotations(&line) && !line.contains("##[")) => {
            Some("a line that is no annotation".to_owned())
        }
        () if form == Toml && toml::from_str::<toml::Table>(&out).is_err() => Some("no TOML".to_owned()),
        () if form == Json && serde_json::from_str::<serde_json::Value>(&out).is_err() => Some("no JSON".to_owned()),
        // Else the command would not show what it is here for.
        () if !both.contains("evil") => Some("nothing of the text is shown".to_owned()),
        () => None,
    }
}

/// The leaves of a tree of commands, as the words of a command line.
fn leaves(command: &clap::Command, before: &[String], out: &mut Vec<Vec<String>>) {
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        let words = [before, &[verb.get_name().to_owned()]].concat();
        if verb.has_subcommands() { leaves(verb, &words, out) } else { out.push(words) }
    }
}

/// All verbs, as the words of a command line.
pub fn verbs() -> Vec<Vec<String>> {
    let mut out = Vec::new();
    leaves(&Cli::command(), &[], &mut out);
    out
}

#[test]
fn every_verb_is_in_the_table() {
    let starts = |args: &[&str], words: &[String]| {
        let args = args.iter().filter(|arg| !arg.starts_with('-'));
        args.zip(words).filter(|(arg, word)| arg == word).count() == words.len()
    };
    let missing: Vec<String> = verbs()
        .into_iter()
        .filter(|words| !COMMANDS.iter().any(|(_, args)| starts(args, words)))
        .map(|words| words.join(" "))
        .filter(|verb| !NOT_TRIED.contains(&verb.as_str()))
        .collect();
    assert!(missing.is_empty(), "add a row to COMMANDS for each: {missing:?}");
}

#[test]
fn nothing_that_is_shown_attacks_a_terminal_or_a_ci_server() {
    let folder = folder();
    let mut wrong = Vec::new();
    for (form, args) in COMMANDS {
        let run = tpvc(folder.path(), args);
        if let Some(complaint) = complaint(*form, &run) {
            wrong.push(format!(
                "{args:?}: {complaint}\n{:?}\n{:?}",
                stdout(&run).chars().take(3000).collect::<String>(),
                stderr(&run)
            ));
        }
    }
    let run = tpvc(&folder.path().join("setting"), &["lint"]);
    wrong.extend(complaint(Text, &run).map(|complaint| format!("tpvc.toml: {complaint}\n{:?}", stderr(&run))));
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), COMMANDS.len() + 1, wrong.join("\n\n"));
}

/// With colours, tpvc's own styles are the only escapes.
#[test]
fn styles_are_tpvcs_own() {
    let folder = folder();
    for args in
        [&["lint", "HOSTILE.yml", "--color", "always"][..], &["compile", "type.yml", "-o", "x", "--color", "always"]]
    {
        let run = tpvc(folder.path(), args);
        let both = stdout(&run) + &stderr(&run);
        assert!(
            both.contains("\x1b[")
                && !both.contains("\x1b[31m\\x07")
                && both.contains("evil\\x1b[31m\\x07\\u{9b}\\u{202e}\\n"),
            "{both:?}"
        );
        let mut rest = both.as_str();
        while let Some((_, after)) = rest.split_once('\x1b') {
            let end = after.find(|c: char| !matches!(c, '[' | ';' | '0'..='9')).unwrap();
            assert!(after[end..].starts_with('m') && end > 0, "{after:?}");
            rest = after;
        }
        assert!(!both.replace('\x1b', "").contains(is_odd), "{both:?}");
    }
}

/// The output that a map records of a process is always text.
#[test]
fn logs_of_maps_are_text() {
    let folder = folder();
    let created = tpvc(folder.path(), &["maps", "create", "--tag", "q", "--rules", "rules.bin", "jobs.jsonl"]);
    assert!(created.status.success(), "{}", stderr(&created));
    assert!(tpvc(folder.path(), &["maps", "wait", "q"]).status.success());
    let path = stdout(&tpvc(folder.path(), &["maps", "path", "q"]));
    let logs = Path::new(path.trim_end()).join("logs");
    fs::create_dir_all(&logs).unwrap();
    fs::write(logs.join("0.out"), HOSTILE).unwrap();
    fs::write(logs.join("0.err"), HOSTILE).unwrap();
    for args in [
        &["maps", "logs", "q"][..],
        &["maps", "results", "q", "--summary"],
        &["maps", "results", "q", "--summary", "--format", "csv"],
    ] {
        let run = tpvc(folder.path(), args);
        let form = if args.contains(&"csv") { Csv } else { Log };
        assert_eq!(complaint(form, &run), None, "{args:?}: {:?}", stdout(&run));
    }
}

/// GitHub makes links of what looks like one outside code: people are called and issues are linked. HTML is none in Markdown either.
#[test]
fn markdown_has_no_links_and_calls_nobody() {
    const TEXT: &str = "evil [a](http://b) www.c.org @team #12 GH-34 <img src=x> ![i](j) **d** `@e`` #56 | f \\| `g";
    let folder = folder();
    let text = serde_json::to_string(TEXT).unwrap();
    let config = |cores: u8| {
        format!(
            "tools:\n  {text}:\n    cores: {cores}\n    params: {{{text}: {cores}}}\n  b:\n    rules:\n      - if: 'True'\n        fail: {text}\ndestinations:\n  {text}: {{runner: local}}\n"
        )
    };
    fs::write(folder.path().join("old.yml"), config(1).replace("fail:", "id:")).unwrap();
    fs::write(folder.path().join("new.yml"), config(2)).unwrap();
    fs::write(
        folder.path().join("b.jsonl"),
        format!("{{\"tool\": {{\"id\": \"b\"}}}}\n{{\"tool\": {{\"id\": {text}}}}}\n"),
    )
    .unwrap();
    let run = tpvc(folder.path(), &["diff", "old.yml", "new.yml", "--jobs", "b.jsonl", "--format", "markdown"]);
    let markdown = stdout(&run);
    assert!(run.status.success() && markdown.contains("evil"), "{}", stderr(&run));
    for line in markdown.lines() {
        let outside = without_code(line);
        for wrong in ["@team", "@e", "#12", "#56", "GH-34", "](", "<img", "http://b", "www.c.org", " **d"] {
            assert!(!outside.contains(wrong), "{wrong} in {line}");
        }
        // Four columns at most, as the header has them.
        if line.starts_with("| ") {
            assert!(outside.matches('|').count() <= 5, "{line}");
        }
    }
}

/// A line of Markdown without its code, by CommonMark's rule: as many backticks end it as begin it.
fn without_code(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(['`', '\\', '<']) {
        out += &rest[..at];
        rest = &rest[at..];
        if rest.starts_with('\\') {
            // An escaped character is none of markup.
            rest = rest.get(2..).unwrap_or("");
        } else if let Some(code) = rest.strip_prefix("<code>") {
            rest = &code[code.find("</code>").unwrap()..];
        } else if rest.starts_with('<') {
            out.push('<');
            rest = &rest[1..];
        } else {
            let run = rest.len() - rest.trim_start_matches('`').len();
            let mut from = run;
            let end = loop {
                let Some(at) = rest[from..].find('`') else { break None };
                let length = rest[from + at..].len() - rest[from + at..].trim_start_matches('`').len();
                if length == run {
                    break Some(from + at + run);
                }
                from += at + length;
            };
            match end {
                Some(end) => rest = &rest[end..],
                None => {
                    out += &rest[..run];
                    rest = &rest[run..];
                }
            }
        }
    }
    out + rest
}
