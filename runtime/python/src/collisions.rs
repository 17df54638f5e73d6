//! What tables cost beyond a look-up: keys of equal hash are compared one by one, and whoever writes code can make as many of
//! them as they like.
//!
//! Tables know no machine that could be charged, so the comparisons are counted here, and [`Vm::charge_comparisons`] has
//! the job pay for them.
//!
//! [`Vm::charge_comparisons`]: super::vm::Vm::charge_comparisons

use std::cell::Cell;

thread_local! {
    /// The comparisons that nobody has paid for, in steps.
    static COMPARED: Cell<u64> = const { Cell::new(0) };
    /// How many may be made before the job has to pay.
    static ALLOWED: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// Notes comparisons that take so many steps; false where the job cannot pay for them. Then whoever compares stops, whatever
/// it answers: what is noted is more than any budget.
pub(super) fn note(steps: u64) -> bool {
    let compared = COMPARED.get().saturating_add(steps);
    let allowed = compared <= ALLOWED.get();
    COMPARED.set(if allowed { compared } else { u64::MAX });
    allowed
}

/// What was noted since the last call.
pub(super) fn take() -> u64 {
    let compared = COMPARED.get();
    if compared > 0 {
        COMPARED.set(0);
    }
    compared
}

/// Sets how many steps the job can pay for.
pub(super) fn allow(steps: u64) {
    ALLOWED.set(steps);
}
