//! Measures the compilation of a config, from its files to rules.

#![allow(clippy::expect_used, reason = "a benchmark that cannot start has nothing to report")]

mod support;

fn main() {
    let configs = support::configs();
    let rules = tpvc::bench::compile(&configs).expect("the config compiles");
    assert!(!rules.tables().tools.rows.is_empty() || !rules.tables().destinations.is_empty());
    let bytes = rules.to_bytes().expect("the rules can be written");
    let again = tpvc::bench::compile(&configs)
        .and_then(|rules| rules.to_bytes().map_err(|error| tpvc::bench::WorkloadError(error.to_string())));
    assert!(again.as_ref() == Ok(&bytes), "equal configs give equal rules");
    let timing = tpvc::bench::time(support::runs(), || tpvc::bench::compile(&configs));
    support::row("compile", "config", 1, &timing);
}
