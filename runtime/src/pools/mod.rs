//! Resource pools: what each user's running jobs hold, and whether another one fits.
//!
//! An [`AllocationStore`] keeps, for each pool and user, a ledger of the jobs that were admitted. [`memory`] keeps it in this
//! process, `valkey` (with the feature of that name) in Valkey or Redis under TPV's keys; [`configured`] makes the one that a
//! config names. Which pools govern a job, and what becomes of it, is the mapper's: `mapper/pools.rs`.

pub mod configured;
pub mod memory;
#[cfg(feature = "valkey")]
pub mod valkey;

use std::collections::BTreeSet;
use std::fmt;

use tpv_literal::float_text;
use tpv_python::exception::{PyResult, Raised};
use tpv_python::value::Value;
use tpv_python::vm::Vm;

/// TPV's default prefix of a pool's name in a key.
pub const KEY_PREFIX: &str = "tpv:pool";

/// The key of a user's ledger of a pool. The id in braces keeps all ledgers of a user on one node of a cluster.
pub fn ledger_key(prefix: &str, pool: &str, user: i64) -> String {
    format!("{prefix}:{pool}:user:{{{user}}}")
}

/// The resources that a job requests or holds: cores, memory in GiB, GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Cores.
    pub cores: f64,
    /// Memory in GiB.
    pub mem: f64,
    /// GPUs.
    pub gpus: f64,
}

impl fmt::Display for Usage {
    /// As TPV's messages have it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [cores, mem, gpus] = [self.cores, self.mem, self.gpus].map(float_text::repr);
        write!(f, "cores={cores}, mem={mem}, gpus={gpus}")
    }
}

/// The most that something may be: cores, memory in GiB, GPUs; `None` is without limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    /// Cores.
    pub cores: Option<f64>,
    /// Memory in GiB.
    pub mem: Option<f64>,
    /// GPUs.
    pub gpus: Option<f64>,
}

impl Budget {
    /// Returns `true` if a usage exceeds the budget.
    pub fn is_exceeded_by(&self, usage: &Usage) -> bool {
        let passes = |used: f64, most: Option<f64>| most.is_some_and(|most| used > most);
        passes(usage.cores, self.cores) || passes(usage.mem, self.mem) || passes(usage.gpus, self.gpus)
    }

    /// Returns `true` if a usage fits the budget. With NaN nothing fits, though it exceeds nothing either.
    fn fits(&self, usage: &Usage) -> bool {
        let fits = |used: f64, most: Option<f64>| most.is_none_or(|most| used <= most);
        fits(usage.cores, self.cores) && fits(usage.mem, self.mem) && fits(usage.gpus, self.gpus)
    }
}

/// The relation of a job's own request to the budget of the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It fits, and counts against the budget.
    Normal,
    /// It is larger than the whole budget, and takes one of the places for such jobs.
    Oversize,
}

impl Kind {
    /// TPV's word, which stands in the ledger.
    pub fn name(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Oversize => "oversize",
        }
    }

    /// The kind that a ledger tells. What is not oversize counts as normal, as in TPV's admission.
    pub fn from_name(name: &str) -> Self {
        if name == Self::Oversize.name() { Self::Oversize } else { Self::Normal }
    }
}

/// The resources of a pool that a job holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allocation {
    /// The amount.
    pub usage: Usage,
    /// As what.
    pub kind: Kind,
}

/// The admitted jobs of a user in a pool: the ids of the jobs, and what each holds.
pub type Ledger = Vec<(i64, Allocation)>;

/// A job's request to one pool.
#[derive(Clone, Debug)]
pub struct Admission {
    /// The pool's name.
    pub pool: String,
    /// The job's request.
    pub usage: Usage,
    /// Normal if the request by itself fits the budget.
    pub kind: Kind,
    /// The most that all jobs of the user may hold at once.
    pub budget: Budget,
    /// The oversize jobs that the user may have at once.
    pub max_oversize: i64,
    /// `true` if an oversize job holds the pool alone.
    pub reserve_pool: bool,
    /// Jobs that have ended and leave the ledger first.
    pub finished: BTreeSet<i64>,
}

impl Admission {
    /// Returns `true` if the job fits beside these, which do not include it.
    pub fn is_granted(&self, ledger: &Ledger) -> bool {
        let mut used = Usage::default();
        let mut oversize = 0_i64;
        for (_, allocation) in ledger {
            match allocation.kind {
                Kind::Oversize => oversize = oversize.saturating_add(1),
                Kind::Normal => {
                    used.cores += allocation.usage.cores;
                    used.mem += allocation.usage.mem;
                    used.gpus += allocation.usage.gpus;
                }
            }
        }
        match self.kind {
            Kind::Oversize => oversize < self.max_oversize && !(self.reserve_pool && used != Usage::default()),
            Kind::Normal => {
                let together = Usage {
                    cores: used.cores + self.usage.cores,
                    mem: used.mem + self.usage.mem,
                    gpus: used.gpus + self.usage.gpus,
                };
                !(self.reserve_pool && oversize > 0) && self.budget.fits(&together)
            }
        }
    }
}

/// The error of a store's request.
pub enum StoreError {
    /// It cannot be reached, or answers with an error: TPV's `StoreUnavailable`. Pools fail closed or open on it.
    Unavailable(String),
    /// An entry of a ledger is no allocation: a `ValueError` with this text, which ends the mapping.
    Malformed(String),
    /// An exception of the host's store, which ends the mapping; the function converts it to an exception of the
    /// machine.
    Host(Box<dyn FnOnce(&mut Vm) -> Raised + Send>),
}

impl fmt::Debug for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable(why) => f.debug_tuple("Unavailable").field(why).finish(),
            Self::Malformed(what) => f.debug_tuple("Malformed").field(what).finish(),
            Self::Host(_) => f.write_str("Host"),
        }
    }
}

/// Keeps the ledgers: TPV's `AllocationStore`.
pub trait AllocationStore: Send + Sync {
    /// The ledger of a user in a pool; empty where there is none.
    ///
    /// # Errors
    /// [`StoreError`]
    fn read(&self, pool: &str, user: i64) -> Result<Ledger, StoreError>;

    /// Admits a job of a user to all pools or to none, as one step: no other admission comes in between. In every pool,
    /// finished jobs and an earlier entry of the job leave the ledger first, and do so even where the job is not admitted.
    /// No pool may be named twice.
    ///
    /// # Errors
    /// [`StoreError`]
    fn admit_many(&self, user: i64, job: i64, admissions: &[Admission]) -> Result<bool, StoreError>;
}

/// Says which jobs have ended, for a Galaxy that is not a world file.
pub trait FinishedJobs: Send + Sync {
    /// Those of the ids whose jobs are in a state of [`tpv_galaxy::job_table::TERMINAL_STATES`]. `session` is `app.model.context`. There is at least
    /// one id.
    ///
    /// # Errors
    /// Exceptions raised by the database.
    fn finished(&self, vm: &mut Vm, session: &Value, ids: &BTreeSet<i64>) -> PyResult<BTreeSet<i64>>;
}
