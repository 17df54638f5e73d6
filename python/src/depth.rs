//! A limit on the nesting of containers that cross the boundary.

use std::cell::Cell;
use std::thread::LocalKey;

/// The most containers one in another.
const MAX_DEPTH: usize = 400;

/// One container deeper, until it is dropped. Each direction of crossing has a count of its own.
pub struct Deeper(&'static LocalKey<Cell<usize>>);

impl Deeper {
    /// Goes one deeper by a count; `None` where that is too deep.
    pub fn enter(count: &'static LocalKey<Cell<usize>>) -> Option<Self> {
        let depth = count.get();
        if depth >= MAX_DEPTH {
            return None;
        }
        count.set(depth + 1);
        Some(Self(count))
    }
}

impl Drop for Deeper {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}
