//! Measures reading lines without mapping them: as jobs, and as JSON that is written again. The second uses
//! `serde_json` and is the reference for mapping.
//!
//! `TPVC_BENCH_JOBS` names the job file; `TPVC_BENCH_JSON=1` prints the microseconds a line as JSON.

#![allow(clippy::expect_used, reason = "a benchmark that cannot start has nothing to report")]

mod support;

use serde_json::Value;
use tpv_galaxy::job::Job;

fn main() {
    let text = std::fs::read_to_string(support::jobs()).expect("a job file");
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let read = || lines.iter().map(|line| usize::from(Job::parse(line).is_ok())).sum::<usize>();
    assert_eq!(read(), lines.len(), "each line is a job");
    let rewrite = || {
        let mut out = Vec::with_capacity(text.len());
        for line in &lines {
            let value: Value = serde_json::from_str(line).expect("JSON");
            serde_json::to_writer(&mut out, &value).expect("memory takes all");
            out.push(b'\n');
        }
        out
    };
    assert_eq!(rewrite().split(|byte| *byte == b'\n').count(), lines.len() + 1, "each line is written");
    let measured = [
        ("read as jobs", tpv_bench::time(support::runs(), read)),
        ("read and write by serde_json", tpv_bench::time(support::runs(), rewrite)),
    ];
    support::rows("line", lines.len(), &measured);
}
