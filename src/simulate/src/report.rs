//! The report as data: the figures of a rule set over its seeds, and what changes between two.

use std::collections::BTreeMap;

use serde::Serialize;
use tpv_analysis::summary::table::Table;

use crate::amount::{Amount, seconds};
use crate::arrivals::Told;
use crate::measure::{ClusterSeries, Compared, Measure, Series, Stats};

/// One run of a rule set.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its measure.
    pub measure: Measure,
    /// The counts of the lines read.
    pub told: Told,
}

/// A rule set with its runs, one a seed.
#[derive(Clone, Debug)]
pub struct Set {
    /// Its name.
    pub name: String,
    /// The runs, in the order of their seeds.
    pub runs: Vec<Run>,
}

/// All of it.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Seeds.
    pub seeds: usize,
    /// The first arrival and the last event of the first seed, in seconds since 1970 UTC.
    pub period: [f64; 2],
    /// The counts of the lines read.
    pub jobs: Told,
    /// The rule sets: the new one last.
    pub sets: Vec<SetReport>,
    /// The changes from the old rules to the new ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changes>,
}

/// A rule set.
#[derive(Clone, Debug, Serialize)]
pub struct SetReport {
    /// Its name.
    pub name: String,
    /// All jobs.
    pub all: Row,
    /// By destination, the most waiting first; so are the others.
    pub destinations: Vec<Row>,
    /// By tool.
    pub tools: Vec<Row>,
    /// By user.
    pub users: Vec<Row>,
    /// By role.
    pub roles: Vec<Row>,
    /// The clusters in the first seed.
    pub clusters: Vec<ClusterReport>,
    /// Jobs that wait, over time, in the first seed.
    pub waiting: Level,
    /// Jobs that run.
    pub running: Level,
    /// Jobs sent to destinations without a cluster.
    pub without_cluster: Vec<Counted>,
    /// The errors that kept jobs from being mapped.
    pub errors: Vec<Counted>,
    /// Simulated waits beside those of the history: of all jobs, and by destination.
    pub calibration: Vec<Calibration>,
    /// Times that the mapper was asked, a seed.
    pub asked: f64,
    /// The key figures of each seed.
    pub figures: Vec<Figures>,
}

/// Simulated waits beside recorded ones, in seconds. A history records the wait of a job that ran at its first attempt.
#[derive(Clone, Debug, Serialize)]
pub struct Calibration {
    /// The destination, or `(all)`.
    pub name: String,
    /// Jobs whose wait is recorded, a seed.
    pub jobs: f64,
    /// The mean of the recorded waits.
    pub recorded_mean: f64,
    /// Their median.
    pub recorded_median: f64,
    /// The mean of the simulated waits.
    pub simulated_mean: f64,
    /// Their median.
    pub simulated_median: f64,
    /// The mean difference of a job's two waits, without its sign.
    pub mean_error: f64,
}

/// A name with a number of jobs.
#[derive(Clone, Debug, Serialize)]
pub struct Counted {
    /// The name.
    pub name: String,
    /// Jobs, in all seeds.
    pub jobs: u64,
}

/// Some jobs. Numbers and sums are those of a seed, on average; waits are of all seeds.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    /// The name.
    pub name: String,
    /// Jobs.
    pub jobs: f64,
    /// The median of the waits in seconds, as all quantiles within 1 %.
    pub wait_median: f64,
    /// 95 % of them waited no longer, in seconds.
    pub wait_95: f64,
    /// The longest, in seconds.
    pub wait_most: f64,
    /// The mean, in seconds.
    pub wait_mean: f64,
    /// Jobs that the rules were not ready for at least once.
    pub not_ready: f64,
    /// Attempts that died for want of memory.
    pub deaths: f64,
    /// Times that a job was sent to another attempt.
    pub resubmitted: f64,
    /// Jobs that ended for want of memory.
    pub out_of_memory: f64,
    /// Jobs that the rules did not map.
    pub unmapped: f64,
    /// Jobs that no node could hold.
    pub too_large: f64,
    /// Jobs that never started.
    pub lost: f64,
    /// core·h held.
    pub core_hours: f64,
    /// Of those, by attempts that died, or idle as far as the processor time is known.
    pub core_hours_wasted: f64,
    /// GiB·h held.
    pub gib_hours: f64,
    /// Of those, by attempts that died, or not used as far as the use is known.
    pub gib_hours_wasted: f64,
}

