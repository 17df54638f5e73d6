//! The report of a component that did not complete.

use serde::{Deserialize, Serialize};

/// The report, in `errors/<component>.json`. The program writes it, or the script if the program could not, or an engine's
/// runner if the script could not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorReport {
    /// The component.
    pub component: u32,
    /// The number of the cluster that it ran in. The report of an earlier cluster does not count.
    pub cluster: u32,
    /// The event: `killed by signal 9`.
    pub message: String,
    /// The remedy.
    pub help: String,
    /// The name of the execute node.
    pub node: String,
    /// The time, in seconds from 1970-01-01 UTC.
    pub time: u64,
    /// The command that ran.
    pub command: String,
    /// The number of the last line of the job file that was worked on, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The peak memory in KiB, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_kib: Option<u64>,
    /// The memory that the component was granted, in MiB, if there was a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_limit_mib: Option<u64>,
    /// The end of what it wrote to standard error.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
}
