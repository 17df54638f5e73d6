//! A history of jobs, read line by line into groups of bounded size: a tool, and what sets its memory.
//!
//! Counts and sketches are of all jobs; of each group some jobs are kept to learn from, chosen by the hash of their line's number, so that
//! they do not depend on the order of threads.

use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tpv_galaxy::helpers::GIB;
use tpv_galaxy::job::{DatasetId, Job};
use tpv_galaxy::outcome::{Attempt, Outcome};
use tpv_galaxy::world::World;
use tpv_runtime::mapper::Mapper;
use tpv_runtime::stream::Work;

use crate::need::Observation;
use crate::random::mixed;
use crate::today::{self, Setter, Today};
use crate::units::{OtherUnit, other_unit};
use tpv_analysis::sketch::Sketch;
use tpv_analysis::tool_id::split_version;

/// The jobs that are kept of all groups together.
const MOST_KEPT: usize = 1_000_000;
/// The jobs that are kept of a group at most, and at least.
const KEPT: (usize, usize) = (50, 8_000);
/// Groups; the jobs of further ones are counted together.
const MOST_GROUPS: usize = 20_000;
/// The lines that are kept of a group to ask the rules with, and those of all groups together.
const EXAMPLES: (usize, usize) = (4, 8_000);
/// Different amounts that are counted exactly; of more, quantiles are within 1 %.
const MOST_AMOUNTS: usize = 64;
/// The part by which the memory that a job had may differ from what today's rules give before that is told.
const SAME: f64 = 0.1;
/// Versions of a tool; further ones are taken as one.
const MOST_VERSIONS: usize = 64;
/// Faulty lines that are reported.
const MOST_FAULTS: usize = 10;
/// Less memory than any program takes, in bytes: whoever writes it means another unit.
const LEAST_BYTES: f64 = 65_536.0;
/// The states of jobs that their users ended.
const DELETED: [&str; 4] = ["deleted", "deleting", "deleted_new", "stopped"];
/// The endings of the names of compressed datatypes, as TPV's `helpers.get_input_size` knows them.
const COMPRESSED: [&str; 2] = [".gz", ".bz2"];

/// A tool without its version, and what sets its memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// The tool's id, without the version at the end of an id from a tool shed.
    pub tool: String,
    /// The entity or rule that sets the memory today.
    pub setter: Setter,
}

/// A line that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The number of the line, from 1.
    pub line: usize,
    /// The fault: `outcome.memory_bytes: must be a number of bytes: it is negative`.
    pub message: String,
}

/// The jobs of a group.
#[derive(Debug, Default)]
pub struct Group {
    /// All jobs.
    pub jobs: u64,
    /// Jobs that were killed for memory at least once.
    pub killed: u64,
    /// Jobs whose last attempt was killed for memory.
    pub lost: u64,
    /// Jobs that failed for another reason, from which no need is learnt.
    pub failed: u64,
    /// Jobs that their users deleted, from which no need is learnt.
    pub deleted: u64,
    /// Jobs without memory or time in their outcome.
    pub unmeasured: u64,
    /// Jobs of which some input has no size.
    pub unsized_inputs: u64,
    /// The memory asked for by today's rules, in GiB.
    pub asked: Sketch,
    /// The same amounts by the bits of the number, with the jobs that have them; empty if they are too many.
    pub amounts: Option<BTreeMap<u64, u64>>,
    /// Jobs of which the memory that they had is known, and those of them that had another amount than today's rules give.
    pub given: [u64; 2],
    /// The memory that those had, in GiB.
    pub given_otherwise: Sketch,
    /// The memory used by jobs that ran to their end, in GiB.
    pub used: Sketch,
    /// The most memory used, in GiB.
    pub most_used: f64,
    /// MiB·s that all attempts had: what they were given or, where that is not known, what today's rules give.
    pub reserved: u64,
    /// MiB·s that jobs used which ran to their end: their peak, all the time.
    pub used_time: u64,
    /// MiB·s that attempts had which were killed for memory.
    pub failed_time: u64,
    /// Core·s that were given, of jobs whose processor time is known.
    pub cores_reserved: u64,
    /// Seconds of processor time used.
    pub cores_used: u64,
    /// Attempts with more memory than the one before that a job gets which is killed each time, with the number of jobs.
    pub attempts: BTreeMap<u32, u64>,
    /// The text of the value that sets the memory, where it is one.
    pub value: Option<String>,
    /// The user of all jobs, by the hash of the name; `None` if they are several, or not known.
    pub only_user: Option<u64>,
    /// The id of a tool of the group with its version: the first by name.
    pub example: String,
    /// The times of the first and the last job, in seconds since 1970.
    pub period: Option<(i64, i64)>,
    /// The jobs that are kept: the greatest hash first.
    kept: BinaryHeap<Kept>,
    /// Lines of jobs: the greatest hash first.
    examples: BinaryHeap<(u64, Box<[u8]>)>,
    /// The versions in the order of arrival.
    versions: Vec<String>,
}

