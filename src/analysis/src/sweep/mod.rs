//! A job's outcomes as one of its fields goes through values: `tpvc sweep`.

mod page;

use serde::Serialize;
use serde_json::Value;
use tpv_galaxy::answer::Answer;
use tpv_model::Quantity;

use crate::quantities;

pub use page::{Data, Mark, Row, page};

/// The job's outcome at a value.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Outcome {
    /// The id of the destination.
    pub destination: Option<String>,
    /// What it gets of each quantity, as the answer has it.
    #[serde(flatten, serialize_with = "quantities::by_name")]
    pub amounts: [Option<Value>; Quantity::COUNT],
    /// The error that the job ended in: its class and message.
    pub error: Option<String>,
}

impl Outcome {
    /// The outcome in an answer.
    pub fn of(answer: &Answer) -> Self {
        let number = |quantity: Quantity| {
            let value: Value = serde_json::from_str(answer.text(quantity.into())?).ok()?;
            (!value.is_null()).then_some(value)
        };
        Self {
            destination: answer.destination_id().map(|id| id.into_owned()),
            amounts: Quantity::ALL.map(number),
            error: answer.error_text(),
        }
    }

    /// The destination, or the class of the error, whose message may contain the value.
    fn place(&self) -> (Option<&str>, Option<&str>) {
        let class = self.error.as_deref().and_then(|error| error.split(':').next());
        (self.destination.as_deref(), class)
    }
}

/// A value and what became of the job there.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The value.
    pub at: i64,
    /// The job's outcome.
    pub outcome: Outcome,
    /// `true` if it differs from the value before it in its destination or error, or in a resource that changes in
    /// steps.
    pub is_border: bool,
}

/// The spacing of a range's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// Evenly.
    Linear,
    /// Evenly in their logarithms; a range from 0 begins with 0 and 1.
    Log,
}

/// The values of a range that are tried first, in order and without repetition.
fn samples(from: i64, to: i64, count: usize, spacing: Spacing) -> Vec<i64> {
    let last = count.max(2) - 1;
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "samples need not be exact")]
    let sample = |index: usize| {
        let part = index as f64 / last as f64;
        let (low, high) = (from as f64, to as f64);
        let value = match spacing {
            Spacing::Linear => low + (high - low) * part,
            Spacing::Log => low.max(1.0) * (high / low.max(1.0)).powf(part),
        };
        (value.round() as i64).clamp(from, to)
    };
    let mut values: Vec<i64> = std::iter::once(from).chain((0..=last).map(sample)).chain([to]).collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// The outcomes over a range of whole numbers: `count` samples, and where two neighbours differ, the border between them to the
/// last unit. A value that changes all the time, such as memory that grows with the input, has no borders. What changes and
/// changes back between two samples is not seen.
///
/// # Errors
/// Errors of `answer`.
pub fn over_range<E>(
    (from, to): (i64, i64),
    count: usize,
    spacing: Spacing,
    mut answer: impl FnMut(i64) -> Result<Outcome, E>,
) -> Result<Vec<Point>, E> {
    let mut points: Vec<Point> = Vec::new();
    for at in samples(from, to, count, spacing) {
        let point = Point { at, outcome: answer(at)?, is_border: points.is_empty() };
        match points.last().cloned() {
            Some(before) => refine(&before, point, &mut answer, &mut points)?,
            None => points.push(point),
        }
    }
    Ok(points)
}

/// The most borders between two samples.
const MOST_BORDERS: usize = 16;

/// Adds the second of two neighbours, and both sides of each border between them.
fn refine<E>(
    low: &Point,
    high: Point,
    answer: &mut impl FnMut(i64) -> Result<Outcome, E>,
    points: &mut Vec<Point>,
) -> Result<(), E> {
    let mut low = low.clone();
    for _ in 0..MOST_BORDERS {
        let border = Border::between(&low, &high, answer)?;
        let (mut before, mut after) = (low.clone(), high.clone());
        if !border.is_between(&before.outcome, &after.outcome) {
            break;
        }
        while after.at - before.at > 1 {
            let at = before.at + (after.at - before.at) / 2;
            let middle = Point { at, outcome: answer(at)?, is_border: false };
            if border.is_between(&before.outcome, &middle.outcome) { after = middle } else { before = middle }
        }
        if before.at > low.at {
            points.push(before);
        }
        after.is_border = true;
        if after.at == high.at {
            points.push(after);
            return Ok(());
        }
        points.push(after.clone());
        low = after;
    }
    points.push(high);
    Ok(())
}

