//! Notes that mappings make, each once, for whoever let them run.

use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use indexmap::IndexSet;

/// Different items, in the order in which they were first noted.
#[derive(Debug)]
pub struct Notes<T>(Mutex<IndexSet<T>>);

impl<T> Default for Notes<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Eq + Hash> Notes<T> {
    /// Notes an item, once.
    pub fn note(&self, item: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(item);
    }

    /// Gives the items since the last call.
    pub fn take(&self) -> Vec<T> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_iter().collect()
    }
}
