//! The attempts of a job whose memory is short, as the rules and Galaxy's handler make them.

use std::cell::RefCell;
use std::sync::Arc;

use tpv_compiler::python::resubmit::compile;
use tpv_galaxy::answer::{Answer, Field};
use tpv_galaxy::job::Job;
use tpv_galaxy::world::World;
use tpv_runtime::mapper::Mapper;
use tpv_runtime::resubmit::{Attempt, ChainEnd, Failure, Resubmitter, RunnerState, follow};

/// The most attempts that are followed: definitions without an end allow any number.
pub const MOST: u32 = 16;
/// The time after which an attempt fails if its length is not known, in seconds, for conditions that ask.
const TIME: f64 = 3600.0;

thread_local! {
    static RESUBMITTER: RefCell<Resubmitter> = RefCell::new(Resubmitter::new(Arc::new(compile)));
}

/// The memory and cores of an attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Given {
    /// Memory in GiB.
    pub memory: f64,
    /// Cores; 0 if they are no number.
    pub cores: f64,
}

impl Given {
    /// The amounts of an answer; `None` if it is an error, or the memory is no positive number.
    pub fn of(answer: &Answer) -> Option<Self> {
        let number = |field| answer.text(field).and_then(|text| text.parse::<f64>().ok());
        let memory = number(Field::Mem).filter(|memory| *memory > 0.0 && memory.is_finite())?;
        Some(Self { memory, cores: number(Field::Cores).filter(|cores| cores.is_finite()).unwrap_or_default() })
    }
}

/// Maps the attempts of a job that got `answer` at its first: each fails if `suffices` is not true for its memory, and is followed by the one that
/// `resubmit` of its destination leads to. An attempt without a destination or memory ends them.
pub fn attempts(
    mapper: &Mapper,
    world: &Arc<World>,
    job: &Arc<Job>,
    answer: Answer,
    suffices: impl Fn(f64) -> bool,
) -> Vec<Given> {
    let Some(first) = Given::of(&answer) else { return Vec::new() };
    // Most destinations have no definitions.
    if suffices(first.memory) || answer.text(Field::Resubmit).is_none_or(|text| text == "[]") {
        return vec![first];
    }
    let failure = |attempt: &Attempt| {
        let given = Given::of(&attempt.answer)?;
        let seconds = Some(TIME);
        let state = RunnerState::MemoryLimitReached;
        let failure =
            Failure { state, attempt: attempt.number, seconds_running: seconds, seconds_since_queued: seconds };
        (!suffices(given.memory)).then_some(failure)
    };
    let chain = RESUBMITTER.with_borrow_mut(|resubmitter| {
        let first = Attempt::first(job.clone(), answer);
        follow(resubmitter, first, MOST, |job| mapper.map(job, world), failure)
    });
    let mapped = chain.attempts.len() - usize::from(chain.end == ChainEnd::NotMapped);
    // A job that waits for ever does not start.
    let starts = chain.attempts.iter().take(mapped).take_while(|attempt| attempt.delay.is_finite());
    starts.map_while(|attempt| Given::of(&attempt.answer)).collect()
}
