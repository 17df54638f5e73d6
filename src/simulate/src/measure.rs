//! Measures taken while time runs: waits, what was held and wasted, queues and use over time.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};
use tpv_analysis::sketch::Sketch;
use tpv_analysis::summary::table::Table;

use crate::amount::{Amount, Time, seconds};

/// The end of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It ran to its end, as in the history: well, or in an error of its own.
    Done,
    /// Its memory was short, and nothing sent it elsewhere.
    OutOfMemory,
    /// No rule took it, or one refused it.
    Unmapped,
    /// No node of the cluster could ever hold it.
    TooLarge,
    /// The rules never became ready for it, or its cluster never opened again.
    Lost,
}

/// Totals of some jobs. Sums are of whole numbers, so that they do not depend on the order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    /// Jobs that ended.
    pub jobs: u64,
    /// Their waiting times, of all attempts, in seconds.
    pub waits: Sketch,
    /// The sum of these, in microseconds.
    pub waited: u128,
    /// The longest wait, in microseconds.
    pub longest: Time,
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
}

impl AddAssign<&Self> for Stats {
    fn add_assign(&mut self, other: &Self) {
        self.jobs += other.jobs;
        self.waits.merge(&other.waits);
        self.waited += other.waited;
        self.longest = self.longest.max(other.longest);
        self.done += other.done;
        self.out_of_memory += other.out_of_memory;
        self.unmapped += other.unmapped;
        self.too_large += other.too_large;
        self.lost += other.lost;
        self.not_ready += other.not_ready;
        self.deaths += other.deaths;
        self.resubmitted += other.resubmitted;
        self.cores += other.cores;
        self.cores_wasted += other.cores_wasted;
        self.mem += other.mem;
        self.mem_wasted += other.mem_wasted;
    }
}

impl Stats {
    /// The mean wait in seconds; 0 of no jobs.
    #[expect(clippy::cast_precision_loss, reason = "a mean")]
    pub fn mean_wait(&self) -> f64 {
        if self.jobs == 0 { 0.0 } else { self.waited as f64 / 1e6 / self.jobs as f64 }
    }

    /// The jobs that ended so.
    pub fn count_of(&self, end: End) -> u64 {
        match end {
            End::Done => self.done,
            End::OutOfMemory => self.out_of_memory,
            End::Unmapped => self.unmapped,
            End::TooLarge => self.too_large,
            End::Lost => self.lost,
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

/// A job that ended.
pub struct Ended<'a> {
    /// The destination that it was sent to last.
    pub destination: &'a str,
    /// The tool, without its version.
    pub tool: &'a str,
    /// The user's name, or `(anonymous)`.
    pub user: &'a str,
    /// The names of the user's roles.
    pub roles: Vec<&'a str>,
    /// The one job.
    pub stats: Stats,
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
    /// All jobs.
    pub all: Stats,
    /// By destination.
    pub destinations: Table<Stats>,
    /// By tool.
    pub tools: Table<Stats>,
    /// By user.
    pub users: Table<Stats>,
    /// By role.
    pub roles: Table<Stats>,
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
            all: Stats::default(),
            destinations: Table::default(),
            tools: Table::default(),
            users: Table::default(),
            roles: Table::default(),
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

    /// Adds a job that ended.
    pub fn add(&mut self, ended: &Ended<'_>) {
        self.all += &ended.stats;
        self.destinations.add(ended.destination, &ended.stats);
        self.tools.add(ended.tool, &ended.stats);
        self.users.add(ended.user, &ended.stats);
        for role in &ended.roles {
            self.roles.add(role, &ended.stats);
        }
    }

    /// Little's law: the mean number of waiting jobs is their rate times their mean wait. Counted in two ways, as the area below the number of
    /// waiting jobs and as the sum of the waits, it holds to the microsecond if no job was lost sight of.
    pub fn obeys_little(&self) -> bool {
        self.waiting.area() == self.all.waited
    }

    /// Returns `true` if each job that arrived ended once.
    pub fn is_conserved(&self) -> bool {
        let all = &self.all;
        self.arrived == all.jobs && all.jobs == all.done + all.out_of_memory + all.unmapped + all.too_large + all.lost
    }

    /// Thousandths of core·µs that clusters with a limit had and no job held.
    pub fn idle_cores(&self) -> u128 {
        let time = u128::from((self.to - self.from).unsigned_abs());
        let limited = self.clusters.iter().filter(|cluster| cluster.total.cores < Amount::WITHOUT_LIMIT.cores);
        let idle =
            |cluster: &ClusterSeries| (u128::from(cluster.total.cores) * time).saturating_sub(cluster.cores.area());
        limited.map(idle).sum()
    }
}
