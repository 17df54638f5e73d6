//! The report of a run as data: for each tool and what sets its memory, what was asked, what was used, and the rule to change it to.

use serde::Serialize;
use tpv_analysis::explain::Provenance;
use tpv_model::{Field, Resource};

use std::collections::HashMap;

use tpv_compiler::python::attempt_factor::AttemptFactor;

use crate::history::{Group, History, Key};
use crate::need::Observation;
use crate::patch::Value;
use crate::policy::Assumed;
use crate::propose::{Evidence, Keep, Settings, Verdict, propose};
use crate::response::Response;
use crate::rule::Rule;
use crate::today::Setter;
use crate::trial::{GIB_HOUR, Trial, Trials};
use crate::units::OtherUnit;
use crate::write::Way;

/// The jobs of a tool that plots show.
const MOST_POINTS: usize = 400;

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
    /// Lines of jobs whose id an earlier line has; they are not counted.
    pub repeated: u64,
    /// The attempts of a job that is killed for memory, if they are assumed; else they are those that the rules give.
    pub assumed: Option<Assumed>,
    /// Jobs without a proposal for their tool that get another answer where all proposals are written.
    pub others_changed: u64,
    /// The trials of all proposals together.
    pub trial: Option<Trial>,
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
    /// The memory of the largest destination that takes it, in GiB; `None` if there is no limit, or if that is not known.
    pub largest_destination: Option<f64>,
    /// The attempts of a job that is killed for memory each time: the memory of each, divided by that of the first.
    pub attempts: Vec<f64>,
    /// The amounts that its jobs asked for and used.
    pub usage: Usage,
    /// The rule to change to.
    #[serde(flatten)]
    pub proposal: Proposal,
    /// The facts that limit the proposal.
    pub unknown: Vec<String>,
    /// The number of places that set the memory of this tool, each of some of its jobs.
    pub places: usize,
    /// `true` if the tool's id has a version at its end, as those from tool sheds.
    #[serde(skip)]
    pub has_version: bool,
    /// The tool and what sets its memory.
    #[serde(skip)]
    pub key: Key,
    /// The way to write its value.
    #[serde(skip)]
    pub way: Option<Way>,
    /// The factor of the attempt that its value keeps.
    #[serde(skip)]
    pub factor: AttemptFactor,
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
        /// The evidence for it; `None` if no job ran to its end.
        evidence: Option<Evidence>,
        /// The jobs of the history by the text that is to be written; `None` if there are no rules to try it with.
        trial: Option<Trial>,
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
        /// The trial that refused the value, and the value.
        refused: Option<(String, Trial)>,
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
            Self::LosesMore => "less memory loses more jobs",
            Self::OfAttempts => "it grows with the attempts",
            Self::OfRule => "a rule sets it",
            Self::OfOther => "not set by the tool",
            Self::NotReplaceable => "not replaceable in its place",
            Self::NotTried => "not tried: rules are an artifact",
            Self::WithoutEffect => "`mem` has no effect",
            Self::FailsTrial => "the value fails jobs",
            Self::SavesNothing => "the value saves nothing",
        }
    }
}

impl Tool {
    /// GiB·h that were reserved and not used.
    pub fn waste(&self) -> f64 {
        (self.usage.reserved - self.usage.used).max(0.0)
    }

    /// The part that the proposal saves: of the GiB·h of its jobs, or, where it could not be tried, of their cost on jobs that it was not learnt from. `None` without
    /// a proposal.
    pub fn saving(&self) -> Option<f64> {
        match &self.proposal {
            Proposal::Change { trial: Some(trial), .. } => saved(trial.gib_hours()),
            Proposal::Change { evidence: Some(evidence), .. } => Some(evidence.saving),
            _ => None,
        }
    }

    /// The value of a proposal with its evidence as comments; `None` without one.
    pub fn value(&self, assumed: Option<Assumed>) -> Option<Value> {
        let Proposal::Change { mem, by_version, .. } = &self.proposal else { return None };
        Some(Value {
            tool: self.tool.clone(),
            has_version: self.has_version,
            mem: mem.clone(),
            by_version: by_version.clone(),
            comments: self.comments(assumed),
        })
    }
}

impl Report {
    /// The jobs that no tool of the report has, in words.
    pub fn left_out(&self) -> Vec<String> {
        let all = [
            (self.without_outcome, "without an outcome"),
            (self.unmapped, "that today's rules do not map, or give no memory"),
            (self.repeated, "whose id an earlier line has"),
            (self.others, "of tools that are not listed: they are too many, or have too few jobs"),
        ];
        let some = all.into_iter().filter(|(jobs, _)| *jobs > 0);
        some.map(|(jobs, what)| format!("{} {what}", tpv_text::figures::count(jobs, "job"))).collect()
    }
}