/// A kept job, ordered by its hash.
#[derive(Clone, Debug)]
struct Kept {
    hash: u64,
    line: u32,
    job: Observation,
    has_time: bool,
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
    }
}

impl Eq for Kept {}

impl PartialOrd for Kept {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Kept {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.hash.cmp(&other.hash)
    }
}

impl Group {
    /// Keeps a job if its line's hash is among the least.
    pub(crate) fn keep(&mut self, line: u32, job: Observation, has_time: bool, room: usize) {
        let kept = Kept { hash: mixed(u64::from(line)), line, job, has_time };
        if self.kept.len() < room || self.kept.peek().is_some_and(|greatest| kept.hash < greatest.hash) {
            self.kept.push(kept);
        }
        while self.kept.len() > room {
            self.kept.pop();
        }
    }

    /// The kept jobs with the names of their versions, sorted; the same whatever the order in which they came.
    pub fn observations(&self) -> (Vec<Observation>, Vec<String>) {
        let mut names = self.versions.clone();
        names.sort();
        let index = |version: u16| {
            let name = self.versions.get(usize::from(version));
            name.and_then(|name| names.binary_search(name).ok())
                .and_then(|at| u16::try_from(at).ok())
                .unwrap_or(u16::MAX)
        };
        let mut kept: Vec<&Kept> = self.kept.iter().collect();
        kept.sort_by_key(|kept| kept.line);
        let timed = kept.iter().all(|kept| kept.has_time);
        let jobs = kept.iter().map(|kept| Observation {
            version: index(kept.job.version),
            time: if timed { kept.job.time } else { i64::from(kept.line) },
            ..kept.job.clone()
        });
        (jobs.collect(), names)
    }

    /// The kept jobs whose memory is likely in another unit than that of the rest.
    pub fn other_unit(&self) -> Option<OtherUnit> {
        let ended = self.kept.iter().filter(|kept| !kept.job.is_killed);
        other_unit(ended.map(|kept| (kept.job.peak, kept.line)).collect())
    }

    /// The attempts that most jobs get.
    pub fn usual_attempts(&self) -> u32 {
        self.attempts.iter().max_by_key(|(_, jobs)| **jobs).map_or(1, |(attempts, _)| *attempts)
    }

    /// The median of the memory that today's rules give, in GiB: exact unless there are many amounts.
    pub fn asked_median(&self) -> Option<f64> {
        let Some(amounts) = self.amounts.as_ref().filter(|amounts| !amounts.is_empty()) else {
            return self.asked.quantile(0.5);
        };
        let half = amounts.values().sum::<u64>().div_ceil(2);
        let mut jobs = 0;
        // The bits of positive numbers are in the order of the numbers.
        amounts
            .iter()
            .find(|(_, count)| {
                jobs += **count;
                jobs >= half
            })
            .map(|(bits, _)| f64::from_bits(*bits))
    }

    /// Counts an amount that today's rules give.
    pub(crate) fn add_asked(&mut self, memory: f64, jobs: u64) {
        self.asked.add_many(memory, jobs);
        let is_first = self.asked.len() == jobs;
        let amounts = if is_first { Some(self.amounts.get_or_insert_default()) } else { self.amounts.as_mut() };
        if let Some(amounts) = amounts {
            *amounts.entry(memory.to_bits()).or_default() += jobs;
            if amounts.len() > MOST_AMOUNTS {
                self.amounts = None;
            }
        }
    }

