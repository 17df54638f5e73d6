//! The work of one component: an element of a map's itemdata.

use serde::{Deserialize, Serialize};
use tpv_simulate::grid::GridRun;

/// One component: a rule set on a slice of jobs. Inputs are named by digest (see [`super::store::Digest`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// The index of the component, from 0.
    pub component: u32,
    /// The artifact.
    pub rules: String,
    /// The user's name for the artifact: a path, or a commit.
    pub rules_name: String,
    /// The artifact that the answers are compared with, where differences are asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// The run of a grid, if the component simulates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<GridRun>,
    /// The slice of jobs, compressed.
    pub jobs: String,
    /// The job file that the slice was cut from, as the user wrote it.
    pub file: String,
    /// The first byte of the slice in the file's text (uncompressed).
    pub start: u64,
    /// The size of the slice in bytes (uncompressed).
    pub length: u64,
    /// The number of the slice's first line in the file, from 1.
    pub first_line: u64,
    /// The number of lines, blank ones included.
    pub lines: u64,
}
