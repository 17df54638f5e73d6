//! The search for the cheapest rule of a family.
//!
//! For a given slope and bound the search is exact: the cost as a function of the base is a parabola that rises between the points
//! where a job needs one attempt less, so that the least cost is at one of these. One pass over them in order finds it. Slopes and
//! bounds are tried on a grid, which is then refined around the best of them until nothing gets better.

use crate::line::Line;
use crate::need::Need;
use crate::policy::LostCosts;
use crate::response::Response;

/// Slopes on the first grid, for each doubling.
const STEPS: i32 = 2;
/// Doublings of the slope around the ratio of memory to size, to either side.
const DOUBLINGS: i32 = 6;
/// Rounds of refinement.
const ROUNDS: usize = 10;

/// The terms on which rules are compared.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// The price of a lost job.
    pub lost_costs: LostCosts,
    /// The memory that the rules make of a value.
    pub response: &'a Response,
    /// The least value that may be proposed, in GiB.
    pub floor: f64,
}

impl Terms<'_> {
    /// The least value that has an effect of its own and gets a destination.
    pub fn least(&self) -> f64 {
        let ratio = self.response.ratios.first().copied().unwrap_or(1.0);
        let least = self.floor.max(self.response.least).max(self.response.floor / ratio);
        least.min(self.response.largest())
    }
}

/// A search over some jobs.
pub struct Search<'a> {
    needs: &'a [Need],
    lost_costs: LostCosts,
    /// The memory of each attempt, divided by the value; none is less than the one before.
    ratios: Vec<f64>,
    /// The least and the largest value, in GiB.
    least: f64,
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
    pub fn new(needs: &'a [Need], terms: &Terms<'_>) -> Self {
        let mut most = 0.0_f64;
        let ratios = terms.response.ratios.iter().map(|ratio| {
            most = most.max(*ratio);
            most
        });
        let ratios = ratios.collect();
        Self { needs, lost_costs: terms.lost_costs, ratios, least: terms.least(), ceiling: terms.response.largest() }
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
        let mut events = Vec::with_capacity(self.needs.len() * (self.ratios.len() + 1));
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
                bounds.push(peak.max(self.least).min(self.ceiling));
            }
        }
        bounds.sort_by(f64::total_cmp);
        bounds.dedup();
        bounds
    }

    /// The cheapest base for a slope and a bound, with its cost.
    fn base(&self, events: &mut Vec<Event>, compression: f64, slope: f64, most: f64) -> Option<(f64, f64)> {
        events.clear();
        let attempts = self.ratios.len();
        let ratio = |attempt: usize| self.ratios.get(attempt).copied().unwrap_or(1.0);
        let mut squares = vec![0.0];
        for one in &self.ratios {
            squares.push(squares.last().copied().unwrap_or_default() + one * one);
        }
        let mut cost = Parabola::default();
        for need in self.needs {
            let offset = slope * need.size(compression);
            let (weight, hours, peak) = (need.weight, need.hours, need.peak);
            // The cost if attempt `last` is the first that suffices; with `attempts` of them failing the job is lost.
            let of = |last: usize| {
                let failed = squares.get(last).copied().unwrap_or_default() * weight * hours / peak;
                if last < attempts {
                    Parabola::shifted(failed, weight * hours * ratio(last), 0.0, offset)
                } else {
                    Parabola::shifted(failed, 0.0, weight * self.lost_costs.price(peak, hours), offset)
                }
            };
            let mut last = attempts;
            let mut now = of(last);
            cost = cost.plus(now);
            // From the smallest memory up: one failed attempt less at each threshold.
            for next in (0..attempts).rev() {
                let threshold = peak / ratio(next);
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
        let least = self.least.min(most);
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
