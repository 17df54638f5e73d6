//! Learning a rule of a family from jobs: the cheapest one, with room for needs that were not seen.

use crate::censored::{GOLDEN, Needs, Ratios, count};
use crate::judge::{Judge, sums};
use crate::line::{Family, Line};
use crate::need::{Need, Observation};
use crate::rule::Rule;
use crate::search::{Search, Terms};
use crate::tail::{Tail, trend};

/// The most needs that a rule is learnt from; of more, every second or third is taken.
pub(crate) const MOST_LEARNT: usize = 8_000;
/// The same for a rule that is only judged: there are several families, and several blocks of time.
pub(crate) const MOST_LEARNT_TO_JUDGE: usize = 1_500;
/// The jobs of a version that gets a rule of its own.
const LEAST_OF_VERSION: usize = 100;
/// The width of the kernel for one job, in standard deviations of the ratio between need and what is typical.
const WIDTH: f64 = 1.2;
/// Factors for compressed inputs that are tried.
const COMPRESSIONS: [f64; 6] = [1.5, 2.0, 3.0, 4.0, 6.0, 10.0];
/// Standard deviations by which the jobs that today's rules lose may be more than they lose on average.
const DEVIATIONS: f64 = 2.0;
/// The number of further jobs, at least, of which a rule may lose [`MAY_LOSE`] where today's loses none.
const FURTHER_JOBS: f64 = 1_000.0;
/// Jobs that a rule may lose among as many further jobs as there were, if killed jobs get no more memory.
const MAY_LOSE: f64 = 0.1;
/// The same if they do: a lost job has needed several times what its first attempt got, and room for that is dear.
const MAY_LOSE_RISING: f64 = 0.5;
/// Halvings of the chance of a lost job that are tried where attempts do not rise: the cheapest rule may be safer than it has to be.
const SAFER: i32 = 12;
/// The most by which a rule is raised for needs that were not seen.
const MOST_RAISED: f64 = 32.0;

/// A candidate for a rule, to be learnt again from other jobs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Choice {
    pub(crate) family: Family,
    pub(crate) has_bound: bool,
    pub(crate) by_version: bool,
}

/// Learns rules from jobs.
pub(crate) struct Learner<'a> {
    needs: Vec<Need>,
    judge: Judge<'a>,
    terms: Terms<'a>,
    /// The part of the jobs that may be lost.
    may_lose: f64,
    /// The versions with enough jobs.
    versions: Vec<u16>,
    /// True if both compressed inputs and others matter.
    is_mixed: bool,
    /// True if a job that is killed gets more memory at its next attempt. If none does, the cheapest rule says little of how much is safe: then rules follow what is
    /// typical for a size, so that the jobs of all sizes tell of the room that is needed.
    rises: bool,
}

impl<'a> Learner<'a> {
    /// A learner of some of the jobs, whose needs these are; `may_lose` is the part of the jobs that may be lost in any case. The search sees
    /// `most_learnt` of the needs, the room above it all.
    pub(crate) fn new(
        needs: &'a [Need],
        jobs: &'a [Observation],
        terms: Terms<'a>,
        may_lose: f64,
        most_learnt: usize,
    ) -> Self {
        let mut by_version = std::collections::BTreeMap::<u16, usize>::new();
        let (mut compressed, mut plain, mut all) = (0, 0, 0);
        let mut last = None;
        for need in needs {
            if last.replace(need.job) == Some(need.job) {
                continue;
            }
            *by_version.entry(need.version).or_default() += 1;
            all += 1;
            compressed += usize::from(need.compressed > need.plain);
            plain += usize::from(need.plain > need.compressed);
        }
        let versions = by_version.into_iter().filter(|(_, jobs)| *jobs >= LEAST_OF_VERSION).map(|(version, _)| version);
        let is_mixed = compressed.min(plain) * 10 >= all;
        let judge = Judge { needs, jobs, terms };
        let step = needs.len().div_ceil(most_learnt).max(1);
        let needs = needs.iter().step_by(step).copied().collect();
        let first = terms.response.ratios.first().copied().unwrap_or(1.0);
        let rises = terms.response.ratios.iter().any(|ratio| *ratio > first);
        Self { needs, judge, terms, may_lose, versions: versions.collect(), is_mixed, rises }
    }

    /// The families that are worth trying, the simplest first.
    pub(crate) fn choices(&self, by_version: bool) -> Vec<Choice> {
        let of = |family, has_bound| Choice { family, has_bound, by_version: false };
        let mut choices = vec![of(Family::Constant, false), of(Family::Size, false)];
        if self.is_mixed {
            choices.push(of(Family::CompressedSize, false));
        }
        if self.rises {
            let bounded: Vec<Choice> =
                choices.iter().skip(1).map(|choice| Choice { has_bound: true, ..*choice }).collect();
            choices.extend(bounded);
        }
        if by_version && self.versions.len() >= 2 {
            let by_version = |family| Choice { by_version: true, ..of(family, false) };
            choices.extend([Family::Constant, Family::Size].map(by_version));
        }
        choices
    }

