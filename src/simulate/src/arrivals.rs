//! Jobs in the order of their arrival: lines of a job file with their times, or a Poisson stream of them.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io::{self, BufRead};
use std::sync::Arc;

use num_bigint::BigInt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, Exp, Uniform};
use serde::{Deserialize, Serialize};
use tpv_analysis::sketch::Sketch;
use tpv_galaxy::helpers::GIB;
use tpv_galaxy::job::Job;
use tpv_galaxy::outcome::Outcome;

use crate::amount::{SECOND, Time, seconds, time};

/// A job that arrives.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// Its moment.
    pub at: Time,
    /// The number of its line, from 1.
    pub line: usize,
    /// The job.
    pub job: Arc<Job>,
    /// The history of it.
    pub past: Past,
}

/// A job's run as the history tells it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// The time that it runs if its memory suffices.
    pub runs: Time,
    /// The memory in GiB that it uses at most; `None` if not known: then any memory suffices.
    pub needs: Option<f64>,
    /// `true` if the need is only known to be more than that, because the job was killed.
    pub needs_more: bool,
    /// Seconds of processor time that it used.
    pub cpu_seconds: Option<f64>,
    /// The time for which it waited.
    pub waited: Option<Time>,
}

/// The times at which jobs arrive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Times {
    /// Those of the history, each moved by at most so many seconds at random.
    History {
        /// Seconds.
        jitter: f64,
    },
    /// A Poisson stream.
    Poisson {
        /// Jobs an hour.
        rate: f64,
        /// Its beginning, unless the first line tells its own.
        from: Time,
    },
}

/// A line that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Its number, from 1.
    pub line: usize,
    /// The fault: `outcome.memory_bytes: must be a number of bytes: it is negative`.
    pub message: String,
}

/// The counts of lines that were read, and of those that could not be used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// Lines.
    pub lines: u64,
    /// Jobs without `job.create_time`, which are left out.
    pub without_time: u64,
    /// Jobs that the history says never ran, which are left out.
    pub never_ran: u64,
    /// Jobs whose run time is not known and was taken from those of their tool.
    pub guessed_times: u64,
    /// Jobs whose run time is not known and of whose tool no job was read before, which are left out.
    pub without_run: u64,
    /// Jobs that end before they start; their run time counts as not known.
    pub end_before_start: u64,
    /// Jobs that come so much later in the file than their time that they arrive late.
    pub late: u64,
    /// Lines that cannot be used.
    pub faulty: u64,
    /// The first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
}

/// Lines that are held back to be put in order: a file may be out of order by so many.
const HELD: usize = 20_000;
/// Faulty lines that are reported.
const MOST_FAULTS: usize = 10;
/// Tools whose run times are kept.
const MOST_TOOLS: usize = 20_000;
/// The jobs of a file.
pub struct Lines<R> {
    reader: R,
    times: Times,
    random: ChaCha8Rng,
    seed: u64,
    held: BinaryHeap<Reverse<(Time, usize)>>,
    jobs: HashMap<usize, Arrival>,
    last: Option<Time>,
    run_times: HashMap<String, Sketch>,
    at_end: bool,
    /// The counts of the lines read so far.
    pub told: Told,
    /// The error that ended reading.
    pub error: Option<io::Error>,
}

impl<R: BufRead> Lines<R> {
    /// The jobs of these lines, in the order of their times. Seed 0 is the history as it was.
    pub fn new(reader: R, times: Times, seed: u64) -> Self {
        Self {
            reader,
            times,
            random: ChaCha8Rng::seed_from_u64(seed),
            seed,
            held: BinaryHeap::new(),
            jobs: HashMap::new(),
            last: None,
            run_times: HashMap::new(),
            at_end: false,
            told: Told::default(),
            error: None,
        }
    }

    fn fault(&mut self, line: usize, message: String) {
        self.told.faulty += 1;
        if self.told.faults.len() < MOST_FAULTS {
            self.told.faults.push(Fault { line, message });
        }
    }

    /// Reads a line; false at the end.
    fn read(&mut self) -> bool {
        let mut line = Vec::new();
        match self.reader.read_until(b'\n', &mut line) {
            Ok(0) => return false,
            Ok(_) => {}
            Err(error) => {
                self.error = Some(error);
                return false;
            }
        }
        self.told.lines += 1;
        let number = usize::try_from(self.told.lines).unwrap_or(usize::MAX);
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let read = Job::from_line(text).and_then(|job| {
            let times = (job.create_time()?, Outcome::of(&job)?);
            Ok((job, times))
        });
        match read {
            Ok((job, (created, outcome))) => self.add(number, job, created, outcome),
            Err(error) => self.fault(number, error.to_string()),
        }
        true
    }

