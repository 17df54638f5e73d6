//! The fewest and most characters that an item can match: CPython's `getwidth`.

use super::ast::{Node, Sequence};

/// The width that counts as without bound: CPython's `MAXREPEAT`, beyond which no width is told apart.
pub(super) const UNBOUNDED: u64 = u32::MAX as u64;

/// A fewest and a most, in characters.
pub(super) type Width = (u64, u64);

/// The width of a sequence, given the widths of the groups that closed before.
pub(super) fn of_sequence(sequence: &Sequence, groups: &[Option<Width>]) -> Width {
    sequence.iter().fold((0, 0), |(low, high), node| {
        let (l, h) = of_node(node, groups);
        (low.saturating_add(l).min(UNBOUNDED), high.saturating_add(h).min(UNBOUNDED))
    })
}

/// The width of an item.
pub(super) fn of_node(node: &Node, groups: &[Option<Width>]) -> Width {
    match node {
        Node::Literal(_) | Node::Any | Node::Set { .. } => (1, 1),
        Node::At(_) | Node::Look { .. } => (0, 0),
        Node::Branch(branches) => either(branches.iter().map(|branch| of_sequence(branch, groups))),
        Node::Group { body, .. } | Node::Atomic(body) => of_sequence(body, groups),
        Node::Repeat { min, max, body, .. } => {
            let (low, high) = of_node(body, groups);
            let most = match max {
                Some(max) => high.saturating_mul(u64::from(*max)).min(UNBOUNDED),
                None if high == 0 => 0,
                None => UNBOUNDED,
            };
            (low.saturating_mul(u64::from(*min)).min(UNBOUNDED), most)
        }
        Node::Backreference(group) => groups.get(*group as usize).copied().flatten().unwrap_or((0, UNBOUNDED)),
        Node::Conditional { yes, no, .. } => {
            let no = no.as_ref().map_or((0, 0), |no| of_sequence(no, groups));
            let (low, high) = either([of_sequence(yes, groups), no].into_iter());
            (low, high)
        }
    }
}

fn either(widths: impl Iterator<Item = Width>) -> Width {
    let (low, high) = widths.fold((UNBOUNDED, 0), |(low, high), (l, h)| (low.min(l), high.max(h)));
    (low.min(high), high)
}
