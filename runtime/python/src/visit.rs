//! The price of a visit to a value.

/// The steps of a visit to something of `amount` bytes or items, of which `a_step` are handled in about the time of a step.
///
/// A visit costs at least one step: code can repeat a visit to something small or empty any number of times, and values that share
/// their parts have exponentially many of them.
pub(crate) const fn steps(amount: usize, a_step: usize) -> usize {
    match amount.checked_div(a_step) {
        Some(steps) => steps.saturating_add(1),
        None => usize::MAX,
    }
}
