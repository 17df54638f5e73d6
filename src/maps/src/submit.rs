//! The submit object of a map: the way its components are run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::engine::Kind;
use super::resources::Limits;

/// The output of each component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Output {
    /// An answer for each job, as `tpvc map` writes them.
    Answers,
    /// A line for each job whose answers by two rule sets differ.
    Differences,
    /// A line for the one run of a simulation that a component does.
    Runs,
}

/// The submit object. The verb `edit` changes the limits, and `transplant` the program; all else stays as created.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Submit {
    /// The engine that runs components.
    pub engine: Kind,
    /// Their output.
    pub output: Output,
    /// `true` if answers have candidates (`tpvc map --detail`).
    pub detail: bool,
    /// The world, by digest.
    pub world: Option<String>,
    /// The part of a grid that all its runs share, by digest, if components simulate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    /// The time that code sees where the world does not tell it, in microseconds from 1970-01-01 UTC: the same for each component and
    /// each time that it runs.
    pub now: i64,
    /// The program, by digest.
    pub program: String,
    /// The platform of the program, such as `x86_64-linux`.
    pub platform: String,
    /// The policy for compiling numeric code to machine code: `off`, `lazy` or `eager`.
    pub jit: String,
    /// The budgets of a job's code.
    pub budget: Budget,
    /// The limits of components.
    #[serde(flatten)]
    pub limits: Limits,
    /// Options of the engine: `partition`, `account`, `max_materialize`, `slots`...
    pub options: BTreeMap<String, String>,
}

/// The budgets of a job's code, as the flags of `tpvc map`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Steps of Python.
    pub steps: u64,
    /// Bytes of one value.
    pub bytes: usize,
    /// Nested calls.
    pub depth: usize,
}
