//! Measures loading an artifact, and loading it to map one job.

#![allow(clippy::expect_used, reason = "a benchmark that cannot start has nothing to report")]

mod support;

use std::sync::Arc;

use tpv_runtime::artifact::Rules;
use tpv_runtime::mapper::Mapper;

fn main() {
    let workload = support::workload();
    let bytes = workload.rules.to_bytes().expect("the rules can be written");
    let loaded = Rules::load(&bytes).expect("what was written loads");
    assert!(loaded.tables() == workload.rules.tables(), "what is loaded is what was written");
    let timing = tpv_bench::time(support::runs(), || Rules::load(&bytes));
    support::row(&format!("load an artifact of {} KiB", bytes.len() >> 10), "artifact", 1, &timing);
    let job = workload.jobs.first().expect("a job");
    let expected = workload.mapper().map(job, &workload.world);
    let map_one = || Rules::load(&bytes).map(|rules| Mapper::new(Arc::new(rules)).map(job, &workload.world));
    assert!(map_one().as_ref() == Ok(&expected), "the loaded rules give the same answer");
    let timing = tpv_bench::time(support::runs(), map_one);
    support::row("load and map one job", "artifact", 1, &timing);
}