/// A border between two neighbours: by destination; between equal ones, by the quantities that change once.
enum Border {
    Place,
    Amounts([bool; Quantity::COUNT]),
}

impl Border {
    /// A quantity that changes more than once between five values changes all the time.
    fn between<E>(low: &Point, high: &Point, answer: &mut impl FnMut(i64) -> Result<Outcome, E>) -> Result<Self, E> {
        if low.outcome.place() != high.outcome.place() {
            return Ok(Self::Place);
        }
        let mut outcomes = vec![low.outcome.clone()];
        if low.outcome != high.outcome {
            for quarter in 1..4 {
                outcomes.push(answer(low.at + (high.at - low.at) / 4 * quarter)?);
            }
        }
        outcomes.push(high.outcome.clone());
        let changes = |quantity: Quantity| {
            let pairs = outcomes.iter().zip(outcomes.iter().skip(1));
            pairs.filter(|(one, other)| quantity.of(&one.amounts) != quantity.of(&other.amounts)).count()
        };
        Ok(Self::Amounts(Quantity::ALL.map(|quantity| changes(quantity) == 1)))
    }

    fn is_between(&self, one: &Outcome, other: &Outcome) -> bool {
        match self {
            Self::Place => one.place() != other.place(),
            Self::Amounts(in_steps) => {
                let mut amounts = one.amounts.iter().zip(&other.amounts).zip(in_steps);
                amounts.any(|((a, b), in_steps)| *in_steps && a != b)
            }
        }
    }
}

/// Neighbours without a border between them: the first and the last, which differ in what changes all the time.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// The first value and what became of the job there.
    pub first: Point,
    /// The last value and what became of the job there.
    pub last: Point,
}

/// The points as spans from border to border.
pub fn spans(points: &[Point]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for point in points {
        match spans.last_mut() {
            Some(span) if !point.is_border => span.last = point.clone(),
            _ => spans.push(Span { first: point.clone(), last: point.clone() }),
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use std::convert::Infallible;

    use super::*;

    fn outcome(destination: &str, cores: u64, mem: f64) -> Outcome {
        Outcome {
            destination: Some(destination.to_owned()),
            amounts: Quantity::ALL.map(|quantity| match quantity {
                Quantity::Cores => Some(cores.into()),
                Quantity::Mem => Some(mem.into()),
                _ => None,
            }),
            error: None,
        }
    }

    #[test]
    fn borders_are_found_to_the_last_unit() {
        let rule = |at: i64| -> Result<Outcome, Infallible> {
            Ok(if at < 12_345 {
                outcome("small", 2, at as f64)
            } else {
                outcome("big", if at > 70_001 { 16 } else { 8 }, 5.0)
            })
        };
        let points = over_range((0, 100_000), 11, Spacing::Linear, rule).unwrap();
        let spans = spans(&points);
        let borders: Vec<_> = spans.iter().map(|span| (span.first.at, span.last.at)).collect();
        assert_eq!(borders, [(0, 12_344), (12_345, 70_001), (70_002, 100_000)]);
        assert!(points.is_sorted_by(|a, b| a.at < b.at));
    }

    #[test]
    fn two_borders_between_two_samples() {
        let rule = |at: i64| -> Result<Outcome, Infallible> {
            Ok(outcome(
                if at < 3 {
                    "a"
                } else if at < 7 {
                    "b"
                } else {
                    "c"
                },
                1,
                1.0,
            ))
        };
        let points = over_range((0, 10), 2, Spacing::Linear, rule).unwrap();
        assert_eq!(spans(&points).iter().map(|span| span.first.at).collect::<Vec<_>>(), [0, 3, 7]);
    }

    #[test]
    fn samples_span_the_range() {
        assert_eq!(samples(0, 10, 3, Spacing::Linear), [0, 5, 10]);
        assert_eq!(samples(0, 1000, 4, Spacing::Log), [0, 1, 10, 100, 1000]);
        assert_eq!(samples(5, 5, 4, Spacing::Linear), [5]);
        assert_eq!(samples(0, 2, 100, Spacing::Linear), [0, 1, 2]);
    }
}
