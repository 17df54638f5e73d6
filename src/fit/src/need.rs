//! The memory that a job needed, as far as its history tells.

use crate::line::Line;
use crate::policy::{Cost, Policy};

/// A job of a tool's history.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// The place in time: seconds since 1970, or the number of the line where jobs have no times.
    pub time: i64,
    /// The size of the inputs that are not compressed, in GiB.
    pub plain: f32,
    /// The size of the compressed inputs, in GiB.
    pub compressed: f32,
    /// The most memory that it used, in GiB; or what it had when it was killed for using more.
    pub peak: f32,
    /// The time that it ran, in hours; the part of it until it was killed.
    pub hours: f32,
    /// The memory in GiB that today's rule gives it.
    pub today: f32,
    /// True if it was killed for using more than `peak`, and never ran to its end.
    pub is_killed: bool,
    /// The index of the tool's version.
    pub version: u16,
}

/// A job's need, known or estimated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Need {
    /// The size of the inputs that are not compressed, in GiB.
    pub plain: f64,
    /// The size of the compressed inputs, in GiB.
    pub compressed: f64,
    /// The memory that it needs to run to its end, in GiB.
    pub peak: f64,
    /// The time that it takes with enough memory, in hours.
    pub hours: f64,
    /// The memory in GiB that today's rule gives it.
    pub today: f64,
    /// The part of a job that this is, where a job's need is one of several.
    pub weight: f64,
    /// The index of the tool's version.
    pub version: u16,
    /// The index of the job, which several needs can share.
    pub job: u32,
}

impl Need {
    /// The size of the inputs in GiB, where compressed ones count by a factor.
    pub fn size(&self, compression: f64) -> f64 {
        self.plain + compression * self.compressed
    }

    /// The cost with so much memory at first.
    pub fn cost(&self, memory: f64, policy: &Policy, ceiling: f64) -> Cost {
        policy.cost(memory, self.peak, self.hours, ceiling).times(self.weight)
    }

    /// The memory that a rule gives.
    pub fn memory(&self, line: &Line) -> f64 {
        line.memory(self.plain, self.compressed)
    }
}
