//! The cost of compiling a pattern: mostly its sets of characters, of which Unicode's are large.

use super::ast::{Category, Node, Pattern, Sequence, SetItem, flag};
use super::parser::parse;

/// The steps that compiling the shortest pattern takes.
const LEAST: usize = 100;
/// The steps of a character, and of a range of them where case counts.
const CHARACTER: usize = 10;
/// The steps of a range of characters where case does not count, and of a set's complement.
const FOLDED: usize = 800;
/// The steps of Unicode's letters and digits, of its digits, and of its white space.
const WORD: usize = 6000;
const DIGIT: usize = 1800;
const SPACE: usize = 500;
/// The speedup of compiling a repeated part again, unless it is large, and the minimum number of steps.
const AGAIN: usize = 4;
const LEAST_AGAIN: usize = 3;
/// The steps of a set with characters beyond ASCII, which take several bytes.
const BEYOND_ASCII: usize = 1400;
/// The steps of ignoring case at all.
const CASELESS: usize = 300;

/// The steps that reading a pattern takes, which comes before it is known what is in it.
pub fn reading(text: &str) -> usize {
    LEAST.saturating_add(text.len().saturating_mul(CHARACTER))
}

/// The steps that compiling a pattern takes, once it is read.
pub fn cost(text: &str, flags: u32) -> usize {
    parse(text, flags).map_or(0, |pattern| of_pattern(&pattern))
}

/// [`cost`] of a pattern that is read.
pub(super) fn of_pattern(pattern: &Pattern) -> usize {
    let caseless = if pattern.flags & flag::IGNORECASE != 0 { CASELESS } else { 0 };
    of_sequence(&pattern.body, pattern.flags).saturating_add(caseless)
}

fn of_sequence(body: &Sequence, flags: u32) -> usize {
    body.iter().fold(0, |all, node| all.saturating_add(of_node(node, flags)))
}

fn of_node(node: &Node, flags: u32) -> usize {
    match node {
        Node::Literal(_) if flags & flag::IGNORECASE != 0 => 2 * CHARACTER,
        Node::Literal(_) | Node::At(_) | Node::Backreference(_) => CHARACTER,
        Node::Any => SPACE,
        Node::Set { negated, items } => {
            let all = items.iter().fold(0_usize, |all, item| all.saturating_add(of_item(item, flags)));
            let beyond = items.iter().any(|item| match item {
                SetItem::Literal(code) | SetItem::Range(_, code) => *code >= 0x80,
                SetItem::Category { .. } => false,
            });
            all.saturating_add(if *negated { FOLDED } else { 0 }).saturating_add(if beyond { BEYOND_ASCII } else { 0 })
        }
        Node::Branch(branches) => branches.iter().map(|body| of_sequence(body, flags)).fold(0, usize::saturating_add),
        Node::Group { add, remove, body, .. } => of_sequence(body, flag::combine(flags, *add, *remove)),
        Node::Atomic(body) | Node::Look { body, .. } => of_sequence(body, flags),
        Node::Repeat { min, max, body, .. } => {
            let times = usize::try_from(max.unwrap_or(*min)).unwrap_or(usize::MAX);
            let once = of_node(body, flags);
            let again = if once >= WORD { once / 4 * 3 } else { once / AGAIN + LEAST_AGAIN };
            once.saturating_add(again.saturating_mul(times.saturating_sub(1)))
        }
        Node::Conditional { yes, no, .. } => {
            of_sequence(yes, flags).saturating_add(no.as_ref().map_or(0, |no| of_sequence(no, flags)))
        }
    }
}

fn of_item(item: &SetItem, flags: u32) -> usize {
    let caseless = flags & flag::IGNORECASE != 0;
    match item {
        SetItem::Category { .. } if flags & flag::ASCII != 0 => FOLDED,
        SetItem::Category { kind: Category::Word, .. } if caseless => 2 * WORD,
        SetItem::Category { kind: Category::Word, .. } => WORD,
        SetItem::Category { kind: Category::Digit, .. } => DIGIT,
        SetItem::Category { kind: Category::Space, .. } => SPACE,
        SetItem::Literal(_) | SetItem::Range(..) if caseless => FOLDED,
        SetItem::Literal(_) | SetItem::Range(..) => CHARACTER,
    }
}
