//! Tests that several kernels have: computed by the first that comes to one.
//!
//! A kernel has no effect, so that a test has the same value until something else happens: code that the interpreter runs, a change
//! of the context, the next job ([`Vm::changes`]).

// SAFETY of all functions here: machine code passes on the pointer that `run` gave it (see `super`).
#![allow(unsafe_code)]

use super::{Host, LEAVE};
use tpv_python::vm::Vm;

/// The tests computed since something changed last.
#[derive(Default)]
pub(in super::super) struct SharedTests {
    changes: u64,
    /// Their keys and values. They are few.
    values: Vec<(u64, bool)>,
}

impl SharedTests {
    /// Forgets what was computed before something changed.
    fn refresh(&mut self, vm: &Vm) {
        if self.changes != vm.changes() {
            self.changes = vm.changes();
            self.values.clear();
        }
    }
}

/// The value of a test, 0 or 1, or [`LEAVE`] where it is not known.
pub(in super::super) unsafe extern "C" fn known(host: *mut Host<'_>, key: u64) -> u64 {
    // SAFETY: see the head of this file.
    let host = unsafe { &mut *host };
    host.shared.refresh(host.vm);
    let known = host.shared.values.iter().find(|(known, _)| *known == key);
    known.map_or(LEAVE, |(_, value)| u64::from(*value))
}

/// Keeps the value of a test.
pub(in super::super) unsafe extern "C" fn share(host: *mut Host<'_>, key: u64, value: u64) -> u64 {
    // SAFETY: see the head of this file.
    let host = unsafe { &mut *host };
    host.shared.values.push((key, value != 0));
    value
}
