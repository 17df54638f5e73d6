//! The judge of rules: their cost, and that of today's rules, on jobs that they were not learnt from.

use crate::censored::count;
use crate::need::{Need, Observation};
use crate::policy::Cost;
use crate::random::Random;
use crate::search::Terms;

/// Samples with replacement, for intervals.
const SAMPLES: usize = 500;
/// The part of the samples beyond either end of an interval.
const TAIL: f64 = 0.025;
/// The number of judged jobs at which the lower part of an interval is twice as wide as the samples say.
const FEW: f64 = 5.0;

/// Some jobs and the terms on which rules are compared.
#[derive(Clone, Copy)]
pub(crate) struct Judge<'a> {
    /// The needs of the jobs, those of one job in a row.
    pub(crate) needs: &'a [Need],
    /// All jobs, by the index that needs have.
    pub(crate) jobs: &'a [Observation],
    /// The terms.
    pub(crate) terms: Terms<'a>,
}

/// The costs of one job: by today's rules, and by another one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) before: Cost,
    pub(crate) after: Cost,
}

impl Judge<'_> {
    /// The memory that today's rules give a job, by attempt. Where the attempts are assumed, they follow from the first.
    pub(crate) fn today(&self, need: &Need) -> impl Iterator<Item = f64> + '_ {
        let ladder = self.jobs.get(need.job as usize).map(|job| &job.today);
        let first = ladder.map_or(0.0, |ladder| f64::from(ladder.first));
        let assumed = (self.terms.response.beyond == crate::response::Beyond::Last).then_some(first);
        let given = ladder.into_iter().filter(move |_| assumed.is_none()).flat_map(crate::need::Ladder::iter);
        given.chain(assumed.into_iter().flat_map(|first| self.terms.response.after(first)))
    }

    /// The costs of each job by today's rules, and by a rule that gives this value.
    pub(crate) fn pairs(&self, value: impl Fn(&Need) -> f64) -> Vec<Pair> {
        let mut pairs: Vec<(u32, Pair)> = Vec::new();
        for need in self.needs {
            let cost = |given: &mut dyn Iterator<Item = f64>| {
                Cost::of(given, need.peak, need.hours, self.terms.lost_costs).times(need.weight)
            };
            let before = cost(&mut self.today(need));
            let after = cost(&mut self.terms.response.attempts(value(need)));
            match pairs.last_mut().filter(|(job, _)| *job == need.job) {
                Some((_, pair)) => {
                    pair.before.add(&before);
                    pair.after.add(&after);
                }
                None => pairs.push((need.job, Pair { before, after })),
            }
        }
        pairs.into_iter().map(|(_, pair)| pair).collect()
    }
}

/// The sums of all costs.
pub(crate) fn sums(pairs: &[Pair]) -> Pair {
    let mut all = Pair { before: Cost::default(), after: Cost::default() };
    for pair in pairs {
        all.before.add(&pair.before);
        all.after.add(&pair.after);
    }
    all
}

/// The interval in which the saved part lies with a probability of 95 %, from samples of the jobs with replacement; the seed is fixed.
pub(crate) fn interval(pairs: &[Pair]) -> [f64; 2] {
    let totals: Vec<(f64, f64)> = pairs.iter().map(|pair| (pair.before.total(), pair.after.total())).collect();
    let mut random = Random::new(totals.len() as u64);
    let mut savings: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            let (mut before, mut after) = (0.0, 0.0);
            for _ in 0..totals.len() {
                if let Some((old, new)) = totals.get(random.below(totals.len())) {
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
    [center - (center - low) * (1.0 + FEW / count(totals.len().max(1))), high]
}
