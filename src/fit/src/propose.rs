//! Proposals: the cheapest rule that the jobs of a tool allow, if jobs that it was not learnt from confirm it.
//!
//! The jobs are cut into blocks by time. For each block, rules are learnt from the other blocks and judged on it (blocked cross-validation). A rule
//! that loses more jobs there than today's rules do, or does not cost less beyond what chance explains, is not proposed. The rule of a
//! proposal is then learnt again, from all jobs.

use serde::Serialize;

use crate::censored::{Needs, count};
use crate::judge::{Judge, Pair, interval, sums};
use crate::learn::{Choice, Learner, MOST_LEARNT, MOST_LEARNT_TO_JUDGE, needs_without};
use crate::line::Line;
use crate::need::{Need, Observation};
use crate::policy::{Cost, LostCosts};
use crate::response::Response;
use crate::rule::Rule;
use crate::search::Terms;
use crate::tail::trend;

/// The blocks of the cross-validation.
const BLOCKS: usize = 5;
/// The part by which a rule must be cheaper than a simpler one.
const SIMPLER: f64 = 0.03;
/// The part of the cost that a proposal must save.
const LEAST_SAVING: f64 = 0.05;
/// The part that it must save for certain, times the number of judged jobs: few jobs mislead more often than their interval says.
const MORE_OF_FEW: f64 = 2.0;
/// The factor by which memory is raised where no job ran to its end.
const RAISE: f64 = 2.0;

/// The choices of a run.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The price of a lost job.
    pub lost_costs: LostCosts,
    /// The fewest jobs of a tool that are enough for a proposal.
    pub least_jobs: usize,
    /// The part of the jobs that a proposal may lose; it may also lose as many as today's rules.
    pub max_lost: f64,
    /// The least memory that is proposed, in GiB.
    pub floor: f64,
    /// `true` if versions may have rules of their own.
    pub by_version: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { lost_costs: LostCosts::default(), least_jobs: 100, max_lost: 0.0, floor: 0.1, by_version: true }
    }
}

/// The evidence for and against a rule: the costs on jobs that it was not learnt from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// The jobs that it was judged on.
    pub judged_on: usize,
    /// The number of blocks of time that the jobs were cut into: each was judged by what was learnt from the others.
    pub blocks: usize,
    /// Their cost by today's rules.
    pub before: Cost,
    /// Their cost by the rules that were learnt from the other blocks.
    pub after: Cost,
    /// The part of today's cost that is saved.
    pub saving: f64,
    /// The interval in which the saving lies with a probability of 95 %.
    pub interval: [f64; 2],
    /// The part by which needs changed from the first job to the last; 0 if that may be chance.
    pub trend: f64,
}

/// The reason to keep today's rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Keep {
    /// There are fewer jobs than a proposal needs.
    FewJobs,
    /// All jobs were killed, and no destination has more memory.
    NoneEnded,
    /// The memory of some jobs is likely in another unit than that of the rest.
    MixedUnits,
    /// No rule is cheaper.
    NoGain,
    /// The gain may be chance.
    WithinNoise,
    /// Every rule that is cheaper loses more jobs than today's rules do.
    LosesMore,
    /// Today's value grows from attempt to attempt in a way that another value cannot keep.
    OfAttempts,
    /// A rule sets the memory, which only an edit in its place changes.
    OfRule,
    /// A role, a user or a destination sets the memory.
    OfOther,
    /// The value cannot be replaced where it is.
    NotReplaceable,
    /// The rules are an artifact, so that no value can be tried.
    NotTried,
    /// With another value the rules give the tool's jobs no memory that follows it.
    WithoutEffect,
    /// Tried on the history, the value loses more jobs or leaves some without a destination.
    FailsTrial,
    /// Tried on the history, the value saves nothing.
    SavesNothing,
}

/// The result for a tool.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// A better rule.
    Change {
        /// The rule, learnt from all jobs.
        rule: Rule,
        /// The costs on jobs that it was not learnt from; `None` if no job ran to its end, so that more memory is all that is known to help.
        evidence: Option<Evidence>,
    },
    /// Today's rule stays.
    Keep {
        /// The reason.
        why: Keep,
        /// The costs of the best rule that was found, if one was.
        evidence: Option<Evidence>,
    },
}

/// The judgement of a family over all blocks.
struct Judged {
    choice: Choice,
    pairs: Vec<Pair>,
}

