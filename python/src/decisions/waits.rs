//! The waits of jobs that are not ready: Galaxy asks about each once a second.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use tpv_runtime::decision::Head;

/// The most waits that are counted at a time.
const MOST: usize = 10_000;
/// The time after which nobody asks about a job any more.
const OVER: Duration = Duration::from_secs(600);

/// A job: its dispatcher and its id.
pub type Key = (Option<String>, i64);

/// A job that was not ready.
pub struct Waiting {
    /// The circumstances of the first mapping.
    pub head: Head,
    /// The number of mappings that were not ready.
    pub mappings: i64,
    last: Instant,
    /// The place in the order of the last mappings.
    order: u64,
}

/// The waits, in the order of their last mappings.
#[derive(Default)]
pub struct Waits {
    by_job: HashMap<Key, Waiting>,
    order: BTreeMap<u64, Key>,
    next: u64,
}

impl Waits {
    /// Returns `true` if no job waits.
    pub fn is_empty(&self) -> bool {
        self.by_job.is_empty()
    }

    /// Counts a mapping of a job that is not ready. Returns `true` if its wait begins.
    pub fn count(&mut self, key: Key, head: &Head, now: Instant) -> bool {
        self.next += 1;
        let begins = match self.by_job.get_mut(&key) {
            Some(wait) => {
                self.order.remove(&wait.order);
                (wait.mappings, wait.last, wait.order) = (wait.mappings + 1, now, self.next);
                false
            }
            None => {
                let wait = Waiting { head: head.clone(), mappings: 1, last: now, order: self.next };
                self.by_job.insert(key.clone(), wait);
                true
            }
        };
        self.order.insert(self.next, key);
        begins
    }

    /// Ends the wait of a job. `None` if it has none.
    pub fn end(&mut self, key: &Key) -> Option<Waiting> {
        let wait = self.by_job.remove(key)?;
        self.order.remove(&wait.order);
        Some(wait)
    }

    /// Ends the wait that is over, or one too many. `None` if there is none.
    pub fn over(&mut self, now: Instant) -> Option<Waiting> {
        let first = self.order.values().next()?;
        let last = self.by_job.get(first)?.last;
        (self.by_job.len() > MOST || now.saturating_duration_since(last) >= OVER).then(|| self.first()).flatten()
    }

    /// Ends the wait about which nobody asked for the longest time.
    pub fn first(&mut self) -> Option<Waiting> {
        let (_, key) = self.order.pop_first()?;
        self.by_job.remove(&key)
    }
}
