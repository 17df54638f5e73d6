//! Two decisions about one job compared: that of the log, and one that is made again.

use tpv_analysis::decisions::amount;
use tpv_model::Quantity;
use tpv_runtime::decision::{Decision, Outcome};

/// Returns `true` if two decisions end alike.
pub(super) fn same(one: &Decision, other: &Decision) -> bool {
    same_end(one, other) && (one.outcome.destination().is_none() || differing(one, other).next().is_none())
}

/// Returns `true` if two decisions end with the same destination, or with errors of a class.
pub(super) fn same_end(one: &Decision, other: &Decision) -> bool {
    match (&one.outcome, &other.outcome) {
        (Outcome::Error { kind, .. }, Outcome::Error { kind: other, .. }) => kind == other,
        (one, other) => one == other,
    }
}

/// The quantities of which the amounts differ, with both in words.
fn differing(one: &Decision, other: &Decision) -> impl Iterator<Item = (Quantity, [Option<String>; 2])> {
    let amounts = move |quantity| (quantity, [one, other].map(|decision| amount(decision, quantity)));
    Quantity::ALL.into_iter().map(amounts).filter(|(_, [old, new])| old != new)
}

/// The amounts that differ, a line each, with a word for each of the decisions.
pub(super) fn other_amounts(before: &Decision, now: &Decision, [then, again]: [&str; 2]) -> Vec<String> {
    let shown = |amount: Option<String>| amount.unwrap_or_else(|| "none".to_owned());
    let line = |(quantity, [old, new]): (Quantity, [Option<String>; 2])| {
        format!("{}: {} {then}, {} {again}", quantity.name(), shown(old), shown(new))
    };
    differing(before, now).map(line).collect()
}