    /// The number of jobs that are kept to learn from.
    pub fn observed(&self) -> usize {
        self.kept.len()
    }

    /// Lines of some of the jobs.
    pub fn examples(&self) -> impl Iterator<Item = &[u8]> {
        self.examples.iter().map(|(_, line)| &**line)
    }
}

/// The ids of jobs, as a set of numbers that is small for those that follow each other: by 64 of them, a bit each.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    numbers: HashMap<u64, u64>,
    hasher: RandomState,
}

impl Ids {
    /// Adds a job's id, which is JSON text. Returns `false` if it is known; a job without an id is always new.
    pub(crate) fn is_new(&mut self, id: &str) -> bool {
        if ["null", "\"\""].contains(&id) {
            return true;
        }
        let number = id.parse().unwrap_or_else(|_| self.hasher.hash_one(id));
        let (bits, bit) = (self.numbers.entry(number / 64).or_default(), 1 << (number % 64));
        let is_new = *bits & bit == 0;
        *bits |= bit;
        is_new
    }
}

/// The job of a line as it is mapped for the first time. Its number is its seed unless it has one, so that all rule sets give it the same chance.
///
/// # Errors
/// The line is no job.
pub(crate) fn job_of_line(number: usize, line: &[u8]) -> Result<Arc<Job>, tpv_galaxy::Error> {
    let mut job = Job::from_line(line)?.first_mapped();
    job.seed.get_or_insert_with(|| number.into());
    Ok(Arc::new(job))
}

/// The end of a job whose need can be learnt from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    /// It ran to its end and used so many GiB.
    Done {
        /// The peak.
        peak: f64,
    },
    /// Its last attempt was killed for memory.
    Killed {
        /// The memory that it is known to have had, in GiB.
        had: Option<f64>,
    },
}

/// The end of a job; `None` if it says nothing of the need.
pub(crate) fn end(outcome: &Outcome) -> Option<End> {
    let gib = |bytes: Option<f64>| bytes.filter(|bytes| *bytes > 0.0).map(|bytes| bytes / GIB);
    let peak = gib(outcome.last.memory_bytes);
    if outcome.last.oom == Some(true) {
        let had = gib(outcome.last.allocated_memory_bytes);
        return Some(End::Killed { had: had.map(|had| had.max(peak.unwrap_or_default())).or(peak) });
    }
    let is_ok = outcome.state.as_deref().is_none_or(|state| state == "ok");
    peak.filter(|_| is_ok).map(|peak| End::Done { peak })
}

/// Everything that was read.
#[derive(Debug, Default)]
pub struct History {
    /// The groups.
    pub groups: HashMap<Key, Group>,
    /// Jobs of tools beyond the number of groups that are kept apart.
    pub others: u64,
    /// All jobs.
    pub jobs: u64,
    /// Jobs with an outcome.
    pub outcomes: u64,
    /// Lines of jobs whose id an earlier line has.
    pub repeated: u64,
    /// Jobs that today's rules do not map, or give no number for their memory.
    pub unmapped: u64,
    /// The first faulty lines.
    pub faults: Vec<Fault>,
    /// The number of faulty lines.
    pub faulty: u64,
    /// The ids of jobs, as numbers.
    ids: Ids,
}

impl History {
    /// The jobs that are kept of a group when there are so many groups.
    pub(crate) fn room(groups: usize) -> usize {
        (MOST_KEPT / groups.max(1)).clamp(KEPT.0, KEPT.1)
    }

    fn fault(&mut self, fault: Fault) {
        self.faulty += 1;
        let at = self.faults.partition_point(|known| *known < fault);
        self.faults.insert(at, fault);
        self.faults.truncate(MOST_FAULTS);
    }

