//! The trial of proposals: the whole history is mapped, attempt by attempt, with today's rules and with the text that is to be written.

use std::collections::HashMap;
use std::ops::AddAssign;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Serialize, Serializer};
use tpv_analysis::tool_id::split_version;
use tpv_galaxy::answer::Answer;
use tpv_galaxy::job::Job;
use tpv_galaxy::outcome::Outcome;
use tpv_galaxy::world::World;
use tpv_runtime::mapper::Mapper;
use tpv_runtime::stream::Work;

use crate::attempts::{Given, attempts};
use crate::history::{End, Ids, Key, end, job_of_line};
use crate::policy::Assumed;
use crate::today;

/// MiB·s in a GiB·h.
pub(crate) const GIB_HOUR: f64 = 1024.0 * 3600.0;
/// The part of what a killed job had that counts as more: clusters round.
const MORE: f64 = 1.01;
/// Thousandths of a core·s in a core·h.
const CORE_HOUR: f64 = 1000.0 * 3600.0;

/// An amount with today's rules, and with the proposed ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Both {
    /// With today's rules.
    pub today: u64,
    /// With the proposed ones.
    pub proposed: u64,
}

impl AddAssign for Both {
    fn add_assign(&mut self, other: Self) {
        self.today = self.today.saturating_add(other.today);
        self.proposed = self.proposed.saturating_add(other.proposed);
    }
}

impl Serialize for Both {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.today, self.proposed].serialize(serializer)
    }
}

/// The jobs of a tool, mapped by both rule sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Trial {
    /// All jobs whose need is known: they ran to their end, or were killed for memory.
    pub jobs: u64,
    /// Jobs that get no destination or no memory.
    pub unmapped: Both,
    /// Jobs that no attempt gives the memory that they need.
    pub lost: Both,
    /// Jobs that need more than one attempt, and end well.
    pub again: Both,
    /// Jobs that were killed for memory in the end, and would get more: it is not known if that is enough.
    pub more_memory: Both,
    /// The jobs that both finish: amounts are of these.
    pub finished: u64,
    /// Memory that all attempts reserve, in MiB·s.
    #[serde(serialize_with = "gib_hours")]
    pub memory_time: Both,
    /// Cores that all attempts reserve, in thousandths of a core·s.
    #[serde(serialize_with = "core_hours")]
    pub core_time: Both,
}

fn gib_hours<S: Serializer>(amount: &Both, serializer: S) -> Result<S::Ok, S::Error> {
    hours(*amount, GIB_HOUR).serialize(serializer)
}

fn core_hours<S: Serializer>(amount: &Both, serializer: S) -> Result<S::Ok, S::Error> {
    hours(*amount, CORE_HOUR).serialize(serializer)
}

#[expect(clippy::cast_precision_loss, reason = "sums for people")]
fn hours(amount: Both, unit: f64) -> [f64; 2] {
    [amount.today as f64 / unit, amount.proposed as f64 / unit]
}

impl Trial {
    /// GiB·h with today's rules and with the proposed ones.
    pub fn gib_hours(&self) -> [f64; 2] {
        hours(self.memory_time, GIB_HOUR)
    }

    /// Core·h with today's rules and with the proposed ones.
    pub fn core_hours(&self) -> [f64; 2] {
        hours(self.core_time, CORE_HOUR)
    }

    /// Returns `true` if no more jobs fail than with today's rules, or than this part of them.
    pub fn is_safe(&self, max_lost: f64) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "a count of jobs")]
        let may_lose = (self.lost.today as f64).max(max_lost * self.jobs as f64);
        #[expect(clippy::cast_precision_loss, reason = "a count of jobs")]
        let lost = self.lost.proposed as f64;
        self.unmapped.proposed <= self.unmapped.today && lost <= may_lose
    }
}

impl AddAssign for Trial {
    fn add_assign(&mut self, other: Self) {
        self.jobs += other.jobs;
        self.unmapped += other.unmapped;
        self.lost += other.lost;
        self.again += other.again;
        self.more_memory += other.more_memory;
        self.finished += other.finished;
        self.memory_time += other.memory_time;
        self.core_time += other.core_time;
    }
}

/// The trials of a history.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trials {
    /// Those of tools that have a proposal.
    pub tools: HashMap<Key, Trial>,
    /// Jobs of other tools whose answer is another one with the proposed rules.
    pub others: u64,
}

/// Reads the lines of a history and maps them with both rule sets.
pub struct TrialLines<'a> {
    /// Maps by today's rules.
    pub today: &'a Mapper,
    /// Maps by the proposed ones.
    pub proposed: &'a Mapper,
    /// Galaxy's state.
    pub world: &'a Arc<World>,
    /// Only tools whose id contains this text.
    pub tool: Option<&'a str>,
    /// The attempts of a job that is killed, unless they are those of the rules.
    pub assumed: Option<Assumed>,
    /// The largest memory that an assumed attempt gets, by tool, in GiB.
    pub proposals: &'a HashMap<Key, f64>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    trials: Trials,
    ids: Ids,
}

/// A job with its attempts by one rule set.
struct Tried {
    attempts: Vec<Given>,
}