/// The facts of each tool that do not depend on its jobs: the memory that the rules make of a value, the factor that its value keeps, and the way to
/// write it; or the reason that it keeps today's value.
pub type Prospects = HashMap<Key, Result<(Response, AttemptFactor, Way), (Keep, Option<String>)>>;

/// Makes the report of a history: the places are those of the config, where it is known. `prospects` are `None` if there are no rules: then
/// attempts are those that the sites' rules give, each with more memory by the factor that is assumed.
pub fn report(
    history: &History,
    provenance: Option<&Provenance<'_>>,
    prospects: Option<&Prospects>,
    settings: &Settings,
    assumed: Option<Assumed>,
) -> Report {
    let mut groups: Vec<(&Key, &Group)> = history.groups.iter().collect();
    groups.sort_by_key(|(key, _)| *key);
    let mut tools = tpv_text::parallel::map(&groups, |(key, group)| {
        let prospect = match prospects {
            Some(known) => known
                .get(key)
                .cloned()
                .unwrap_or(Err((Keep::WithoutEffect, None)))
                .map(|(response, factor, way)| (response, factor, Some(way))),
            None => {
                let assumed = assumed.unwrap_or(Assumed { attempts: group.usual_attempts(), factor: 2.0 });
                Ok((Response::assumed(assumed), AttemptFactor::default(), None))
            }
        };
        tool(key, group, provenance, prospect, settings)
    });
    tools.sort_by(|one, other| other.waste().total_cmp(&one.waste()));
    let mut report = Report {
        jobs: history.jobs,
        without_outcome: history.jobs - history.outcomes,
        unmapped: history.unmapped,
        others: history.others,
        repeated: history.repeated,
        assumed,
        others_changed: 0,
        trial: None,
        tools,
    };
    report.note_several_places();
    report
}

type Prospect = Result<(Response, AttemptFactor, Option<Way>), (Keep, Option<String>)>;

fn tool(
    key: &Key,
    group: &Group,
    provenance: Option<&Provenance<'_>>,
    prospect: Prospect,
    settings: &Settings,
) -> Tool {
    let (observations, versions) = group.observations();
    // The jobs of summaries have no lines.
    let other_unit = group.other_unit().filter(|_| provenance.is_some());
    let mut unknown: Vec<String> =
        other_unit.map(in_words).into_iter().chain(unknown(group, observations.len())).collect();
    let (mut largest, mut attempts, mut way, mut factor) = (None, Vec::new(), None, AttemptFactor::default());
    let keep = |why| Verdict::Keep { why, evidence: None };
    let verdict = match prospect {
        _ if other_unit.is_some() => keep(Keep::MixedUnits),
        _ if observations.len() < settings.least_jobs => keep(Keep::FewJobs),
        Err((why, reason)) => {
            unknown.extend(reason);
            keep(why)
        }
        Ok((response, kept, to)) => {
            largest = response.most.is_finite().then_some(response.most);
            let first = response.ratios.first().copied().unwrap_or(1.0);
            attempts = response.ratios.iter().map(|ratio| ratio / first).collect();
            (way, factor) = (to, kept);
            let by_version = settings.by_version && !matches!(to, Some(Way::Edit(_)));
            propose(&observations, &response, &Settings { by_version, ..*settings })
        }
    };
    let proposal = match verdict {
        Verdict::Change { rule, evidence } => {
            let text = |line: &crate::line::Line| {
                let value = factor.around(&line.expression());
                // The last attempt may get more than any destination takes: then it gets the most that there is.
                let ratio = attempts.iter().copied().fold(1.0, f64::max);
                let reach = line.most.unwrap_or(if line.slope > 0.0 { f64::INFINITY } else { line.base }) * ratio;
                match largest {
                    Some(most) if !factor.is_constant() && reach > most => {
                        format!("min({value}, {})", crate::line::number(most))
                    }
                    _ => value,
                }
            };
            let named = |(version, line): &(u16, crate::line::Line)| {
                versions.get(usize::from(*version)).map(|name| (name.clone(), text(line)))
            };
            let by_version = rule.by_version.iter().filter_map(named).collect();
            Proposal::Change { mem: text(&rule.line), by_version, evidence, trial: None, rule }
        }
        Verdict::Keep { why, evidence } => Proposal::Keep { why, evidence, refused: None },
    };
    Tool {
        tool: key.tool.clone(),
        place: provenance.and_then(|known| place(key.setter, known)).map(|place| place.to_string()),
        largest_destination: largest,
        attempts,
        usage: usage(group),
        proposal,
        unknown,
        places: 1,
        has_version: group.example != key.tool,
        key: key.clone(),
        way,
        factor,
        points: observations.iter().step_by(observations.len().div_ceil(MOST_POINTS).max(1)).cloned().collect(),
    }
}

