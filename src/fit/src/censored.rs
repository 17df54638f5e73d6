//! Jobs that were killed: what they would have needed.
//!
//! A killed job needed more than it had; how much more nobody saw. Jobs are compared by the ratio of their memory to what is typical
//! for their size. The distribution of this ratio is the product-limit estimate of Kaplan and Meier, which counts a killed job
//! among those above its ratio; each killed job then stands for a few needs, drawn at even steps from the part above its own ratio.

use crate::need::{Need, Observation};

/// The needs that stand for a killed job.
const PARTS: u32 = 4;
/// The ratio between what the largest killed job had and what it is taken to need, where no job that ran to its end needed more.
const BEYOND: f64 = 2.0;
/// Rounds in which the typical memory is found again with the estimates of the round before.
const ROUNDS: usize = 5;
/// Halvings of the steps between the sizes that are tried as knees.
const FINER: usize = 6;

/// The memory that is typical for a size: `exp(level) * (knee + size)`, or `exp(level)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Typical {
    /// The size in GiB at which memory is twice that without inputs; `None` if the size has no effect.
    knee: Option<f64>,
    level: f64,
}

impl Typical {
    /// The memory without inputs, and that for each GiB of inputs, in GiB.
    pub(crate) fn line(&self) -> (f64, f64) {
        let level = self.level.exp();
        self.knee.map_or((level, 0.0), |knee| (level * knee, level))
    }

    /// The logarithm of the typical memory for a size.
    fn log(&self, size: f64) -> f64 {
        self.level + self.knee.map_or(0.0, |knee| (knee + size).ln())
    }

    /// The typical memory whose logarithm differs least from the values, by the sum of squares.
    fn of(sizes: &[f64], logs: &[f64]) -> Self {
        let with = |knee: Option<f64>| {
            let offset = |size: f64| knee.map_or(0.0, |knee| (knee + size).ln());
            let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0_f64);
            for (size, log) in sizes.iter().zip(logs) {
                let rest = log - offset(*size);
                sum += rest;
                squares += rest * rest;
                count += 1.0;
            }
            let level = sum / count.max(1.0);
            (squares - level * sum, Self { knee, level })
        };
        let nearer = |best: (f64, Self), other: (f64, Self)| if other.0 < best.0 * (1.0 - 1e-9) { other } else { best };
        let mut best = with(None);
        let mean = sizes.iter().sum::<f64>() / count(sizes.len()).max(1.0);
        if mean > 0.0 {
            // Doublings of the mean size first, then ever finer steps around the best of them.
            for step in -8..=6 {
                best = nearer(best, with(Some(mean * 2_f64.powi(step))));
            }
            let mut width = 2_f64.sqrt();
            for _ in 0..FINER {
                let Some(knee) = best.1.knee else { break };
                best = nearer(nearer(best, with(Some(knee * width))), with(Some(knee / width)));
                width = width.sqrt();
            }
        }
        best.1
    }
}

/// The fractional part of the golden ratio: its multiples are spread evenly between 0 and 1, however many they are.
pub(crate) const GOLDEN: f64 = 0.618_033_988_749_895;

/// The ratios of needs to what is typical for their size, by their logarithms.
pub(crate) struct Ratios {
    pub(crate) typical: Typical,
    /// In the order of the needs, and sorted.
    logs: Vec<f64>,
    sorted: Vec<f64>,
}

impl Ratios {
    pub(crate) fn of(needs: &[Need], compression: f64) -> Self {
        let sizes: Vec<f64> = needs.iter().map(|need| need.size(compression)).collect();
        let peaks: Vec<f64> = needs.iter().map(|need| need.peak.ln()).collect();
        let typical = Typical::of(&sizes, &peaks);
        let logs: Vec<f64> = peaks.iter().zip(&sizes).map(|(log, size)| log - typical.log(*size)).collect();
        let mut sorted = logs.clone();
        sorted.sort_by(f64::total_cmp);
        Self { typical, logs, sorted }
    }

    /// The standard deviation, by the quartiles.
    pub(crate) fn spread(&self) -> f64 {
        let quartile = |part: usize| self.sorted.get(self.sorted.len() * part / 4).copied().unwrap_or_default();
        (quartile(3) - quartile(1)) / 1.349
    }

    /// The mean square of the ratios' logarithms.
    pub(crate) fn deviation(&self) -> f64 {
        self.logs.iter().map(|log| log * log).sum::<f64>() / count(self.logs.len().max(1))
    }