/// A cluster.
#[derive(Clone, Debug, Serialize)]
pub struct ClusterReport {
    /// Its name.
    pub name: String,
    /// Its cores; `None` without a limit.
    pub cores: Option<f64>,
    /// Its memory in GiB.
    pub mem: Option<f64>,
    /// Its GPUs.
    pub gpus: Option<f64>,
    /// Jobs that it runs at once.
    pub jobs: Option<f64>,
    /// Cores in use.
    pub cores_used: Level,
    /// GiB in use.
    pub mem_used: Level,
    /// GPUs in use.
    pub gpus_used: Level,
    /// Jobs in its queue.
    pub queue: Level,
}

/// A level over time.
#[derive(Clone, Debug, Serialize)]
pub struct Level {
    /// The mean.
    pub mean: f64,
    /// The most at any moment.
    pub most: f64,
    /// The length of a step in seconds.
    pub step: f64,
    /// The mean of each step.
    pub steps: Vec<f64>,
}

/// The key figures of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// Waits in seconds: their mean, median, 95 % and longest.
    pub wait_mean: f64,
    /// See above.
    pub wait_median: f64,
    /// See above.
    pub wait_95: f64,
    /// See above.
    pub wait_most: f64,
    /// Jobs that the rules were not ready for.
    pub not_ready: f64,
    /// Attempts that died for want of memory.
    pub deaths: f64,
    /// Jobs that did not run to their end.
    pub failed: f64,
    /// core·h held.
    pub core_hours: f64,
    /// core·h wasted.
    pub core_hours_wasted: f64,
    /// GiB·h held.
    pub gib_hours: f64,
    /// GiB·h wasted.
    pub gib_hours_wasted: f64,
}

/// A key figure with its name, its unit and where it is.
pub type FigureRow = (&'static str, Unit, fn(&Figures) -> f64);

/// The unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Jobs or attempts.
    Count,
    /// core·h or GiB·h.
    Hours,
}

/// All key figures.
pub const FIGURES: [FigureRow; 11] = [
    ("mean wait", Unit::Seconds, |figures| figures.wait_mean),
    ("median wait", Unit::Seconds, |figures| figures.wait_median),
    ("95 % wait at most", Unit::Seconds, |figures| figures.wait_95),
    ("longest wait", Unit::Seconds, |figures| figures.wait_most),
    ("jobs not ready at first", Unit::Count, |figures| figures.not_ready),
    ("attempts out of memory", Unit::Count, |figures| figures.deaths),
    ("jobs failed or lost", Unit::Count, |figures| figures.failed),
    ("core·h", Unit::Hours, |figures| figures.core_hours),
    ("core·h wasted", Unit::Hours, |figures| figures.core_hours_wasted),
    ("GiB·h", Unit::Hours, |figures| figures.gib_hours),
    ("GiB·h wasted", Unit::Hours, |figures| figures.gib_hours_wasted),
];

/// The changes from old rules to new ones.
#[derive(Clone, Debug, Serialize)]
pub struct Changes {
    /// The key figures.
    pub figures: Vec<Change>,
    /// The users whose mean waits change most, by the hours that they wait more or less in all, those who gain first; so are the others.
    pub users: Vec<Change>,
    /// The tools.
    pub tools: Vec<Change>,
    /// The roles.
    pub roles: Vec<Change>,
}

/// A value by the old and the new rules.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The name.
    pub name: String,
    /// Its unit.
    pub unit: Unit,
    /// By the old rules, on average over the seeds.
    pub old: f64,
    /// By the new rules.
    pub new: f64,
    /// New minus old.
    pub difference: f64,
    /// The interval that has the difference with 95 % confidence, by Student's distribution over the seeds; `None` for one seed.
    pub interval: Option<[f64; 2]>,
    /// Hours waited more in all, a seed; of the key figures 0.
    pub hours: f64,
}

