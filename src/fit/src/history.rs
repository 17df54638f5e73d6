//! A history of jobs, read line by line into groups of bounded size: a tool, and what sets its memory.
//!
//! Counts and sketches are of all jobs; of each group some jobs are kept to learn from, chosen by the hash of their line's number, so that
//! they do not depend on the order of threads.

use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tpv_runtime::galaxy::job::{DatasetId, Job};
use tpv_runtime::galaxy::outcome::{Attempt, Outcome};
use tpv_runtime::galaxy::world::World;
use tpv_runtime::mapper::Mapper;
use tpv_runtime::stream::Work;

use crate::need::Observation;
use crate::random::mixed;
use crate::retries::Retries;
use crate::today::{self, Setter, Today};
use crate::units::{OtherUnit, other_unit};
use tpv_analysis::sketch::Sketch;
use tpv_analysis::tool_id::split_version;

const GIB: f64 = (1_u64 << 30) as f64;
/// The jobs that are kept of all groups together.
const MOST_KEPT: usize = 1_000_000;
/// The jobs that are kept of a group at most, and at least.
const KEPT: (usize, usize) = (50, 8_000);
/// Groups; the jobs of further ones are counted together.
const MOST_GROUPS: usize = 20_000;
/// Versions of a tool; further ones are taken as one.
const MOST_VERSIONS: usize = 64;
/// Faulty lines that are reported.
const MOST_FAULTS: usize = 10;
/// Less memory than any program takes, in bytes: whoever writes it means another unit.
const LEAST_BYTES: f64 = 65_536.0;
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
    /// Jobs without memory or time in their outcome.
    pub unmeasured: u64,
    /// Jobs of which some input has no size.
    pub unsized_inputs: u64,
    /// The memory asked for by today's rules, in GiB.
    pub asked: Sketch,
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
    /// Attempts that the destination's `resubmit` allows, with the number of jobs.
    pub attempts: BTreeMap<u32, u64>,
    /// The memory of the largest destination that takes the tool's jobs, in GiB.
    pub ceiling: Option<f64>,
    /// The id of a tool of the group with its version: the first by name.
    pub example: String,
    /// The times of the first and the last job, in seconds since 1970.
    pub period: Option<(i64, i64)>,
    /// The jobs that are kept: the greatest hash first.
    kept: BinaryHeap<Kept>,
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
            ..kept.job
        });
        (jobs.collect(), names)
    }

    /// The kept jobs whose memory is likely in another unit than that of the rest.
    pub fn other_unit(&self) -> Option<OtherUnit> {
        let ended = self.kept.iter().filter(|kept| !kept.job.is_killed);
        other_unit(ended.map(|kept| (kept.job.peak, kept.line)).collect())
    }

    /// The attempts that most jobs' destinations allow, if they say so.
    pub fn usual_attempts(&self) -> Option<u32> {
        self.attempts.iter().max_by_key(|(_, jobs)| **jobs).map(|(attempts, _)| *attempts)
    }
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
    /// Jobs that today's rules do not map, or give no number for their memory.
    pub unmapped: u64,
    /// The first faulty lines.
    pub faults: Vec<Fault>,
    /// The number of faulty lines.
    pub faulty: u64,
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
    retries: Retries,
}

impl Lines {
    /// Reads jobs with these rules.
    pub fn new(mapper: Mapper, world: Arc<World>, tool: Option<String>) -> Self {
        Self { mapper, world, tool, history: Mutex::default(), retries: Retries::default() }
    }

    fn lock(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The history, once all lines are read.
    pub fn take(&self) -> History {
        let mut history = std::mem::take(&mut *self.lock());
        history.trim();
        history
    }
}

impl Work for Lines {
    type Tally = ();

