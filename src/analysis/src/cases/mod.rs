//! `tpvc test`: test cases for rules, in YAML beside the config.
//!
//! [`mod@read`] reads a file by the lists of [`keys`]; [`mod@run`] maps the jobs of its cases on all cores; [`expect`] compares the answers
//! with what the file expects; [`property`] is what holds for every job that [`when`] describes; [`mod@attempts`] follows jobs that fail; `why` asks an explanation of the cases that fail how the values came about; [`report`] tells it;
//! [`update`] writes the answers into the file; [`suggest`] writes cases; [`coverage`] counts what of the config the cases have used.

pub mod attempts;
pub mod coverage;
pub mod expect;
pub mod fields;
mod flow;
mod job;
pub mod keys;
pub mod property;
mod range;
pub mod read;
pub mod report;
pub mod run;
pub mod suggest;
pub mod update;
pub mod when;
mod why;

use std::sync::Arc;

use tpv_galaxy::job::Job;
use tpv_galaxy::world::World;

use attempts::ExpectedAttempt;
use expect::Expectation;
use property::Property;
use tpv_text::source::{SourceId, Span};
use tpv_yaml::value::ConfigValue;

/// A test file that was read.
pub struct TestFile {
    /// Its path.
    pub name: String,
    /// Its text.
    pub source: SourceId,
    /// The configs that it tests: paths, patterns and URLs.
    pub config: Vec<String>,
    /// Its cases, in order.
    pub cases: Vec<Case>,
    /// Its properties, in order.
    pub properties: Vec<Property>,
}

/// A job in a world, and what is expected of its answer.
pub struct Case {
    /// Its name.
    pub name: String,
    /// The case's location: a test, or a row of its table.
    pub at: Span,
    /// The job.
    pub job: Arc<Job>,
    /// The world.
    pub world: Arc<World>,
    /// The expectations of the only attempt; empty for a case with `attempts`.
    pub expect: Vec<Expectation>,
    /// `attempts`: what is expected of each; empty for a case that is mapped once.
    pub attempts: Vec<ExpectedAttempt>,
    /// The mapping that is the case's own: the test, or the row.
    pub holder: ConfigValue,
    /// `true` if it is a row of a table.
    pub is_row: bool,
}

impl Case {
    /// The expectations of an attempt, by its number; of a case that is mapped once those of its only one.
    fn expected(&self, attempt: Option<u32>) -> &[Expectation] {
        match attempt.and_then(|number| self.attempts.get((number as usize).checked_sub(1)?)) {
            Some(attempt) => &attempt.expect,
            None => &self.expect,
        }
    }
}
