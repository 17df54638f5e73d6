//! The report as data: the figures of a rule set over its seeds, and what changes between two.

use std::collections::BTreeMap;

use serde::Serialize;
use tpv_analysis::summary::table::Table;
use tpv_text::figures::amount;

use crate::amount::{Amount, seconds};
use crate::arrivals::Told;
use crate::log::{Apart, Paired};
use crate::measure::{ClusterSeries, Compared, End, Measure, Series, Stats};
use crate::totals::Totals;

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
    /// The number of runs of each rule set.
    pub seeds: usize,
    /// The seed of the first run; each other has the next.
    pub first_seed: u64,
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
    /// The key figures of each seed, of the same jobs as the rows.
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
    /// The jobs of a seed, on average; at least 1.
    pub jobs: u64,
}

/// Some jobs. Numbers and sums are those of a seed, on average; waits are of all seeds, and of the jobs that ran to their end. In a comparison
/// waits and sums are of the jobs that both rule sets finish.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    /// The name.
    pub name: String,
    /// Jobs.
    pub jobs: f64,
    /// Jobs that did not run to their end.
    pub failed: f64,
    /// The jobs whose waits these are.
    pub waited: f64,
    /// The median of the waits in seconds, as all quantiles within 1 %; `None` if no job ran to its end.
    pub wait_median: Option<f64>,
    /// 95 % of them waited no longer, in seconds.
    pub wait_95: Option<f64>,
    /// The longest, in seconds.
    pub wait_most: Option<f64>,
    /// The mean, in seconds.
    pub wait_mean: Option<f64>,
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
    /// Jobs that the rules were never ready for.
    pub undecided: f64,
    /// core·h held.
    pub core_hours: f64,
    /// Of those, by attempts that died, or idle as far as the processor time is known.
    pub core_hours_wasted: f64,
    /// GiB·h held.
    pub gib_hours: f64,
    /// Of those, by attempts that died, or not used as far as the use is known.
    pub gib_hours_wasted: f64,
    /// GPU·h held.
    pub gpu_hours: f64,
    /// Of those, by attempts that died.
    pub gpu_hours_wasted: f64,
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
    /// Jobs that did not run to their end.
    pub failed: f64,
    /// The mean wait in seconds of those that did; `None` if there are none, as all waits.
    pub wait_mean: Option<f64>,
    /// The median.
    pub wait_median: Option<f64>,
    /// 95 % waited no longer.
    pub wait_95: Option<f64>,
    /// The longest.
    pub wait_most: Option<f64>,
    /// Jobs that the rules were not ready for.
    pub not_ready: f64,
    /// Attempts that died for want of memory.
    pub deaths: f64,
    /// core·h held.
    pub core_hours: f64,
    /// core·h wasted.
    pub core_hours_wasted: f64,
    /// GiB·h held.
    pub gib_hours: f64,
    /// GiB·h wasted.
    pub gib_hours_wasted: f64,
    /// GPU·h held.
    pub gpu_hours: f64,
    /// GPU·h wasted.
    pub gpu_hours_wasted: f64,
}

/// A key figure with its name, its unit and where it is.
pub type FigureRow = (&'static str, Unit, fn(&Figures) -> Option<f64>);

/// The unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Jobs or attempts.
    Count,
    /// core·h, GiB·h or GPU·h.
    Hours,
}

/// All key figures but failures.
pub const FIGURES: [FigureRow; 12] = [
    ("mean wait", Unit::Seconds, |figures| figures.wait_mean),
    ("median wait", Unit::Seconds, |figures| figures.wait_median),
    ("95 % wait at most", Unit::Seconds, |figures| figures.wait_95),
    ("longest wait", Unit::Seconds, |figures| figures.wait_most),
    ("jobs not ready at first", Unit::Count, |figures| Some(figures.not_ready)),
    ("attempts out of memory", Unit::Count, |figures| Some(figures.deaths)),
    ("core·h", Unit::Hours, |figures| Some(figures.core_hours)),
    ("core·h wasted", Unit::Hours, |figures| Some(figures.core_hours_wasted)),
    ("GiB·h", Unit::Hours, |figures| Some(figures.gib_hours)),
    ("GiB·h wasted", Unit::Hours, |figures| Some(figures.gib_hours_wasted)),
    ("GPU·h", Unit::Hours, |figures| Some(figures.gpu_hours)),
    ("GPU·h wasted", Unit::Hours, |figures| Some(figures.gpu_hours_wasted)),
];