impl Report {
    /// The report about one rule set, or two of which the first is the old one.
    pub fn new(sets: &[Set]) -> Self {
        let first = sets.last().and_then(|set| set.runs.first());
        let changes = match sets {
            [old, new] => Some(Changes::new(old, new)),
            _ => None,
        };
        Self {
            seeds: sets.first().map_or(0, |set| set.runs.len()),
            period: first.map_or([0.0; 2], |run| [run.measure.from, run.measure.to].map(seconds)),
            jobs: first.map(|run| run.told.clone()).unwrap_or_default(),
            sets: sets.iter().map(SetReport::new).collect(),
            changes,
        }
    }

    /// The days from the first arrival to the last event.
    pub fn days(&self) -> f64 {
        let [from, to] = self.period;
        (to - from) / 86_400.0
    }
}

impl SetReport {
    fn new(set: &Set) -> Self {
        let seeds = set.runs.len().max(1) as f64;
        let rows = |of: fn(&Measure) -> &Table<Stats>| {
            let merged = merged(set, of);
            let table = merged.rows();
            let kept = table.most_first(|stats| stats.jobs).into_iter();
            let mut rows: Vec<Row> = kept.map(|(name, stats)| Row::new(name, stats, seeds)).collect();
            rows.sort_by(|a, b| (b.wait_mean * b.jobs).total_cmp(&(a.wait_mean * a.jobs)).then(a.name.cmp(&b.name)));
            rows
        };
        let counted = |of: fn(&Measure) -> &Table<Stats>| {
            let merged = merged(set, of);
            let rows = merged.rows();
            let named = rows.most_first(|stats| stats.jobs);
            named.into_iter().map(|(name, stats)| Counted { name: name.to_owned(), jobs: stats.jobs }).collect()
        };
        let mut all = Stats::default();
        set.runs.iter().for_each(|run| all += &run.measure.all);
        let first = set.runs.first().map(|run| &run.measure);
        let level =
            |series: fn(&Measure) -> &Series| first.map_or_else(Level::none, |first| Level::new(series(first), 1.0));
        #[expect(clippy::cast_precision_loss, reason = "a count")]
        let asked = set.runs.iter().map(|run| run.measure.asked as f64).sum::<f64>() / seeds;
        Self {
            name: set.name.clone(),
            all: Row::new("(all)", &all, seeds),
            destinations: rows(|measure| &measure.destinations),
            tools: rows(|measure| &measure.tools),
            users: rows(|measure| &measure.users),
            roles: rows(|measure| &measure.roles),
            clusters: first.map(|first| first.clusters.iter().map(ClusterReport::new).collect()).unwrap_or_default(),
            waiting: level(|measure| &measure.waiting),
            running: level(|measure| &measure.running),
            without_cluster: counted(|measure| &measure.without_cluster),
            errors: counted(|measure| &measure.errors),
            calibration: Calibration::rows(set),
            asked,
            figures: set.runs.iter().map(|run| Figures::new(&run.measure.all)).collect(),
        }
    }
}

/// The tables of all seeds in one.
fn merged(set: &Set, of: fn(&Measure) -> &Table<Stats>) -> Table<Stats> {
    let mut merged = Table::default();
    set.runs.iter().for_each(|run| merged.merge(of(&run.measure)));
    merged
}

impl Calibration {
    fn rows(set: &Set) -> Vec<Self> {
        let mut merged: Table<Compared> = Table::default();
        set.runs.iter().for_each(|run| merged.merge(&run.measure.compared));
        let rows = merged.rows();
        let mut all = Compared::default();
        rows.rows.values().chain(&rows.others).for_each(|compared| all += compared);
        if all.jobs == 0 {
            return Vec::new();
        }
        let seeds = set.runs.len().max(1) as f64;
        let of_all = [("(all)", &all)].into_iter();
        of_all.chain(rows.most_first(|compared| compared.jobs)).map(|(name, row)| Self::new(name, row, seeds)).collect()
    }

