//! Proposals: the cheapest rule that the jobs of a tool allow, if later jobs confirm it.
//!
//! Rules are learnt on the first part of the jobs by time, and judged on the rest. One that does not cost less there, beyond what
//! chance explains, is not proposed. The rule of a proposal is then learnt again, from all jobs.

use serde::Serialize;

use crate::censored::{GOLDEN, Needs, Ratios, count};
use crate::line::{Family, Line};
use crate::need::{Need, Observation};
use crate::policy::{Cost, Policy};
use crate::random::Random;
use crate::search::{Found, Search};

/// The part of the jobs, by time, that rules are learnt on.
const LEARNT: f64 = 0.7;
/// The most needs that rules are learnt on; of more, every second or third is taken.
const MOST_LEARNT: usize = 8_000;
/// The part by which a rule must be cheaper than a simpler one.
const SIMPLER: f64 = 0.03;
/// The part of the cost that a proposal must save for certain.
const LEAST_SAVING: f64 = 0.05;
/// The saving that it needs on top of that, divided by the number of judged jobs: few jobs mislead more often than their interval says.
const MORE_OF_FEW: f64 = 3.0;
/// Samples with replacement, for intervals.
const SAMPLES: usize = 500;
/// The part of the samples beyond either end of an interval.
const TAIL: f64 = 0.025;
/// The number of judged jobs at which the lower part of an interval is twice as wide as the samples say.
const FEW: f64 = 5.0;
/// The jobs of a version that gets a rule of its own.
const LEAST_OF_VERSION: usize = 100;
/// The width of the kernel for one job, in standard deviations of the ratio between need and what is typical.
const WIDTH: f64 = 1.2;
/// Factors for compressed inputs that are tried.
const COMPRESSIONS: [f64; 6] = [1.5, 2.0, 3.0, 4.0, 6.0, 10.0];

/// The choices of a run.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The treatment of jobs whose memory is short.
    pub policy: Policy,
    /// The fewest jobs of a tool that are enough for a proposal.
    pub least_jobs: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { policy: Policy::default(), least_jobs: 100 }
    }
}

/// A rule for a tool's memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// For all versions but those that have their own.
    pub line: Line,
    /// Versions by index, with their own rule.
    pub by_version: Vec<(u16, Line)>,
}

impl Rule {
    /// The memory for a job in GiB.
    pub fn memory(&self, need: &Need) -> f64 {
        let own = self.by_version.iter().find(|(version, _)| *version == need.version);
        need.memory(own.map_or(&self.line, |(_, line)| line))
    }

    /// The number of numbers in it, by which rules are simpler than others.
    fn complexity(&self) -> usize {
        let of = |line: &Line| match line.family() {
            Family::Constant => 1,
            Family::Size => 2 + usize::from(line.most.is_some()),
            Family::CompressedSize => 3 + usize::from(line.most.is_some()),
        };
        of(&self.line) + self.by_version.iter().map(|(_, line)| of(line)).sum::<usize>()
    }
}

/// The evidence for and against a rule: the costs on jobs that it was not learnt on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// The jobs that the rule was learnt on.
    pub learnt_on: usize,
    /// The later jobs that it was judged on.
    pub judged_on: usize,
    /// Their cost by today's rule.
    pub before: Cost,
    /// Their cost by the proposed rule.
    pub after: Cost,
    /// The part of today's cost that is saved.
    pub saving: f64,
    /// The interval in which the saving lies with a probability of 95 %, including an allowance for jobs larger than any seen.
    pub interval: [f64; 2],
}

/// The reason to keep today's rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Keep {
    /// There are fewer jobs than a proposal needs.
    FewJobs,
    /// All jobs were killed.
    NoneEnded,
    /// The memory of some jobs is likely in another unit than that of the rest.
    MixedUnits,
    /// No rule is cheaper on later jobs.
    NoGain,
    /// The gain on later jobs may be chance.
    WithinNoise,
}

/// The result for a tool.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// A better rule.
    Change {
        /// The rule, learnt from all jobs.
        rule: Rule,
        /// The costs on the later jobs, of the rule that was learnt on the earlier ones.
        evidence: Evidence,
    },
    /// Today's rule stays.
    Keep {
        /// The reason.
        why: Keep,
        /// The costs of the best rule that was found, if one was.
        evidence: Option<Evidence>,
    },
}