    fn line(&self, number: usize, line: &[u8], _: &mut String, (): &mut ()) {
        let fault = |message: String| self.lock().fault(Fault { line: number, message });
        let job = match Job::from_line(line) {
            Ok(job) => Arc::new(job.first_mapped()),
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
        let today = outcome.as_ref().and_then(|_| today::ask(&self.mapper, &job, &self.world, &self.retries));
        let (Some(outcome), Some(today)) = (&outcome, today) else {
            let mut history = self.lock();
            history.jobs += 1;
            history.outcomes += u64::from(outcome.is_some());
            history.unmapped += u64::from(outcome.is_some());
            return;
        };
        let (tool, version) = split_version(job.tool_id());
        let version = job.tool.version.map_or(version, |version| job.text(version));
        let key = Key { tool: tool.to_owned(), setter: today.setter };
        let entry = Entry { line: number, version, ..Entry::of(&job, outcome, &today) };
        let is_new = {
            let mut history = self.lock();
            history.jobs += 1;
            history.outcomes += 1;
            history.add(&key, &entry, outcome, &today)
        };
        if is_new {
            let ceiling = today::ceiling(&self.mapper, &job, &self.world);
            if let Some(group) = self.lock().groups.get_mut(&key) {
                group.ceiling = ceiling;
            }
        }
    }

    fn end_thread(&self) {
        Mapper::leave_to_system();
    }
}

impl History {
    /// Adds a job; true if it is the first of its group.
    fn add(&mut self, key: &Key, entry: &Entry<'_>, outcome: &Outcome, today: &Today) -> bool {
        let count = self.groups.len();
        let is_new = !self.groups.contains_key(key);
        if is_new && count >= MOST_GROUPS {
            self.others += 1;
            return false;
        }
        let room = Self::room(count + usize::from(is_new));
        let group = self.groups.entry(key.clone()).or_default();
        group.count(entry, outcome, today);
        if group.example.is_empty() || entry.id < group.example.as_str() {
            entry.id.clone_into(&mut group.example);
        }
        if let Some(mut job) = entry.observation {
            job.version = group.version(entry.version);
            let line = u32::try_from(entry.line).unwrap_or(u32::MAX);
            group.keep(line, job, outcome.end_time.is_some(), room);
        }
        // Groups that get no more jobs keep what they have until there is no room for it.
        if is_new && (count + 1).is_power_of_two() {
            self.trim();
        }
        is_new
    }
}

/// The contribution of a job to its group.
struct Entry<'a> {
    /// The number of its line.
    line: usize,
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
    is_unsized: bool,
}

impl<'a> Entry<'a> {
    fn of(job: &'a Job, outcome: &Outcome, today: &Today) -> Self {
        let is_lost = outcome.last.oom == Some(true);
        let is_failed = !is_lost && outcome.state.as_deref().is_some_and(|state| state != "ok");
        let is_killed = is_lost || outcome.earlier.iter().any(|attempt| attempt.oom == Some(true));
        let given = |attempt: &Attempt| attempt.allocated_memory_bytes.map_or(today.memory, |bytes| bytes / GIB);
        let time = |attempt: &Attempt| given(attempt) * 1024.0 * attempt.runtime_seconds.unwrap_or_default();
        let killed = outcome.earlier.iter().chain([&outcome.last]).filter(|attempt| attempt.oom == Some(true));
        let failed = killed.map(time).sum();
        let reserved = outcome.earlier.iter().chain([&outcome.last]).map(time).sum();
        let peak = outcome.last.memory_bytes.filter(|bytes| *bytes > 0.0).map(|bytes| bytes / GIB);
        let hours = outcome.last.runtime_seconds.map(|seconds| seconds / 3600.0);
        let used = peak.zip(hours).filter(|_| !is_lost && !is_failed);
        let (plain, compressed, is_unsized) = sizes(job);
        // What a killed job had is what it is known to exceed.
        let bound = if is_lost { Some(given(&outcome.last).max(peak.unwrap_or_default())) } else { peak };
        let observation = bound.zip(hours).filter(|(_, hours)| *hours > 0.0 && !is_failed).map(|(peak, hours)| {
            #[expect(clippy::cast_possible_truncation, reason = "an amount: seven digits are enough")]
            let small = |number: f64| number as f32;
            Observation {
                time: outcome.end_time.unwrap_or_default(),
                plain: small(plain),
                compressed: small(compressed),
                peak: small(peak),
                hours: small(hours),
                today: small(today.memory),
                is_killed: is_lost,
                version: 0,
            }
        });
        let id = job.tool_id();
        Self {
            line: 0,
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
        self.unmeasured += u64::from(entry.observation.is_none() && !entry.is_failed);
        self.unsized_inputs += u64::from(entry.is_unsized);
        self.asked.add(today.memory);
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
        if let Some(attempts) = today.attempts {
            *self.attempts.entry(attempts).or_default() += 1;
        }
        if let Some(time) = outcome.end_time {
            self.period = Some(self.period.map_or((time, time), |(first, last)| (first.min(time), last.max(time))));
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
        let Some(size) = input.size.map(tpv_runtime::galaxy::job::Size::to_float) else {
            is_unsized = true;
            continue;
        };
        let is_compressed = COMPRESSED.iter().any(|end| extension.ends_with(end));
        *if is_compressed { &mut compressed } else { &mut plain } += size / GIB;
    }
    (plain, compressed, is_unsized)
}
