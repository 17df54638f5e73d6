//! Cores, memory, GPUs and jobs as whole numbers, so that what is taken and given back adds up exactly.

use serde::{Deserialize, Serialize};

/// A moment or a length of time, in microseconds; moments since 1970 UTC.
pub type Time = i64;

/// The microseconds of a second.
pub const SECOND: Time = 1_000_000;

/// The most seconds that anything takes: a thousand years.
const MOST_SECONDS: f64 = 3.2e10;

/// A number of seconds as time; what is no time is 0.
#[expect(clippy::cast_possible_truncation, reason = "it is bounded")]
pub fn time(seconds: f64) -> Time {
    (seconds.clamp(-MOST_SECONDS, MOST_SECONDS) * 1e6).round() as Time
}

/// Time as seconds.
#[expect(clippy::cast_precision_loss, reason = "a length of time")]
pub fn seconds(time: Time) -> f64 {
    time as f64 / 1e6
}

/// The resources that a job takes, or that a node has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amount {
    /// Thousandths of a core.
    pub cores: u64,
    /// MiB.
    pub mem: u64,
    /// Thousandths of a GPU.
    pub gpus: u64,
    /// Jobs.
    pub jobs: u64,
}

/// More than any machine has, and few enough that sums of them fit.
const WITHOUT_LIMIT: u64 = 1 << 60;

impl Amount {
    /// The amount of a node without limits.
    pub const WITHOUT_LIMIT: Self =
        Self { cores: WITHOUT_LIMIT, mem: WITHOUT_LIMIT, gpus: WITHOUT_LIMIT, jobs: WITHOUT_LIMIT };

    /// One job with cores, GiB and GPUs; parts of the units are rounded up, and what is no number from 0 is 0.
    pub fn of_job(cores: f64, mem: f64, gpus: f64) -> Self {
        Self { cores: whole(cores, 1000.0), mem: whole(mem, 1024.0), gpus: whole(gpus, 1000.0), jobs: 1 }
    }

    /// Returns `true` if nothing of it is more than `room` has.
    pub fn fits(&self, room: &Self) -> bool {
        self.cores <= room.cores && self.mem <= room.mem && self.gpus <= room.gpus && self.jobs <= room.jobs
    }

    /// Returns `true` for the amount of a node that is known to have GPUs. A node without a limit is not.
    pub fn has_gpus(&self) -> bool {
        0 < self.gpus && self.gpus < WITHOUT_LIMIT
    }

    /// The greater of each resource.
    #[must_use]
    pub fn max(&self, other: &Self) -> Self {
        Self {
            cores: self.cores.max(other.cores),
            mem: self.mem.max(other.mem),
            gpus: self.gpus.max(other.gpus),
            jobs: self.jobs.max(other.jobs),
        }
    }

    /// Both together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            cores: self.cores.saturating_add(other.cores),
            mem: self.mem.saturating_add(other.mem),
            gpus: self.gpus.saturating_add(other.gpus),
            jobs: self.jobs.saturating_add(other.jobs),
        }
    }

    /// The rest without the other.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        Self {
            cores: self.cores.saturating_sub(other.cores),
            mem: self.mem.saturating_sub(other.mem),
            gpus: self.gpus.saturating_sub(other.gpus),
            jobs: self.jobs.saturating_sub(other.jobs),
        }
    }
}

/// A number in thousandths or such, rounded up. What is below a millionth of the next is the number's own roundness.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is bounded")]
pub(crate) fn whole(number: f64, parts: f64) -> u64 {
    if number > 0.0 { (number.min(1e12) * parts - 1e-6).ceil().max(0.0) as u64 } else { 0 }
}