/// Looks for a better rule for a tool, whose jobs get the memory that `response` makes of it.
pub fn propose(observations: &[Observation], response: &Response, settings: &Settings) -> Verdict {
    let keep = |why, evidence| Verdict::Keep { why, evidence };
    if observations.len() < settings.least_jobs.max(10) {
        return keep(Keep::FewJobs, None);
    }
    let mut jobs = observations.to_vec();
    jobs.sort_by_key(|job| job.time);
    let terms = Terms { lost_costs: settings.lost_costs, response, floor: settings.floor };
    let Some(Needs { needs: all }) = Needs::of(&jobs) else { return raised(&jobs, &terms) };
    let final_learner = Learner::new(&all, &jobs, terms, settings.max_lost, MOST_LEARNT);
    let mut judged: Vec<Judged> = final_learner
        .choices(settings.by_version)
        .into_iter()
        .map(|choice| Judged { choice, pairs: Vec::new() })
        .collect();
    for block in 0..BLOCKS {
        let range = jobs.len() * block / BLOCKS..jobs.len() * (block + 1) / BLOCKS;
        let Some(learnt) = needs_without(&jobs, &range) else { return keep(Keep::NoGain, None) };
        let learner = Learner::new(&learnt, &jobs, terms, settings.max_lost, MOST_LEARNT_TO_JUDGE);
        let own: Vec<Need> = all.iter().filter(|need| range.contains(&(need.job as usize))).copied().collect();
        let judge = Judge { needs: &own, jobs: &jobs, terms };
        judged.retain_mut(|family| {
            let rule = learner.rule(family.choice);
            family.pairs.extend(rule.iter().flat_map(|rule| judge.pairs(|need| rule.memory(need))));
            rule.is_some()
        });
    }
    let mut best: Option<(Choice, Evidence)> = None;
    let mut best_lost: Option<Evidence> = None;
    for family in &judged {
        let Pair { before, after } = sums(&family.pairs);
        let evidence = Evidence {
            judged_on: jobs.len(),
            blocks: BLOCKS,
            before,
            after,
            saving: 1.0 - after.total() / before.total(),
            interval: [0.0; 2],
            trend: 0.0,
        };
        let (list, margin) = match after.lost <= before.lost.max(settings.max_lost * before.jobs) + 1e-6 {
            true => (&mut best, SIMPLER),
            false => {
                if best_lost.is_none_or(|known| after.total() < known.after.total()) {
                    best_lost = Some(evidence);
                }
                continue;
            }
        };
        let margin = if list.is_none() { 0.0 } else { margin };
        if list.is_none_or(|(_, least)| after.total() < least.after.total() * (1.0 - margin)) {
            *list = Some((family.choice, evidence));
        }
    }
    let Some((choice, mut evidence)) = best else {
        let why = if best_lost.is_some_and(|evidence| evidence.saving > 0.0) { Keep::LosesMore } else { Keep::NoGain };
        return keep(why, best_lost);
    };
    let pairs = judged.iter().find(|family| family.choice == choice).map_or(&[][..], |family| &family.pairs);
    evidence.interval = interval(pairs);
    let Some(rule) = final_learner.rule(choice) else { return keep(Keep::NoGain, Some(evidence)) };
    let judge = Judge { needs: &all, jobs: &jobs, terms };
    let seen = sums(&judge.pairs(|need| rule.memory(need)));
    let logs: Vec<f64> = all.iter().map(|need| (need.peak / rule.memory(need).max(1e-9)).ln()).collect();
    evidence.trend = trend(&logs).exp() - 1.0;
    match () {
        () if evidence.saving.is_nan() || evidence.saving <= 0.0 => keep(Keep::NoGain, Some(evidence)),
        () if seen.after.lost > seen.before.lost.max(settings.max_lost * seen.before.jobs) + 1e-6 => {
            keep(Keep::LosesMore, Some(evidence))
        }
        () if evidence.saving < LEAST_SAVING || evidence.interval[0] < MORE_OF_FEW / count(jobs.len()) => {
            keep(Keep::WithinNoise, Some(evidence))
        }
        () if seen.after.total() >= seen.before.total() => keep(Keep::NoGain, Some(evidence)),
        () => Verdict::Change { rule, evidence: Some(evidence) },
    }
}

/// The proposal if all jobs were killed: their need is not known, so they get more than the most that any had.
fn raised(jobs: &[Observation], terms: &Terms<'_>) -> Verdict {
    let had = jobs.iter().map(|job| f64::from(job.peak)).fold(0.0, f64::max);
    let line = Line::constant(RAISE * had).rounded(terms.least(), terms.response.largest());
    if terms.response.reach(line.base) <= had * 1.01 {
        return Verdict::Keep { why: Keep::NoneEnded, evidence: None };
    }
    Verdict::Change { rule: Rule { line, by_version: Vec::new() }, evidence: None }
}
