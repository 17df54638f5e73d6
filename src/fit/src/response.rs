//! The memory that the rules make of a value of `mem`, attempt by attempt: limits, bounds and factors of the attempt included.

use serde::Serialize;

use crate::policy::Assumed;

/// The consequence of more memory than any destination gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Beyond {
    /// The job gets no destination.
    Refused,
    /// The job gets the most that there is.
    Capped,
    /// The job gets the most that there is, and no attempt after that.
    Last,
}

/// The memory that jobs of a tool get by the value of their `mem`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Response {
    /// The memory of each attempt, divided by the value.
    pub ratios: Vec<f64>,
    /// The least memory that the rules give, in GiB.
    pub floor: f64,
    /// The least value with which a job gets a destination, in GiB.
    pub least: f64,
    /// The most memory of an attempt, in GiB.
    pub most: f64,
    /// The consequence of more.
    pub beyond: Beyond,
}

impl Response {
    /// The response of rules without limits to attempts outside of Galaxy.
    pub fn assumed(assumed: Assumed) -> Self {
        Self { beyond: Beyond::Last, ..Self::default() }.with_attempts(assumed)
    }

    /// The same limits with other attempts.
    #[must_use]
    pub fn with_attempts(self, assumed: Assumed) -> Self {
        let first = self.ratios.first().copied().unwrap_or(1.0);
        let power = |attempt: u32| first * assumed.factor.powi(i32::try_from(attempt).unwrap_or(i32::MAX));
        Self { ratios: (0..assumed.attempts.max(1)).map(power).collect(), beyond: Beyond::Last, ..self }
    }

    /// The memory of the attempts of a job by the value of its `mem`, in GiB.
    pub fn attempts(&self, value: f64) -> impl Iterator<Item = f64> + '_ {
        let mut is_last = false;
        self.ratios.iter().map_while(move |ratio| {
            let given = (value * ratio).max(self.floor);
            if is_last {
                return None;
            }
            if given < self.most {
                return Some(given);
            }
            is_last = self.beyond == Beyond::Last;
            (given <= self.most || self.beyond != Beyond::Refused).then_some(self.most)
        })
    }

    /// The memory of a first attempt that got so much, and of those after it, where attempts are assumed.
    pub fn after(&self, first: f64) -> impl Iterator<Item = f64> + '_ {
        let ratio = self.ratios.first().copied().unwrap_or(1.0);
        self.attempts(first / ratio)
    }

    /// The most memory that an attempt gets by a value, in GiB; 0 if it gets no destination.
    pub fn reach(&self, value: f64) -> f64 {
        self.attempts(value).fold(0.0, f64::max)
    }

    /// The largest value with which a first attempt gets a destination, in GiB.
    pub fn largest(&self) -> f64 {
        self.most / self.ratios.first().copied().unwrap_or(1.0)
    }
}

impl Default for Response {
    fn default() -> Self {
        Self { ratios: vec![1.0], floor: 0.0, least: 0.0, most: f64::INFINITY, beyond: Beyond::Refused }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_end_the_attempts() {
        let of = |beyond, value| {
            let response =
                Response { ratios: vec![1.0, 2.0, 4.0], floor: 2.0, most: 10.0, beyond, ..Response::default() };
            response.attempts(value).collect::<Vec<f64>>()
        };
        assert_eq!(of(Beyond::Refused, 1.0), [2.0, 2.0, 4.0]);
        assert_eq!(of(Beyond::Refused, 4.0), [4.0, 8.0]);
        assert_eq!(of(Beyond::Capped, 4.0), [4.0, 8.0, 10.0]);
        assert_eq!(of(Beyond::Last, 5.0), [5.0, 10.0]);
        assert_eq!(of(Beyond::Capped, 20.0), [10.0, 10.0, 10.0]);
        assert_eq!(of(Beyond::Refused, 20.0), [0.0; 0]);
    }
}