    /// The group with this key, new if need be; `None` if there are too many.
    pub(crate) fn group(&mut self, key: &Key) -> Option<&mut Group> {
        let has_room = self.groups.len() < MOST_GROUPS || self.groups.contains_key(key);
        has_room.then(|| self.groups.entry(key.clone()).or_default())
    }

    /// Leaves of each group as many jobs as the number of groups allows.
    pub(crate) fn trim(&mut self) {
        let room = Self::room(self.groups.len());
        for group in self.groups.values_mut() {
            while group.kept.len() > room {
                group.kept.pop();
            }
        }
    }
}

/// Reads lines of jobs. All threads fill one history, so that memory does not grow with them.
pub struct Lines {
    /// Maps by today's rules.
    pub mapper: Mapper,
    /// Galaxy's state.
    pub world: Arc<World>,
    /// Only tools whose id contains this text.
    pub tool: Option<String>,
    history: Mutex<History>,
    hasher: RandomState,
}

impl Lines {
    /// Reads jobs with these rules.
    pub fn new(mapper: Mapper, world: Arc<World>, tool: Option<String>) -> Self {
        Self { mapper, world, tool, history: Mutex::default(), hasher: RandomState::new() }
    }

    fn lock(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The history, once all lines are read.
    pub fn take(&self) -> History {
        let mut history = std::mem::take(&mut *self.lock());
        history.trim();
        history.ids = Ids::default();
        history
    }
}

impl Work for Lines {
    type Tally = ();

    fn line(&self, number: usize, line: &[u8], _: &mut String, (): &mut ()) {
        let fault = |message: String| self.lock().fault(Fault { line: number, message });
        let job = match job_of_line(number, line) {
            Ok(job) => job,
            Err(error) => return fault(error.to_string()),
        };
        if let Some(message) = crate::csv::message(&job) {
            return fault(message);
        }
        if self.tool.as_ref().is_some_and(|tool| !job.tool_id().contains(tool.as_str())) {
            return;
        }
        let outcome = match Outcome::of(&job).map_err(|error| error.to_string()).and_then(checked) {
            Ok(outcome) => outcome,
            Err(message) => return fault(message),
        };
        let mut history = self.lock();
        if !history.ids.is_new(&job.id) {
            history.repeated += 1;
            return;
        }
        drop(history);
        let today = outcome.as_ref().and_then(|_| today::ask(&self.mapper, &job, &self.world));
        let mut history = self.lock();
        history.jobs += 1;
        let Some(outcome) = &outcome else { return };
        history.outcomes += 1;
        let Some(today) = today else {
            history.unmapped += 1;
            return;
        };
        let (tool, version) = split_version(job.tool_id());
        let version = job.tool.version.map_or(version, |version| job.text(version));
        let user = job.user.as_ref().map(|user| self.hasher.hash_one(user.username(&job)));
        let entry = Entry { line: number, text: line, version, user, ..Entry::of(&job, outcome, &today) };
        history.add(&Key { tool: tool.to_owned(), setter: today.setter }, &entry, outcome, &today);
    }

    fn end_thread(&self) {
        Mapper::leave_to_system();
    }
}

impl History {
    /// Adds a job.
    fn add(&mut self, key: &Key, entry: &Entry<'_>, outcome: &Outcome, today: &Today) {
        let count = self.groups.len();
        let is_new = !self.groups.contains_key(key);
        if is_new && count >= MOST_GROUPS {
            self.others += 1;
            return;
        }
        let room = Self::room(count + usize::from(is_new));
        let group = self.groups.entry(key.clone()).or_default();
        group.count(entry, outcome, today);
        if group.example.is_empty() || entry.id < group.example.as_str() {
            entry.id.clone_into(&mut group.example);
        }
        let examples = (EXAMPLES.1 / (count + 1)).clamp(1, EXAMPLES.0);
        group.keep_example(entry, examples);
        if let Some(mut job) = entry.observation.clone() {
            job.version = group.version(entry.version);
            let line = u32::try_from(entry.line).unwrap_or(u32::MAX);
            group.keep(line, job, outcome.end_time.is_some(), room);
        }
        // Groups that get no more jobs keep what they have until there is no room for it.
        if is_new && (count + 1).is_power_of_two() {
            self.trim();
        }
    }
}

/// The contribution of a job to its group.
struct Entry<'a> {
    /// The number of its line, and the line.
    line: usize,
    text: &'a [u8],
    /// The hash of the user's name.
    user: Option<u64>,
    /// The tool's id and its version.
    id: &'a str,
    version: &'a str,
    observation: Option<Observation>,
    /// MiB·s of all attempts, and of those that were killed.
    reserved: f64,
    failed: f64,
    /// GiB that a job used which ran to its end, and the hours of that.
    used: Option<(f64, f64)>,
    is_killed: bool,
    is_lost: bool,
    is_failed: bool,
    is_deleted: bool,
    is_unsized: bool,
    /// The memory in GiB that its first attempt had.
    given: Option<f64>,
}

