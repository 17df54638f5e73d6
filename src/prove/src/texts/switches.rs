//! Params that are on or off. Galaxy fails a job with another text: `asbool` of `galaxy/util/__init__.py`, as `jobs/__init__.py`, `jobs/runners/` and
//! `tool_util/deps/` of Galaxy 26.1.1 call it.

use super::fault::Fault;
use super::leftovers::HELP;

/// The params.
const SWITCHES: [&str; 13] = [
    "docker_auto_rm",
    "docker_enabled",
    "docker_sudo",
    "embed_metadata_in_job",
    "outputs_to_working_directory",
    "require_container",
    "singularity_cleanenv",
    "singularity_contain",
    "singularity_enabled",
    "singularity_ipc",
    "singularity_pid",
    "singularity_sudo",
    "use_metadata_binary",
];

/// The texts for on and off, in small letters.
const ON: [&str; 6] = ["true", "yes", "on", "y", "t", "1"];
const OFF: [&str; 6] = ["false", "no", "off", "n", "f", "0"];

/// Params that are off with every other text: `string_as_bool_or_none` of `galaxy/util/__init__.py`, as `jobs/runners/pulsar.py` calls it.
const LENIENT: [&str; 2] = ["remote_metadata", "rewrite_parameters"];

/// The texts that mean something to it.
const KNOWN: [&str; 10] = ["true", "yes", "on", "1", "false", "no", "off", "0", "none", "null"];

/// Returns `true` for a param that is on or off.
pub(super) fn is_switch(name: &str) -> bool {
    SWITCHES.contains(&name) || LENIENT.contains(&name)
}

/// Returns `true` if a text is for on.
pub(super) fn is_on(text: &str) -> bool {
    ON.contains(&text.trim().to_lowercase().as_str())
}

/// The fault of a text.
pub(super) fn fault(name: &str, text: &str) -> Option<Fault> {
    if LENIENT.contains(&name) {
        let is_known = text.is_empty() || KNOWN.contains(&text.to_lowercase().as_str());
        let why = format!("Galaxy reads this as `false` in `{name}`");
        return (!is_known).then(|| Fault::misread("Galaxy", text, why, "write `true` or `false`"));
    }
    if is_on(text) || OFF.contains(&text.trim().to_lowercase().as_str()) {
        return None;
    }
    Some(Fault::refused(
        "Galaxy",
        text,
        format!("`{name}` is `true` or `false`, and fails a job with another text"),
        HELP,
    ))
}