/// The ways in which jobs fail, as reports call them.
pub const FAILURES: [(&str, End); 5] = [
    ("jobs out of memory", End::OutOfMemory),
    ("jobs not mapped", End::Unmapped),
    ("jobs too large for any node", End::TooLarge),
    ("jobs that never started", End::Lost),
    ("jobs undecided", End::Undecided),
];

/// The changes from old rules to new ones. Figures and waits are of the jobs that both finish.
#[derive(Clone, Debug, Serialize)]
pub struct Changes {
    /// All jobs that fail, and those that fail in each way that occurs.
    pub failures: Vec<Change>,
    /// The jobs that both rule sets finish, a seed.
    pub both_finish: f64,
    /// The jobs that at least one does not finish, by which does.
    pub apart: Vec<ApartRow>,
    /// The key figures.
    pub figures: Vec<Change>,
    /// The users whose mean waits change most, by the hours that they wait more or less in all, those who gain first; so are the others.
    pub users: Vec<Change>,
    /// The tools.
    pub tools: Vec<Change>,
    /// The roles.
    pub roles: Vec<Change>,
}

/// Jobs that a rule set does not finish; numbers are those of a seed, on average.
#[derive(Clone, Debug, Serialize)]
pub struct ApartRow {
    /// Which does not: `by the new rules only`, `by the old rules only`, `by both`.
    pub fail: &'static str,
    /// Jobs.
    pub jobs: f64,
    /// Those that fail in each way by the new rules, or by the old ones if they fail by these only.
    pub ways: Vec<Way>,
    /// core·h that they hold by the old and by the new rules.
    pub core_hours: [f64; 2],
    /// GiB·h.
    pub gib_hours: [f64; 2],
}

/// Jobs that fail in a way.
#[derive(Clone, Debug, Serialize)]
pub struct Way {
    /// The way.
    pub name: &'static str,
    /// Jobs, a seed.
    pub jobs: f64,
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
    /// The interval that has the difference with 95 % confidence, by Student's distribution over the runs; `None` for fewer than three.
    pub interval: Option<[f64; 2]>,
    /// The pairs of runs that it is over, which are those in which the name occurs.
    pub runs: usize,
    /// Hours waited more in all, a seed; of the key figures 0.
    pub hours: f64,
}

impl Report {
    /// The report about one rule set, or two of which the first is the old one; then `pairs` has the runs of each seed, job by job.
    pub fn new(sets: &[Set], pairs: &[Paired], first_seed: u64) -> Self {
        let first = sets.last().and_then(|set| set.runs.first());
        let changes = match sets {
            [old, new] => Some(Changes::new(old, new, pairs)),
            _ => None,
        };
        Self {
            seeds: sets.first().map_or(0, |set| set.runs.len()),
            first_seed,
            period: first.map_or([0.0; 2], |run| [run.measure.from, run.measure.to].map(seconds)),
            jobs: first.map(|run| run.told.clone()).unwrap_or_default(),
            sets: sets.iter().map(SetReport::new).collect(),
            changes,
        }
    }

