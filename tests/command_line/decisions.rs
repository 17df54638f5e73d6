//! Logs of decisions: `map --decisions`, `why`, `log`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use crate::support::{project, stderr, stdout, tpvc_in};

const RULES: &str = "\
global: {default_inherits: default}
tools:
  default:
    abstract: true
    cores: 2
    mem: 4
    rules:
      - {id: large, if: input_size > 10, mem: 64}
      - {id: huge, if: input_size > 100, fail: Too much data}
  trains:
    cores: 3 if 'training' in [r.name for r in user.all_roles()] else 1
  draws:
    cores: |
      import random
      random.choice([1, 2, 3, 4, 5, 6, 7, 8])
destinations:
  pulsar-mel3: {runner: pulsar, max_accepted_mem: 52}
  slurm: {runner: slurm}
";

fn job(id: u32, tool: &str, gib: u64) -> String {
    let bytes = gib << 30;
    format!(
        "{{\"id\": {id}, \"seed\": {id}, \"tool\": {{\"id\": \"{tool}\", \"version\": \"1.0\"}}, \"user\": {{\"id\": 4, \"email\": \"jo@example.org\", \
         \"roles\": [\"training\"]}}, \"job\": {{\"id\": {id}, \"input_datasets\": [{{\"name\": \"i\", \"id\": 1, \"size\": {bytes}}}]}}, \
         \"dispatcher\": \"tpv_dispatcher\"}}\n"
    )
}

/// A folder with a log of five jobs.
fn site() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("rules.yml"), RULES).unwrap();
    let jobs =
        [job(1, "bwa", 1), job(2, "bwa", 20), job(3, "bwa", 200), job(4, "trains", 1), job(5, "draws", 1)].concat();
    fs::write(folder.path().join("jobs.jsonl"), jobs).unwrap();
    let args = ["map", "--config", "rules.yml", "jobs.jsonl", "-o", "answers.jsonl", "--decisions", "log.jsonl", "-q"];
    let run = tpvc_in(folder.path(), &args);
    assert!(run.status.success(), "{}", stderr(&run));
    let plain = tpvc_in(folder.path(), &["map", "--config", "rules.yml", "jobs.jsonl", "-q"]);
    assert_eq!(stdout(&plain), fs::read_to_string(folder.path().join("answers.jsonl")).unwrap());
    folder
}

