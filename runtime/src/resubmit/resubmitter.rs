//! One failure: which definition applies, and what follows.

use std::collections::BTreeSet;
use std::fmt;

use super::definition::Definitions;
use super::expression::Evaluator;
use super::state::RunnerState;
use crate::mapper::Compile;
use tpv_galaxy::json::{Json, write_text};

/// A job that failed, as conditions see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Failure {
    /// The reason.
    pub state: RunnerState,
    /// The number of the attempt that failed, from 1.
    pub attempt: u32,
    /// The seconds since this attempt began to run. `None` if it never ran.
    pub seconds_running: Option<f64>,
    /// The seconds since this attempt was queued. `None` if it never was.
    pub seconds_since_queued: Option<f64>,
}

/// The consequence of a failure.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// The job fails.
    Ends(Ending),
    /// The job is resubmitted.
    Resubmitted(Resubmission),
}

/// The reason that a failed job is not resubmitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Its destination has no definitions.
    NoDefinition,
    /// Galaxy resubmits no job that ended for this reason.
    NotHandled,
    /// No condition holds.
    NoConditionHolds,
    /// The definition with this index, from 0, raised an exception, which Galaxy only logs.
    Raised {
        /// The definition.
        definition: usize,
        /// Class and message.
        message: String,
    },
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDefinition => f.write_str("its destination has no `resubmit` left"),
            Self::NotHandled => f.write_str("Galaxy resubmits no job that ended for this reason"),
            Self::NoConditionHolds => f.write_str("no condition of `resubmit` holds"),
            Self::Raised { message, .. } => write!(f, "`resubmit` raised {message}"),
        }
    }
}

/// The definition that applies to a failure.
#[derive(Clone, Debug, PartialEq)]
pub struct Resubmission {
    /// Its index, from 0.
    pub definition: usize,
    /// The environment of Galaxy's job configuration that the job goes to. `None` if it goes where it was.
    pub environment: Option<String>,
    /// The handler that gets the job, if it changes.
    pub handler: Option<String>,
    /// The delay as Galaxy keeps it, in seconds. `None` if the definition has none.
    pub delay: Option<String>,
}

impl Resubmission {
    /// The params that the job keeps, `job.destination_params`: those that it had, below them those of its target, and the delay.
    ///
    /// A delay of an earlier resubmission stays among them until the job is mapped again: then its new destination has its own.
    pub fn carried(&self, had: &Json, target: &Json) -> Json {
        let mut carried = Vec::new();
        let delay = self.delay.as_ref().map(|delay| (Box::from(DELAY), Json::str(delay.as_str())));
        for (key, value) in entries(had).iter().chain(entries(target)).cloned().chain(delay) {
            match carried.iter_mut().find(|(known, _): &&mut (Box<str>, Json)| *known == key) {
                Some((_, known)) => *known = value,
                None => carried.push((key, value)),
            }
        }
        Json::Object(carried)
    }
}

/// The param that holds the delay.
const DELAY: &str = "__resubmit_delay_seconds";

/// The seconds from a failure until Galaxy starts a job with these carried params again: 0 without a delay, and for delays below zero
/// and that are not a number; infinite if it never does.
pub fn delay_seconds(carried: &Json) -> f64 {
    let seconds = match carried.get(DELAY) {
        Some(Json::Str(text)) => tpv_literal::parse::float(text),
        Some(Json::Float(number)) => Some(*number),
        #[expect(clippy::cast_precision_loss, reason = "seconds")]
        Some(Json::Int(number)) => Some(*number as f64),
        _ => None,
    };
    seconds.filter(|seconds| *seconds > 0.0).unwrap_or(0.0)
}

fn entries(object: &Json) -> &[(Box<str>, Json)] {
    match object {
        Json::Object(entries) => entries,
        _ => &[],
    }
}

/// Decides about failed jobs. One thread's: each makes its own.
pub struct Resubmitter {
    evaluator: Evaluator,
    environments: Option<BTreeSet<String>>,
}

impl fmt::Debug for Resubmitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resubmitter").finish_non_exhaustive()
    }
}

impl Resubmitter {
    /// A resubmitter whose conditions and delays this compiles: `tpv_compiler::python::resubmit::compile`, which refuses what Galaxy
    /// does. Each text is compiled once.
    pub fn new(compile: Compile) -> Self {
        Self { evaluator: Evaluator::new(compile), environments: None }
    }

    /// Takes these for the environments of the job configuration: a definition with another target raises `KeyError`, as in Galaxy.
    /// Without it, each target is there.
    #[must_use]
    pub fn with_environments(self, names: impl IntoIterator<Item = String>) -> Self {
        Self { environments: Some(names.into_iter().collect()), ..self }
    }

    /// The consequence of a failure at a destination with these definitions.
    pub fn next(&mut self, definitions: &Definitions, failure: &Failure) -> Next {
        if definitions.is_empty() {
            return Next::Ends(Ending::NoDefinition);
        }
        if !failure.state.is_handled() {
            return Next::Ends(Ending::NotHandled);
        }
        for (index, definition) in definitions.iter().enumerate() {
            match self.apply(index, definition, failure) {
                Ok(None) => {}
                Ok(Some(resubmission)) => return Next::Resubmitted(resubmission),
                Err(message) => return Next::Ends(Ending::Raised { definition: index, message }),
            }
        }
        Next::Ends(Ending::NoConditionHolds)
    }

    /// The resubmission by a definition, if its condition holds.
    fn apply(&mut self, index: usize, definition: &Json, failure: &Failure) -> Result<Option<Resubmission>, String> {
        let Json::Object(_) = definition else {
            return Err(format!("AttributeError: {} has no attribute 'get'", text(definition)));
        };
        let of = |key| definition.get(key).filter(|value| is_true(value));
        match of("condition") {
            None => {}
            Some(Json::Str(condition)) if self.evaluator.holds(condition, failure)? => {}
            Some(Json::Str(_)) => return Ok(None),
            Some(other) => return Err(format!("AttributeError: the condition {} is not a text", text(other))),
        }
        let environment = match definition.get("environment") {
            None | Some(Json::Null) => None,
            Some(Json::Str(name)) if self.environments.as_ref().is_some_and(|known| !known.contains(&**name)) => {
                return Err(format!("KeyError: '{name}'"));
            }
            Some(Json::Str(name)) => Some(name.to_string()),
            Some(other) => return Err(format!("KeyError: {}", text(other))),
        };
        if !failure.state.has_message() {
            return Err("KeyError: 'Job output not returned from cluster'".to_owned());
        }
        let delay = match of("delay") {
            None => None,
            Some(delay) => self.evaluator.delay(&text(delay), failure)?.map(|(text, _)| text),
        };
        Ok(Some(Resubmission { definition: index, environment, handler: of("handler").map(text), delay }))
    }
}

/// Python's truth of a value.
fn is_true(value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(false) | Json::Int(0) => false,
        Json::Float(number) => *number != 0.0,
        Json::Str(text) => !text.is_empty(),
        Json::List(items) => !items.is_empty(),
        Json::Object(items) => !items.is_empty(),
        Json::Bool(true) | Json::Int(_) | Json::BigInt(_) => true,
    }
}

/// Python's `str` of a value, as far as definitions have them.
fn text(value: &Json) -> String {
    match value {
        Json::Str(text) => text.to_string(),
        Json::Bool(true) => "True".to_owned(),
        Json::Bool(false) => "False".to_owned(),
        Json::Null => "None".to_owned(),
        other => {
            let mut text = String::new();
            write_text(&mut text, other);
            text
        }
    }
}