impl Tried {
    /// The index of the first attempt that suffices.
    fn enough(&self, need: f64) -> Option<usize> {
        self.attempts.iter().position(|given| given.memory >= need)
    }

    fn most(&self) -> f64 {
        self.attempts.iter().map(|given| given.memory).fold(0.0, f64::max)
    }

    /// MiB·s and thousandths of core·s up to an attempt that suffices. An attempt that does not dies when the job's memory, which grows evenly, is beyond it.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a sum of whole numbers, which saturates"
    )]
    fn reserved(&self, last: usize, need: f64, seconds: f64) -> [u64; 2] {
        let (mut memory, mut cores) = (0.0, 0.0);
        for (at, given) in self.attempts.iter().take(last + 1).enumerate() {
            let seconds = if at < last { seconds * given.memory / need } else { seconds };
            memory += given.memory * 1024.0 * seconds;
            cores += given.cores * 1000.0 * seconds;
        }
        [memory.round() as u64, cores.round() as u64]
    }
}

impl<'a> TrialLines<'a> {
    /// A trial of these proposals.
    pub fn new(
        today: &'a Mapper,
        proposed: &'a Mapper,
        world: &'a Arc<World>,
        tool: Option<&'a str>,
        assumed: Option<Assumed>,
        proposals: &'a HashMap<Key, f64>,
    ) -> Self {
        Self { today, proposed, world, tool, assumed, proposals, state: Mutex::default() }
    }

    /// The trials, once all lines are read.
    pub fn take(&self) -> Trials {
        std::mem::take(&mut *self.state.lock().unwrap_or_else(PoisonError::into_inner)).trials
    }

    fn tried(&self, mapper: &Mapper, job: &Arc<Job>, answer: Answer, need: f64, most: f64) -> Tried {
        let Some(assumed) = self.assumed else {
            return Tried { attempts: attempts(mapper, self.world, job, answer, |given| given >= need) };
        };
        let Some(first) = Given::of(&answer) else { return Tried { attempts: Vec::new() } };
        let response = crate::response::Response { most: most.max(first.memory), ..Default::default() };
        let response = response.with_attempts(assumed);
        Tried { attempts: response.after(first.memory).map(|memory| Given { memory, ..first }).collect() }
    }

    fn trial(&self, job: &Arc<Job>, outcome: &Outcome, answers: [Answer; 2], most: f64) -> Option<Trial> {
        let end = end(outcome)?;
        let (need, is_killed) = match end {
            End::Done { peak } => (peak, false),
            End::Killed { had } => {
                let had = had.or_else(|| Given::of(&answers[0]).map(|given| given.memory))?;
                (had * MORE, true)
            }
        };
        let seconds = outcome.last.runtime_seconds?;
        let [today, proposed] = answers;
        let today = self.tried(self.today, job, today, need, most);
        let proposed = self.tried(self.proposed, job, proposed, need, most);
        let both =
            |is: &dyn Fn(&Tried) -> bool| Both { today: u64::from(is(&today)), proposed: u64::from(is(&proposed)) };
        let mut trial = Trial {
            jobs: 1,
            unmapped: both(&|tried| tried.attempts.is_empty()),
            lost: both(&|tried| !tried.attempts.is_empty() && tried.most() < need),
            ..Trial::default()
        };
        if is_killed {
            trial.more_memory = both(&|tried| tried.most() >= need);
            return Some(trial);
        }
        trial.again = both(&|tried| tried.enough(need).is_some_and(|attempt| attempt > 0));
        if let (Some(old), Some(new)) = (today.enough(need), proposed.enough(need)) {
            let ([old_memory, old_cores], [new_memory, new_cores]) =
                (today.reserved(old, need, seconds), proposed.reserved(new, need, seconds));
            trial.finished = 1;
            trial.memory_time = Both { today: old_memory, proposed: new_memory };
            trial.core_time = Both { today: old_cores, proposed: new_cores };
        }
        Some(trial)
    }
}

impl Work for TrialLines<'_> {
    type Tally = ();

    fn line(&self, number: usize, line: &[u8], _: &mut String, (): &mut ()) {
        let Ok(job) = job_of_line(number, line) else { return };
        if self.tool.is_some_and(|tool| !job.tool_id().contains(tool)) {
            return;
        }
        let Ok(Some(outcome)) = Outcome::of(&job) else { return };
        let lock = || self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !lock().ids.is_new(&job.id) {
            return;
        }
        let (today, origin) = today::observed(self.today, &job, self.world);
        let proposed = self.proposed.map(&job, self.world);
        let (tool, _) = split_version(job.tool_id());
        let key = Key { tool: tool.to_owned(), setter: origin.setter };
        let Some(most) = self.proposals.get(&key) else {
            if today.line() != proposed.line() {
                lock().trials.others += 1;
            }
            return;
        };
        if let Some(trial) = self.trial(&job, &outcome, [today, proposed], *most) {
            *lock().trials.tools.entry(key).or_default() += trial;
        }
    }

    fn end_thread(&self) {
        Mapper::leave_to_system();
    }
}