#[test]
fn a_job_is_explained_by_the_rules_of_its_time() {
    let site = site();
    let folder = site.path();
    // The rules change twice.
    fs::write(folder.join("rules.yml"), RULES.replace("mem: 64", "mem: 48")).unwrap();
    let why = |args: &[&str]| {
        let run = tpvc_in(folder, &[&["why"], args].concat());
        assert!(run.status.success(), "{}", stderr(&run));
        stdout(&run)
    };
    let large = why(&["2", "--log", "log.jsonl"]);
    assert_eq!(
        large.lines().next().unwrap(),
        "job 2 went to `slurm`: `pulsar-mel3` lacks 12 GiB of the 64 that rule `large` asks, rules.yml:8"
    );
    for part in ["GUESSED", "parameters and datasets", "THE DECISION", "MAPPED to slurm", "large"] {
        assert!(large.contains(part), "{part}\n{large}");
    }
    assert!(!large.contains("jo@example.org"), "{large}");
    assert!(!large.contains("mapped again, do not give this"), "{large}");
    let not = why(&["1", "--log", "log.jsonl", "--not", "slurm"]);
    assert!(not.starts_with("`slurm` could take it, and is number 2 of the candidates"), "{not}");
    let huge = why(&["3", "--log", ".", "--output-format", "json"]);
    assert!(
        huge.contains("job 3 ended in JobMappingException: Too much data, rules.yml:9; rule `huge` ended it"),
        "{huge}"
    );
    let now = why(&["2", "--log", "log.jsonl", "--jobs", "jobs.jsonl", "--now", "rules.yml"]);
    assert!(
        now.contains("destination: `slurm` then, `pulsar-mel3` now") && now.contains("mem: 64 GiB then, 48 GiB now"),
        "{now}"
    );
    assert!(!now.contains("GUESSED"), "{now}");
    let missing = tpvc_in(folder, &["why", "9", "--log", "log.jsonl"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(stderr(&missing).contains("job `9` is not in the log `log.jsonl`"), "{}", stderr(&missing));
}

#[test]
fn logs_are_compressed_torn_and_many() {
    let site = site();
    let folder = site.path();
    let text = fs::read_to_string(folder.join("log.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let half = &lines[1][..lines[1].len() / 2];
    fs::write(folder.join("a.jsonl"), format!("{}\n{half}\n{}\n{half}", lines[0], lines[1])).unwrap();
    fs::write(folder.join("b.jsonl"), lines[2..].join("\n")).unwrap();
    assert!(Command::new("gzip").arg(folder.join("b.jsonl")).status().unwrap().success());
    fs::remove_file(folder.join("log.jsonl")).unwrap();
    let log = tpvc_in(folder, &["log", "--log", "a.jsonl", "b.jsonl.gz"]);
    assert_eq!(stdout(&log).lines().count(), 5, "{}", stdout(&log));
    assert!(stderr(&log).contains("skipped 2 lines"), "{}", stderr(&log));
    for args in [["--destination", "slurm"], ["--rule", "huge"], ["--error", "JobMappingException"], ["--tool", "trai"]]
    {
        let log = tpvc_in(folder, &[&["log", "--log", "a.jsonl", "b.jsonl.gz"], &args[..]].concat());
        assert_eq!(stdout(&log).lines().count(), 1, "{args:?} {}", stdout(&log));
    }
    let since = tpvc_in(folder, &["log", "--log", "a.jsonl", "--since", "1h"]);
    assert_eq!(stdout(&since).lines().count(), 2);
    let until = tpvc_in(folder, &["log", "--log", "a.jsonl", "--until", "2026-01-01"]);
    assert_eq!(stdout(&until), "");
    let totals = stdout(&tpvc_in(folder, &["log", "--log", "a.jsonl", "b.jsonl.gz", "--totals"]));
    for part in ["5 lines", "DESTINATIONS", "3  pulsar-mel3", "1  JobMappingException", "2  large"] {
        assert!(totals.contains(part), "{part}\n{totals}");
    }
    let csv = stdout(&tpvc_in(folder, &["log", "--log", "a.jsonl", "b.jsonl.gz", "--format", "csv"]));
    assert_eq!(csv.lines().count(), 6, "{csv}");
    assert!(csv.starts_with("time,job,attempt,"), "{csv}");
    let broken = folder.join("broken.jsonl.gz");
    let data = fs::read(folder.join("b.jsonl.gz")).unwrap();
    fs::write(&broken, &data[..data.len() / 2]).unwrap();
    let log = tpvc_in(folder, &["log", "--log", "broken.jsonl.gz", "a.jsonl"]);
    assert!(log.status.success() && stderr(&log).contains("the lines before it were read"), "{}", stderr(&log));
}

#[test]
fn a_history_is_replayed() {
    let site = site();
    let folder = site.path();
    fs::write(folder.join("rules.yml"), "tools: {bwa: {cores: 9}}\ndestinations: {other: {runner: local}}\n").unwrap();
    // An export has neither seeds nor the roles of that time.
    let jobs = fs::read_to_string(folder.join("jobs.jsonl")).unwrap();
    let exported: String = jobs
        .lines()
        .enumerate()
        .map(|(index, line)| {
            let line = line.replace("\"roles\": [\"training\"]", "\"roles\": [\"other\"]");
            line.replace(&format!("\"seed\": {}, ", index + 1), "") + "\n"
        })
        .collect();
    fs::write(folder.join("exported.jsonl"), exported + &job(77, "bwa", 1)).unwrap();
    let run = tpvc_in(folder, &["log", "--log", "log.jsonl", "--replay", "--jobs", "exported.jsonl"]);
    let text = stdout(&run);
    assert!(run.status.success(), "{text}{}", stderr(&run));
    assert!(text.starts_with("5 of 5 jobs replayed give the same answer\n"), "{text}");
    assert!(text.contains("left out: 1 job that the log does not have"), "{text}");
    let log = fs::read_to_string(folder.join("log.jsonl")).unwrap();
    fs::write(folder.join("log.jsonl"), log.replace("\"destination\": \"slurm\"", "\"destination\": \"moon\""))
        .unwrap();
    let run = tpvc_in(folder, &["log", "--log", "log.jsonl", "--replay", "--jobs", "exported.jsonl"]);
    assert_eq!(run.status.code(), Some(1));
    assert!(stdout(&run).contains("4 of 5 jobs replayed give the same answer, 1 differs"), "{}", stdout(&run));
    // Code that CPython ran may have asked anything: the place is named.
    let log = fs::read_to_string(folder.join("log.jsonl")).unwrap();
    let log = log.replace("\"destination\": \"moon\"", "\"destination\": \"moon\", \"cpython\": [\"live.yml:3\"]");
    fs::write(folder.join("log.jsonl"), log).unwrap();
    let run = tpvc_in(folder, &["log", "--log", "log.jsonl", "--replay", "--jobs", "exported.jsonl"]);
    let text = stdout(&run);
    assert_eq!(run.status.code(), Some(0), "{text}");
    assert!(
        text.contains("of these 1 read something that is not in the log:\n           1  code ran inside Galaxy"),
        "{text}"
    );
    assert!(text.contains("live.yml:3"), "{text}");
    fs::remove_dir_all(folder.join("tpvc_rules")).unwrap();
    let run = tpvc_in(folder, &["log", "--log", "log.jsonl", "--replay", "--jobs", "exported.jsonl"]);
    assert!(stdout(&run).contains("left out: 5 jobs whose rules are not kept"), "{}", stdout(&run));
}

/// The samples of a text in Prometheus's format, by name and labels as they are meant. Read by its documentation, apart from what writes it.
fn samples(text: &str) -> BTreeMap<(String, Vec<(String, String)>), f64> {
    assert!(text.ends_with('\n'));
    let is_name = |name: &str| {
        let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(part)
    };
    let (mut found, mut types, mut family) = (BTreeMap::new(), BTreeMap::new(), String::new());
    for line in text.lines() {
        if let Some(comment) = line.strip_prefix("# ") {
            let words: Vec<&str> = comment.splitn(3, ' ').collect();
            assert!(is_name(words[1]) && words.len() == 3, "{line}");
            match words[0] {
                "HELP" => family = words[1].to_owned(),
                "TYPE" => {
                    assert!(["counter", "histogram"].contains(&words[2]) && words[1] == family, "{line}");
                    assert!(types.insert(words[1].to_owned(), words[2].to_owned()).is_none(), "{line}");
                }
                _ => panic!("{line}"),
            }
            continue;
        }
        let end = line.find(['{', ' ']).unwrap();
        let (name, mut rest) = line.split_at(end);
        let base = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
        let kind = types.get(&family).map(String::as_str);
        assert!(is_name(name) && (name == family || base == family && kind == Some("histogram")), "{line}");
        let mut labels = Vec::new();
        if let Some(inner) = rest.strip_prefix('{') {
            rest = inner;
            loop {
                let (label, after) = rest.split_once("=\"").unwrap();
                assert!(is_name(label) && !label.contains(':'), "{line}");
                let (mut value, mut chars) = (String::new(), after.char_indices());
                let end = loop {
                    match chars.next().unwrap() {
                        (at, '"') => break at,
                        (_, '\\') => value.push(match chars.next().unwrap().1 {
                            'n' => '\n',
                            c @ ('"' | '\\') => c,
                            c => panic!("\\{c} in {line}"),
                        }),
                        (_, c) => value.push(c),
                    }
                };
                labels.push((label.to_owned(), value));
                rest = &after[end + 1..];
                match rest.strip_prefix(',') {
                    Some(more) => rest = more,
                    None => break,
                }
            }
            rest = rest.strip_prefix('}').unwrap();
        }
        let value = rest.strip_prefix(' ').unwrap().parse::<f64>().unwrap();
        labels.sort();
        assert!(found.insert((name.to_owned(), labels), value).is_none(), "twice: {line}");
    }
    found
}

#[test]
fn metrics_are_prometheus_text() {
    let site = site();
    let folder = site.path();
    let line = |more: &str| {
        format!("{{\"tpvc\": 1, \"time\": \"2026-11-27T08:00:00.000Z\", \"job\": 9, \"tool\": \"t\", {more}}}\n")
    };
    let odd = "a\\\"b\\\\c\\nd}{,=\\u001b";
    let other = [
        line(
            "\"dispatcher\": \"d\", \"rules\": \"0000000000000001\", \"wait\": \"begins\", \"error\": {\"type\": \"JobNotReadyException\", \"message\": \"\"}, \"ms\": 0.5",
        ),
        line(&format!("\"dispatcher\": \"{odd}\", \"destination\": \"{odd}\", \"ms\": 7000, \"dropped\": 3")),
        line(
            "\"dispatcher\": \"d\", \"rules\": \"0000000000000002\", \"wait\": {\"mappings\": 50, \"since\": \"2026-11-27T07:59:00Z\"}, \"destination\": \"slurm\", \"cpython\": [\"a.yml:3\"], \"ms\": 1.5",
        ),
        line("\"dispatcher\": \"d\", \"again\": 1, \"error\": {\"type\": \"KeyError\", \"message\": \"\"}"),
        line("\"dispatcher\": \"d\", \"error\": {\"type\": \"JobNotReadyException\", \"message\": \"\"}"),
        "half a li".to_owned(),
    ];
    fs::write(folder.join("other.jsonl"), other.concat()).unwrap();
    let run = tpvc_in(folder, &["log", "--log", "log.jsonl", "other.jsonl", "--metrics"]);
    assert!(run.status.success(), "{}", stderr(&run));
    let text = stdout(&run);
    let all = samples(&text);
    let get = |name: &str, labels: &[(&str, &str)]| {
        let mut labels: Vec<_> = labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        labels.sort();
        *all.get(&(name.to_owned(), labels.clone())).unwrap_or_else(|| panic!("{name} {labels:?}\n{text}"))
    };
    let of = |destination, tier| [("dispatcher", "tpv_dispatcher"), ("destination", destination), ("tier", tier)];
    let mapped: f64 = all.iter().filter(|((name, _), _)| name == "tpvc_mapped_total").map(|(_, number)| number).sum();
    assert_eq!(mapped, 6.0, "{text}");
    assert!(get("tpvc_mapped_total", &of("slurm", "native")) >= 1.0);
    assert_eq!(get("tpvc_mapped_total", &[("dispatcher", "d"), ("destination", "slurm"), ("tier", "mixed")]), 1.0);
    // A control character is shown as the log shows it elsewhere.
    let odd = "a\"b\\c\\nd}{,=\\x1b";
    assert_eq!(get("tpvc_mapped_total", &[("dispatcher", odd), ("destination", odd), ("tier", "native")]), 1.0);
    assert_eq!(get("tpvc_failed_total", &[("dispatcher", "tpv_dispatcher"), ("type", "JobMappingException")]), 1.0);
    assert!(!text.contains("KeyError") && !text.contains("JobNotReadyException"), "{text}");
    assert_eq!(get("tpvc_not_ready_total", &[("dispatcher", "d")]), 51.0);
    assert_eq!(get("tpvc_dropped_total", &[]), 3.0);
    assert_eq!(get("tpvc_rules_changed_total", &[("dispatcher", "d")]), 1.0);
    assert_eq!(get("tpvc_rules_changed_total", &[("dispatcher", "tpv_dispatcher")]), 0.0);
    let bucket = |bound: &str| get("tpvc_milliseconds_bucket", &[("tier", "native"), ("le", bound)]);
    let bounds = ["0.5", "1", "2", "5", "10", "20", "50", "100", "200", "500", "1000", "2000", "5000", "+Inf"];
    assert!(bounds.windows(2).all(|pair| bucket(pair[0]) <= bucket(pair[1])), "{text}");
    assert_eq!(bucket("+Inf"), get("tpvc_milliseconds_count", &[("tier", "native")]));
    assert_eq!((bucket("5000"), bucket("+Inf")), (6.0, 7.0), "{text}");
    assert_eq!(get("tpvc_milliseconds_sum", &[("tier", "mixed")]), 1.5);

    // Filters hold; a file appears whole.
    let args = ["log", "--log", "log.jsonl", "other.jsonl", "--metrics", "--dispatcher", "d", "-o", "tpvc.prom"];
    assert!(tpvc_in(folder, &args).status.success());
    let text = fs::read_to_string(folder.join("tpvc.prom")).unwrap();
    assert_eq!(samples(&text).keys().filter(|(name, _)| name == "tpvc_mapped_total").count(), 1, "{text}");
}

/// The dashboard has each metric that job handlers send, and no other.
#[test]
fn the_dashboard_shows_what_is_sent() {
    let text = fs::read_to_string(project().join("examples/grafana/tpvc.json")).unwrap();
    let dashboard: serde_json::Value = serde_json::from_str(&text).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap());
    let mut shown = BTreeSet::new();
    for target in targets {
        let path = target["target"].as_str().unwrap();
        let (kind, rest) = path.split_once('$').and_then(|(_, rest)| rest.split_once('.')).unwrap();
        let name: String = rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
        shown.insert((kind.to_owned(), name));
    }
    let sent = ["mapped", "failed", "not_ready", "rules_changed", "fetch_failed", "dropped"];
    let sent = sent.map(|name| ("counters", name)).into_iter();
    let sent = sent.chain([("timers", "milliseconds"), ("gauges", "kept_age")]);
    let sent: BTreeSet<_> = sent.map(|(kind, name)| (kind.to_owned(), name.to_owned())).collect();
    assert_eq!(shown, sent);
    let variables = dashboard["templating"]["list"].as_array().unwrap();
    for (kind, _) in sent {
        assert!(variables.iter().any(|variable| variable["name"] == *kind), "{kind}");
    }
}
