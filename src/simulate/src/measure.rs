//! Measures taken while time runs: waits, what was held and wasted, queues and use over time.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};
use tpv_analysis::sketch::Sketch;
use tpv_analysis::summary::table::Table;

use crate::amount::{Amount, Time, seconds};
use crate::log::Log;
use crate::totals::Totals;

/// The end of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// It ran to its end, as in the history: well, or in an error of its own.
    Done,
    /// Its memory was short, and nothing sent it elsewhere.
    OutOfMemory,
    /// No rule took it, or one refused it.
    Unmapped,
    /// No node of the cluster could ever hold it.
    TooLarge,
    /// Its cluster never opened again, or it waited for jobs that never changed.
    #[default]
    Lost,
    /// The rules were not ready for it however often they were asked.
    Undecided,
}

/// The sums of one job over its attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobTotals {
    /// The time that it waited.
    pub waited: Time,
    /// Thousandths of core·seconds held.
    pub cores: u64,
    /// Of those, held by attempts that died, or idle as far as the processor time is known.
    pub cores_wasted: u64,
    /// MiB·s held.
    pub mem: u64,
    /// Of those, held by attempts that died, or beyond what the job used as far as that is known.
    pub mem_wasted: u64,
    /// Thousandths of GPU·seconds held.
    pub gpus: u64,
    /// Of those, held by attempts that died.
    pub gpus_wasted: u64,
    /// Attempts that died for want of memory.
    pub deaths: u32,
    /// Times that it was sent to another attempt.
    pub resubmitted: u32,
    /// `true` if the rules were not ready for it at least once.
    pub not_ready: bool,
}

/// Totals of some jobs. Sums are of whole numbers, so that they do not depend on the order. Waits are those of jobs that ran to their end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    /// Jobs that ended.
    pub jobs: u64,
    /// The waiting times, of all attempts, in seconds.
    pub waits: Sketch,
    /// The sum of these, in microseconds.
    pub waited: u128,
    /// The longest wait, in microseconds.
    pub longest: Time,
    /// The time that jobs waited that did not run to their end, in microseconds.
    #[serde(default)]
    pub waited_in_vain: u128,
    /// Jobs that ran to their end.
    pub done: u64,
    /// Jobs that ended for want of memory.
    pub out_of_memory: u64,
    /// Jobs that the rules did not map.
    pub unmapped: u64,
    /// Jobs that no node could hold.
    pub too_large: u64,
    /// Jobs that never started.
    pub lost: u64,
    /// Jobs that the rules were never ready for.
    #[serde(default)]
    pub undecided: u64,
    /// Jobs that the rules were not ready for at least once.
    pub not_ready: u64,
    /// Attempts that died for want of memory.
    pub deaths: u64,
    /// Times that a job was sent to another attempt.
    pub resubmitted: u64,
    /// Thousandths of core·seconds held.
    pub cores: u128,
    /// Of those, held by attempts that died, or idle as far as the processor time is known.
    pub cores_wasted: u128,
    /// MiB·s held.
    pub mem: u128,
    /// Of those, held by attempts that died, or beyond what the job used as far as that is known.
    pub mem_wasted: u128,
    /// Thousandths of GPU·seconds held.
    #[serde(default)]
    pub gpus: u128,
    /// Of those, held by attempts that died.
    #[serde(default)]
    pub gpus_wasted: u128,
}

impl AddAssign<&Self> for Stats {
    fn add_assign(&mut self, other: &Self) {
        self.jobs += other.jobs;
        self.waits.merge(&other.waits);
        self.waited += other.waited;
        self.longest = self.longest.max(other.longest);
        self.waited_in_vain += other.waited_in_vain;
        self.done += other.done;
        self.out_of_memory += other.out_of_memory;
        self.unmapped += other.unmapped;
        self.too_large += other.too_large;
        self.lost += other.lost;
        self.undecided += other.undecided;
        self.not_ready += other.not_ready;
        self.deaths += other.deaths;
        self.resubmitted += other.resubmitted;
        self.cores += other.cores;
        self.cores_wasted += other.cores_wasted;
        self.mem += other.mem;
        self.mem_wasted += other.mem_wasted;
        self.gpus += other.gpus;
        self.gpus_wasted += other.gpus_wasted;
    }
}

