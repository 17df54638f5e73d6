//! A summary of a history that a site can publish, and that `tpvc fit --merge` learns from: no users, datasets, parameters, versions,
//! dates or places of the config, and no number that is made of fewer than [`THRESHOLD`] jobs.
//!
//! Jobs whose inputs are about as large and that used about as much memory make a cell. Where a cell would have too few jobs, it is
//! widened to those with more memory, then to those with larger inputs.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::censored::count;
use crate::history::{Group, History, Key};
use crate::need::{Ladder, Observation};
use crate::random::mixed;
use crate::today::Setter;
use crate::trial::GIB_HOUR;

/// The version of the format.
pub const VERSION: u32 = 1;
/// The fewest jobs that a number of a summary is made of.
pub const THRESHOLD: u64 = 10;
/// Sizes of inputs in one band differ by this factor at most.
const BAND: f64 = std::f64::consts::SQRT_2;
/// Memory in one cell differs by this factor at most.
const STEP: f64 = 1.1;
/// The jobs that stand for a cell of one summary at most, when several are merged.
const MOST_JOBS: u64 = 1 << 40;

/// The use of memory by the tools of a site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// The version of the format.
    pub summary: u32,
    /// The fewest jobs that a number is made of.
    pub threshold: u64,
    /// Jobs of tools that have fewer.
    pub left_out: u64,
    /// The tools.
    pub tools: Vec<Usage>,
}

/// The jobs of a tool whose memory is set by one line of the site's config.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// The tool's id without its version.
    pub tool: String,
    /// All jobs.
    pub jobs: u64,
    /// Jobs that were killed for memory; `None` if they are some, but too few.
    pub killed: Option<u64>,
    /// GiB·h that all attempts had.
    pub reserved: f64,
    /// GiB·h that was used.
    pub used: f64,
    /// GiB·h of killed attempts; `None` if they are of too few jobs.
    pub failed: Option<f64>,
    /// Attempts with more memory than the one before, of a job that is killed each time.
    pub attempts: u32,
    /// The jobs whose memory and time are known.
    pub cells: Vec<Cell>,
}

/// Jobs with inputs of about one size that needed about as much memory: numbers are means.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// The number of jobs.
    pub jobs: u64,
    /// True if they were killed for using more memory.
    pub killed: bool,
    /// The size of the inputs that are not compressed, in GiB.
    pub plain: f64,
    /// The size of the compressed inputs, in GiB.
    pub compressed: f64,
    /// The most memory used, in GiB.
    pub peak: f64,
    /// The time that they ran, in hours.
    pub hours: f64,
    /// The memory in GiB that the site's rules give them.
    pub asked: f64,
}

/// The summary of a history.
#[expect(clippy::cast_precision_loss, reason = "sums for people")]
pub fn summary(history: &History) -> Summary {
    let mut groups: Vec<(&Key, &Group)> = history.groups.iter().collect();
    groups.sort_by_key(|(key, _)| *key);
    let (few, enough): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(_, group)| group.jobs < THRESHOLD);
    let usage = |(key, group): (&Key, &Group)| {
        let (jobs, _) = group.observations();
        let measured = (group.jobs - group.unmeasured - group.failed - group.deleted) as f64;
        let is_told = group.killed == 0 || group.killed >= THRESHOLD;
        Usage {
            tool: key.tool.clone(),
            jobs: group.jobs,
            killed: is_told.then_some(group.killed),
            reserved: three_digits(group.reserved as f64 / GIB_HOUR),
            used: three_digits(group.used_time as f64 / GIB_HOUR),
            failed: is_told.then(|| three_digits(group.failed_time as f64 / GIB_HOUR)),
            attempts: group.usual_attempts(),
            cells: cells(&jobs, measured / count(jobs.len().max(1))),
        }
    };
    Summary {
        summary: VERSION,
        threshold: THRESHOLD,
        left_out: few.iter().map(|(_, group)| group.jobs).sum::<u64>() + history.others,
        tools: enough.into_iter().map(usage).collect(),
    }
}

/// The cells of jobs, of which each stands for `scale` jobs.
fn cells(jobs: &[Observation], scale: f64) -> Vec<Cell> {
    let size = |job: &Observation| f64::from(job.plain) + f64::from(job.compressed);
    let mut cells = Vec::new();
    for killed in [false, true] {
        let jobs = jobs.iter().filter(|job| job.is_killed == killed).cloned();
        for mut band in runs(jobs.collect(), size, BAND) {
            band.sort_by(|one, other| one.peak.total_cmp(&other.peak));
            let memory = |job: &Observation| f64::from(job.peak);
            cells.extend(runs(band, memory, STEP).iter().map(|jobs| cell(jobs, killed, scale)));
        }
    }
    cells
}

/// Jobs in runs of similar values, each of [`THRESHOLD`] jobs or more; none if there are fewer in all.
fn runs(mut jobs: Vec<Observation>, value: impl Fn(&Observation) -> f64, factor: f64) -> Vec<Vec<Observation>> {
    jobs.sort_by(|one, other| value(one).total_cmp(&value(other)));
    let step = |job: &Observation| (value(job).max(1e-6).ln() / factor.ln()).floor();
    let is_enough = |run: &Vec<Observation>| run.len() as u64 >= THRESHOLD;
    let mut runs: Vec<Vec<Observation>> = Vec::new();
    for job in jobs {
        match runs.last_mut() {
            Some(run) if !is_enough(run) || run.last().is_some_and(|last| step(last) >= step(&job)) => run.push(job),
            _ => runs.push(vec![job]),
        }
    }
    if let Some(last) = runs.pop_if(|last| !is_enough(last))
        && let Some(run) = runs.last_mut()
    {
        run.extend(last);
    }
    runs
}