/// Looks for a better rule for a tool. `ceiling` is the memory of the largest destination in GiB.
pub fn propose(observations: &[Observation], ceiling: f64, settings: &Settings) -> Verdict {
    let keep = |why, evidence| Verdict::Keep { why, evidence };
    if observations.len() < settings.least_jobs.max(10) {
        return keep(Keep::FewJobs, None);
    }
    let mut jobs = observations.to_vec();
    jobs.sort_by_key(|job| job.time);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a count")]
    let split = (count(jobs.len()) * LEARNT) as usize;
    let early = jobs.get(..split).unwrap_or_default();
    let (Some(all), Some(learnt)) = (Needs::of(&jobs), Needs::of(early)) else { return keep(Keep::NoneEnded, None) };
    let judged: Vec<Need> = all.needs.iter().filter(|need| need.job as usize >= split).copied().collect();
    let judge = Judge { needs: &judged, policy: &settings.policy, ceiling };
    let before = judge.cost(|need| need.today);
    let learner = |needs: &Needs, jobs: &[Observation]| Learner::new(needs, jobs, settings.policy, ceiling);
    let mut best: Option<(Rule, Choice, Cost, f64)> = None;
    let mut candidates = learner(&learnt, early).rules();
    candidates.sort_by_key(|(rule, _)| rule.complexity());
    // A family is chosen by all jobs: those that its rule was learnt on tell most of what there is to tell.
    let early_judge = Judge { needs: &learnt.needs, policy: &settings.policy, ceiling };
    for (rule, choice) in candidates {
        let later = judge.cost(|need| rule.memory(need));
        let total = later.total() + early_judge.cost(|need| rule.memory(need)).total();
        let margin = if best.is_none() { 0.0 } else { SIMPLER };
        if best.as_ref().is_none_or(|(.., least)| total < least * (1.0 - margin)) {
            best = Some((rule, choice, later, total));
        }
    }
    let Some((rule, choice, after, _)) = best else { return keep(Keep::NoneEnded, None) };
    let interval = judge.interval(&rule, &all);
    let saving = 1.0 - after.total() / before.total();
    let evidence = Evidence { learnt_on: split, judged_on: jobs.len() - split, before, after, saving, interval };
    match () {
        () if saving.is_nan() || saving <= 0.0 => keep(Keep::NoGain, Some(evidence)),
        () if interval[0] < LEAST_SAVING + MORE_OF_FEW / count(jobs.len() - split) => {
            keep(Keep::WithinNoise, Some(evidence))
        }
        () => match learner(&all, &jobs).rule(choice) {
            Some(rule) => Verdict::Change { rule, evidence },
            None => keep(Keep::NoGain, Some(evidence)),
        },
    }
}

/// The candidates for a rule, to be learnt again.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Choice {
    family: Family,
    has_bound: bool,
    compression: Option<f64>,
    by_version: bool,
}

/// Learns rules from jobs.
struct Learner {
    needs: Vec<Need>,
    policy: Policy,
    ceiling: f64,
    /// The versions with enough jobs.
    versions: Vec<u16>,
    /// True if both compressed inputs and others matter.
    is_mixed: bool,
}

impl Learner {
    fn new(needs: &Needs, jobs: &[Observation], policy: Policy, ceiling: f64) -> Self {
        let mut by_version = std::collections::BTreeMap::<u16, usize>::new();
        for job in jobs {
            *by_version.entry(job.version).or_default() += 1;
        }
        let versions = by_version.into_iter().filter(|(_, jobs)| *jobs >= LEAST_OF_VERSION).map(|(version, _)| version);
        let mostly = |compressed: bool| {
            let is =
                |job: &&Observation| if compressed { job.compressed > job.plain } else { job.plain > job.compressed };
            jobs.iter().filter(is).count() * 10 >= jobs.len()
        };
        let is_mixed = mostly(true) && mostly(false);
        let step = needs.needs.len().div_ceil(MOST_LEARNT).max(1);
        let needs = needs.needs.iter().step_by(step).copied().collect();
        Self { needs, policy, ceiling, versions: versions.collect(), is_mixed }
    }

