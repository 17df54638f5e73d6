//! `tpvc fit`: the report, tables, the retry policy of destinations, and what is said of bad input.

use std::fmt::Write as _;
use std::path::Path;

use crate::support::{stderr, stdout, tpvc_in};
use serde_json::Value;

const CONFIG: &str = "\
tools:
  default:
    mem: 4
  .*/assembler/.*:
    mem: 64
    rules:
      - id: big
        if: input_size > 40
        mem: 128
  small:
    cores: 2
destinations:
  slurm:
    runner: slurm
    max_accepted_mem: 90
    resubmit:
      more:
        condition: memory_limit_reached and attempt < 2
        destination: tpv_dispatcher
  huge:
    runner: slurm
    scheduling:
      require: [huge]
global:
  default_inherits: default
";
const ASSEMBLER: &str = "shed.org/repos/o/assembler/assembler/1.0";

/// Jobs that need 2 GiB and three times the size of their input; the noise repeats.
fn history(count: u64) -> String {
    let mut text = String::new();
    for index in 0..count {
        let size = 1 + index * 7 % 10;
        let noise = 1.0 + 0.02 * ((index * 5 % 7) as f64 - 3.0);
        let peak = (2.0 + 3.0 * size as f64) * noise;
        let _ = writeln!(
            text,
            "{{\"tool\": {{\"id\": \"{ASSEMBLER}\"}}, \"job\": {{\"input_datasets\": [{{\"id\": 1, \"size\": {}}}]}}, \"outcome\": \
             {{\"state\": \"ok\", \"end_time\": \"2026-01-{:02}T00:00:00\", \"memory_bytes\": {:.0}, \"runtime_seconds\": 3600, \
             \"slots\": 2, \"cpu_seconds\": 3600}}}}",
            size << 30,
            1 + index * 28 / count,
            peak * f64::from(1 << 30)
        );
    }
    text + "{\"tool\": {\"id\": \"small\"}, \"outcome\": {\"oom\": true, \"allocated_memory_bytes\": 4294967296, \"runtime_seconds\": 60}}\n"
}

fn folder(jobs: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.yml"), CONFIG).unwrap();
    std::fs::write(folder.path().join("jobs.jsonl"), jobs).unwrap();
    folder
}