    fn add(&mut self, line: usize, mut job: Job, created: Option<Time>, outcome: Option<Outcome>) {
        let Some(at) = self.moment(created) else {
            self.told.without_time += 1;
            return;
        };
        let outcome = outcome.unwrap_or_default();
        let Some(past) = self.past(&job, &outcome, created) else { return };
        // As `tpvc diff` and `tpvc sweep` do it: all rule sets get the same chance.
        let seed = u128::from(self.seed) << 64 | line as u128;
        job.seed.get_or_insert_with(|| BigInt::from(seed));
        self.held.push(Reverse((at, line)));
        self.jobs.insert(line, Arrival { at, line, job: Arc::new(job), past });
    }

    /// The moment at which a job arrives.
    fn moment(&mut self, created: Option<Time>) -> Option<Time> {
        match self.times {
            Times::History { jitter } if jitter > 0.0 => {
                let moved = Uniform::new_inclusive(-jitter, jitter).sample(&mut self.random);
                created.map(|at| at.saturating_add(time(moved)))
            }
            Times::History { .. } => created,
            Times::Poisson { rate, from } => {
                let gap = Exp::new(rate / 3600.0).ok()?.sample(&mut self.random);
                let next = self.last.unwrap_or(created.unwrap_or(from)).saturating_add(time(gap));
                self.last = Some(next);
                Some(next)
            }
        }
    }

    fn past(&mut self, job: &Job, outcome: &Outcome, created: Option<Time>) -> Option<Past> {
        let (tool, _) = tpv_analysis::tool_id::split_version(job.tool_id());
        let measured = outcome.last.runtime_seconds.filter(|seconds| *seconds > 0.0).map(time);
        let between = outcome.running_time.zip(outcome.end_time).map(|(from, to)| to.saturating_sub(from));
        let ends_before = between.is_some_and(|time| time < 0);
        self.told.end_before_start += u64::from(ends_before);
        let between = between.filter(|time| *time >= 0).map(|seconds| seconds.saturating_mul(SECOND));
        let known = measured.or(between).or(outcome.last.runtime_seconds.map(time));
        let runs = match known {
            Some(time) => {
                if self.run_times.len() < MOST_TOOLS || self.run_times.contains_key(tool) {
                    self.run_times.entry(tool.to_owned()).or_default().add(seconds(time));
                }
                time
            }
            None if matches!(outcome.state.as_deref(), Some("deleted" | "deleting" | "paused" | "new" | "skipped")) => {
                self.told.never_ran += 1;
                return None;
            }
            None => match self.run_times.get(tool).and_then(|times| times.quantile(0.5)) {
                Some(median) => {
                    self.told.guessed_times += 1;
                    time(median)
                }
                None => {
                    self.told.without_run += 1;
                    return None;
                }
            },
        };
        let is_lost = outcome.last.oom == Some(true);
        let given = outcome.last.allocated_memory_bytes.filter(|_| is_lost);
        let needs = match (outcome.last.memory_bytes.filter(|bytes| *bytes > 0.0), given) {
            (Some(used), Some(given)) => Some(used.max(given)),
            (used, given) => used.or(given),
        };
        let first_run = outcome.running_time.map(|time| time.saturating_mul(SECOND));
        let since_created = first_run.zip(created).map(|(run, created)| run.saturating_sub(created).max(0));
        Some(Past {
            runs,
            needs: needs.map(|bytes| bytes / GIB),
            needs_more: is_lost,
            cpu_seconds: outcome.cpu_seconds,
            // Of a job that was resubmitted it is not known how long its first attempts waited.
            waited: since_created.or(outcome.queue_seconds.map(time)).filter(|_| outcome.earlier.is_empty()),
        })
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Arrival;

    fn next(&mut self) -> Option<Arrival> {
        while !self.at_end && self.held.len() < HELD {
            self.at_end = !self.read();
        }
        let Reverse((at, line)) = self.held.pop()?;
        let mut arrival = self.jobs.remove(&line)?;
        if let Times::History { .. } = self.times {
            let last = self.last.unwrap_or(at);
            if at < last {
                self.told.late += 1;
            }
            arrival.at = at.max(last);
            self.last = Some(arrival.at);
        }
        Some(arrival)
    }
}