impl Stats {
    /// One job that ended so.
    pub fn of(job: &JobTotals, end: End) -> Self {
        let mut stats = Self {
            not_ready: u64::from(job.not_ready),
            deaths: u64::from(job.deaths),
            resubmitted: u64::from(job.resubmitted),
            cores: job.cores.into(),
            cores_wasted: job.cores_wasted.into(),
            mem: job.mem.into(),
            mem_wasted: job.mem_wasted.into(),
            gpus: job.gpus.into(),
            gpus_wasted: job.gpus_wasted.into(),
            ..Self::default()
        };
        let waited = u128::from(job.waited.unsigned_abs());
        if end == End::Done {
            (stats.waited, stats.longest) = (waited, job.waited);
            stats.waits.add(seconds(job.waited));
        } else {
            stats.waited_in_vain = waited;
        }
        stats.count(end);
        stats
    }

    /// The mean wait in seconds of the jobs that ran to their end; `None` if there are none.
    #[expect(clippy::cast_precision_loss, reason = "a mean")]
    pub fn mean_wait(&self) -> Option<f64> {
        (self.done > 0).then(|| self.waited as f64 / 1e6 / self.done as f64)
    }

    /// The jobs that did not run to their end.
    pub fn failed(&self) -> u64 {
        self.jobs - self.done
    }

    /// The jobs that ended so.
    pub fn count_of(&self, end: End) -> u64 {
        match end {
            End::Done => self.done,
            End::OutOfMemory => self.out_of_memory,
            End::Unmapped => self.unmapped,
            End::TooLarge => self.too_large,
            End::Lost => self.lost,
            End::Undecided => self.undecided,
        }
    }

    /// Counts the end of a job.
    pub fn count(&mut self, end: End) {
        let counter = match end {
            End::Done => &mut self.done,
            End::OutOfMemory => &mut self.out_of_memory,
            End::Unmapped => &mut self.unmapped,
            End::TooLarge => &mut self.too_large,
            End::Lost => &mut self.lost,
            End::Undecided => &mut self.undecided,
        };
        *counter += 1;
        self.jobs += 1;
    }
}

/// The points of a [`Series`].
pub const POINTS: usize = 512;

/// A level over time, as means over equal steps, whose number is bounded: as time goes on the steps grow.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The beginning.
    pub from: Time,
    /// The length of a step.
    pub step: Time,
    /// The level times the microseconds, of each step.
    pub sums: Vec<u128>,
    level: u64,
    since: Time,
    /// The greatest level.
    pub most: u64,
}

impl Series {
    /// Begins at a moment with the level 0, in steps of a minute.
    pub fn new(from: Time) -> Self {
        Self { from, step: 60_000_000, sums: Vec::new(), level: 0, since: from, most: 0 }
    }

    /// Sets the level from now on.
    pub fn set(&mut self, now: Time, level: u64) {
        self.pass(now);
        self.level = level;
        self.most = self.most.max(level);
    }

    /// Lets time pass.
    pub fn pass(&mut self, now: Time) {
        while self.since < now {
            let index = (self.since - self.from) / self.step;
            if index >= POINTS as Time {
                self.step = self.step.saturating_mul(2);
                self.sums = self.sums.chunks(2).map(|pair| pair.iter().sum()).collect();
                continue;
            }
            let end = self.from.saturating_add(self.step.saturating_mul(index + 1)).min(now);
            let index = usize::try_from(index).unwrap_or_default();
            if self.sums.len() <= index {
                self.sums.resize(index + 1, 0);
            }
            if let Some(sum) = self.sums.get_mut(index) {
                *sum += u128::from(self.level) * u128::from((end - self.since).unsigned_abs());
            }
            self.since = end;
        }
    }

    /// The sum of level times microseconds over all time.
    pub fn area(&self) -> u128 {
        self.sums.iter().sum()
    }

    /// The mean level of each step.
    #[expect(clippy::cast_precision_loss, reason = "a mean")]
    pub fn means(&self) -> Vec<f64> {
        let last = self.sums.len().saturating_sub(1);
        let length = |index: usize| match index == last {
            // The last step is cut short by the end.
            true => (self.since - self.from - self.step.saturating_mul(last as Time)).max(1),
            false => self.step,
        };
        self.sums.iter().enumerate().map(|(index, sum)| *sum as f64 / length(index) as f64).collect()
    }

    /// The mean level over all time.
    #[expect(clippy::cast_precision_loss, reason = "a mean")]
    pub fn mean(&self) -> f64 {
        let time = self.since - self.from;
        if time > 0 { self.area() as f64 / time as f64 } else { 0.0 }
    }
}

/// A cluster over time.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterSeries {
    /// Its name.
    pub name: String,
    /// All that it has; an amount of 2^60 or more is without limit.
    pub total: Amount,
    /// Jobs in its queue.
    pub queue: Series,
    /// Thousandths of cores in use.
    pub cores: Series,
    /// MiB in use.
    pub mem: Series,
    /// Thousandths of GPUs in use.
    pub gpus: Series,
}

