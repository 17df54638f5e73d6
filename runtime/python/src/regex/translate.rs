//! From the parsed form to the syntax of `fancy-regex`.
//!
//! The output relies on no option of the engine: flags are resolved here, named groups become numbered ones.

use std::fmt::Write;

use super::ast::{At, Node, Pattern, RepeatKind, Sequence, flag};
use super::charset;
use super::width;

/// A pattern in the engine's syntax.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation {
    /// The pattern.
    pub source: String,
    /// `true` if it needs backtracking; otherwise it runs in time linear in the text.
    pub backtracks: bool,
}

/// Writes a pattern for the engine. Its groups have the same numbers.
pub fn translate(pattern: &Pattern) -> Translation {
    let mut writer = Writer { out: String::new(), backtracks: false };
    // The engine turns a look-ahead at the very end into a plain group, so a final `$` costs no backtracking.
    let (end, body) = match pattern.body.split_last() {
        Some((Node::At(At::End), body)) if pattern.flags & flag::MULTILINE == 0 => (true, body),
        _ => (false, pattern.body.as_slice()),
    };
    writer.sequence(body, pattern.flags);
    if end {
        writer.out.push_str(END);
    }
    Translation { source: writer.out, backtracks: writer.backtracks }
}

/// Python's `$`: the end, or before a newline that ends the text.
const END: &str = r"(?=\n?\z)";

struct Writer {
    out: String,
    backtracks: bool,
}

impl Writer {
    fn sequence(&mut self, sequence: &[Node], flags: u32) {
        for node in sequence {
            self.node(node, flags);
        }
    }

    /// `open`, a sequence and a closing parenthesis.
    fn group(&mut self, open: &str, sequence: &Sequence, flags: u32) {
        self.out.push_str(open);
        self.sequence(sequence, flags);
        self.out.push(')');
    }

    /// Writes one item so that a repeat may follow it.
    fn node(&mut self, node: &Node, flags: u32) {
        match node {
            Node::Literal(code) => charset::push_literal(&mut self.out, *code, flags),
            Node::Any if flags & flag::DOTALL != 0 => self.out.push_str("(?s:.)"),
            Node::Any => self.out.push_str(r"[^\n]"),
            Node::Set { negated, items } => charset::push_set(&mut self.out, *negated, items, flags),
            Node::At(at) => self.at(*at, flags),
            Node::Branch(branches) => {
                for (index, branch) in branches.iter().enumerate() {
                    if index > 0 {
                        self.out.push('|');
                    } else if shares_choice(branches) {
                        // Matches the empty text everywhere, and keeps the engine from taking the prefix out.
                        self.out.push_str(r"(?:\A|)");
                    }
                    self.sequence(branch, flags);
                }
            }
            Node::Group { index: Some(_), body, .. } => self.group("(", body, flags),
            Node::Group { index: None, add, remove, body } => {
                self.group("(?:", body, flag::combine(flags, *add, *remove));
            }
            Node::Atomic(body) => {
                self.backtracks = true;
                self.group("(?>", body, flags);
            }
            Node::Repeat { min, max, kind, body } => self.repeat(*min, *max, *kind, body, flags),
            Node::Look { behind, negated, body } => {
                self.backtracks = true;
                let open = match (behind, negated) {
                    (false, false) => "(?=",
                    (false, true) => "(?!",
                    (true, false) => "(?<=",
                    (true, true) => "(?<!",
                };
                self.group(open, body, flags);
            }
            Node::Backreference(group) => {
                self.backtracks = true;
                let open = if flags & flag::IGNORECASE != 0 { "(?i:" } else { "(?:" };
                // Writing to a string cannot fail.
                let _ = write!(self.out, "{open}\\{group})");
            }
            Node::Conditional { yes, no, .. } if yes.is_empty() && no.as_ref().is_none_or(Vec::is_empty) => {
                // The engine loses matches of a conditional that is empty either way.
            }
            Node::Conditional { group, yes, no } => {
                self.backtracks = true;
                let _ = write!(self.out, "(?({group})");
                self.group("(?:", yes, flags);
                self.out.push('|');
                self.group("(?:", no.as_ref().unwrap_or(&Sequence::new()), flags);
                self.out.push(')');
            }
        }
    }