fn fit(folder: &Path, args: &[&str]) -> String {
    let output = tpvc_in(folder, &[&["fit", "config.yml", "--jobs", "jobs.jsonl"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{args:?}\n{}", stderr(&output));
    stdout(&output)
}

#[test]
fn the_truth_is_found() {
    let folder = folder(&history(400));
    let report: Value = serde_json::from_str(&fit(folder.path(), &["--format", "json"])).unwrap();
    assert_eq!(report["jobs"], 401);
    let tool = &report["tools"][0];
    assert_eq!(tool["tool"], "shed.org/repos/o/assembler/assembler");
    assert_eq!(tool["place"], "config.yml:5:10");
    assert_eq!((&tool["largest_destination"], &tool["policy"]["attempts"]), (&Value::from(90.0), &Value::from(2)));
    assert_eq!(tool["verdict"], "change", "{tool:#}");
    let mem = tool["mem"].as_str().unwrap();
    let numbers: Vec<f64> =
        mem.split(|char: char| !char.is_ascii_digit() && char != '.').filter_map(|text| text.parse().ok()).collect();
    assert!(mem.ends_with(", 90)") && (numbers[0] - 2.0).abs() < 1.0 && (numbers[1] - 3.1).abs() < 0.3, "{mem}");
    assert_eq!(tool["usage"]["cores_busy"], 0.5);
    assert_eq!(tool["usage"]["period"], serde_json::json!(["2026-01-01", "2026-01-28"]));
    let used = tool["usage"]["used_median"].as_f64().unwrap();
    assert!((used / 18.5 - 1.0).abs() < 0.1, "{used}");
    // 64 GiB for an hour each.
    assert_eq!(tool["usage"]["reserved"], 64.0 * 400.0);
    let saving = tool["evidence"]["saving"].as_f64().unwrap();
    assert!((0.6..0.8).contains(&saving), "{saving}");
    let small = &report["tools"][1];
    assert_eq!(
        (&small["place"], &small["why"], &small["usage"]["lost"]),
        (&"config.yml:3:10".into(), &"few_jobs".into(), &1.into())
    );
}

/// The report does not depend on the number of threads.
#[test]
fn threads_do_not_matter() {
    let folder = folder(&history(3_000));
    let one = fit(folder.path(), &["--format", "json", "--threads", "1"]);
    assert_eq!(one, fit(folder.path(), &["--format", "json", "--threads", "3"]));
}

#[test]
fn the_policy_can_be_given() {
    let folder = folder(&history(400));
    let text = fit(folder.path(), &["--explain", "--attempts", "1", "--lost-costs", "500", "--tool", "assembler"]);
    assert!(text.contains("attempts: 1, each with 2 times the memory") && !text.contains("small"), "{text}");
    let csv = fit(folder.path(), &["--format", "csv"]);
    assert!(csv.starts_with("tool,place,jobs,asked_median_gib") && csv.lines().count() == 3, "{csv}");
}

/// The patch, merged last, gives the tool its value, keeps the rule, and is accepted by the other verbs.
#[test]
fn patches_take_effect() {
    let folder = folder(&history(400));
    let output = tpvc_in(folder.path(), &["fit", "config.yml", "--jobs", "jobs.jsonl", "--patch", "fitted.yml"]);
    let said = stderr(&output);
    assert!(output.status.success() && said.contains("wrote 1 value to `fitted.yml`: merge it last"), "{said}");
    assert!(!said.contains("note:"), "{said}");
    let patch = std::fs::read_to_string(folder.path().join("fitted.yml")).unwrap();
    for text in [
        "  # 400 jobs from 2026-01-01 to 2026-01-28; today's value is set at config.yml:5:10.",
        "  shed.org/repos/o/assembler/assembler/.*:\n    mem: min(",
    ] {
        assert!(patch.contains(text), "{text}\n{patch}");
    }
    for args in [
        &["lint", "config.yml", "fitted.yml"][..],
        &["check", "config.yml", "fitted.yml"],
        &["format", "--check", "fitted.yml"],
    ] {
        let run = tpvc_in(folder.path(), args);
        assert!(run.status.success(), "{args:?}\n{}{}\n{patch}", stdout(&run), stderr(&run));
    }
    let mem = |size: &str| -> f64 {
        let args = [
            "dry-run",
            "config.yml",
            "fitted.yml",
            "--tool",
            ASSEMBLER,
            "--input-size",
            size,
            "--output-format",
            "json",
            "--explain",
        ];
        let run = tpvc_in(folder.path(), &args);
        let text = stdout(&run);
        let at = text.find("\"mem\":").unwrap_or_else(|| panic!("{text}{}", stderr(&run)));
        text[at + 6..].trim_start().split([',', '}']).next().unwrap().trim().parse().unwrap()
    };
    assert!((mem("5") - 17.5).abs() < 2.0, "{}", mem("5"));
    // What a rule sets is as it was.
    let again = tpvc_in(
        folder.path(),
        &["fit", "config.yml", "--jobs", "jobs.jsonl", "--patch", "fitted.yml", "--tool", "small", "-q"],
    );
    assert!(again.status.success());
    assert!(std::fs::read_to_string(folder.path().join("fitted.yml")).unwrap().ends_with("tools: {}\n"));
}

#[test]
fn tables_are_read() {
    let mut table = String::from("JobID|JobName|MaxRSS|ElapsedRaw|State\n");
    for index in 0..200 {
        let _ = writeln!(table, "{index}|small|{}M|600|COMPLETED", 1000 + index * 13 % 50);
    }
    let folder = folder(&table);
    let text = fit(folder.path(), &["--csv"]);
    let row: Vec<&str> = text.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(row[..6], ["small", "200", "4.0", "1.0", "1.0", "1.0"], "{text}");
    assert!(row.last().unwrap().starts_with("1.0"), "{text}");
}

#[test]
fn bad_input_names_the_line() {
    let job = |outcome: &str| format!("{{\"tool\": {{\"id\": \"small\"}}, \"outcome\": {{{outcome}}}}}\n");
    let good = job("\"memory_bytes\": 1e9, \"runtime_seconds\": 60");
    for (jobs, args, fault) in [
        (
            good.clone() + &job("\"memory_bytes\": -1"),
            &[][..],
            "line 2: outcome.memory_bytes: must be a number of bytes: it is negative",
        ),
        (
            good.clone() + &job("\"memory_bytes\": 3.5"),
            &[],
            "line 2: outcome.memory_bytes: 3.5 bytes are less than any program takes",
        ),
        (
            good.clone() + &job("\"memory_bytes\": \"4G\""),
            &[],
            "line 2: outcome.memory_bytes: must be a number of bytes",
        ),
        (good.clone() + &good[..40], &[], "line 2: not JSON"),
        (String::from("{\"tool\": {\"id\": \"small\"}}\n"), &[], "has an `outcome`"),
        (String::new(), &[], "`jobs.jsonl` has no jobs"),
        (String::from("tool,memory,runtime\na,4G,1\na,4,1\n"), &["--csv"], "line 3: memory: `4` has no unit"),
        (
            String::from("tool,memory,runtime\na,4G,1\na,4G"),
            &["--csv"],
            "line 3: 2 values, and the table has 3 columns",
        ),
        (String::from("tool,peak,runtime\na,4G,1\n"), &["--csv"], "no column of the table is known to be the memory"),
    ] {
        let folder = folder(&jobs);
        let output = tpvc_in(folder.path(), &[&["fit", "config.yml", "--jobs", "jobs.jsonl"], args].concat());
        assert_eq!((output.status.code(), stdout(&output)), (Some(1), String::new()), "{jobs}");
        assert!(stderr(&output).contains(fault) && stderr(&output).contains("help: "), "{fault}\n{}", stderr(&output));
    }
}
