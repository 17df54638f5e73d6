//! Ledgers in this process: for dry runs, for `tpvc map`, and for servers with one handler.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use super::{Admission, Allocation, AllocationStore, Ledger, StoreError};

/// TPV's `InMemoryAllocationStore`. A lock covers all pools of a job.
#[derive(Default)]
pub struct InMemoryAllocationStore {
    /// By user, then by pool.
    ledgers: Mutex<HashMap<i64, BTreeMap<String, Ledger>>>,
}

impl InMemoryAllocationStore {
    /// Takes a job that has ended out of all ledgers of its user, as the next admission of the user does if the job table says so.
    pub fn release(&self, user: i64, job: i64) {
        let mut ledgers = self.ledgers.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(pools) = ledgers.get_mut(&user) else { return };
        pools.values_mut().for_each(|ledger| ledger.retain(|(id, _)| *id != job));
        pools.retain(|_, ledger| !ledger.is_empty());
        if pools.is_empty() {
            ledgers.remove(&user);
        }
    }
}

impl AllocationStore for InMemoryAllocationStore {
    fn read(&self, pool: &str, user: i64) -> Result<Ledger, StoreError> {
        let ledgers = self.ledgers.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(ledgers.get(&user).and_then(|pools| pools.get(pool)).cloned().unwrap_or_default())
    }

    fn admit_many(&self, user: i64, job: i64, admissions: &[Admission]) -> Result<bool, StoreError> {
        let mut ledgers = self.ledgers.lock().unwrap_or_else(PoisonError::into_inner);
        let pools = ledgers.entry(user).or_default();
        let mut granted = true;
        for admission in admissions {
            let ledger = pools.entry(admission.pool.clone()).or_default();
            ledger.retain(|(id, _)| *id != job && !admission.finished.contains(id));
            // Every ledger is cleared, also after one that has no room.
            granted &= admission.is_granted(ledger);
        }
        if granted {
            for admission in admissions {
                let allocation = Allocation { usage: admission.usage, kind: admission.kind };
                pools.entry(admission.pool.clone()).or_default().push((job, allocation));
            }
        }
        Ok(granted)
    }
}
