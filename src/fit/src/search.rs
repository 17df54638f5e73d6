//! The search for the cheapest rule of a family.
//!
//! For a given slope and bound the search is exact: the cost as a function of the base is a parabola that rises between the points
//! where a job needs one attempt less, so that the least cost is at one of these. One pass over them in order finds it. Slopes and
//! bounds are tried on a grid, which is then refined around the best of them until nothing gets better.

use crate::line::{LEAST, Line};
use crate::need::Need;
use crate::policy::Policy;

/// Slopes on the first grid, for each doubling.
const STEPS: i32 = 2;
/// Doublings of the slope around the ratio of memory to size, to either side.
const DOUBLINGS: i32 = 6;
/// Rounds of refinement.
const ROUNDS: usize = 10;

/// A search over some jobs.
pub struct Search<'a> {
    needs: &'a [Need],
    policy: &'a Policy,
    /// The memory of the largest destination, in GiB.
    ceiling: f64,
}

/// A rule with its cost on the jobs that it was found with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The rule.
    pub line: Line,
    /// Its cost in GiB·h.
    pub cost: f64,
}

/// A point of the search.
#[derive(Clone, Copy)]
struct Point {
    base: f64,
    slope: f64,
    most: f64,
    cost: f64,
}

/// An event at a base: the cost of a job is another parabola from here on.
#[derive(Clone, Copy)]
struct Event {
    base: f64,
    change: Parabola,
}

/// The cost as a function of the base: `square * base² + linear * base + rest`.
#[derive(Clone, Copy, Default)]
struct Parabola {
    square: f64,
    linear: f64,
    rest: f64,
}

impl Parabola {
    /// `square * m² + linear * m + rest` for `m = base + offset`.
    fn shifted(square: f64, linear: f64, rest: f64, offset: f64) -> Self {
        Self { square, linear: 2.0 * square * offset + linear, rest: square * offset * offset + linear * offset + rest }
    }

    fn at(&self, base: f64) -> f64 {
        (self.square * base + self.linear) * base + self.rest
    }

    fn plus(self, other: Self) -> Self {
        Self { square: self.square + other.square, linear: self.linear + other.linear, rest: self.rest + other.rest }
    }

    fn minus(self, other: Self) -> Self {
        Self { square: self.square - other.square, linear: self.linear - other.linear, rest: self.rest - other.rest }
    }
}

impl<'a> Search<'a> {
    /// A search for the rule that is cheapest for these jobs.
    pub fn new(needs: &'a [Need], policy: &'a Policy, ceiling: f64) -> Self {
        Self { needs, policy, ceiling }
    }

    /// The cheapest constant.
    pub fn constant(&self) -> Option<Found> {
        let (base, cost) = self.base(&mut Vec::new(), 1.0, 0.0, self.ceiling)?;
        Some(Found { line: Line::constant(base), cost })
    }

    /// The cheapest `a + b * size`, or `min(a + b * size, c)` if it is to have a bound, where compressed inputs count by this factor.
    pub fn line(&self, compression: Option<f64>, has_bound: bool) -> Option<Found> {
        let factor = compression.unwrap_or(1.0);
        let sizes = self.needs.iter().map(|need| (need.size(factor), need.weight));
        let (size, weight) = sizes.fold((0.0, 0.0), |(sum, all), (size, weight)| (sum + size * weight, all + weight));
        if size <= 0.0 || weight <= 0.0 {
            return None;
        }
        let peak: f64 = self.needs.iter().map(|need| need.peak * need.weight).sum();
        let ratio = peak / size;
        let mut events = Vec::with_capacity(self.needs.len() * (self.policy.attempts as usize + 1));
        let free = self.around(&mut events, factor, (ratio, DOUBLINGS), &[self.ceiling])?;
        let best = if has_bound { self.around(&mut events, factor, (free.slope, 2), &self.bounds())? } else { free };
        let most = best.most.is_finite().then_some(best.most);
        Some(Found { line: Line { base: best.base, slope: best.slope, most, compression }, cost: best.cost })
    }

