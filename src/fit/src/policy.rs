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

impl Default for LostCosts {
    fn default() -> Self {
        Self::Times(5.0)
    }
}

impl LostCosts {
    /// The price of losing a job that needs `peak` GiB for `hours`, in GiB·h.
    pub fn price(&self, peak: f64, hours: f64) -> f64 {
        match self {
            Self::Times(times) => times * peak * hours,
            Self::GibHours(price) => *price,
        }
    }
}

/// The attempts of a job whose memory is short, where they are not those that the rules give.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Assumed {
    /// The number of times that a job runs at most, the first one included.
    pub attempts: u32,
    /// The memory of an attempt divided by that of the one before.
    pub factor: f64,
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
    /// Jobs that needed another attempt, the lost ones that had one included.
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

    /// The cost of a job whose attempts are `given` so many GiB, and that needs `peak` GiB to run its `hours`.
    ///
    /// Memory is taken to grow evenly: an attempt with half of what the job needs dies after half of its time.
    pub fn of(given: impl IntoIterator<Item = f64>, peak: f64, hours: f64, lost_costs: LostCosts) -> Self {
        let mut cost = Self { jobs: 1.0, ..Self::default() };
        let mut attempts = 0;
        for given in given {
            attempts += 1;
            cost.again = f64::from(u8::from(attempts > 1));
            if given >= peak {
                cost.reserved += given * hours;
                return cost;
            }
            let reserved = given * hours * (given / peak);
            cost.reserved += reserved;
            cost.failed += reserved;
        }
        cost.lost = 1.0;
        cost.lost_costs = lost_costs.price(peak, hours);
        cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_counted_until_one_suffices() {
        let cost = |given: &[f64], peak, hours| Cost::of(given.iter().copied(), peak, hours, LostCosts::default());
        assert_eq!(cost(&[8.0, 16.0], 8.0, 2.0).reserved, 16.0);
        // 2 GiB for a quarter of the time, 4 GiB for half of it, then 8 GiB.
        let twice = cost(&[2.0, 4.0, 8.0, 16.0], 8.0, 2.0);
        assert_eq!((twice.reserved, twice.failed, twice.again, twice.lost), (1.0 + 4.0 + 16.0, 5.0, 1.0, 0.0));
        let lost = cost(&[0.5, 1.0, 2.0, 4.0], 8.0, 1.0);
        assert_eq!((lost.lost, lost.again, lost.lost_costs, lost.total()), (1.0, 1.0, 40.0, lost.reserved + 40.0));
        // One attempt, and one that gets the same memory again.
        let once = cost(&[4.0], 8.0, 1.0);
        assert_eq!((once.lost, once.again, once.reserved), (1.0, 0.0, 2.0));
        assert_eq!(cost(&[4.0, 4.0], 8.0, 1.0).reserved, 4.0);
    }
}
