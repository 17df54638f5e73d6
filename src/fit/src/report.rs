//! The report of a run as data: for each tool and what sets its memory, what was asked, what was used, and the rule to change it to.

use serde::Serialize;
use tpv_analysis::explain::Provenance;
use tpv_model::{Field, Resource};

use crate::history::{Group, History, Key};
use crate::need::Observation;
use crate::policy::{Cost, Policy};
use crate::propose::{Evidence, Keep, Rule, Settings, Verdict, propose};
use crate::today::Setter;
use crate::units::OtherUnit;

/// The jobs of a tool that plots show.
const MOST_POINTS: usize = 400;
/// MiB·s in a GiB·h.
const GIB_HOUR: f64 = 1024.0 * 3600.0;

/// The report of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The jobs of the file.
    pub jobs: u64,
    /// Those without an outcome.
    pub without_outcome: u64,
    /// Those that today's rules do not map.
    pub unmapped: u64,
    /// Those of tools beyond the number that is kept apart.
    pub others: u64,
    /// The tools, those with the most to gain first.
    pub tools: Vec<Tool>,
}

/// A tool, and what sets its memory today.
#[derive(Clone, Debug, Serialize)]
pub struct Tool {
    /// The tool's id without its version.
    pub tool: String,
    /// The place that sets its memory: `tpv.yml:12:5`; `None` if nothing does.
    pub place: Option<String>,
    /// The memory of the largest destination that takes it, in GiB; `None` if there is no limit.
    pub largest_destination: Option<f64>,
    /// The treatment of its jobs whose memory is short.
    pub policy: Policy,
    /// The amounts that its jobs asked for and used.
    pub usage: Usage,
    /// The rule to change to.
    #[serde(flatten)]
    pub proposal: Proposal,
    /// The facts that limit the proposal.
    pub unknown: Vec<String>,
    /// `true` if the tool's id has a version at its end, as those from tool sheds.
    #[serde(skip)]
    pub has_version: bool,
    /// The id of one of the tools, with its version.
    #[serde(skip)]
    pub example: String,
    /// The place of what sets the memory, in the artifact.
    #[serde(skip)]
    pub setter: Setter,
    /// Some of its jobs, for plots.
    #[serde(skip)]
    pub points: Vec<Observation>,
}

/// The amounts that the jobs of a tool asked for and used.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Usage {
    /// All jobs.
    pub jobs: u64,
    /// The first and the last day.
    pub period: Option<[String; 2]>,
    /// The median of what today's rules ask for, in GiB.
    pub asked_median: f64,
    /// The median of what was used, in GiB; `None` if no job ran to its end with its memory measured.
    pub used_median: Option<f64>,
    /// The memory that 95 % of the jobs did not exceed, in GiB.
    pub used_95: Option<f64>,
    /// The most that was used, in GiB.
    pub used_most: Option<f64>,
    /// GiB·h that all attempts had.
    pub reserved: f64,
    /// GiB·h that were used.
    pub used: f64,
    /// GiB·h of attempts that were killed for memory.
    pub failed: f64,
    /// Jobs that were killed for memory.
    pub killed: u64,
    /// Jobs that were killed for memory the last time that they ran.
    pub lost: u64,
    /// The part of the cores' time that processors worked.
    pub cores_busy: Option<f64>,
}

/// The rule to change to, or the reason not to.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Proposal {
    /// A better rule.
    Change {
        /// The value for `mem`.
        mem: String,
        /// Versions with a value of their own.
        by_version: Vec<(String, String)>,
        /// The evidence for it.
        evidence: Evidence,
        /// The rule.
        #[serde(skip)]
        rule: Rule,
    },
    /// Today's rule stays.
    Keep {
        /// The reason.
        why: Keep,
        /// The evidence against the best rule that was found.
        evidence: Option<Evidence>,
    },
}

impl Keep {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::FewJobs => "too few jobs",
            Self::NoneEnded => "no job ran to its end",
            Self::MixedUnits => "the memory seems to be in two units",
            Self::NoGain => "nothing is cheaper",
            Self::WithinNoise => "the gain may be chance",
        }
    }
}

impl Tool {
    /// GiB·h that were reserved and not used.
    pub fn waste(&self) -> f64 {
        (self.usage.reserved - self.usage.used).max(0.0)
    }

    /// The part of today's cost that the proposal saves; 0 without one.
    pub fn saving(&self) -> f64 {
        match &self.proposal {
            Proposal::Change { evidence, .. } => evidence.saving,
            Proposal::Keep { .. } => 0.0,
        }
    }
}

impl Report {
    /// The jobs that no tool of the report has, in words.
    pub fn left_out(&self) -> Vec<String> {
        let all = [
            (self.without_outcome, "without an outcome"),
            (self.unmapped, "that today's rules do not map, or give no memory"),
            (self.others, "of tools that are not listed: they are too many, or have too few jobs"),
        ];
        let some = all.into_iter().filter(|(jobs, _)| *jobs > 0);
        some.map(|(jobs, what)| format!("{} {what}", tpv_analysis::figures::count(jobs, "job"))).collect()
    }
}

