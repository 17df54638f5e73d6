//! The attempts that the `resubmit` of a destination allows to a job whose memory is always short, as Galaxy's handler decides them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tpv_compiler::python::resubmit::compile;
use tpv_runtime::galaxy::answer::{Answer, Field};
use tpv_runtime::resubmit::{Definitions, Failure, Next, Resubmitter, RunnerState};

/// The most attempts that are counted: definitions without an end allow any number.
const MOST: u32 = 16;
/// Definitions whose attempts are kept.
const KEPT: usize = 1_000;
/// The time after which an attempt fails, in seconds, for conditions that ask.
const TIME: f64 = 3600.0;

/// Attempts by the text of the definitions, which most jobs share.
#[derive(Debug, Default)]
pub struct Retries {
    known: Mutex<HashMap<String, Option<u32>>>,
}

impl Retries {
    /// The attempts of a job with this answer; `None` if one that is short of memory is not resubmitted.
    pub fn attempts(&self, answer: &Answer) -> Option<u32> {
        let text = answer.text(Field::Resubmit).filter(|text| *text != "[]")?;
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(text) {
            return *known;
        }
        let attempts = attempts(&Definitions::of(answer));
        let mut known = lock();
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(text.to_owned(), attempts);
        attempts
    }
}

/// The attempts under the same definitions each time. A job that is resubmitted to where it was has none left.
fn attempts(definitions: &Definitions) -> Option<u32> {
    let mut resubmitter = Resubmitter::new(Arc::new(compile));
    let mut attempt = 1;
    while attempt < MOST {
        let seconds = Some(TIME);
        let state = RunnerState::MemoryLimitReached;
        let failure = Failure { state, attempt, seconds_running: seconds, seconds_since_queued: seconds };
        let Next::Resubmitted(by) = resubmitter.next(definitions, &failure) else { break };
        attempt += 1;
        if by.environment.is_none() {
            break;
        }
    }
    (attempt > 1).then_some(attempt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tpv_runtime::galaxy::json::Json;

    #[test]
    fn conditions_are_those_of_galaxy() {
        let of = |fields: Vec<(&str, &str)>| attempts(&Definitions::from(vec![Json::from(fields)]));
        let to_dispatcher = |condition| of(vec![("condition", condition), ("environment", "tpv_dispatcher")]);
        for (condition, expected) in [
            ("memory_limit_reached and attempt <= 3", Some(4)),
            ("memory_limit_reached and attempt < 3", Some(3)),
            ("any_failure and attempt in [1, 2]", Some(3)),
            ("memory_limit_reached", Some(MOST)),
            ("walltime_reached and attempt < 3", None),
            ("memory_limit_reached and attempt > 1", None),
            ("memory_limit_reached and (", None),
        ] {
            assert_eq!(to_dispatcher(condition), expected, "{condition}");
        }
        assert_eq!(of(vec![("condition", "memory_limit_reached")]), Some(2));
    }
}
