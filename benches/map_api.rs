//! What mapping a job costs, from a parsed job to an answer, on one thread.

#![allow(clippy::expect_used, reason = "a benchmark that cannot start has nothing to report")]

mod support;

fn main() {
    let workload = support::workload();
    let mapper = workload.mapper();
    support::check(&workload.answers(&mapper));
    let timing = tpvc::bench::time(support::runs(), || workload.map(&mapper));
    support::row("map by API, one thread", "job", workload.jobs.len(), &timing);
}