fn cell(jobs: &[Observation], killed: bool, scale: f64) -> Cell {
    let mean = |value: fn(&Observation) -> f32| {
        three_digits(jobs.iter().map(|job| f64::from(value(job))).sum::<f64>() / count(jobs.len().max(1)))
    };
    // By the mean of squares: where a cell is wide, the few that need most count for more.
    let squares: f64 = jobs.iter().map(|job| f64::from(job.peak).powi(2)).sum();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of jobs")]
    let scaled = (count(jobs.len()) * scale).round() as u64;
    Cell {
        jobs: scaled,
        killed,
        plain: mean(|job| job.plain),
        compressed: mean(|job| job.compressed),
        peak: three_digits((squares / count(jobs.len().max(1))).sqrt()),
        hours: mean(|job| job.hours),
        asked: mean(|job| job.today.first),
    }
}

fn three_digits(number: f64) -> f64 {
    format!("{number:.2e}").parse().unwrap_or(number)
}

impl Summary {
    /// Reads a summary.
    ///
    /// # Errors
    /// The fault in words, with its line and column where it is one of the form.
    pub fn read(text: &str) -> Result<Self, String> {
        let summary: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if summary.summary != VERSION {
            return Err(format!("it has version {} of the format, and this tpvc reads {VERSION}", summary.summary));
        }
        for tool in &summary.tools {
            let amounts = [tool.reserved, tool.used, tool.failed.unwrap_or_default()];
            let cells = tool
                .cells
                .iter()
                .flat_map(|cell| [cell.plain, cell.compressed, cell.hours - f64::MIN_POSITIVE, cell.peak, cell.asked]);
            if amounts.into_iter().chain(cells).any(|amount| !(0.0..=1e12).contains(&amount)) {
                return Err(format!("`{}`: an amount is negative, or too large", tool.tool));
            }
            if tool.jobs > MOST_JOBS || tool.cells.iter().any(|cell| cell.jobs > MOST_JOBS || cell.peak <= 0.0) {
                return Err(format!("`{}`: a cell has too many jobs, or no memory", tool.tool));
            }
        }
        Ok(summary)
    }
}

/// A history that is made of summaries of several sites.
pub fn merged(summaries: &[Summary]) -> History {
    let mut history = History::default();
    let mut line = 0_u32;
    let tools = summaries.iter().flat_map(|summary| &summary.tools).map(|usage| usage.tool.as_str());
    let room = History::room(tools.collect::<HashSet<_>>().len());
    for summary in summaries {
        history.jobs = history.jobs.saturating_add(summary.left_out);
        history.outcomes = history.outcomes.saturating_add(summary.left_out);
        history.others = history.others.saturating_add(summary.left_out);
        for usage in &summary.tools {
            history.jobs = history.jobs.saturating_add(usage.jobs);
            history.outcomes = history.outcomes.saturating_add(usage.jobs);
            let key = Key { tool: usage.tool.clone(), setter: Setter::default() };
            let Some(group) = history.group(&key) else {
                history.others = history.others.saturating_add(usage.jobs);
                continue;
            };
            add(group, usage);
            // As many jobs for each cell as its part of the whole, so that all of them together are as many as a history keeps.
            let all = usage.cells.iter().map(|cell| cell.jobs).sum::<u64>().max(1);
            for cell in &usage.cells {
                for _ in 0..cell.jobs.min((cell.jobs * room as u64).div_ceil(all)) {
                    line = line.saturating_add(1);
                    group.keep(line, observation(cell, line), true, room);
                }
            }
        }
    }
    history.trim();
    history
}

/// Adds the counts of a summary.
fn add(group: &mut Group, usage: &Usage) {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let time = |hours: f64| (hours * GIB_HOUR) as u64;
    let sums = [
        (&mut group.jobs, usage.jobs),
        (&mut group.killed, usage.killed.unwrap_or_default()),
        (&mut group.reserved, time(usage.reserved)),
        (&mut group.used_time, time(usage.used)),
        (&mut group.failed_time, time(usage.failed.unwrap_or_default())),
    ];
    for (sum, more) in sums {
        *sum = sum.saturating_add(more);
    }
    if usage.attempts > 0 {
        let jobs = group.attempts.entry(usage.attempts).or_default();
        *jobs = jobs.saturating_add(usage.jobs);
    }
    group.example.clone_from(&usage.tool);
    let mut measured = 0_u64;
    for cell in &usage.cells {
        measured = measured.saturating_add(cell.jobs);
        group.add_asked(cell.asked, cell.jobs);
        if cell.killed {
            group.lost = group.lost.saturating_add(cell.jobs);
        } else {
            group.used.add_many(cell.peak, cell.jobs);
            group.most_used = group.most_used.max(cell.peak);
        }
    }
    group.unmeasured = group.unmeasured.saturating_add(usage.jobs.saturating_sub(measured));
}

/// One of the jobs of a cell; the times of the sites' jobs are mixed, because a summary has none.
fn observation(cell: &Cell, line: u32) -> Observation {
    #[expect(clippy::cast_possible_truncation, reason = "an amount: seven digits are enough")]
    let small = |number: f64| number as f32;
    Observation {
        time: i64::from(u32::try_from(mixed(u64::from(line)) >> 33).unwrap_or_default()),
        plain: small(cell.plain),
        compressed: small(cell.compressed),
        peak: small(cell.peak),
        hours: small(cell.hours),
        today: Ladder::once(small(cell.asked).max(1e-3)),
        is_killed: cell.killed,
        version: 0,
    }
}