impl<'a> Entry<'a> {
    fn of(job: &'a Job, outcome: &Outcome, today: &Today) -> Self {
        let is_lost = outcome.last.oom == Some(true);
        let state = outcome.state.as_deref().filter(|_| !is_lost);
        let is_deleted = state.is_some_and(|state| DELETED.contains(&state));
        let is_failed = !is_deleted && state.is_some_and(|state| state != "ok");
        let is_killed = is_lost || outcome.earlier.iter().any(|attempt| attempt.oom == Some(true));
        let attempts = || outcome.earlier.iter().chain([&outcome.last]);
        let given = |attempt: &Attempt| attempt.allocated_memory_bytes.map_or(today.memory, |bytes| bytes / GIB);
        let time = |attempt: &Attempt| given(attempt) * 1024.0 * attempt.runtime_seconds.unwrap_or_default();
        let failed = attempts().filter(|attempt| attempt.oom == Some(true)).map(time).sum();
        let reserved = attempts().map(time).sum();
        let first = attempts().next().and_then(|first| first.allocated_memory_bytes);
        let hours = outcome.last.runtime_seconds.map(|seconds| seconds / 3600.0);
        let (plain, compressed, is_unsized) = sizes(job);
        let (mut used, mut observation) = (None, None);
        if let Some((end, hours)) = end(outcome).zip(hours) {
            let peak = match end {
                End::Done { peak } => {
                    used = Some((peak, hours));
                    peak
                }
                // What a killed job had is what it is known to exceed.
                End::Killed { had } => had.unwrap_or(today.memory),
            };
            #[expect(clippy::cast_possible_truncation, reason = "an amount: seven digits are enough")]
            let small = |number: f64| number as f32;
            observation = (hours > 0.0).then(|| Observation {
                time: outcome.end_time.unwrap_or_default(),
                plain: small(plain),
                compressed: small(compressed),
                peak: small(peak),
                hours: small(hours),
                today: today.ladder.clone(),
                is_killed: is_lost,
                version: 0,
            });
        }
        let id = job.tool_id();
        Self {
            line: 0,
            text: &[],
            user: None,
            given: first.map(|bytes| bytes / GIB).filter(|had| *had > 0.0),
            is_deleted,
            id,
            version: "",
            observation,
            reserved,
            failed,
            used,
            is_killed,
            is_lost,
            is_failed,
            is_unsized,
        }
    }
}

