//! The literal prefix of a pattern.

use tpv_python::regex::ast::{At, Node, Pattern, RepeatKind, SetItem, flag};

/// The byte that stands for a wildcard (any character but a newline) among the UTF-8 bytes of a prefix. No UTF-8 text
/// holds it.
pub const WILDCARD: u8 = 0xff;

/// The byte that stands for a gap, any number of characters that are no newlines: `.*`.
pub const GAP: u8 = 0xfd;

/// The byte that stands for a lone surrogate, which no text holds.
const NOT_TEXT: u8 = 0xfc;

/// The most characters of a set that is taken apart.
const MAX_SET: usize = 8;

/// The most alternatives that a pattern is taken apart into.
const MAX_BRANCHES: usize = 64;

/// The most gaps of a prefix: each makes a lookup go over the rest of the text.
const MAX_GAPS: usize = 2;

/// The most copies of a repeated character.
const MAX_COPIES: u32 = 64;

/// The condition after the prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, bincode::Encode, bincode::Decode)]
pub enum Ending {
    /// No condition: the pattern matches whatever follows.
    Open,
    /// The text ends, or ends with a newline: `$`.
    End,
    /// The text ends: `\Z`.
    EndOfText,
    /// The pattern itself must be tried.
    Verify,
}

/// One way in which a pattern can match at the start of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// UTF-8 bytes, [`WILDCARD`]s and [`GAP`]s.
    pub bytes: Vec<u8>,
    /// The condition after them.
    pub ending: Ending,
}

/// The ways in which a pattern can match at the start of a text, as `re.match` tries it: it matches exactly where one of
/// them does. Alternatives are taken apart: `a(b|c)d` begins with `abd` or `acd`.
pub fn prefixes(pattern: &Pattern) -> Vec<Prefix> {
    // Wildcards that match a newline and letters of either case are left to the engine.
    if pattern.flags & (flag::IGNORECASE | flag::DOTALL) != 0 {
        return vec![Prefix { bytes: Vec::new(), ending: Ending::Verify }];
    }
    let mut found = Vec::new();
    let mut paths = vec![Path { bytes: Vec::new(), rest: pattern.body.iter().rev().collect() }];
    while let Some(path) = paths.pop() {
        let free = MAX_BRANCHES.saturating_sub(found.len() + paths.len());
        found.extend(path.follow(pattern.flags, free, &mut paths));
    }
    found
}

/// A way into a pattern, as far as it has been followed.
#[derive(Clone)]
struct Path<'p> {
    bytes: Vec<u8>,
    /// The remaining items, last one first.
    rest: Vec<&'p Node>,
}

impl<'p> Path<'p> {
    /// Follows the path to its end, or to where it divides: the parts, at most `free`, then go to `paths`.
    fn follow(mut self, flags: u32, free: usize, paths: &mut Vec<Self>) -> Option<Prefix> {
        let multiline = flags & flag::MULTILINE != 0;
        loop {
            if self.rest.iter().all(|node| matches_empty(node)) {
                return Some(self.end(Ending::Open));
            }
            let node = self.rest.pop()?;
            let last = self.rest.is_empty();
            match node {
                Node::Literal(_) | Node::Any => self.push(node),
                Node::Group { add: 0, remove: 0, body, .. } => self.rest.extend(body.iter().rev()),
                // `re.match` begins at the start of the text.
                Node::At(At::BeginningOfText | At::Beginning) if self.bytes.is_empty() => {}
                Node::At(At::End) if last && !multiline => return Some(self.end(Ending::End)),
                Node::At(At::EndOfText) if last => return Some(self.end(Ending::EndOfText)),
                Node::Branch(branches) if branches.len() <= free => {
                    for branch in branches {
                        let mut part = self.clone();
                        part.rest.extend(branch.iter().rev());
                        paths.push(part);
                    }
                    return None;
                }
                Node::Set { negated: false, items } if items.len() <= free.min(MAX_SET) => {
                    let Some(characters) = items.iter().map(literal).collect::<Option<Vec<char>>>() else {
                        return Some(self.end(Ending::Verify));
                    };
                    for c in characters {
                        let mut part = self.clone();
                        part.push_char(c);
                        paths.push(part);
                    }
                    return None;
                }
                Node::Repeat { min: 0, max: Some(1), kind: RepeatKind::Greedy | RepeatKind::Lazy, body }
                    if free >= 2 =>
                {
                    let mut part = self.clone();
                    part.rest.push(body);
                    paths.extend([self, part]);
                    return None;
                }
                Node::Repeat { min, max: None, kind: RepeatKind::Greedy | RepeatKind::Lazy, body }
                    if **body == Node::Any && *min <= MAX_COPIES && self.gaps() < MAX_GAPS =>
                {
                    self.bytes.resize(self.bytes.len() + *min as usize, WILDCARD);
                    self.bytes.push(GAP);
                }
                Node::Repeat { min, max, body, .. } if *min > 0 && *min <= MAX_COPIES && is_simple(body) => {
                    for _ in 0..*min {
                        self.push(body);
                    }
                    if *max != Some(*min) && !self.rest.iter().all(|node| matches_empty(node)) {
                        return Some(self.end(Ending::Verify));
                    }
                }
                _ => return Some(self.end(Ending::Verify)),
            }
        }
    }

    fn gaps(&self) -> usize {
        self.bytes.iter().filter(|byte| **byte == GAP).count()
    }

    fn end(self, ending: Ending) -> Prefix {
        Prefix { bytes: self.bytes, ending }
    }

    fn push(&mut self, node: &Node) {
        match node {
            Node::Literal(code) => match char::from_u32(*code) {
                Some(c) => self.push_char(c),
                None => self.bytes.push(NOT_TEXT),
            },
            _ => self.bytes.push(WILDCARD),
        }
    }

    fn push_char(&mut self, c: char) {
        self.bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

fn literal(item: &SetItem) -> Option<char> {
    match item {
        SetItem::Literal(code) => char::from_u32(*code),
        SetItem::Range(..) | SetItem::Category { .. } => None,
    }
}

fn is_simple(node: &Node) -> bool {
    match node {
        Node::Any => true,
        Node::Literal(code) => char::from_u32(*code).is_some(),
        _ => false,
    }
}

fn all_match_empty(nodes: &[Node]) -> bool {
    nodes.iter().all(matches_empty)
}

/// Returns `true` if an item matches the empty text wherever it is tried, so that the items before it decide.
fn matches_empty(node: &Node) -> bool {
    match node {
        Node::Repeat { min, body, .. } => *min == 0 || matches_empty(body),
        Node::Group { body, .. } | Node::Atomic(body) => all_match_empty(body),
        Node::Branch(branches) => branches.iter().any(|branch| all_match_empty(branch)),
        Node::Conditional { yes, no, .. } => all_match_empty(yes) && no.as_ref().is_none_or(|no| all_match_empty(no)),
        Node::Literal(_) | Node::Any | Node::Set { .. } | Node::At(_) | Node::Look { .. } | Node::Backreference(_) => {
            false
        }
    }
}
