//! A job through all of its attempts.

use std::sync::Arc;

use super::definition::Definitions;
use super::resubmitter::{Ending, Failure, Next, Resubmission, Resubmitter, delay_seconds};
use tpv_galaxy::answer::{Answer, Field};
use tpv_galaxy::job::Job;
use tpv_galaxy::json::Json;

/// The most attempts of one job that [`follow`] makes.
pub const MAX_ATTEMPTS: u32 = 100;

/// The params that the environment of TPV has in each job configuration. It has others too, such as `tpv_config_files`.
fn dispatcher_params() -> Json {
    Json::from(vec![("type", "python"), ("function", "map_tool_to_destination"), ("rules_module", "tpv.rules")])
}

/// One time that a job is at a destination.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Its number, from 1.
    pub number: u32,
    /// The job as it was mapped.
    pub job: Arc<Job>,
    /// The answer: where the job is, or the error of its mapping.
    pub answer: Answer,
    /// The seconds between the failure of the attempt before and this one's start; 0 for the first. Infinite if it never starts.
    pub delay: f64,
    /// The resubmission that led here; `None` for the first.
    pub by: Option<Resubmission>,
    /// `job.destination_params` while this attempt runs.
    params: Json,
    /// The definitions that apply if it fails.
    definitions: Definitions,
}

impl Attempt {
    /// The first attempt of a job that got this answer.
    pub fn first(job: Arc<Job>, answer: Answer) -> Self {
        Self::mapped(1, job, answer, 0.0, None)
    }

    fn mapped(number: u32, job: Arc<Job>, answer: Answer, delay: f64, by: Option<Resubmission>) -> Self {
        let params = answer.get(Field::Params).unwrap_or(Json::Null);
        let definitions = Definitions::of(&answer);
        Self { number, job, answer, delay, by, params, definitions }
    }

    /// The definitions that apply if this attempt fails: those of its destination, or none if the job was resubmitted to where it was.
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// `job.destination_params` as rules see them after a resubmission to an environment: the params of this attempt below those of TPV's environment.
    pub fn carried(&self, resubmission: &Resubmission) -> Json {
        resubmission.carried(&self.params, &dispatcher_params())
    }

    /// The attempt after this one, by a resubmission. A job that goes where it was keeps its answer; one that goes to an environment is
    /// mapped again, as the dispatcher of TPV does, with `map`.
    pub fn after(&self, resubmission: Resubmission, map: impl FnOnce(&Arc<Job>) -> Answer) -> Self {
        let number = self.number.saturating_add(1);
        let target = if resubmission.environment.is_some() { dispatcher_params() } else { Json::Null };
        let carried = resubmission.carried(&self.params, &target);
        let delay = delay_seconds(&carried);
        let job = Arc::new(self.job.resubmitted(&carried));
        if resubmission.environment.is_some() {
            let answer = map(&job);
            return Self::mapped(number, job, answer, delay, Some(resubmission));
        }
        Self {
            number,
            job,
            answer: self.answer.clone(),
            delay,
            by: Some(resubmission),
            params: carried,
            definitions: Definitions::default(),
        }
    }
}

/// The attempts of a job, to its end.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The attempts, in order: at least one.
    pub attempts: Vec<Attempt>,
    /// The end.
    pub end: ChainEnd,
}

/// The end of a chain of attempts.
#[derive(Clone, Debug, PartialEq)]
pub enum ChainEnd {
    /// The last attempt did not fail.
    Done,
    /// The last attempt failed, and the job with it.
    Failed(Ending),
    /// The last attempt was not mapped: its answer is an error. If it is not the first, the job stays `resubmitted`, and Galaxy asks
    /// again at each turn of the handler's loop.
    NotMapped,
    /// The last attempt failed and would be resubmitted, but it is the last that was allowed.
    TooMany(Resubmission),
}

/// Follows a job from an attempt to its end; `map` maps it for those after. `failure` tells how an attempt fails, or `None` if it does not; there are at
/// most `most` attempts, and [`MAX_ATTEMPTS`].
pub fn follow(
    resubmitter: &mut Resubmitter,
    first: Attempt,
    most: u32,
    mut map: impl FnMut(&Arc<Job>) -> Answer,
    mut failure: impl FnMut(&Attempt) -> Option<Failure>,
) -> Chain {
    let mut last = first;
    let mut attempts = Vec::new();
    loop {
        let next = if last.answer.error().is_some() {
            Err(ChainEnd::NotMapped)
        } else {
            match failure(&last).map(|failure| resubmitter.next(&last.definitions, &failure)) {
                None => Err(ChainEnd::Done),
                Some(Next::Ends(ending)) => Err(ChainEnd::Failed(ending)),
                Some(Next::Resubmitted(by)) if last.number >= most.min(MAX_ATTEMPTS) => Err(ChainEnd::TooMany(by)),
                Some(Next::Resubmitted(by)) => Ok(last.after(by, &mut map)),
            }
        };
        match next {
            Ok(next) => attempts.push(std::mem::replace(&mut last, next)),
            Err(end) => {
                attempts.push(last);
                return Chain { attempts, end };
            }
        }
    }
}