    /// The need of a size with the ratio at a place, from 0 to 1, among all.
    pub(crate) fn need(&self, size: f64, place: f64) -> f64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a count")]
        let log = self.sorted.get((place * count(self.sorted.len())) as usize).copied().unwrap_or_default();
        (self.typical.log(size) + log).exp()
    }

    /// Returns `true` if neither the ratios nor their distance from the middle go with the time or the size of the jobs, as far as that shows.
    pub(crate) fn is_independent(&self, needs: &[Need], compression: f64) -> bool {
        let distances: Vec<f64> = self.logs.iter().map(|log| log.abs()).collect();
        let hours: Vec<f64> = needs.iter().map(|need| need.hours.max(1e-6).ln()).collect();
        let sizes: Vec<f64> = needs.iter().map(|need| need.size(compression).max(1e-6).ln()).collect();
        let chance = 2.6 / count(needs.len().max(1)).sqrt();
        [(&self.logs, &hours), (&distances, &hours), (&distances, &sizes), (&self.logs, &sizes)]
            .into_iter()
            .all(|(one, other)| correlation(one, other).abs() < chance)
    }
}

/// The correlation of two lists; 0 if one does not vary.
fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let len = count(one.len().max(1));
    let (mean, other_mean) = (one.iter().sum::<f64>() / len, other.iter().sum::<f64>() / len);
    let (mut both, mut square, mut other_square) = (0.0, 0.0, 0.0);
    for (one, other) in one.iter().zip(other) {
        let (one, other) = (one - mean, other - other_mean);
        both += one * other;
        square += one * one;
        other_square += other * other;
    }
    let product = (square * other_square).sqrt();
    if product > 0.0 { both / product } else { 0.0 }
}

/// The needs of jobs.
#[derive(Clone, Debug)]
pub struct Needs {
    /// The needs, by job.
    pub needs: Vec<Need>,
}

impl Needs {
    /// The needs of these jobs; `None` if none of them ran to its end.
    pub fn of(observations: &[Observation]) -> Option<Self> {
        let size = |job: &Observation| f64::from(job.plain) + f64::from(job.compressed);
        let mut logs: Vec<f64> = observations.iter().map(|job| f64::from(job.peak).max(1e-3).ln()).collect();
        let sizes: Vec<f64> = observations.iter().map(size).collect();
        let ended = || observations.iter().map(|job| !job.is_killed);
        let known = |values: &[f64]| -> Vec<f64> {
            values.iter().zip(ended()).filter(|(_, is_known)| *is_known).map(|(value, _)| *value).collect()
        };
        let (known_sizes, known_logs) = (known(&sizes), known(&logs));
        if known_logs.is_empty() {
            return None;
        }
        let mut typical = Typical::of(&known_sizes, &known_logs);
        let killed: Vec<usize> = ended().enumerate().filter(|(_, is_known)| !is_known).map(|(at, _)| at).collect();
        let lower = logs.clone();
        let ratios = |typical: &Typical| -> Vec<(f64, bool)> {
            let all = lower.iter().zip(&sizes).zip(ended());
            all.map(|((log, size), is_known)| (log - typical.log(*size), is_known)).collect()
        };
        if !killed.is_empty() {
            for _ in 0..ROUNDS {
                let limits = ProductLimit::of(ratios(&typical));
                for at in &killed {
                    if let (Some(log), Some(low), Some(size)) = (logs.get_mut(*at), lower.get(*at), sizes.get(*at)) {
                        let center = typical.log(*size);
                        let above = limits.above(low - center, PARTS, 0.5);
                        *log = center + above.iter().sum::<f64>() / count(above.len()).max(1.0);
                    }
                }
                typical = Typical::of(&sizes, &logs);
            }
        }
        let limits = ProductLimit::of(ratios(&typical));
        let mut needs = Vec::with_capacity(observations.len() + 3 * killed.len());
        // Killed jobs look at different places within their steps, by the golden ratio: together they see all of the distribution.
        let mut shift = 0.5;
        for (index, job) in observations.iter().enumerate() {
            let need = Need {
                plain: job.plain.into(),
                compressed: job.compressed.into(),
                peak: f64::from(job.peak).max(1e-3),
                hours: job.hours.into(),
                weight: 1.0,
                version: job.version,
                job: u32::try_from(index).unwrap_or(u32::MAX),
            };
            if !job.is_killed {
                needs.push(need);
                continue;
            }
            let center = typical.log(size(job));
            shift = (shift + GOLDEN) % 1.0;
            let above = limits.above(need.peak.ln() - center, PARTS, shift);
            for ratio in &above {
                let peak = (center + ratio).exp().max(need.peak);
                // Memory is taken to grow evenly, as where the cost of an attempt is counted.
                let hours = need.hours * peak / need.peak;
                needs.push(Need { peak, hours, weight: 1.0 / count(above.len()), ..need });
            }
        }
        Some(Self { needs })
    }
}