    /// The best rule of each family.
    fn rules(&self) -> Vec<(Rule, Choice)> {
        let simple = |family| Choice { family, has_bound: false, compression: None, by_version: false };
        let bounded = |family| Choice { has_bound: true, ..simple(family) };
        let mut choices = vec![simple(Family::Constant), simple(Family::Size), bounded(Family::Size)];
        if self.is_mixed {
            choices.extend([simple(Family::CompressedSize), bounded(Family::CompressedSize)]);
        }
        let mut rules: Vec<(Rule, Choice)> = Vec::new();
        for choice in choices {
            if let Some(rule) = self.rule(choice) {
                let compression = rule.line.compression;
                rules.push((rule, Choice { compression, ..choice }));
            }
        }
        if self.versions.len() >= 2 {
            for family in [Family::Constant, Family::Size] {
                let choice = Choice { by_version: true, ..simple(family) };
                rules.extend(self.rule(choice).map(|rule| (rule, choice)));
            }
        }
        rules
    }

    /// The best rule of one choice.
    fn rule(&self, choice: Choice) -> Option<Rule> {
        let line = self.line(&self.needs, choice)?;
        let mut by_version = Vec::new();
        if choice.by_version {
            for version in &self.versions {
                let needs: Vec<Need> = self.needs.iter().filter(|need| need.version == *version).copied().collect();
                by_version.push((*version, self.line(&needs, choice)?));
            }
        }
        Some(Rule { line, by_version })
    }

    fn line(&self, needs: &[Need], choice: Choice) -> Option<Line> {
        let search = |factor: Option<f64>| {
            let needs = around(needs, factor.unwrap_or(1.0));
            let search = Search::new(&needs, &self.policy, self.ceiling);
            if choice.family == Family::Constant { search.constant() } else { search.line(factor, choice.has_bound) }
        };
        let found = match (choice.family, choice.compression) {
            (Family::CompressedSize, None) => {
                let found = COMPRESSIONS.iter().filter_map(|factor| search(Some(*factor)));
                found.min_by(|one: &Found, other: &Found| one.cost.total_cmp(&other.cost))
            }
            (_, factor) => search(factor),
        };
        found.map(|found| found.line.rounded(self.ceiling))
    }
}

/// Needs that a rule is learnt from: each is spread around what it was, so that no rule follows a single job. Where the ratio of need
/// to what is typical depends on neither size nor time, half of a job's weight goes to the ratios of others.
fn around(needs: &[Need], compression: f64) -> Vec<Need> {
    let ratios = Ratios::of(needs, compression);
    // The three points of Gauss and Hermite. A cost is a sum over the distribution, not a density: its best width falls with the third
    // root of the number of jobs, as for distribution functions (Azzalini), not with the fifth.
    let width = WIDTH * ratios.spread() * count(needs.len().max(1)).powf(-1.0 / 3.0) * 3_f64.sqrt();
    if width <= 1e-6 {
        return needs.to_vec();
    }
    let shared = if ratios.is_independent(needs, compression) { 0.5 } else { 0.0 };
    let mut all = Vec::with_capacity(5 * needs.len());
    let mut place = 0.5;
    for need in needs {
        let points = [(-width, 1.0 / 6.0), (0.0, 2.0 / 3.0), (width, 1.0 / 6.0)];
        let weighted = |peak: f64, part: f64| Need { peak, weight: need.weight * part, ..*need };
        all.extend(points.map(|(shift, part)| weighted(need.peak * shift.exp(), part * (1.0 - shared))));
        for _ in 0..if shared > 0.0 { 2 } else { 0 } {
            place = (place + GOLDEN) % 1.0;
            all.push(weighted(ratios.need(need.size(compression), place), shared / 2.0));
        }
    }
    all
}

/// Judges rules on jobs that they were not learnt on.
struct Judge<'a> {
    needs: &'a [Need],
    policy: &'a Policy,
    ceiling: f64,
}

