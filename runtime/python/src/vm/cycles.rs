//! Reference cycles: a block's namespace holds functions, whose globals it is; a recursive inner function shares the
//! variable that holds it.
//!
//! Values are reference-counted, so such cycles are never freed by themselves. Nothing of a job may outlive it: their
//! contents are dropped between jobs.
//!
//! DIFFERENCE: cycles that the code makes in data, a list that holds itself for instance, are not found. CPython's
//! collector finds them; here they stay until the thread ends.

use std::rc::{Rc, Weak};

use super::{Namespace, Vm};
use crate::value::{Value, VarCell};

/// Dead references are removed once there are this many references in all.
const FEW: usize = 256;

/// Weak references. As their number grows, the dead ones are removed.
struct Alive<T> {
    all: Vec<Weak<T>>,
    prune_at: usize,
}

impl<T> Default for Alive<T> {
    fn default() -> Self {
        Self { all: Vec::new(), prune_at: FEW }
    }
}

impl<T> Alive<T> {
    fn add(&mut self, value: &Rc<T>) {
        if self.all.len() >= self.prune_at {
            self.all.retain(|weak| weak.strong_count() > 0);
            self.prune_at = FEW.max(self.all.len() * 2);
        }
        self.all.push(Rc::downgrade(value));
    }
}

/// The objects that may be part of a cycle.
#[derive(Default)]
pub(super) struct Cycles {
    namespaces: Alive<Namespace>,
    cells: Alive<std::cell::RefCell<Option<Value>>>,
}

impl Cycles {
    /// Notes a namespace that outlives its block.
    pub(super) fn add_namespace(&mut self, namespace: &Rc<Namespace>) {
        self.namespaces.add(namespace);
    }

    /// Notes a variable that a function closes over.
    pub(super) fn add_cell(&mut self, cell: &VarCell) {
        self.cells.add(cell);
    }
}

impl Vm {
    /// Drops what the namespaces and variables of the last job hold.
    pub(super) fn break_cycles(&mut self) {
        let namespaces = std::mem::take(&mut self.cycles.namespaces.all);
        for namespace in namespaces.iter().filter_map(Weak::upgrade) {
            let bindings = namespace.slots.try_borrow_mut().map(|mut slots| std::mem::take(&mut *slots));
            drop(bindings);
        }
        let cells = std::mem::take(&mut self.cycles.cells.all);
        for cell in cells.iter().filter_map(Weak::upgrade) {
            let value = cell.try_borrow_mut().map(|mut value| value.take());
            drop(value);
        }
    }
}
