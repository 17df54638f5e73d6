//! Totals of jobs: their number, and exact sums of what they were given.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize, Serializer};
use tpv_galaxy::answer::Answer;
use tpv_model::Quantity;

/// The totals of some jobs: their number and their resources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, u128>")]
pub struct Usage {
    /// The number of jobs.
    pub jobs: u64,
    /// The number of them that ended in an error.
    #[serde(skip_serializing_if = "is_default")]
    pub errors: u64,
    /// The sum of each quantity, in the parts that [`Part::of`] names.
    #[serde(flatten, serialize_with = "sums_by_name")]
    pub sums: [u128; Quantity::COUNT],
    /// The number of these values that are in no sum, because they are not numbers from 0 to 10^15. `None` counts as 0.
    #[serde(skip_serializing_if = "is_default")]
    pub uncounted: u64,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The whole parts in which a quantity is summed.
struct Part {
    /// The name of the sum.
    name: &'static str,
    /// The number of parts in a core, GiB or GPU.
    in_one: u32,
}

impl Part {
    const fn of(quantity: Quantity) -> Self {
        let (name, in_one) = match quantity {
            Quantity::Cores => ("millicores", 1000),
            // Bytes.
            Quantity::Mem => ("memory", 1 << 30),
            Quantity::Gpus => ("milligpus", 1000),
        };
        Self { name, in_one }
    }
}

/// The sums that are not 0, as fields.
fn sums_by_name<S: Serializer>(sums: &[u128; Quantity::COUNT], serializer: S) -> Result<S::Ok, S::Error> {
    let named = Quantity::ALL.map(|quantity| (Part::of(quantity).name, quantity.of(sums)));
    serializer.collect_map(named.into_iter().filter(|(_, sum)| **sum > 0))
}

impl TryFrom<BTreeMap<String, u128>> for Usage {
    type Error = String;

    fn try_from(mut fields: BTreeMap<String, u128>) -> Result<Self, String> {
        let jobs = fields.remove("jobs").ok_or("missing field `jobs`")?;
        let mut take = |name: &str| fields.remove(name).unwrap_or_default();
        let count =
            |number: u128| u64::try_from(number).map_err(|_| format!("{number} is too large for a number of jobs"));
        Ok(Self {
            jobs: count(jobs)?,
            errors: count(take("errors"))?,
            sums: Quantity::ALL.map(|quantity| take(Part::of(quantity).name)),
            uncounted: count(take("uncounted"))?,
        })
    }
}

/// The largest value that is summed: with it, sums of 2^48 jobs fit 128 bits. Code can make any number.
const MOST: f64 = 1e15;

impl Usage {
    /// The resources of one job.
    pub fn of(answer: &Answer) -> Self {
        if answer.error().is_some() {
            return Self { jobs: 1, errors: 1, ..Self::default() };
        }
        let parts = Quantity::ALL.map(|quantity| parts(answer.text(quantity.into()), Part::of(quantity).in_one));
        let uncounted = parts.iter().filter(|sum| sum.is_none()).count() as u64;
        Self { jobs: 1, errors: 0, sums: parts.map(Option::unwrap_or_default), uncounted }
    }

    /// The numbers of jobs and errors alone.
    #[must_use]
    pub fn counts(&self) -> Self {
        Self { jobs: self.jobs, errors: self.errors, ..Self::default() }
    }

    /// The sum of a quantity: cores, GiB, GPUs.
    #[expect(clippy::cast_precision_loss, reason = "sums for people and plots")]
    pub fn sum(&self, quantity: Quantity) -> f64 {
        *quantity.of(&self.sums) as f64 / f64::from(Part::of(quantity).in_one)
    }

    /// The sum of a quantity in thousandths of a core, GiB or GPU; rounded.
    pub fn thousandths(&self, quantity: Quantity) -> u128 {
        let in_one = u128::from(Part::of(quantity).in_one);
        quantity.of(&self.sums).saturating_mul(1000).saturating_add(in_one / 2) / in_one
    }
}

/// A value in whole parts of its unit; `null` is 0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is from 0 to 10^15 units")]
fn parts(text: Option<&str>, in_one: u32) -> Option<u128> {
    let text = text?;
    if text == "null" {
        return Some(0);
    }
    let number: f64 = text.parse().ok().filter(|number| (0.0..=MOST).contains(number))?;
    Some((number * f64::from(in_one)).round() as u128)
}

impl AddAssign<&Self> for Usage {
    fn add_assign(&mut self, other: &Self) {
        self.jobs += other.jobs;
        self.errors += other.errors;
        for (sum, others) in self.sums.iter_mut().zip(&other.sums) {
            *sum += others;
        }
        self.uncounted += other.uncounted;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn values_are_counted_in_whole_parts() {
        for (text, expected) in [
            ("null", Some(0)),
            ("0", Some(0)),
            ("0.0004", Some(0)),
            ("0.0005", Some(1)),
            ("2.5", Some(2500)),
            ("1e15", Some(1_000_000_000_000_000_000)),
            ("1e16", None),
            ("-1", None),
            ("NaN", None),
            ("Infinity", None),
            ("-Infinity", None),
            ("\"4\"", None),
            ("true", None),
        ] {
            assert_eq!(parts(Some(text), 1000), expected, "{text}");
        }
    }

    #[test]
    fn sums_are_rounded_to_thousandths() {
        for (bytes, expected) in [
            (0, 0),
            (1 << 30, 1000),
            (3 << 29, 1500),
            ((1 << 30) + 1, 1000),
            (u128::from(u64::MAX), 17_179_869_184_000),
        ] {
            let usage = Usage { sums: [bytes; Quantity::COUNT], ..Usage::default() };
            assert_eq!(usage.thousandths(Quantity::Mem), expected);
            assert_eq!(usage.thousandths(Quantity::Cores), bytes);
        }
    }

    #[test]
    fn sums_have_their_own_names() {
        let usage = Usage { jobs: 2, sums: Quantity::ALL.map(|quantity| 1 + quantity as u128), ..Usage::default() };
        let json = serde_json::to_string(&usage).unwrap();
        assert_eq!(json, r#"{"jobs":2,"millicores":1,"memory":2,"milligpus":3}"#);
        assert_eq!(serde_json::from_str::<Usage>(&json).unwrap(), usage);
        for (text, message) in [("{}", "missing field"), (r#"{"jobs": 18446744073709551616}"#, "too large")] {
            assert!(serde_json::from_str::<Usage>(text).unwrap_err().to_string().contains(message), "{text}");
        }
    }
}
