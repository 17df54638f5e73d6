//! The cost of hash tables beyond a lookup: keys of equal hash are compared one by one, and code can create any number
//! of them.
//!
//! Tables have no access to the machine's budget, so the comparisons are counted here, and [`Vm::charge_comparisons`] charges
//! the job for them.
//!
//! [`Vm::charge_comparisons`]: super::vm::Vm::charge_comparisons

use std::cell::Cell;

use super::visit;

thread_local! {
    /// The comparisons that no job has been charged for yet, in steps.
    static COMPARED: Cell<u64> = const { Cell::new(0) };
    /// The number of comparisons allowed before the job is charged.
    static ALLOWED: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// Counts comparisons that take so many steps; false where the job's budget does not reach. The caller then stops with any
/// answer: the count is beyond every budget, and the next charge raises.
pub(super) fn note(steps: u64) -> bool {
    let compared = COMPARED.get().saturating_add(steps);
    let allowed = compared <= ALLOWED.get();
    COMPARED.set(if allowed { compared } else { u64::MAX });
    allowed
}

/// Counts a visit to something of `amount` bytes or items, of which `a_step` are compared in about the time of a step; false as [`note`].
pub(super) fn visit(amount: usize, a_step: usize) -> bool {
    note(visit::steps(amount, a_step) as u64)
}

/// Takes the count since the last call.
pub(super) fn take() -> u64 {
    let compared = COMPARED.get();
    if compared > 0 {
        COMPARED.set(0);
    }
    compared
}

/// Sets how many steps the job has left.
pub(super) fn allow(steps: u64) {
    ALLOWED.set(steps);
}
