//! The cost of a search in steps, and its budget: a step of the engine can look at one character or at all of the text.

use std::cell::Cell;

use fancy_regex::Input;

use super::ast::{Node, RepeatKind, Sequence};
use super::width;

/// The bytes that all the steps of one search may look at: some 30 ms of work.
const LOOKED_AT: usize = 6 << 20;

/// A part of a pattern that looks at this many characters or more counts as far-looking.
const FAR: u64 = 64;

/// The costs, in [`Reach`]'s units, of looking far and of comparing with what a group matched, which is much quicker.
const LOOK: usize = 100;
const COMPARISON: usize = 1;

/// The length in bytes of the first class of texts; each further class is four times as long.
const SHORT: usize = 512;

/// The number of classes of length.
pub(super) const CLASSES: usize = 12;

/// The distance that the steps of a pattern's search may look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reach(usize);

impl Reach {
    /// The reach of a pattern. What precedes a part that needs backtracking is run step by step, a character each; what is
    /// within a look-around, or follows all such parts, the linear engine runs in one step.
    pub(super) fn of(body: &Sequence) -> Self {
        Self(if has_hard(body) { tail(body) + inner(body) } else { 0 })
    }

    /// The class of a text's length, and the steps of backtracking that its search may take.
    pub(super) fn limit(self, length: usize, most: usize) -> (usize, usize) {
        if self.0 == 0 {
            return (0, most);
        }
        let (mut class, mut longest) = (0, SHORT);
        while longest < length && class + 1 < CLASSES {
            (class, longest) = (class + 1, longest * 4);
        }
        (class, (LOOKED_AT / longest).saturating_mul(LOOK).checked_div(self.0).unwrap_or(most).clamp(2, most))
    }
}

fn is_far(body: &Sequence) -> bool {
    width::of_sequence(body, &[]).1 >= FAR
}

/// Returns `true` if only the backtracking engine can run this part of a pattern.
fn is_hard(node: &Node) -> bool {
    match node {
        Node::Look { .. } | Node::Atomic(_) | Node::Backreference(_) | Node::Conditional { .. } => true,
        Node::Repeat { kind, body, .. } => *kind == RepeatKind::Possessive || is_hard(body),
        Node::Group { body, .. } => has_hard(body),
        Node::Branch(branches) => branches.iter().any(has_hard),
        Node::Literal(_) | Node::Any | Node::Set { .. } | Node::At(_) => false,
    }
}

fn has_hard(body: &Sequence) -> bool {
    body.iter().any(is_hard)
}

/// The cost of what follows the last hard part, here and within the hard parts.
fn tail(body: &Sequence) -> usize {
    let last = body.iter().rposition(is_hard).map_or(0, |at| at + 1);
    let rest: Sequence = body.iter().skip(last).cloned().collect();
    let within = body.iter().filter(|node| is_hard(node)).map(|node| match node {
        Node::Group { body, .. } => tail(body),
        Node::Branch(branches) => branches.iter().map(tail).sum(),
        _ => 0,
    });
    within.sum::<usize>() + if is_far(&rest) { LOOK } else { 0 }
}

/// The cost of the parts that are run in one step, wherever they stand.
fn inner(body: &Sequence) -> usize {
    let cost = |node: &Node| match node {
        Node::Look { body, .. } | Node::Atomic(body) => inner(body) + if is_far(body) { LOOK } else { 0 },
        Node::Backreference(_) => COMPARISON,
        Node::Conditional { yes, no, .. } => {
            let parts = [Some(yes), no.as_ref()];
            parts.into_iter().flatten().map(|part| inner(part) + if is_far(part) { LOOK } else { 0 }).sum()
        }
        Node::Repeat { kind, body, .. } => {
            let one = std::slice::from_ref(&**body).to_vec();
            inner(&one) + if *kind == RepeatKind::Possessive { LOOK } else { 0 }
        }
        Node::Group { body, .. } => inner(body),
        Node::Branch(branches) => branches.iter().map(inner).sum(),
        Node::Literal(_) | Node::Any | Node::Set { .. } | Node::At(_) => 0,
    };
    body.iter().map(cost).sum()
}

/// The number of states that the linear engine may be in at once, in units of [`STATES_A_STEP`], whose work for a byte
/// is a step's.
pub(super) fn breadth(body: &Sequence) -> usize {
    states(body) / STATES_A_STEP
}