impl Judge<'_> {
    fn cost(&self, memory: impl Fn(&Need) -> f64) -> Cost {
        let mut cost = Cost::default();
        for need in self.needs {
            cost.add(&need.cost(memory(need), self.policy, self.ceiling));
        }
        cost
    }

    /// The interval of the saving, from samples of the jobs with replacement; the seed is fixed.
    fn interval(&self, rule: &Rule, all: &Needs) -> [f64; 2] {
        // The needs of one job are drawn together.
        let mut jobs: Vec<(u32, f64, f64)> = Vec::new();
        for need in self.needs {
            let before = need.cost(need.today, self.policy, self.ceiling).total();
            let after = need.cost(rule.memory(need), self.policy, self.ceiling).total();
            match jobs.last_mut().filter(|(job, ..)| *job == need.job) {
                Some((_, old, new)) => (*old, *new) = (*old + before, *new + after),
                None => jobs.push((need.job, before, after)),
            }
        }
        let mut random = Random::new(jobs.len() as u64);
        let mut savings: Vec<f64> = (0..SAMPLES)
            .map(|_| {
                let (mut before, mut after) = (0.0, 0.0);
                for _ in 0..jobs.len() {
                    if let Some((_, old, new)) = jobs.get(random.below(jobs.len())) {
                        (before, after) = (before + old, after + new);
                    }
                }
                1.0 - after / before
            })
            .collect();
        savings.sort_by(f64::total_cmp);
        let center = savings.get(SAMPLES / 2).copied().unwrap_or_default();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a count")]
        let cut = (count(SAMPLES) * TAIL) as usize;
        let low = savings.get(cut).copied().unwrap_or(f64::NEG_INFINITY);
        let high = savings.get(SAMPLES - 1 - cut).copied().unwrap_or_default();
        // Samples of few jobs do not spread as widely as further jobs would.
        let widened = center - (center - low) * (1.0 + FEW / count(jobs.len().max(1)));
        [widened - self.allowance(rule, all), high]
    }

    /// The part of today's cost that jobs may add whose like was not among those judged, where the rule would lose them and today's would
    /// not: the chance that a need exceeds the reach of the last attempt, by the tail of the ratio of need to memory, times the
    /// price of the costliest jobs.
    fn allowance(&self, rule: &Rule, all: &Needs) -> f64 {
        let reach = (1..self.policy.attempts).fold(1.0, |reach, _| reach * self.policy.factor);
        let chance = |memory: &dyn Fn(&Need) -> f64| {
            let ratios = all.needs.iter().map(|need| need.peak / (memory(need) * reach).min(self.ceiling));
            chance_above_one(ratios.collect())
        };
        let more = chance(&|need| rule.memory(need)) - chance(&|need| need.today);
        let mut prices: Vec<f64> = all.needs.iter().map(|need| self.policy.price(need.peak, need.hours)).collect();
        prices.sort_by(|one, other| other.total_cmp(one));
        prices.truncate(tail_of(all.needs.len()));
        let price = prices.iter().sum::<f64>() / count(prices.len().max(1));
        let jobs: f64 = self.needs.iter().map(|need| need.weight).sum();
        let before = self.cost(|need| need.today).total();
        if before > 0.0 { more.max(0.0) * price * jobs / before } else { 0.0 }
    }
}

/// The number of values that are the tail of so many.
fn tail_of(values: usize) -> usize {
    (values / 10).clamp(10, 200)
}

/// The chance that a value exceeds 1, by the tail of those that there are: a power law through the largest tenth (of many, through the largest
/// 200), after Hill, with the heavier end of its exponent's interval.
fn chance_above_one(mut values: Vec<f64>) -> f64 {
    values.sort_by(|one, other| other.total_cmp(one));
    let tail = tail_of(values.len());
    let Some(first) = values.get(tail).copied().filter(|first| *first > 0.0) else { return 1.0 };
    if first >= 1.0 {
        // The tail begins above 1: there are enough to count.
        return count(values.partition_point(|value| *value > 1.0).max(tail)) / count(values.len());
    }
    let excess = values.iter().take(tail).map(|value| (value / first).ln()).sum::<f64>() / count(tail);
    let exponent = (1.0 - 1.0 / count(tail).sqrt()) / excess.max(1e-6);
    count(tail) / count(values.len()) * first.powf(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chance_above_one_follows_the_tail() {
        let pareto = |exponent: f64, scale: f64| -> Vec<f64> {
            (0..10_000).map(|at| scale * ((f64::from(at) + 0.5) / 1e4).powf(-1.0 / exponent)).collect()
        };
        for (exponent, scale, truth) in [(2.0, 0.01, 1e-4), (2.0, 0.1, 0.01), (1.0, 0.3, 0.3)] {
            let chance = chance_above_one(pareto(exponent, scale));
            assert!((truth..2.5 * truth).contains(&(chance * 1.001)), "{chance}, not {truth}");
        }
    }
}