    /// The cheapest line with one of these bounds, or one near them: a grid of slopes around a ratio, refined around its best point.
    fn around(&self, events: &mut Vec<Event>, factor: f64, grid: (f64, i32), bounds: &[f64]) -> Option<Point> {
        let (ratio, doublings) = grid;
        let mut best: Option<Point> = None;
        let mut attempt = |slope: f64, most: f64, best: &mut Option<Point>| {
            let Some((base, cost)) = self.base(events, factor, slope, most) else { return false };
            let is_better = best.is_none_or(|best| cost < best.cost * (1.0 - 1e-9));
            if is_better {
                *best = Some(Point { base, slope, most, cost });
            }
            is_better
        };
        for step in -doublings * STEPS..=doublings * STEPS {
            let slope = ratio * 2_f64.powf(f64::from(step) / f64::from(STEPS));
            for most in bounds {
                attempt(slope, *most, &mut best);
            }
        }
        let mut width = 2_f64.powf(0.5 / f64::from(STEPS));
        for _ in 0..ROUNDS {
            let Point { slope, most, .. } = best?;
            let mut is_better = false;
            for (slope, bound) in [
                (slope * width, most),
                (slope / width, most),
                (slope, most * width),
                (slope, most / width),
                (slope * width, most * width),
                (slope / width, most / width),
            ] {
                // Without a bound there is none to move.
                if bound == most || most < self.ceiling {
                    is_better |= attempt(slope, bound.min(self.ceiling), &mut best);
                }
            }
            if !is_better {
                width = width.sqrt();
            }
        }
        best
    }

    /// Bounds that are worth trying: what the largest jobs need, and what they need after attempts that failed.
    fn bounds(&self) -> Vec<f64> {
        let mut peaks: Vec<f64> = self.needs.iter().map(|need| need.peak).collect();
        peaks.sort_by(f64::total_cmp);
        let mut bounds = Vec::new();
        for share in [0.5, 0.75, 0.9, 0.97, 1.0] {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_precision_loss,
                reason = "an index"
            )]
            let index = ((peaks.len().saturating_sub(1)) as f64 * share).round() as usize;
            if let Some(peak) = peaks.get(index) {
                bounds.push(peak.min(self.ceiling));
            }
        }
        bounds.sort_by(f64::total_cmp);
        bounds.dedup();
        bounds
    }

    /// The cheapest base for a slope and a bound, with its cost.
    fn base(&self, events: &mut Vec<Event>, compression: f64, slope: f64, most: f64) -> Option<(f64, f64)> {
        events.clear();
        let attempts = self.policy.attempts.max(1);
        let factor = self.policy.factor;
        let mut cost = Parabola::default();
        for need in self.needs {
            let offset = slope * need.size(compression);
            let (weight, hours, peak) = (need.weight, need.hours, need.peak);
            // The cost if attempt `last` is the first that suffices; with `attempts` of them failing the job is lost.
            let of = |last: u32| {
                let failed = squares(factor, last) * weight * hours / peak;
                if last < attempts {
                    Parabola::shifted(failed, weight * hours * power(factor, last), 0.0, offset)
                } else {
                    Parabola::shifted(failed, 0.0, weight * self.policy.price(peak, hours), offset)
                }
            };
            let mut last = attempts;
            let mut now = of(last);
            cost = cost.plus(now);
            // From the smallest memory up: one failed attempt less at each threshold.
            for next in (0..attempts).rev() {
                let threshold = peak / power(factor, next);
                if threshold > most {
                    break;
                }
                let then = of(next);
                events.push(Event { base: threshold - offset, change: then.minus(now) });
                (last, now) = (next, then);
            }
            if most.is_finite() {
                // The bound: more of the base changes nothing from here on.
                let level = Parabola { rest: now.at(most - offset), ..Parabola::default() };
                events.push(Event { base: most - offset, change: level.minus(now) });
            }
            debug_assert!(last <= attempts);
        }
        events.sort_unstable_by(|one, other| one.base.total_cmp(&other.base));
        let least = LEAST.min(most);
        let mut best: Option<(f64, f64)> = None;
        let mut consider = |base: f64, cost: &Parabola| {
            let total = cost.at(base);
            if best.is_none_or(|(_, least)| total < least) {
                best = Some((base, total));
            }
        };
        let mut events = events.iter().peekable();
        while let Some(event) = events.next_if(|event| event.base <= least) {
            cost = cost.plus(event.change);
        }
        consider(least, &cost);
        while let Some(event) = events.next() {
            cost = cost.plus(event.change);
            if events.peek().is_none_or(|next| next.base > event.base) {
                consider(event.base, &cost);
            }
        }
        best.filter(|(base, _)| base.is_finite())
    }
}

/// `factor` to a whole power.
fn power(factor: f64, exponent: u32) -> f64 {
    factor.powi(i32::try_from(exponent).unwrap_or(i32::MAX))
}

/// The sum of the squares of the first powers of `factor`.
fn squares(factor: f64, count: u32) -> f64 {
    (0..count).map(|attempt| power(factor, attempt) * power(factor, attempt)).sum()
}
