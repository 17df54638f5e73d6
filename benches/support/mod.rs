//! Shared code of the benchmarks: the workload, which is `fixtures/production` unless the environment names another,
//! and the printing of rows.
//!
//! - `TPVC_BENCH_CONFIG`: config files, separated by `:`
//! - `TPVC_BENCH_JOBS`, `TPVC_BENCH_WORLD`, `TPVC_BENCH_EXPECTED`: the job file, the world, TPV's answers
//! - `TPVC_BENCH_RUNS`: how often each is run; the median is quoted
//! - `TPVC_BENCH_JSON`: the last line has the medians as JSON, where a bench says so

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};

use tpv_bench::{Timing, Workload};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/production").join(name)
}

fn path(variable: &str, fallback: &str) -> PathBuf {
    std::env::var_os(variable).map_or_else(|| fixture(fallback), PathBuf::from)
}

/// The config files.
pub fn configs() -> Vec<String> {
    match std::env::var("TPVC_BENCH_CONFIG") {
        Ok(names) => names.split(':').map(str::to_owned).collect(),
        Err(_) => ["1-shared.yml", "2-site.yml", "3-people.yml"]
            .map(|name| fixture(name).to_string_lossy().into_owned())
            .to_vec(),
    }
}

/// The job file.
pub fn jobs() -> PathBuf {
    path("TPVC_BENCH_JOBS", "jobs.jsonl")
}

/// The workload, which must mostly map.
pub fn workload() -> Workload {
    let world = path("TPVC_BENCH_WORLD", "world.json");
    let workload = Workload::read(configs(), &jobs(), Some(&world)).expect("a workload");
    assert_eq!(workload.refusal(&workload.mapper()), None, "an exception has another price than a mapping");
    workload
}

/// Checks answers against those that TPV gave: the destination and the kind of error of each job. Nothing is known of jobs that
/// the environment names without TPV's answers.
pub fn check(answers: &str) {
    if std::env::var_os("TPVC_BENCH_JOBS").is_some() && std::env::var_os("TPVC_BENCH_EXPECTED").is_none() {
        return;
    }
    let expected = std::fs::read_to_string(path("TPVC_BENCH_EXPECTED", "expected.jsonl")).expect("TPV's answers");
    assert_eq!(answers.lines().count(), expected.lines().count(), "one answer a job");
    for (answer, expected) in answers.lines().zip(expected.lines()) {
        let [answer, expected] = [answer, expected].map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let of = |keys: [&str; 2]| {
                keys.iter().fold(&value, |value, key| value.get(key).unwrap_or(&serde_json::Value::Null)).clone()
            };
            (of(["id", ""]), of(["destination", "id"]), of(["destination", "params"]), of(["error", "type"]))
        });
        assert_eq!(answer, expected);
    }
}

/// The number of runs of each measurement.
pub fn runs() -> usize {
    std::env::var("TPVC_BENCH_RUNS").ok().and_then(|text| text.parse().ok()).unwrap_or(9)
}

/// Prints rows, and the medians once more as JSON where `TPVC_BENCH_JSON` is set.
pub fn rows(unit: &str, count: usize, rows: &[(&str, Timing)]) {
    for (name, timing) in rows {
        row(name, unit, count, timing);
    }
    if std::env::var_os("TPVC_BENCH_JSON").is_some() {
        let micros = |timing: &Timing| timing.median.as_secs_f64() * 1e6 / count.max(1) as f64;
        let medians: serde_json::Map<_, _> =
            rows.iter().map(|(name, timing)| ((*name).to_owned(), micros(timing).into())).collect();
        println!("{}", serde_json::Value::Object(medians));
    }
}

/// Prints one row: the median a unit in microseconds, with the extremes.
pub fn row(name: &str, unit: &str, count: usize, timing: &Timing) {
    let micros = |duration: std::time::Duration| duration.as_secs_f64() * 1e6 / count.max(1) as f64;
    println!(
        "{name:<48} {:>12.3} us a {unit} (least {:.3}, most {:.3})",
        micros(timing.median),
        micros(timing.minimum),
        micros(timing.maximum)
    );
}