    /// The runs that intervals are over: `5 runs with the seeds 0 to 4`; `None` if there are no intervals.
    pub fn interval_runs(&self) -> Option<String> {
        let (runs, first) = (self.seeds as u64, self.first_seed);
        let last = first.wrapping_add(runs.saturating_sub(1));
        (runs > 2 && self.changes.is_some()).then(|| format!("{runs} runs with the seeds {first} to {last}"))
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
        let all: Vec<&Totals> = set.runs.iter().map(|run| &run.measure.totals).collect();
        // What is compared is of the jobs that both rule sets finish.
        let compared: Vec<&Totals> =
            set.runs.iter().map(|run| run.measure.common.as_ref().unwrap_or(&run.measure.totals)).collect();
        let rows = |of: fn(&Totals) -> &Table<Stats>| {
            let (counts, sums) =
                (merged(all.iter().map(|totals| of(totals))), merged(compared.iter().map(|totals| of(totals))));
            let (counts, sums) = (counts.rows(), sums.rows());
            let none = Stats::default();
            let sum_of = |name: &str| sums.rows.get(name).or(sums.others.as_ref().filter(|_| name == "(others)"));
            let kept = counts.most_first(|stats| stats.jobs).into_iter();
            let mut rows: Vec<Row> =
                kept.map(|(name, stats)| Row::new(name, stats, sum_of(name).unwrap_or(&none), seeds)).collect();
            let waits = |row: &Row| row.wait_mean.unwrap_or_default() * row.waited;
            rows.sort_by(|a, b| waits(b).total_cmp(&waits(a)).then(a.name.cmp(&b.name)));
            rows
        };
        let counted = |of: fn(&Measure) -> &Table<Stats>| {
            let merged = merged(set.runs.iter().map(|run| of(&run.measure)));
            let rows = merged.rows();
            let named = rows.most_first(|stats| stats.jobs);
            let runs = (set.runs.len() as u64).max(1);
            let mean = |jobs: u64| ((jobs + runs / 2) / runs).max(1);
            named.into_iter().map(|(name, stats)| Counted { name: name.to_owned(), jobs: mean(stats.jobs) }).collect()
        };
        let sum = |totals: &[&Totals]| {
            totals.iter().fold(Stats::default(), |mut sum, totals| {
                sum += &totals.all;
                sum
            })
        };
        let first = set.runs.first().map(|run| &run.measure);
        let level =
            |series: fn(&Measure) -> &Series| first.map_or_else(Level::none, |first| Level::new(series(first), 1.0));
        #[expect(clippy::cast_precision_loss, reason = "a count")]
        let asked = set.runs.iter().map(|run| run.measure.asked as f64).sum::<f64>() / seeds;
        Self {
            name: set.name.clone(),
            all: Row::new("(all)", &sum(&all), &sum(&compared), seeds),
            destinations: rows(|totals| &totals.destinations),
            tools: rows(|totals| &totals.tools),
            users: rows(|totals| &totals.users),
            roles: rows(|totals| &totals.roles),
            clusters: first.map(|first| first.clusters.iter().map(ClusterReport::new).collect()).unwrap_or_default(),
            waiting: level(|measure| &measure.waiting),
            running: level(|measure| &measure.running),
            without_cluster: counted(|measure| &measure.without_cluster),
            errors: counted(|measure| &measure.errors),
            calibration: Calibration::rows(set),
            asked,
            figures: all.iter().zip(&compared).map(|(all, compared)| Figures::of(&all.all, &compared.all)).collect(),
        }
    }
}

/// Tables in one.
fn merged<'t>(tables: impl Iterator<Item = &'t Table<Stats>>) -> Table<Stats> {
    tables.fold(Table::default(), |mut merged, table| {
        merged.merge(table);
        merged
    })
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
    /// The row of jobs that `counts` counts, with the waits and sums of `sums`.
    fn new(name: &str, counts: &Stats, sums: &Stats, seeds: f64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "counts and sums for people")]
        let of = |count: u64| count as f64 / seeds;
        #[expect(clippy::cast_precision_loss, reason = "counts and sums for people")]
        let hours = |sum: u128, parts: f64| sum as f64 / parts / 3600.0 / seeds;
        let most = (sums.done > 0).then(|| seconds(sums.longest));
        // The sketch rounds, which must not exceed what there is.
        let quantile = |share| sums.waits.quantile(share).zip(most).map(|(wait, most)| wait.min(most));
        Self {
            name: name.to_owned(),
            jobs: of(counts.jobs),
            failed: of(counts.failed()),
            waited: of(sums.done),
            wait_median: quantile(0.5),
            wait_95: quantile(0.95),
            wait_most: most,
            wait_mean: sums.mean_wait(),
            not_ready: of(counts.not_ready),
            deaths: of(counts.deaths),
            resubmitted: of(counts.resubmitted),
            out_of_memory: of(counts.out_of_memory),
            unmapped: of(counts.unmapped),
            too_large: of(counts.too_large),
            lost: of(counts.lost),
            undecided: of(counts.undecided),
            core_hours: hours(sums.cores, 1000.0),
            core_hours_wasted: hours(sums.cores_wasted, 1000.0),
            gib_hours: hours(sums.mem, 1024.0),
            gib_hours_wasted: hours(sums.mem_wasted, 1024.0),
            gpu_hours: hours(sums.gpus, 1000.0),
            gpu_hours_wasted: hours(sums.gpus_wasted, 1000.0),
        }
    }
}