/// The states that the linear engine goes through for a byte in about the time of a step.
const STATES_A_STEP: usize = 128;

fn states(body: &Sequence) -> usize {
    body.iter().fold(0_usize, |all, node| {
        all.saturating_add(match node {
            Node::Branch(branches) => branches.iter().map(states).fold(1, usize::saturating_add),
            Node::Group { body, .. } | Node::Atomic(body) | Node::Look { body, .. } => states(body),
            Node::Repeat { min, max, body, .. } => {
                let times = usize::try_from(max.unwrap_or((*min).max(1))).unwrap_or(usize::MAX);
                states(&std::slice::from_ref(&**body).to_vec()).saturating_mul(times)
            }
            Node::Conditional { yes, no, .. } => states(yes).saturating_add(no.as_ref().map_or(0, states)),
            Node::Literal(_) | Node::Any | Node::Set { .. } | Node::At(_) | Node::Backreference(_) => 1,
        })
    })
}

/// The threads of the engine that keeps what groups match, times what each of them copies for a byte, in units of
/// [`COPIES_A_STEP`]. A repeat may go on or end at each byte, which is one more thread.
pub(super) fn copies(body: &Sequence, groups: usize) -> usize {
    repeats(body).saturating_mul(groups)
}

/// The number of group entries that the engine copies in about the time of a step.
pub(super) const COPIES_A_STEP: usize = 16;

fn repeats(body: &Sequence) -> usize {
    body.iter().fold(0_usize, |all, node| {
        all.saturating_add(match node {
            Node::Branch(branches) => {
                branches.iter().map(|branch| repeats(branch).max(1)).fold(0, usize::saturating_add)
            }
            Node::Group { body, .. } | Node::Atomic(body) | Node::Look { body, .. } => repeats(body),
            Node::Repeat { max, body, .. } => {
                let times = max.map_or(1, |max| usize::try_from(max).unwrap_or(usize::MAX));
                repeats(&std::slice::from_ref(&**body).to_vec()).max(1).saturating_mul(times)
            }
            Node::Conditional { yes, no, .. } => repeats(yes).saturating_add(no.as_ref().map_or(0, repeats)),
            Node::Literal(_) | Node::Any | Node::Set { .. } | Node::At(_) | Node::Backreference(_) => 0,
        })
    })
}

/// The cost of the searches so far.
#[derive(Debug, Default)]
pub struct Effort {
    looks: Cell<usize>,
    quarters: Cell<usize>,
}

impl Effort {
    /// The steps of the machine that the searches since the last call cost.
    pub fn steps(&self) -> usize {
        self.looks.take() / 8 + self.quarters.take() / 4
    }
}

/// A text that notes how often the engine looks at it.
pub(super) struct Watched<'t> {
    text: &'t str,
    /// The additional cost of a look, in quarters of a step.
    far: usize,
    effort: &'t Effort,
}

impl<'t> Watched<'t> {
    pub(super) fn new(text: &'t str, reach: Reach, effort: &'t Effort) -> Self {
        // A step that looks far mostly looks at half of the text, and there are other steps in between.
        Self { text, far: if reach.0 >= LOOK { text.len() / 6 } else { 0 }, effort }
    }
}

impl Input for Watched<'_> {
    type Match<'m>
        = (usize, usize)
    where
        Self: 'm;

    fn len(&self) -> usize {
        self.text.len()
    }

    fn as_bytes(&self) -> &[u8] {
        let (looks, quarters) = (&self.effort.looks, &self.effort.quarters);
        looks.set(looks.get() + 1);
        quarters.set(quarters.get().saturating_add(self.far));
        self.text.as_bytes()
    }

    fn is_char_boundary(&self, at: usize) -> bool {
        self.text.is_char_boundary(at)
    }

    fn is_ascii(&self) -> bool {
        self.text.is_ascii()
    }

    fn prev_codepoint_ix(&self, at: usize) -> usize {
        Input::prev_codepoint_ix(self.text, at)
    }

    fn make_match<'m>(&'m self, start: usize, end: usize) -> Self::Match<'m> {
        (start, end)
    }

    fn advance_position(&self, at: usize) -> usize {
        Input::advance_position(self.text, at)
    }
}
