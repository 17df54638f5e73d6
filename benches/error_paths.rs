//! Measures jobs that do not reach a destination: lines that are not jobs, and jobs that raise.

#![allow(clippy::expect_used, reason = "a benchmark that cannot start has nothing to report")]

mod support;

use tpv_galaxy::job::Job;

fn main() {
    let workload = support::workload();
    let mapper = workload.mapper();
    let failing: Vec<_> =
        workload.jobs.iter().filter(|job| mapper.map(job, &workload.world).error().is_some()).cloned().collect();
    assert!(!failing.is_empty(), "some jobs of the workload end in an error");
    let timing = tpv_bench::time(support::runs(), || {
        failing.iter().map(|job| mapper.map(job, &workload.world)).collect::<Vec<_>>()
    });
    support::row("jobs that end in an error", "job", failing.len(), &timing);

    let broken: Vec<String> = workload.lines.lines().map(|line| line.replacen("\"tool\"", "\"tol\"", 1)).collect();
    assert!(broken.iter().all(|line| Job::parse(line).is_err()));
    let timing =
        tpv_bench::time(support::runs(), || broken.iter().map(|line| Job::parse(line).err()).collect::<Vec<_>>());
    support::row("lines that are no jobs", "line", broken.len(), &timing);
}
