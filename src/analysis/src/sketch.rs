//! Quantiles of amounts in bounded memory: counts by powers of a number, as in DDSketch.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Each count is of values that differ by 2 % at most.
const BASE: f64 = 1.02;
/// Values below this are counted as 0.
const LEAST: f64 = 1e-6;

/// The greatest relative error of a quantile.
pub const ERROR: f64 = 0.01;

/// Counts of positive values. A quantile is that of some value within [`ERROR`] of the true one; sketches merge exactly, whatever the order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sketch {
    counts: BTreeMap<i16, u64>,
    zeros: u64,
}

impl Sketch {
    /// Counts a value. What is not a positive number counts as 0.
    pub fn add(&mut self, value: f64) {
        self.add_many(value, 1);
    }

    /// Counts a value that many times.
    pub fn add_many(&mut self, value: f64, times: u64) {
        self.add_bucket(bucket(value), times);
    }

    /// The number of values.
    pub fn len(&self) -> u64 {
        self.zeros + self.counts.values().sum::<u64>()
    }

    /// Returns `true` if there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value below which this share of all lies; `None` if there are no values.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let len = self.len();
        if len == 0 {
            return None;
        }
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a rank"
        )]
        let rank = ((len - 1) as f64 * share.clamp(0.0, 1.0)).round() as u64;
        let mut below = self.zeros;
        if rank < below {
            return Some(0.0);
        }
        for (bucket, count) in &self.counts {
            below += count;
            if rank < below {
                // The middle of the bucket, by ratios.
                return Some(BASE.powi(i32::from(*bucket)) * 2.0 * BASE / (1.0 + BASE));
            }
        }
        None
    }

    /// The counts: a number of the bucket, `None` for 0, with the number of its values.
    pub fn buckets(&self) -> impl Iterator<Item = (Option<i16>, u64)> {
        let zeros = (self.zeros > 0).then_some((None, self.zeros));
        zeros.into_iter().chain(self.counts.iter().map(|(bucket, count)| (Some(*bucket), *count)))
    }

    /// Adds values to a bucket.
    pub fn add_bucket(&mut self, bucket: Option<i16>, values: u64) {
        match bucket {
            Some(bucket) => *self.counts.entry(bucket).or_default() += values,
            None => self.zeros += values,
        }
    }

    /// Adds all that another sketch has.
    pub fn merge(&mut self, other: &Self) {
        other.buckets().for_each(|(bucket, values)| self.add_bucket(bucket, values));
    }
}

fn bucket(value: f64) -> Option<i16> {
    if value.is_nan() || value < LEAST {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "saturates: the largest double has a logarithm of 35,845 to this base"
    )]
    Some((value.ln() / BASE.ln()).floor() as i16)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::*;
    use crate::random::Random;

    #[test]
    fn quantiles_are_within_the_stated_error() {
        let mut random = Random::new(29);
        for spread in [0.1, 1.0, 6.0] {
            let mut values: Vec<f64> = (0..20_000)
                .map(|_| {
                    let number = f64::from(random.below(1 << 31)) / f64::from(1_u32 << 31);
                    f64::exp(spread * (number - 0.5) * 4.0)
                })
                .collect();
            let (mut whole, mut parts) = (Sketch::default(), [Sketch::default(), Sketch::default()]);
            for (index, value) in values.iter().enumerate() {
                whole.add(*value);
                parts[index % 2].add(*value);
            }
            values.sort_by(f64::total_cmp);
            for share in [0.0, 0.01, 0.5, 0.95, 0.99, 1.0] {
                let exact = values[((values.len() - 1) as f64 * share).round() as usize];
                let found = whole.quantile(share).unwrap();
                assert!((found / exact - 1.0).abs() <= ERROR, "{share}: {found}, not {exact}");
            }
            let [mut merged, other] = parts;
            merged.merge(&other);
            assert_eq!(merged, whole);
            assert!(whole.counts.len() < 1_300);
        }
        let mut odd = Sketch::default();
        [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300].iter().for_each(|value| odd.add(*value));
        assert_eq!((odd.len(), odd.quantile(0.0), odd.quantile(0.5)), (5, Some(0.0), Some(0.0)));
        assert_eq!(Sketch::default().quantile(0.5), None);
    }
}