    fn at(&mut self, at: At, flags: u32) {
        let multiline = flags & flag::MULTILINE != 0;
        match at {
            At::Beginning if multiline => self.out.push_str("(?m:^)"),
            At::Beginning | At::BeginningOfText => self.out.push_str(r"\A"),
            At::End if multiline => self.out.push_str("(?m:$)"),
            At::End => {
                self.backtracks = true;
                self.out.push_str(END);
            }
            At::EndOfText => self.out.push_str(r"\z"),
            At::Boundary if flags & flag::ASCII == 0 => self.out.push_str(r"\b"),
            At::Boundary => {
                self.backtracks = true;
                let word = charset::word_set(flags);
                let _ = write!(self.out, "(?:(?<={word})(?!{word})|(?<!{word})(?={word}))");
            }
            At::NonBoundary => {
                // In an empty text CPython's `\B` does not match.
                self.backtracks = true;
                let word = charset::word_set(flags);
                let _ = write!(self.out, r"(?:(?<={word})(?={word})|(?<!{word})(?!{word})(?!\A\z))");
            }
        }
    }

    fn repeat(&mut self, min: u32, max: Option<u32>, kind: RepeatKind, body: &Node, flags: u32) {
        if width::of_node(body, &[]).1 == 0 {
            return self.repeat_of_nothing(min, max, kind, body, flags);
        }
        if kind == RepeatKind::Possessive {
            self.backtracks = true;
            self.out.push_str("(?>");
        }
        self.node(body, flags);
        let _ = match (min, max) {
            (0, None) => write!(self.out, "*"),
            (1, None) => write!(self.out, "+"),
            (0, Some(1)) => write!(self.out, "?"),
            (min, None) => write!(self.out, "{{{min},}}"),
            (min, Some(max)) if min == max => write!(self.out, "{{{min}}}"),
            (min, Some(max)) => write!(self.out, "{{{min},{max}}}"),
        };
        match kind {
            RepeatKind::Greedy => {}
            RepeatKind::Lazy => self.out.push('?'),
            RepeatKind::Possessive => self.out.push(')'),
        }
    }

    /// A repeat of what matches the empty text only, which the engine refuses: once does as well as often.
    fn repeat_of_nothing(&mut self, min: u32, max: Option<u32>, kind: RepeatKind, body: &Node, flags: u32) {
        if min > 0 {
            return self.node(body, flags);
        }
        self.out.push_str(match kind {
            RepeatKind::Possessive => "(?>",
            _ => "(?:",
        });
        if kind == RepeatKind::Lazy || max == Some(0) {
            self.out.push('|');
        }
        self.node(body, flags);
        if kind != RepeatKind::Lazy && max != Some(0) {
            self.out.push('|');
        }
        self.out.push(')');
    }
}

/// Returns `true` if all branches begin alike with something that can match in several ways, as in `a+b|a+c`. The
/// engine would factor out such a prefix, `a+(?:b|c)`, which changes the order of attempts: in `aaa `, the pattern
/// `a+a|a+.` must find `aaa` by its first branch with the shorter prefix, not `aaa ` by the second with the longer.
fn shares_choice(branches: &[Sequence]) -> bool {
    let Some((first, others)) = branches.split_first() else { return false };
    for (index, node) in first.iter().enumerate() {
        if !others.iter().all(|other| other.get(index) == Some(node)) {
            return false;
        }
        if !matches!(node, Node::Literal(_) | Node::Any | Node::Set { .. } | Node::At(_)) {
            return true;
        }
    }
    false
}
