//! Ledgers in this process: for dry runs, for `tpvc map`, and for servers with one handler.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::{Admission, Allocation, AllocationStore, Ledger, StoreError};

/// TPV's `InMemoryAllocationStore`. A lock covers all pools of a job.
#[derive(Default)]
pub struct InMemoryAllocationStore {
    ledgers: Mutex<HashMap<(String, i64), Ledger>>,
}

impl AllocationStore for InMemoryAllocationStore {
    fn read(&self, pool: &str, user: i64) -> Result<Ledger, StoreError> {
        let ledgers = self.ledgers.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(ledgers.get(&(pool.to_owned(), user)).cloned().unwrap_or_default())
    }

    fn admit_many(&self, user: i64, job: i64, admissions: &[Admission]) -> Result<bool, StoreError> {
        let mut ledgers = self.ledgers.lock().unwrap_or_else(PoisonError::into_inner);
        let key = |admission: &Admission| (admission.pool.clone(), user);
        let mut granted = true;
        for admission in admissions {
            let ledger = ledgers.entry(key(admission)).or_default();
            ledger.retain(|(id, _)| *id != job && !admission.finished.contains(id));
            // Every ledger is cleared, also after one that has no room.
            granted &= admission.is_granted(ledger);
        }
        if granted {
            for admission in admissions {
                let allocation = Allocation { usage: admission.usage, kind: admission.kind };
                ledgers.entry(key(admission)).or_default().push((job, allocation));
            }
        }
        Ok(granted)
    }
}
