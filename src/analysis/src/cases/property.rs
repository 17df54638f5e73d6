//! Promises about every job of a site: `properties` of a test file.

use std::sync::Arc;

use tpv_galaxy::World;
use tpv_galaxy::answer::Answer;

use super::expect::{Expectation, Mismatch, Subject, compare};
use super::fields::{Fields, fields};
use super::keys::{EXPECT, PROPERTY, WHEN};
use super::when::When;
use crate::check::promises::Doubt;
use tpv_text::diagnostic::{Diagnostic, Diagnostics};
use tpv_text::source::Span;
use tpv_yaml::value::ConfigValue;

/// A property: what no job has that `when` describes, or each.
pub struct Property {
    /// Its name.
    pub name: String,
    /// Its location.
    pub at: Span,
    /// The jobs.
    pub when: When,
    /// `true` for `always`, `false` for `never`.
    pub is_always: bool,
    /// The expectations of their answers.
    pub expect: Vec<Expectation>,
    /// The world in which jobs are tried.
    pub world: Arc<World>,
}

/// The verdict on a property.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It holds for every job.
    Proved,
    /// A job breaks it.
    Refuted {
        /// The job, as a line of a job file.
        job: String,
        /// The parts of its answer that break the property, and how they came about.
        mismatches: Vec<Mismatch>,
    },
    /// No proof is known, and no job that breaks it.
    Unknown(Doubt),
}

/// The outcome of a property.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// The number of jobs that were tried of those that its `when` describes.
    pub tried: usize,
}

impl Property {
    /// Reads a property. `None` if it has a problem, which is added to `problems`.
    pub(super) fn read(value: &ConfigValue, world: &Arc<World>, problems: &mut Diagnostics) -> Option<Self> {
        let before = problems.errors();
        let property = fields(value, &PROPERTY, "a property", problems)?;
        let name = property.get("name").and_then(|name| name.as_str()).unwrap_or_default();
        if property.get("name").is_none() && problems.errors() == before {
            let problem = Diagnostic::error("the property has no name").at(value.span, "");
            problems.push(problem.help("write `name: user-defined tools stay in the sandbox`"));
        }
        let when = match property.get("when") {
            Some(when) => fields(when, &WHEN, "`when`", problems)?,
            None => Fields::default(),
        };
        let when = When::read(&when, problems);
        let (promised, is_always) = match (property.entry("never"), property.entry("always")) {
            (Some(never), None) => (never, false),
            (None, Some(always)) => (always, true),
            (Some(never), Some(always)) => {
                let problem = Diagnostic::error("`never` conflicts with `always`").at(never.key.span, "");
                problems.push(problem.also(always.key.span, "").help("write two properties"));
                return None;
            }
            (None, None) => {
                let problem = Diagnostic::error("the property promises nothing").at(value.span, "");
                problems.push(problem.help("write `never: {destination: big}` or `always: {destination: big}`"));
                return None;
            }
        };
        let expect = fields(&promised.value, &EXPECT, "an expectation", problems)?;
        let expect = Expectation::read_all(&expect, problems);
        if expect.is_empty() && problems.errors() == before {
            let name = promised.key.python_str();
            let problem = Diagnostic::error(format!("`{name}` names nothing")).at(promised.value.span, "");
            problems.push(problem.help(format!("write `{name}: {{destination: big}}`")));
        }
        let (name, world) = (name.to_owned(), world.clone());
        let property = Self { name, at: value.span, when, is_always, expect, world };
        (problems.errors() == before).then_some(property)
    }

    /// The parts of an answer that break it; `fired` are the ids of the rules that fired. Empty if it holds.
    ///
    /// `always` is about jobs that get a destination, unless it names an error.
    pub fn broken_by(&self, answer: &Answer, fired: &[String]) -> Vec<Mismatch> {
        let names_error = self.expect.iter().any(|one| one.subject.is_error());
        if self.is_always {
            let is_meant = answer.error().is_none() || names_error;
            return if is_meant { compare(&self.expect, answer, fired) } else { Vec::new() };
        }
        if !compare(&self.expect, answer, fired).is_empty() {
            return Vec::new();
        }
        self.expect.iter().filter_map(|one| one.forbidden(answer, fired)).collect()
    }

    /// Returns `true` if only answers with a destination can break it.
    pub(crate) fn is_of_placed_jobs(&self) -> bool {
        let names_error = self.expect.iter().any(|one| one.subject.is_error());
        let of_answer = |one: &Expectation| !one.subject.is_error() && one.subject != Subject::Rule;
        !names_error && (self.is_always || self.expect.iter().any(of_answer))
    }
}
