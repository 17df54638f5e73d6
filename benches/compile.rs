//! Measures the compilation of a config, from its files to rules.

#![allow(clippy::expect_used, reason = "a benchmark that cannot start has nothing to report")]

mod support;

fn main() {
    let configs = support::configs();
    let rules = tpv_bench::compile(&configs).expect("the config compiles");
    assert!(!rules.tables().tools.rows.is_empty() || !rules.tables().destinations.is_empty());
    let bytes = rules.to_bytes().expect("the rules can be written");
    let again = tpv_bench::compile(&configs)
        .and_then(|rules| rules.to_bytes().map_err(|error| tpv_bench::WorkloadError(error.to_string())));
    assert!(again.as_ref() == Ok(&bytes), "equal configs give equal rules");
    let timing = tpv_bench::time(support::runs(), || tpv_bench::compile(&configs));
    support::row("compile", "config", 1, &timing);
}