impl Figures {
    /// The figures of some runs, on average; `all` are the totals of all of them.
    pub fn mean(all: &Stats, runs: usize) -> Self {
        let sum = Self::new(all);
        let count = runs.max(1) as f64;
        Self {
            failed: sum.failed / count,
            not_ready: sum.not_ready / count,
            deaths: sum.deaths / count,
            core_hours: sum.core_hours / count,
            core_hours_wasted: sum.core_hours_wasted / count,
            gib_hours: sum.gib_hours / count,
            gib_hours_wasted: sum.gib_hours_wasted / count,
            gpu_hours: sum.gpu_hours / count,
            gpu_hours_wasted: sum.gpu_hours_wasted / count,
            ..sum
        }
    }

    fn new(all: &Stats) -> Self {
        Self::of(all, all)
    }

    /// The figures of the jobs that `counts` counts, with the waits and sums of `sums`.
    fn of(counts: &Stats, sums: &Stats) -> Self {
        let row = Row::new("", counts, sums, 1.0);
        Self {
            failed: row.failed,
            wait_mean: row.wait_mean,
            wait_median: row.wait_median,
            wait_95: row.wait_95,
            wait_most: row.wait_most,
            not_ready: row.not_ready,
            deaths: row.deaths,
            core_hours: row.core_hours,
            core_hours_wasted: row.core_hours_wasted,
            gib_hours: row.gib_hours,
            gib_hours_wasted: row.gib_hours_wasted,
            gpu_hours: row.gpu_hours,
            gpu_hours_wasted: row.gpu_hours_wasted,
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
    fn new(old: &Set, new: &Set, pairs: &[Paired]) -> Self {
        let runs =
            || old.runs.iter().zip(&new.runs).map(|(old, new)| [&old.measure.totals.all, &new.measure.totals.all]);
        #[expect(clippy::cast_precision_loss, reason = "counts for people")]
        let counted = |name: &str, of: &dyn Fn(&Stats) -> u64| {
            let pairs: Vec<(f64, f64)> = runs().map(|[old, new]| (of(old) as f64, of(new) as f64)).collect();
            Change::new(name, Unit::Count, &pairs, 0.0)
        };
        let ways = FAILURES.iter().map(|(name, end)| counted(name, &|stats| stats.count_of(*end)));
        let ways = ways.filter(|change| change.old > 0.0 || change.new > 0.0);
        let failures = std::iter::once(counted("jobs that fail", &Stats::failed)).chain(ways).collect();
        let figures: Vec<[Figures; 2]> =
            pairs.iter().map(|pair| pair.both.each_ref().map(|totals| Figures::new(&totals.all))).collect();
        let change = |(name, unit, of): &FigureRow| {
            let pairs: Vec<(f64, f64)> = figures.iter().filter_map(|[old, new]| of(old).zip(of(new))).collect();
            // Most clusters have no GPUs.
            let is_left_out = name.starts_with("GPU") && pairs.iter().all(|pair| *pair == (0.0, 0.0));
            (!pairs.is_empty() && !is_left_out).then(|| Change::new(name, *unit, &pairs, 0.0))
        };
        let by = |of: fn(&Totals) -> &Table<Stats>| waits(pairs, of);
        let seeds = pairs.len().max(1) as f64;
        #[expect(clippy::cast_precision_loss, reason = "counts for people")]
        let both_finish =
            pairs.iter().flat_map(|pair| pair.both.first()).map(|totals| totals.all.jobs).sum::<u64>() as f64 / seeds;
        let apart = [
            (BY_NEW_ONLY, (|pair| &pair.only_old) as fn(&Paired) -> &Apart),
            (BY_OLD_ONLY, |pair| &pair.only_new),
            ("by both", |pair| &pair.neither),
        ];
        let apart = apart.into_iter().map(|(fail, of)| ApartRow::new(fail, pairs.iter().map(of), seeds));
        Self {
            failures,
            both_finish,
            apart: apart.filter(|row| row.jobs > 0.0).collect(),
            figures: FIGURES.iter().filter_map(change).collect(),
            users: by(|totals| &totals.users),
            tools: by(|totals| &totals.tools),
            roles: by(|totals| &totals.roles),
        }
    }

    /// The jobs, a seed, that only the new rules do not finish.
    pub fn fail_now(&self) -> f64 {
        self.apart.iter().filter(|row| row.is_new()).map(|row| row.jobs).sum()
    }
}

/// The jobs that only the new rules do not finish, and those that only the old ones do not.
const BY_NEW_ONLY: &str = "by the new rules only";
const BY_OLD_ONLY: &str = "by the old rules only";

impl ApartRow {
    /// Returns `true` for the jobs that only the new rules do not finish.
    pub fn is_new(&self) -> bool {
        self.fail == BY_NEW_ONLY
    }

    /// Returns `true` for the jobs that only the old rules do not finish.
    pub fn is_mended(&self) -> bool {
        self.fail == BY_OLD_ONLY
    }

    /// The row in a sentence: `75 jobs fail by the new rules only (75 too large for any node)`.
    pub fn words(&self) -> String {
        let way = |way: &Way| {
            let name = way.name.trim_start_matches("jobs ").trim_start_matches("that ");
            format!("{} {name}", amount(way.jobs))
        };
        let ways: Vec<String> = self.ways.iter().map(way).collect();
        let jobs = if self.jobs == 1.0 { "job fails" } else { "jobs fail" };
        format!("{} {jobs} {} ({})", amount(self.jobs), self.fail, ways.join(", "))
    }

    fn new<'a>(fail: &'static str, all: impl Iterator<Item = &'a Apart>, seeds: f64) -> Self {
        let mut sum = Apart::default();
        for apart in all {
            sum.old += &apart.old;
            sum.new += &apart.new;
        }
        let sides = [Row::new("", &sum.old, &sum.old, seeds), Row::new("", &sum.new, &sum.new, seeds)];
        let failing = if sum.new.failed() > 0 { &sum.new } else { &sum.old };
        #[expect(clippy::cast_precision_loss, reason = "counts for people")]
        let way = |(name, end): &(&'static str, End)| Way { name, jobs: failing.count_of(*end) as f64 / seeds };
        Self {
            fail,
            jobs: sides.first().map_or(0.0, |row| row.jobs),
            ways: FAILURES.iter().map(way).filter(|way| way.jobs > 0.0).collect(),
            core_hours: sides.each_ref().map(|row| row.core_hours),
            gib_hours: sides.each_ref().map(|row| row.gib_hours),
        }
    }
}

/// The changes of mean waits by name, those who gain most first.
fn waits(pairs: &[Paired], of: fn(&Totals) -> &Table<Stats>) -> Vec<Change> {
    let mut changes: BTreeMap<String, (Vec<(f64, f64)>, f64)> = BTreeMap::new();
    for pair in pairs {
        let [before, after] = pair.both.each_ref().map(|totals| of(totals).rows());
        for (name, old) in &before.rows {
            let Some(new) = after.rows.get(name) else { continue };
            let Some(waited) = old.mean_wait().zip(new.mean_wait()) else { continue };
            #[expect(clippy::cast_precision_loss, reason = "hours for people")]
            let hours = |stats: &Stats| stats.waited as f64 / 3.6e9;
            let (waits, more) = changes.entry((*name).to_owned()).or_default();
            waits.push(waited);
            *more += hours(new) - hours(old);
        }
    }
    let change = |(name, (waits, hours)): (String, (Vec<(f64, f64)>, f64))| {
        Change::new(&name, Unit::Seconds, &waits, hours / waits.len().max(1) as f64)
    };
    let mut changes: Vec<Change> = changes.into_iter().map(change).collect();
    changes.sort_by(|a, b| a.hours.total_cmp(&b.hours).then_with(|| a.name.cmp(&b.name)));
    changes
}

/// The quantiles of Student's distribution that leave 2.5 % above them, for 1 to 30 degrees of freedom.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
    2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/// The interval that has the mean of the values with 95 % confidence; `None` for fewer than three, of which it says nothing.
pub fn interval(values: &[f64]) -> Option<[f64; 2]> {
    let freedom = values.len().checked_sub(2).filter(|freedom| *freedom > 0)?;
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
        let (difference, interval, runs) = (new - old, interval(&differences), pairs.len());
        Self { name: name.to_owned(), unit, old, new, difference, interval, runs, hours }
    }

    /// Returns `true` if the interval has no zero, or if there is only one run and the difference is not zero.
    pub fn is_sure(&self) -> bool {
        match self.interval {
            Some([low, high]) => low > 0.0 || high < 0.0,
            None => self.runs == 1 && self.difference != 0.0,
        }
    }
}

/// A wait in words; a dash where no job ran to its end.
pub fn wait(seconds: Option<f64>) -> String {
    seconds.map_or_else(|| "-".to_owned(), duration)
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