    fn new(name: &str, compared: &Compared, seeds: f64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a mean")]
        let mean = |sum: u128| sum as f64 / 1e6 / compared.jobs.max(1) as f64;
        #[expect(clippy::cast_precision_loss, reason = "a count")]
        let jobs = compared.jobs as f64 / seeds;
        Self {
            name: name.to_owned(),
            jobs,
            recorded_mean: mean(compared.recorded_sum),
            recorded_median: compared.recorded.quantile(0.5).unwrap_or_default(),
            simulated_mean: mean(compared.simulated_sum),
            simulated_median: compared.simulated.quantile(0.5).unwrap_or_default(),
            mean_error: mean(compared.errors),
        }
    }
}

impl Row {
    fn new(name: &str, stats: &Stats, seeds: f64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "counts and sums for people")]
        let of = |count: u64| count as f64 / seeds;
        #[expect(clippy::cast_precision_loss, reason = "counts and sums for people")]
        let hours = |sum: u128, parts: f64| sum as f64 / parts / 3600.0 / seeds;
        let quantile = |share| stats.waits.quantile(share).unwrap_or_default();
        let most = seconds(stats.longest);
        Self {
            name: name.to_owned(),
            jobs: of(stats.jobs),
            // The sketch rounds, which must not exceed what there is.
            wait_median: quantile(0.5).min(most),
            wait_95: quantile(0.95).min(most),
            wait_most: most,
            wait_mean: stats.mean_wait(),
            not_ready: of(stats.not_ready),
            deaths: of(stats.deaths),
            resubmitted: of(stats.resubmitted),
            out_of_memory: of(stats.out_of_memory),
            unmapped: of(stats.unmapped),
            too_large: of(stats.too_large),
            lost: of(stats.lost),
            core_hours: hours(stats.cores, 1000.0),
            core_hours_wasted: hours(stats.cores_wasted, 1000.0),
            gib_hours: hours(stats.mem, 1024.0),
            gib_hours_wasted: hours(stats.mem_wasted, 1024.0),
        }
    }

    /// Jobs that did not run to their end.
    pub fn failed(&self) -> f64 {
        self.out_of_memory + self.unmapped + self.too_large + self.lost
    }
}

impl Figures {
    /// The figures of some runs, on average; `all` are the totals of all of them.
    pub fn mean(all: &Stats, runs: usize) -> Self {
        let sum = Self::new(all);
        let count = runs.max(1) as f64;
        Self {
            not_ready: sum.not_ready / count,
            deaths: sum.deaths / count,
            failed: sum.failed / count,
            core_hours: sum.core_hours / count,
            core_hours_wasted: sum.core_hours_wasted / count,
            gib_hours: sum.gib_hours / count,
            gib_hours_wasted: sum.gib_hours_wasted / count,
            ..sum
        }
    }

    fn new(all: &Stats) -> Self {
        let row = Row::new("", all, 1.0);
        Self {
            wait_mean: row.wait_mean,
            wait_median: row.wait_median,
            wait_95: row.wait_95,
            wait_most: row.wait_most,
            not_ready: row.not_ready,
            deaths: row.deaths,
            failed: row.failed(),
            core_hours: row.core_hours,
            core_hours_wasted: row.core_hours_wasted,
            gib_hours: row.gib_hours,
            gib_hours_wasted: row.gib_hours_wasted,
        }
    }
}

impl ClusterReport {
    fn new(series: &ClusterSeries) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "an amount")]
        let limit = |amount: u64, parts: f64| (amount < Amount::WITHOUT_LIMIT.jobs).then_some(amount as f64 / parts);
        let total = &series.total;
        Self {
            name: series.name.clone(),
            cores: limit(total.cores, 1000.0),
            mem: limit(total.mem, 1024.0),
            gpus: limit(total.gpus, 1000.0),
            jobs: limit(total.jobs, 1.0),
            cores_used: Level::new(&series.cores, 1000.0),
            mem_used: Level::new(&series.mem, 1024.0),
            gpus_used: Level::new(&series.gpus, 1000.0),
            queue: Level::new(&series.queue, 1.0),
        }
    }
}

impl Level {
    fn none() -> Self {
        Self { mean: 0.0, most: 0.0, step: 0.0, steps: Vec::new() }
    }

    fn new(series: &Series, parts: f64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a level")]
        let most = series.most as f64 / parts;
        Self {
            mean: series.mean() / parts,
            most,
            step: seconds(series.step),
            steps: series.means().into_iter().map(|mean| mean / parts).collect(),
        }
    }
}

