//! The price of memory: what a job reserves over all its attempts, and what losing it costs.

use serde::Serialize;

/// The price of a job that no attempt brought to its end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LostCosts {
    /// That many times what the job would have reserved with exactly the memory that it needed.
    Times(f64),
    /// That many GiB·h.
    GibHours(f64),
}

/// The treatment of jobs whose memory is short.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Policy {
    /// The number of times that a job runs at most, the first one included.
    pub attempts: u32,
    /// The memory of an attempt divided by that of the one before.
    pub factor: f64,
    /// The price of a lost job, on top of what its attempts reserved.
    pub lost_costs: LostCosts,
}

impl Default for Policy {
    fn default() -> Self {
        Self { attempts: 4, factor: 2.0, lost_costs: LostCosts::Times(5.0) }
    }
}

/// The cost of one job or more under a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Cost {
    /// The number of jobs; a job whose need is not known exactly counts by parts.
    pub jobs: f64,
    /// GiB·h that all attempts reserved.
    pub reserved: f64,
    /// GiB·h that failed attempts reserved, of those.
    pub failed: f64,
    /// Jobs that needed another attempt, the lost ones included.
    pub again: f64,
    /// Jobs that no attempt brought to its end.
    pub lost: f64,
    /// The price of the lost jobs in GiB·h.
    pub lost_costs: f64,
}

impl Cost {
    /// The cost by which rules are compared: all that was reserved, and the price of what was lost, in GiB·h.
    pub fn total(&self) -> f64 {
        self.reserved + self.lost_costs
    }

    /// Adds the cost of other jobs.
    pub fn add(&mut self, other: &Self) {
        self.jobs += other.jobs;
        self.reserved += other.reserved;
        self.failed += other.failed;
        self.again += other.again;
        self.lost += other.lost;
        self.lost_costs += other.lost_costs;
    }

    /// The same cost for jobs of another weight.
    #[must_use]
    pub fn times(self, weight: f64) -> Self {
        Self {
            jobs: self.jobs * weight,
            reserved: self.reserved * weight,
            failed: self.failed * weight,
            again: self.again * weight,
            lost: self.lost * weight,
            lost_costs: self.lost_costs * weight,
        }
    }
}

impl Policy {
    /// The price of losing a job that needs `peak` GiB for `hours`.
    pub fn price(&self, peak: f64, hours: f64) -> f64 {
        match self.lost_costs {
            LostCosts::Times(times) => times * peak * hours,
            LostCosts::GibHours(price) => price,
        }
    }

    /// The cost of a job that is given `memory` GiB, needs `peak` GiB, and then runs `hours`. `most` is the memory of the largest
    /// destination, which no attempt exceeds.
    ///
    /// Memory is taken to grow evenly: an attempt with half of what the job needs dies after half of its time.
    pub fn cost(&self, memory: f64, peak: f64, hours: f64, most: f64) -> Cost {
        let mut cost = Cost { jobs: 1.0, ..Cost::default() };
        let mut asked = memory;
        for attempt in 0..self.attempts {
            let given = asked.min(most);
            if given >= peak {
                cost.reserved += given * hours;
                cost.again = f64::from(u8::from(attempt > 0));
                return cost;
            }
            let reserved = given * hours * (given / peak);
            cost.reserved += reserved;
            cost.failed += reserved;
            if asked >= most {
                break;
            }
            asked *= self.factor;
        }
        cost.again = f64::from(u8::from(self.attempts > 1));
        cost.lost = 1.0;
        cost.lost_costs = self.price(peak, hours);
        cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_counted_until_one_suffices() {
        let policy = Policy::default();
        let none = f64::INFINITY;
        assert_eq!(policy.cost(8.0, 8.0, 2.0, none).reserved, 16.0);
        // 2 GiB for a quarter of the time, 4 GiB for half of it, then 8 GiB.
        let twice = policy.cost(2.0, 8.0, 2.0, none);
        assert_eq!((twice.reserved, twice.failed, twice.again, twice.lost), (1.0 + 4.0 + 16.0, 5.0, 1.0, 0.0));
        let lost = policy.cost(0.5, 8.0, 1.0, none);
        assert_eq!((lost.lost, lost.lost_costs, lost.total()), (1.0, 40.0, lost.reserved + 40.0));
        // No attempt gets more than the largest destination has, and none is made after that.
        let capped = policy.cost(3.0, 8.0, 1.0, 4.0);
        assert_eq!((capped.lost, capped.reserved), (1.0, 9.0 / 8.0 + 2.0));
        assert_eq!(policy.cost(3.0, 4.0, 1.0, 4.0).reserved, 9.0 / 4.0 + 4.0);
    }
}