impl Group {
    fn count(&mut self, entry: &Entry<'_>, outcome: &Outcome, today: &Today) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a sum of whole numbers, which saturates"
        )]
        let whole = |number: f64| number.round() as u64;
        self.jobs += 1;
        self.killed += u64::from(entry.is_killed);
        self.lost += u64::from(entry.is_lost);
        self.failed += u64::from(entry.is_failed);
        self.deleted += u64::from(entry.is_deleted);
        self.unmeasured += u64::from(entry.observation.is_none() && !entry.is_failed && !entry.is_deleted);
        self.unsized_inputs += u64::from(entry.is_unsized);
        self.add_asked(today.memory, 1);
        if self.jobs == 1 {
            self.only_user = entry.user;
            self.value = today.value.as_ref().map(|value| value.as_str().to_owned());
        } else if self.only_user != entry.user {
            self.only_user = None;
        }
        if let Some(given) = entry.given {
            let is_other = (given / today.memory - 1.0).abs() > SAME;
            self.given = [self.given[0] + 1, self.given[1] + u64::from(is_other)];
            if is_other {
                self.given_otherwise.add(given);
            }
        }
        self.reserved = self.reserved.saturating_add(whole(entry.reserved));
        self.failed_time = self.failed_time.saturating_add(whole(entry.failed));
        if let Some((peak, hours)) = entry.used {
            self.used.add(peak);
            self.most_used = self.most_used.max(peak);
            self.used_time = self.used_time.saturating_add(whole(peak * 1024.0 * hours * 3600.0));
        }
        let cores = outcome.slots.or(today.cores);
        if let (Some(cores), Some(cpu), Some(time)) = (cores, outcome.cpu_seconds, outcome.last.runtime_seconds) {
            self.cores_reserved = self.cores_reserved.saturating_add(whole(cores * time));
            self.cores_used = self.cores_used.saturating_add(whole(cpu));
        }
        *self.attempts.entry(rising(&today.ladder)).or_default() += 1;
        if let Some(time) = outcome.end_time {
            self.period = Some(self.period.map_or((time, time), |(first, last)| (first.min(time), last.max(time))));
        }
    }

    /// Keeps a line to ask the rules with, if its hash is among the least.
    fn keep_example(&mut self, entry: &Entry<'_>, most: usize) {
        let hash = mixed(entry.line as u64);
        if self.examples.len() < most || self.examples.peek().is_some_and(|(greatest, _)| hash < *greatest) {
            self.examples.push((hash, entry.text.into()));
        }
        while self.examples.len() > most {
            self.examples.pop();
        }
    }

    fn version(&mut self, name: &str) -> u16 {
        let known = self.versions.iter().position(|known| known == name).or_else(|| {
            (self.versions.len() < MOST_VERSIONS).then(|| {
                self.versions.push(name.to_owned());
                self.versions.len() - 1
            })
        });
        known.and_then(|at| u16::try_from(at).ok()).unwrap_or(u16::MAX)
    }
}

/// The attempts that have more memory than all before them, the first one included.
fn rising(ladder: &crate::need::Ladder) -> u32 {
    let mut most = 0.0;
    let rises = ladder.iter().filter(|given| {
        let rises = *given > most;
        most = given.max(most);
        rises
    });
    u32::try_from(rises.count()).unwrap_or(1)
}

/// Refuses memory that no job can have had.
fn checked(outcome: Option<Outcome>) -> Result<Option<Outcome>, String> {
    let Some(outcome) = outcome else { return Ok(None) };
    for attempt in outcome.earlier.iter().chain([&outcome.last]) {
        for (name, bytes) in
            [("memory_bytes", attempt.memory_bytes), ("allocated_memory_bytes", attempt.allocated_memory_bytes)]
        {
            if let Some(bytes) = bytes.filter(|bytes| *bytes > 0.0 && *bytes < LEAST_BYTES) {
                return Err(format!(
                    "outcome.{name}: {bytes} bytes are less than any program takes: the unit is bytes"
                ));
            }
        }
    }
    Ok(Some(outcome))
}

/// GiB of the distinct inputs of a job: plain ones, compressed ones, and if some have no size.
fn sizes(job: &Job) -> (f64, f64, bool) {
    let (mut plain, mut compressed, mut is_unsized) = (0.0, 0.0, false);
    let mut seen: std::collections::HashSet<&DatasetId> = std::collections::HashSet::new();
    // Of equal ids the last counts, as in `input_size`.
    for input in job.input_datasets.iter().rev() {
        if job.input_datasets.len() > 1 && !seen.insert(&input.id) {
            continue;
        }
        let extension = input.extension.map_or("", |extension| job.text(extension));
        let Some(size) = input.size.map(tpv_galaxy::job::Size::to_float) else {
            is_unsized = true;
            continue;
        };
        let is_compressed = COMPRESSED.iter().any(|end| extension.ends_with(end));
        *if is_compressed { &mut compressed } else { &mut plain } += size / GIB;
    }
    (plain, compressed, is_unsized)
}