impl Changes {
    fn new(old: &Set, new: &Set) -> Self {
        let figures = |set: &Set| set.runs.iter().map(|run| Figures::new(&run.measure.all)).collect::<Vec<_>>();
        let (before, after) = (figures(old), figures(new));
        let change = |(name, unit, of): &FigureRow| {
            let pairs: Vec<(f64, f64)> = before.iter().zip(&after).map(|(old, new)| (of(old), of(new))).collect();
            Change::new(name, *unit, &pairs, 0.0)
        };
        let by = |of: fn(&Measure) -> &Table<Stats>| waits(old, new, of);
        Self {
            figures: FIGURES.iter().map(change).collect(),
            users: by(|measure| &measure.users),
            tools: by(|measure| &measure.tools),
            roles: by(|measure| &measure.roles),
        }
    }
}

/// The changes of mean waits by name, those who gain most first.
fn waits(old: &Set, new: &Set, of: fn(&Measure) -> &Table<Stats>) -> Vec<Change> {
    let mut pairs: BTreeMap<String, (Vec<(f64, f64)>, f64)> = BTreeMap::new();
    for (old, new) in old.runs.iter().zip(&new.runs) {
        let (before, after) = (of(&old.measure).rows(), of(&new.measure).rows());
        for (name, old) in &before.rows {
            let Some(new) = after.rows.get(name) else { continue };
            #[expect(clippy::cast_precision_loss, reason = "hours for people")]
            let hours = |stats: &Stats| stats.waited as f64 / 3.6e9;
            let (waits, more) = pairs.entry((*name).to_owned()).or_default();
            waits.push((old.mean_wait(), new.mean_wait()));
            *more += hours(new) - hours(old);
        }
    }
    let change = |(name, (waits, hours)): (String, (Vec<(f64, f64)>, f64))| {
        Change::new(&name, Unit::Seconds, &waits, hours / waits.len().max(1) as f64)
    };
    let mut changes: Vec<Change> = pairs.into_iter().map(change).collect();
    changes.sort_by(|a, b| a.hours.total_cmp(&b.hours).then_with(|| a.name.cmp(&b.name)));
    changes
}

/// The quantiles of Student's distribution that leave 2.5 % above them, for 1 to 30 degrees of freedom.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
    2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/// The interval that has the mean of the values with 95 % confidence; `None` for fewer than two.
pub fn interval(values: &[f64]) -> Option<[f64; 2]> {
    let freedom = values.len().checked_sub(2)?;
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let half = STUDENT.get(freedom).copied().unwrap_or(1.96) * (variance / count).sqrt();
    Some([mean - half, mean + half])
}

impl Change {
    fn new(name: &str, unit: Unit, pairs: &[(f64, f64)], hours: f64) -> Self {
        let count = pairs.len().max(1) as f64;
        let differences: Vec<f64> = pairs.iter().map(|(old, new)| new - old).collect();
        let old = pairs.iter().map(|(old, _)| old).sum::<f64>() / count;
        let new = pairs.iter().map(|(_, new)| new).sum::<f64>() / count;
        Self { name: name.to_owned(), unit, old, new, difference: new - old, interval: interval(&differences), hours }
    }

    /// Returns `true` if the interval has no zero, or if there is only one seed and the difference is not zero.
    pub fn is_sure(&self) -> bool {
        self.interval.map_or(self.difference != 0.0, |[low, high]| low > 0.0 || high < 0.0)
    }
}

/// A length of time in words: `45 s`, `12 min`, `3.4 h`, `2.1 d`.
pub fn duration(seconds: f64) -> String {
    let size = seconds.abs();
    if size >= 172_800.0 {
        format!("{:.1} d", seconds / 86_400.0)
    } else if size >= 7_200.0 {
        format!("{:.1} h", seconds / 3600.0)
    } else if size >= 120.0 {
        format!("{:.0} min", seconds / 60.0)
    } else if size >= 10.0 || size == 0.0 {
        format!("{:.0} s", seconds + 0.0)
    } else {
        format!("{seconds:.1} s")
    }
}