impl Report {
    /// Adds a fact to tools whose memory several places set.
    fn note_several_places(&mut self) {
        let mut places = HashMap::<String, Vec<String>>::new();
        for tool in &self.tools {
            let place = tool.place.clone().unwrap_or_else(|| "no line that is known".to_owned());
            places.entry(tool.tool.clone()).or_default().push(place);
        }
        for tool in &mut self.tools {
            tool.places = places.get(&tool.tool).map_or(1, Vec::len);
        }
    }

    /// The attempts that were assumed or asked for, in words.
    pub fn attempts_in_words(&self) -> String {
        if let Some(Assumed { attempts, factor }) = self.assumed {
            return format!(
                "Attempts: {attempts} outside of Galaxy, each with {factor} times the memory, as `--attempts` and `--factor` assume."
            );
        }
        let asked: Vec<usize> = self.tools.iter().map(|tool| tool.attempts.len()).filter(|count| *count > 0).collect();
        let several = asked.iter().filter(|count| **count > 1).count();
        match (asked.len(), several) {
            (0, _) => "Attempts: the rules were not asked for any.".to_owned(),
            (_, 0) => "Attempts: 1, because the rules resubmit no job that is killed for memory. If your cluster starts such jobs again itself, add \
                       `--attempts` and `--factor`."
                .to_owned(),
            (all, several) => format!("Attempts: those of the rules; {several} of {all} tools have more than one."),
        }
    }

    /// Takes the trials of all proposals. Returns `true` if none had to be refused; else their text is another one now, which has to be tried again.
    pub fn take(&mut self, trials: &Trials, max_lost: f64) -> bool {
        let mut all_hold = true;
        let mut all = Trial::default();
        for tool in &mut self.tools {
            let Proposal::Change { trial, mem, evidence, .. } = &mut tool.proposal else { continue };
            let tried = trials.tools.get(&tool.key).copied().unwrap_or_default();
            let loses_fewer =
                tried.lost.proposed < tried.lost.today || tried.more_memory.proposed > tried.more_memory.today;
            let saves = saved(tried.gib_hours()).is_some_and(|saved| saved > 0.0);
            let refusal = match () {
                () if tried.jobs == 0 => Some(Keep::WithoutEffect),
                () if !tried.is_safe(max_lost) => Some(Keep::FailsTrial),
                () if !saves && !loses_fewer => Some(Keep::SavesNothing),
                () => None,
            };
            match refusal {
                Some(why) => {
                    let refused = Some((std::mem::take(mem), tried));
                    tool.proposal = Proposal::Keep { why, evidence: *evidence, refused };
                    all_hold = false;
                }
                None => {
                    *trial = Some(tried);
                    all += tried;
                }
            }
        }
        self.trial = Some(all);
        self.others_changed = trials.others;
        all_hold
    }
}

/// The part that is saved of an amount before and after; `None` if it was 0.
pub fn saved([before, after]: [f64; 2]) -> Option<f64> {
    (before > 0.0).then(|| 1.0 - after / before)
}

fn in_words(other: OtherUnit) -> String {
    let jobs = tpv_text::figures::count(other.jobs as u64, "job");
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
        asked_median: group.asked_median().unwrap_or_default(),
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
        |count: u64, what: &str| (count > 0).then(|| format!("{} {what}", tpv_text::figures::count(count, "job")));
    let measured = group.jobs - group.unmeasured - group.failed - group.deleted;
    let all = [
        jobs(group.unmeasured, "without memory or time in the outcome"),
        jobs(group.failed, "failed for other reasons and are left out"),
        jobs(group.deleted, "deleted by their users and left out"),
        jobs(group.unsized_inputs, "with inputs of unknown size, which count as 0"),
        jobs(group.lost, "killed for memory and never ran to their end: their need is estimated"),
        (measured > kept as u64).then(|| format!("learnt from {kept} of {measured} jobs, a random choice")),
        (group.only_user.is_some() && group.jobs > 1).then(|| "all jobs are of one user".to_owned()),
        other_rules(group),
    ];
    all.into_iter().flatten().collect()
}

/// The fact that a history's jobs had other memory than today's rules give.
fn other_rules(group: &Group) -> Option<String> {
    let [known, other] = group.given;
    (other * 5 > known).then(|| {
        let had = group.given_otherwise.quantile(0.5).unwrap_or_default();
        let asked = group.asked_median().unwrap_or_default();
        format!(
            "{} of {} jobs had other memory than today's rules give, half of them {had:.3} GiB or more, and today {asked} GiB: the history is of other rules",
            tpv_text::figures::grouped(other),
            tpv_text::figures::grouped(known)
        )
    })
}

/// The change of an amount of which this part is saved: `-61 %`.
pub fn changed(saved: f64) -> String {
    let change = (-100.0 * saved).round();
    if change == 0.0 { "0 %".to_owned() } else { format!("{change:+.0} %") }
}

/// A part as a percentage: `61 %`.
pub fn percent(part: f64) -> String {
    format!("{:.0} %", part * 100.0)
}
