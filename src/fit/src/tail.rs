//! The upper tail of a distribution, beyond the values that were seen: how often jobs will need more than any job so far.
//!
//! Values above a threshold follow a generalized Pareto distribution (Pickands, Balkema and de Haan), whose parameters are estimated by moments. The scale is taken
//! larger by half its standard error, because a tail that is taken for too light loses jobs.

use crate::censored::count;

/// The part of the values that is the tail.
const PART: f64 = 0.1;
/// The least and the largest number of values in the tail.
const VALUES: (f64, f64) = (10.0, 200.0);
/// The lightest and the heaviest shape: that of an exponential distribution, since a lighter one ends at a value that nobody saw, and one heavier than any
/// logarithm of a need.
const SHAPES: (f64, f64) = (0.0, 0.3);
/// Standard errors by which the scale is taken larger.
const HEAVIER: f64 = 0.5;

/// The tail of a distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tail {
    /// The threshold, and the chance of a value above it.
    threshold: f64,
    chance: f64,
    /// The parameters of the excess over the threshold.
    scale: f64,
    shape: f64,
}

impl Tail {
    /// The tail of values with their weights.
    pub fn of(mut values: Vec<(f64, f64)>) -> Self {
        values.sort_by(|one, other| other.0.total_cmp(&one.0));
        let all: f64 = values.iter().map(|(_, weight)| weight).sum();
        let wanted = (all * PART).clamp(VALUES.0, VALUES.1).min(all / 2.0);
        let (mut weight, mut sum, mut squares, mut end) = (0.0, 0.0, 0.0, 0);
        while let Some((value, one)) = values.get(end).filter(|_| weight < wanted) {
            weight += one;
            sum += one * value;
            squares += one * value * value;
            end += 1;
        }
        // The threshold lies between the last value of the tail and the next.
        let last = end.checked_sub(1).and_then(|at| values.get(at)).map_or(0.0, |(value, _)| *value);
        let threshold = values.get(end).map_or(last, |(next, _)| f64::midpoint(last, *next));
        let mean = sum / weight.max(f64::MIN_POSITIVE);
        let excess = (mean - threshold).max(1e-9);
        let variance = (squares / weight.max(f64::MIN_POSITIVE) - mean * mean).max(1e-18);
        let shape = (0.5 * (1.0 - excess * excess / variance)).clamp(SHAPES.0, SHAPES.1);
        let scale = excess * (1.0 - shape) * (1.0 + HEAVIER / weight.max(1.0).sqrt());
        Self { threshold, chance: weight / all.max(f64::MIN_POSITIVE), scale, shape }
    }

    /// The value that is exceeded with this chance; the threshold, if that is exceeded less often.
    pub fn exceeded(&self, chance: f64) -> f64 {
        let part = (self.chance / chance.max(f64::MIN_POSITIVE)).max(1.0);
        let excess = if self.shape.abs() < 1e-6 { part.ln() } else { (part.powf(self.shape) - 1.0) / self.shape };
        self.threshold + self.scale * excess
    }
}

/// The change of values from the first to the last, by a line through them; 0 unless it is beyond chance.
pub fn trend(values: &[f64]) -> f64 {
    /// Standard errors of the slope beyond which it is no chance.
    const BEYOND_CHANCE: f64 = 4.0;
    let len = count(values.len());
    if values.len() < 20 {
        return 0.0;
    }
    let (center, mean) = ((len - 1.0) / 2.0, values.iter().sum::<f64>() / len);
    let (mut both, mut square, mut all) = (0.0, 0.0, 0.0);
    for (at, value) in values.iter().enumerate() {
        let (at, value) = (count(at) - center, value - mean);
        both += at * value;
        square += at * at;
        all += value * value;
    }
    let slope = both / square;
    let error = ((all - slope * both).max(0.0) / (len - 2.0) / square).sqrt();
    if slope.abs() > BEYOND_CHANCE * error { slope * (len - 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The quantiles of a distribution at even steps.
    fn quantiles(count: u32, quantile: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        (0..count).map(|at| (quantile((f64::from(at) + 0.5) / f64::from(count)), 1.0)).collect()
    }

    #[test]
    fn tails_are_at_least_as_heavy_as_the_truth() {
        // An exponential distribution: the logarithm of a power law. A uniform one: bounded.
        for count in [100, 1_000, 10_000] {
            let exponential = Tail::of(quantiles(count, |part| -(1.0 - part).ln()));
            for (chance, most) in [(1e-3, 1.4), (1e-5, 1.5)] {
                let truth = -f64::ln(chance);
                let found = exponential.exceeded(chance) / truth;
                assert!((0.99..most).contains(&found), "{count}, {chance}: {found}");
            }
            let bounded = Tail::of(quantiles(count, |part| part)).exceeded(1e-5);
            assert!((0.999..2.0).contains(&bounded), "{count}: {bounded}");
        }
        let doubled: Vec<(f64, f64)> = quantiles(500, |part| part).into_iter().map(|(value, _)| (value, 2.0)).collect();
        assert!(
            (Tail::of(doubled).exceeded(1e-3) - Tail::of(quantiles(1_000, |part| part)).exceeded(1e-3)).abs() < 0.01
        );
    }

    #[test]
    fn trends_are_beyond_chance() {
        let rising: Vec<f64> = (0..200).map(|at| f64::from(at) / 199.0 + f64::from(at * 7 % 5) * 0.1).collect();
        assert!((trend(&rising) - 1.0).abs() < 0.05);
        let level: Vec<f64> = (0..200).map(|at| f64::from(at * 7 % 11)).collect();
        assert_eq!(trend(&level), 0.0);
    }
}