/// Makes the report of a history: the places are those of the config, where it is known. With `attempts_given` the number of attempts is that
/// of the settings, else that of each destination's `resubmit`, where it says one.
pub fn report(
    history: &History,
    provenance: Option<&Provenance<'_>>,
    settings: &Settings,
    attempts_given: bool,
) -> Report {
    let mut groups: Vec<(&Key, &Group)> = history.groups.iter().collect();
    groups.sort_by_key(|(key, _)| *key);
    let tools = groups.iter().map(|(key, group)| tool(key, group, provenance, settings, attempts_given));
    let mut tools: Vec<Tool> = tools.collect();
    tools.sort_by(|one, other| other.waste().total_cmp(&one.waste()));
    Report {
        jobs: history.jobs,
        without_outcome: history.jobs - history.outcomes,
        unmapped: history.unmapped,
        others: history.others,
        tools,
    }
}

fn tool(
    key: &Key,
    group: &Group,
    provenance: Option<&Provenance<'_>>,
    settings: &Settings,
    attempts_given: bool,
) -> Tool {
    let mut policy = settings.policy;
    if let Some(attempts) = group.usual_attempts().filter(|_| !attempts_given) {
        policy.attempts = attempts;
    }
    let ceiling = group.ceiling.unwrap_or(f64::INFINITY);
    let (observations, versions) = group.observations();
    // The jobs of summaries have no lines.
    let other_unit = group.other_unit().filter(|_| provenance.is_some());
    let verdict = match other_unit {
        Some(_) => Verdict::Keep { why: Keep::MixedUnits, evidence: None },
        None => propose(&observations, ceiling, &Settings { policy, ..*settings }),
    };
    let proposal = match verdict {
        Verdict::Change { rule, evidence } => {
            let named = |(version, line): &(u16, crate::line::Line)| {
                versions.get(usize::from(*version)).map(|name| (name.clone(), line.expression()))
            };
            let by_version = rule.by_version.iter().filter_map(named).collect();
            Proposal::Change { mem: rule.line.expression(), by_version, evidence, rule }
        }
        Verdict::Keep { why, evidence } => Proposal::Keep { why, evidence },
    };
    Tool {
        tool: key.tool.clone(),
        place: provenance.and_then(|known| place(key.setter, known)).map(|place| place.to_string()),
        largest_destination: ceiling.is_finite().then_some(ceiling),
        policy,
        usage: usage(group),
        proposal,
        unknown: other_unit.map(in_words).into_iter().chain(unknown(group, observations.len())).collect(),
        has_version: group.example != key.tool,
        example: group.example.clone(),
        setter: key.setter,
        points: observations.iter().step_by(observations.len().div_ceil(MOST_POINTS).max(1)).copied().collect(),
    }
}

fn in_words(other: OtherUnit) -> String {
    let jobs = tpv_analysis::figures::count(other.jobs as u64, "job");
    format!(
        "line {}: the memory of {jobs} is about a thousandth of that of the rest: is it in another unit?",
        other.line
    )
}

/// The place of what sets the memory.
pub fn place(setter: Setter, provenance: &Provenance<'_>) -> Option<tpv_runtime::mapper::places::ConfigPlace> {
    match setter.value {
        Some(value) => provenance.site(value),
        None => provenance.field(setter.entity?, Field::Amount(Resource::Mem.into()), ""),
    }
}

#[expect(clippy::cast_precision_loss, reason = "sums for people")]
fn usage(group: &Group) -> Usage {
    let hours = |sum: u64| sum as f64 / GIB_HOUR;
    let day = |time: i64| {
        jiff::Timestamp::from_second(time).map(|time| time.strftime("%Y-%m-%d").to_string()).unwrap_or_default()
    };
    Usage {
        jobs: group.jobs,
        period: group.period.map(|(first, last)| [day(first), day(last)]),
        asked_median: group.asked.quantile(0.5).unwrap_or_default(),
        used_median: group.used.quantile(0.5),
        used_95: group.used.quantile(0.95).map(|used| used.min(group.most_used)),
        used_most: (!group.used.is_empty()).then_some(group.most_used),
        reserved: hours(group.reserved),
        used: hours(group.used_time),
        failed: hours(group.failed_time),
        killed: group.killed,
        lost: group.lost,
        cores_busy: (group.cores_reserved > 0).then(|| group.cores_used as f64 / group.cores_reserved as f64),
    }
}

/// The facts that the jobs of a group do not tell.
fn unknown(group: &Group, kept: usize) -> Vec<String> {
    let jobs =
        |count: u64, what: &str| (count > 0).then(|| format!("{} {what}", tpv_analysis::figures::count(count, "job")));
    let measured = group.jobs - group.unmeasured - group.failed;
    let all = [
        jobs(group.unmeasured, "without memory or time in the outcome"),
        jobs(group.failed, "failed for other reasons and are left out"),
        jobs(group.unsized_inputs, "with inputs of unknown size, which count as 0"),
        jobs(group.lost, "killed for memory and never ran to their end: their need is estimated"),
        (measured > kept as u64).then(|| format!("learnt from {kept} of {measured} jobs, a random choice")),
    ];
    all.into_iter().flatten().collect()
}

/// The sum of the costs of all proposals, before and after.
pub fn totals(report: &Report) -> (Cost, Cost) {
    let (mut before, mut after) = (Cost::default(), Cost::default());
    for tool in &report.tools {
        if let Proposal::Change { evidence, .. } = &tool.proposal {
            before.add(&evidence.before);
            after.add(&evidence.after);
        }
    }
    (before, after)
}

/// A part as a percentage: `61 %`.
pub fn percent(part: f64) -> String {
    format!("{:.0} %", part * 100.0)
}
