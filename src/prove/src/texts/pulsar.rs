//! Words that Pulsar's client knows, in params of its own. The tables are those of T139.

use tpv_analysis::lint::params;

use super::fault::Fault;

/// The fault of a param's value.
pub(super) fn setting(name: &str, value: &str) -> Vec<Fault> {
    let Some(help) = params::unknown(name, value) else { return Vec::new() };
    vec![Fault::refused("Pulsar", value, format!("`{name}` has no such value"), help)]
}