    /// The best rule of one choice.
    pub(crate) fn rule(&self, choice: Choice) -> Option<Rule> {
        let line = self.line(&self.needs, choice)?;
        let mut by_version = Vec::new();
        if choice.by_version {
            for version in &self.versions {
                let needs: Vec<Need> = self.needs.iter().filter(|need| need.version == *version).copied().collect();
                by_version.push((*version, self.line(&needs, choice)?));
            }
        }
        let rule = Rule { line, by_version };
        let raised = self
            .room(&rule)
            .into_iter()
            .map(|factor| rule.times(factor).rounded(self.terms.least(), self.terms.response.largest()));
        // The cheapest of those that are safe enough.
        let cost = |rule: &Rule| sums(&self.judge.pairs(|need| rule.memory(need))).after.total();
        let mut raised: Vec<(f64, Rule)> = raised.map(|rule| (cost(&rule), rule)).collect();
        raised.sort_by(|one, other| one.0.total_cmp(&other.0));
        raised.into_iter().next().map(|(_, rule)| rule)
    }

    fn line(&self, needs: &[Need], choice: Choice) -> Option<Line> {
        let search = |compression: Option<f64>| {
            if self.rises {
                let needs = around(needs, compression.unwrap_or(1.0));
                let search = Search::new(&needs, &self.terms);
                let is_constant = choice.family == Family::Constant;
                let found = if is_constant { search.constant() } else { search.line(compression, choice.has_bound) };
                found.map(|found| (found.line, found.cost))
            } else {
                typical(needs, choice.family, compression)
            }
        };
        let found = match choice.family {
            Family::CompressedSize => {
                let found = COMPRESSIONS.iter().filter_map(|factor| search(Some(*factor)));
                found.min_by(|one, other| one.1.total_cmp(&other.1))
            }
            _ => search(None),
        };
        found.map(|(line, _)| line)
    }

    /// The factors by which a rule may be raised so that it loses no more jobs than today's: of those that were seen, and of further ones by the tail of
    /// the ratio of need to memory; at most up to where no job gets less than today. If needs rose over the jobs' time, there is room for as much again.
    fn room(&self, rule: &Rule) -> Vec<f64> {
        let ratio = |need: &Need, reach: f64| ((need.peak / reach.max(1e-9)).ln(), need.weight);
        let needs = self.judge.needs;
        let new: Vec<(f64, f64)> =
            needs.iter().map(|need| ratio(need, self.terms.response.reach(rule.memory(need)))).collect();
        let logs: Vec<f64> = new.iter().map(|(ratio, _)| *ratio).collect();
        let today: Vec<(f64, f64)> =
            needs.iter().map(|need| ratio(need, self.judge.today(need).fold(0.0, f64::max))).collect();
        let as_today = today.iter().zip(&new).map(|(today, new)| new.0 - today.0).fold(f64::NEG_INFINITY, f64::max);
        let all: f64 = needs.iter().map(|need| need.weight).sum();
        let lost: f64 = today.iter().filter(|(ratio, _)| *ratio > 0.0).map(|(_, weight)| weight).sum();
        let may_lose = if self.rises { MAY_LOSE_RISING } else { MAY_LOSE };
        let least_chance = may_lose / all.max(FURTHER_JOBS);
        let surely_lost = (lost - DEVIATIONS * lost.sqrt()).max(0.0) / all.max(1.0);
        let chance = surely_lost.max(self.may_lose).max(least_chance);
        let tail = Tail::of(new.clone());
        let seen = exceeded_by(new, lost.max(self.may_lose * all));
        // A rule that was searched for is not lowered: it is the cheapest. A typical one has no memory of its own.
        let (least, most) = if self.rises { (0.0, MOST_RAISED.ln()) } else { (f64::NEG_INFINITY, f64::INFINITY) };
        let trend = trend(&logs).max(0.0);
        let steps = if self.rises { 1 } else { SAFER };
        let chances = (0..steps).map(|step| chance * 0.5_f64.powi(step)).take_while(|one| *one >= least_chance);
        let room = |chance| (tail.exceeded(chance).max(seen) + trend).min(as_today).max(least).min(most);
        chances.map(|chance| room(chance).exp()).collect()
    }
}

/// The value that so many of the values exceed at most, by their weights.
fn exceeded_by(mut values: Vec<(f64, f64)>, may_exceed: f64) -> f64 {
    values.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut weight = 0.0;
    let first = values.iter().find(|(_, one)| {
        weight += one;
        weight > may_exceed + 1e-9
    });
    first.map_or(0.0, |(value, _)| *value)
}

/// The memory that is typical for a size, with the spread of the needs around it; `None` if that is not of the family.
fn typical(needs: &[Need], family: Family, compression: Option<f64>) -> Option<(Line, f64)> {
    if family == Family::Constant {
        // The room above it depends on the ratios only, not on the value.
        return Some((Line::constant(1.0), 0.0));
    }
    let ratios = Ratios::of(needs, compression.unwrap_or(1.0));
    let (base, slope) = ratios.typical.line();
    (slope > 0.0).then_some((Line { base, slope, most: None, compression }, ratios.deviation()))
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

/// The needs of the jobs outside of a range of their indexes.
pub(crate) fn needs_without(all: &[Observation], left_out: &std::ops::Range<usize>) -> Option<Vec<Need>> {
    let jobs: Vec<Observation> =
        all.iter().enumerate().filter(|(at, _)| !left_out.contains(at)).map(|(_, job)| job.clone()).collect();
    let mut needs = Needs::of(&jobs)?.needs;
    // Indexes are those of all jobs.
    for need in &mut needs {
        let job = need.job as usize;
        if job >= left_out.start {
            need.job = u32::try_from(job + left_out.len()).unwrap_or(u32::MAX);
        }
    }
    Some(needs)
}