/// Simulated waits beside those of the history.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compared {
    /// Jobs whose wait the history tells.
    pub jobs: u64,
    /// The waits of the history in seconds.
    pub recorded: Sketch,
    /// The sum of that, in microseconds.
    pub recorded_sum: u128,
    /// The simulated waits in seconds.
    pub simulated: Sketch,
    /// The sum of that, in microseconds.
    pub simulated_sum: u128,
    /// The sum of the differences of each job, without their signs, in microseconds.
    pub errors: u128,
}

impl Compared {
    /// One job.
    pub fn of(recorded: Time, simulated: Time) -> Self {
        let mut compared = Self { jobs: 1, ..Self::default() };
        compared.recorded.add(seconds(recorded));
        compared.recorded_sum = u128::from(recorded.max(0).unsigned_abs());
        compared.simulated.add(seconds(simulated));
        compared.simulated_sum = u128::from(simulated.max(0).unsigned_abs());
        compared.errors = u128::from(simulated.abs_diff(recorded));
        compared
    }
}

impl AddAssign<&Self> for Compared {
    fn add_assign(&mut self, other: &Self) {
        self.jobs += other.jobs;
        self.recorded.merge(&other.recorded);
        self.recorded_sum += other.recorded_sum;
        self.simulated.merge(&other.simulated);
        self.simulated_sum += other.simulated_sum;
        self.errors += other.errors;
    }
}

/// All that was measured of a run.
#[derive(Clone, Debug)]
pub struct Measure {
    /// The jobs.
    pub totals: Totals,
    /// The jobs that another run over the same arrivals finishes, too, if it was compared with one.
    pub common: Option<Totals>,
    /// Each job, if that is asked for.
    pub log: Option<Log>,
    /// The clusters.
    pub clusters: Vec<ClusterSeries>,
    /// Jobs that wait: for the rules, in a queue, or for their start.
    pub waiting: Series,
    /// Jobs that hold cores.
    pub running: Series,
    /// Jobs sent to destinations without a cluster, which start at once.
    pub without_cluster: Table<Stats>,
    /// The errors that kept jobs from being mapped: class and message, with the number.
    pub errors: Table<Stats>,
    /// Simulated waits beside those of the history, by simulated destination.
    pub compared: Table<Compared>,
    /// Jobs that arrived.
    pub arrived: u64,
    /// Times that the mapper was asked.
    pub asked: u64,
    /// The first arrival.
    pub from: Time,
    /// The last event.
    pub to: Time,
}

impl Measure {
    /// Empty measures that begin at this moment.
    pub fn new(from: Time) -> Self {
        Self {
            totals: Totals::default(),
            common: None,
            log: None,
            clusters: Vec::new(),
            waiting: Series::new(from),
            running: Series::new(from),
            without_cluster: Table::default(),
            errors: Table::default(),
            compared: Table::default(),
            arrived: 0,
            asked: 0,
            from,
            to: from,
        }
    }

    /// Little's law: the mean number of waiting jobs is their rate times their mean wait. Counted in two ways, as the area below the number of
    /// waiting jobs and as the sum of the waits, it holds to the microsecond if no job was lost sight of.
    pub fn obeys_little(&self) -> bool {
        self.waiting.area() == self.totals.all.waited + self.totals.all.waited_in_vain
    }

    /// Returns `true` if each job that arrived ended once.
    pub fn is_conserved(&self) -> bool {
        let all = &self.totals.all;
        let failed = all.out_of_memory + all.unmapped + all.too_large + all.lost + all.undecided;
        self.arrived == all.jobs && all.jobs == all.done + failed
    }

    /// The amounts that clusters with a limit had and no job held.
    pub fn idle(&self) -> Idle {
        let time = u128::from((self.to - self.from).unsigned_abs());
        let sum = |of: fn(&Amount) -> u64, used: fn(&ClusterSeries) -> &Series| -> u128 {
            let limited = self.clusters.iter().filter(|cluster| of(&cluster.total) < of(&Amount::WITHOUT_LIMIT));
            limited.map(|cluster| (u128::from(of(&cluster.total)) * time).saturating_sub(used(cluster).area())).sum()
        };
        Idle {
            cores: sum(|amount| amount.cores, |cluster| &cluster.cores),
            mem: sum(|amount| amount.mem, |cluster| &cluster.mem),
            gpus: sum(|amount| amount.gpus, |cluster| &cluster.gpus),
        }
    }
}

/// The amounts that nobody held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Idle {
    /// Thousandths of core·µs.
    pub cores: u128,
    /// MiB·µs.
    #[serde(default)]
    pub mem: u128,
    /// Thousandths of GPU·µs.
    #[serde(default)]
    pub gpus: u128,
}
