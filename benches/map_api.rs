//! Measures mapping, from a parsed job to an answer, on one thread. No job is mapped twice: each run takes the next
//! part of the jobs.
//!
//! `TPVC_BENCH_JSON=1` prints the microseconds a job as JSON.

#![allow(clippy::expect_used, reason = "a benchmark that cannot start has nothing to report")]

mod support;

fn main() {
    let workload = support::workload();
    support::check(&workload.answers(&workload.mapper()));
    let runs = support::runs();
    // The first part is mapped without being timed.
    let part = workload.jobs.len() / (runs + 1);
    assert!(part > 0, "at least {} jobs, so that each run has its own", runs + 1);
    let mut parts = workload.jobs.chunks_exact(part);
    let mapper = workload.mapper();
    let timing = tpv_bench::time(runs, || {
        let jobs = parts.next().expect("a part for each run");
        jobs.iter().map(|job| mapper.map(job, &workload.world)).collect::<Vec<_>>()
    });
    support::rows("job", part, &[("map by API, distinct jobs", timing)]);
}
