//! The results of the cases, for people and for programs.

mod json;
mod junit;
mod property;
mod text;

use super::run::Outcome;
use super::{Case, TestFile};
use tpv_text::source::SourceMap;

pub use json::json;
pub use junit::junit;
pub use property::Promise;
pub use text::{passed, text};

/// A case that ran.
#[derive(Clone, Copy)]
pub struct Ran<'a> {
    /// Its file.
    pub file: &'a TestFile,
    /// The case.
    pub case: &'a Case,
    /// The outcome.
    pub outcome: &'a Outcome,
}

impl Ran<'_> {
    /// Returns `true` if all expectations hold.
    pub fn is_passed(&self) -> bool {
        self.outcome.mismatches.is_empty()
    }

    /// The line of the case in its file.
    fn line(&self, sources: &SourceMap) -> usize {
        sources.place(self.case.at).line
    }
}
