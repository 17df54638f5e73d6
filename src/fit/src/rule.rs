//! A rule for a tool's memory: a line, and others for some versions.

use crate::line::Line;
use crate::need::Need;

/// A rule for a tool's memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// For all versions but those that have their own.
    pub line: Line,
    /// Versions by index, with their own rule.
    pub by_version: Vec<(u16, Line)>,
}

impl Rule {
    /// The memory for a job in GiB.
    pub fn memory(&self, need: &Need) -> f64 {
        let own = self.by_version.iter().find(|(version, _)| *version == need.version);
        need.memory(own.map_or(&self.line, |(_, line)| line))
    }

    /// The rule with other lines.
    fn with(&self, change: impl Fn(&Line) -> Line) -> Self {
        let by_version = self.by_version.iter().map(|(version, line)| (*version, change(line)));
        Self { line: change(&self.line), by_version: by_version.collect() }
    }

    /// The rule with all its memory multiplied.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        self.with(|line| line.times(factor))
    }

    /// The rule with numbers of three digits between these bounds.
    #[must_use]
    pub fn rounded(&self, least: f64, ceiling: f64) -> Self {
        self.with(|line| line.rounded(least, ceiling))
    }
}