#[expect(clippy::cast_precision_loss, reason = "a count of jobs in memory")]
pub(crate) fn count(number: usize) -> f64 {
    number as f64
}

/// The product-limit estimate of a distribution: its points with their shares, in order, and the share above the last of them.
struct ProductLimit {
    points: Vec<f64>,
    /// The share of all up to each point.
    shares: Vec<f64>,
    /// The point beyond all, which has the rest.
    beyond: f64,
}

impl ProductLimit {
    /// The estimate from values, of which some are lower bounds (`false`).
    fn of(mut values: Vec<(f64, bool)>) -> Self {
        // Of equal values the known ones come first: a bound lies above its value.
        values.sort_by(|one, other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)));
        let (mut points, mut shares) = (Vec::with_capacity(values.len()), Vec::with_capacity(values.len()));
        let (mut left, mut total) = (1.0, 0.0);
        for (index, (value, is_known)) in values.iter().enumerate() {
            if *is_known {
                let share = left / count(values.len() - index);
                left -= share;
                total += share;
                points.push(*value);
                shares.push(total);
            }
        }
        let beyond = values.last().map_or(0.0, |(value, _)| value + BEYOND.ln());
        Self { points, shares, beyond }
    }

    /// Values at even steps of the part above a bound; `shift`, from 0 to 1, is the place within the steps.
    fn above(&self, bound: f64, parts: u32, shift: f64) -> Vec<f64> {
        let first = self.points.partition_point(|point| *point <= bound);
        let below = first.checked_sub(1).and_then(|last| self.shares.get(last)).copied().unwrap_or_default();
        let value = |part: u32| {
            let share = below + (1.0 - below) * (f64::from(part) + shift) / f64::from(parts);
            let at = self.shares.partition_point(|to| *to < share).max(first);
            self.points.get(at).copied().unwrap_or(self.beyond.max(bound + BEYOND.ln()))
        };
        (0..parts).map(value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_counts_among_what_lies_above_it() {
        let limits = ProductLimit::of(vec![(1.0, true), (2.0, false), (3.0, true), (4.0, true)]);
        // The quarter of the bound is spread over the two above it.
        assert_eq!(
            (limits.points.as_slice(), limits.shares.as_slice()),
            ([1.0, 3.0, 4.0].as_slice(), [0.25, 0.625, 1.0].as_slice())
        );
        assert_eq!(limits.above(2.0, 4, 0.5), [3.0, 3.0, 4.0, 4.0]);
        assert_eq!(limits.above(4.0, 1, 0.5), [4.0 + 2_f64.ln()]);
        let bounds_last = ProductLimit::of(vec![(1.0, true), (2.0, false)]);
        assert_eq!(bounds_last.above(2.0, 2, 0.5), [2.0 + 2_f64.ln(); 2]);
    }

    #[test]
    fn killed_jobs_need_more_than_they_had() {
        let job = |size: f32, peak: f32, is_killed| Observation {
            time: 0,
            plain: size,
            compressed: 0.0,
            peak,
            hours: 1.0,
            today: crate::need::Ladder::once(8.0),
            is_killed,
            version: 0,
        };
        // Twice the size and 1 GiB; above 8 GiB they were killed at 8.
        let jobs: Vec<Observation> = (1..=60)
            .map(|at| {
                let size = 0.1 * at as f32;
                let (need, noise) = (1.0 + 2.0 * size, 1.0 + 0.05 * ((at * 7 % 5) as f32 - 2.0));
                let need = need * noise;
                job(size, need.min(8.0), need > 8.0)
            })
            .collect();
        assert!(jobs.iter().filter(|job| job.is_killed).count() > 20);
        let needs = Needs::of(&jobs).map(|needs| needs.needs).unwrap_or_default();
        let killed: Vec<&Need> = needs.iter().filter(|need| need.weight < 1.0).collect();
        for need in &killed {
            let truth = 1.0 + 2.0 * need.plain;
            assert!(need.peak > 8.0 && (need.peak / truth - 1.0).abs() < 0.35, "{truth}: {need:?}");
            assert!((need.hours - need.peak / 8.0).abs() < 1e-6, "{need:?}");
        }
        let total: f64 = needs.iter().map(|need| need.weight).sum();
        assert!((total - 60.0).abs() < 1e-9);
        assert!(Needs::of(&[job(1.0, 1.0, true)]).is_none());
    }
}
