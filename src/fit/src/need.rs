//! The memory that a job needed, as far as its history tells.

use crate::line::Line;

/// The memory that a job gets, attempt by attempt, in GiB.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ladder {
    /// The first attempt's.
    pub first: f32,
    /// That of the attempts after it. Most jobs have none: a job that is killed is lost.
    pub further: Box<[f32]>,
}

impl Ladder {
    /// One attempt with this memory.
    pub fn once(first: f32) -> Self {
        Self { first, further: Box::default() }
    }

    /// The memory of the attempts.
    pub fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        std::iter::once(&self.first).chain(&self.further).map(|given| f64::from(*given))
    }
}

/// A job of a tool's history.
#[derive(Clone, Debug, PartialEq)]
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
    /// The memory that today's rules give it.
    pub today: Ladder,
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

    /// The memory that a rule gives.
    pub fn memory(&self, line: &Line) -> f64 {
        line.memory(self.plain, self.compressed)
    }
}
