//! Lookup of ids.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use smallvec::SmallVec;

use super::prefix::{Ending, GAP, WILDCARD};
use super::set::{Node, PatternKind, PatternSet};
use tpv_python::regex::engine;

/// The number of compiled patterns that a matcher keeps. One takes some 10 to 100 KiB; a config that needs more of them
/// at a time pays by compiling them again.
const MAX_COMPILED: usize = 512;

/// The error of a lookup that ended early at a pattern that cannot be tried. Matches found before it remain valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidPattern {
    /// The index of the key, from 0.
    pub index: u32,
    /// The name of Python's exception class: `error`, `OverflowError`, `RecursionError`; `RuntimeError` if a valid
    /// pattern took too many steps.
    pub class: String,
    /// `str(e)`
    pub message: String,
}

/// Looks ids up in a [`PatternSet`], held by reference, by `Arc` or by value. Threads share one matcher.
pub struct Matcher<S: Borrow<PatternSet>> {
    set: S,
    compiled: RwLock<HashMap<u32, Arc<fancy_regex::Regex>>>,
}

/// Patterns whose place in the trie a text reaches, each with `true` if the engine must decide.
type Candidates = SmallVec<[(u32, bool); 16]>;

impl<S: Borrow<PatternSet>> Matcher<S> {
    /// A matcher for a set, which [`PatternSet::verify`] must have found sound if its origin is not trusted.
    pub fn new(set: S) -> Self {
        Self { set, compiled: RwLock::default() }
    }

    /// The set, as it is held.
    pub fn set(&self) -> &S {
        &self.set
    }

    /// Appends to `out`, in ascending order, the indices of all keys for which `re.compile(key).match(text)` is a match.
    ///
    /// # Errors
    /// The first key that cannot be tried. TPV tries the keys in order, so `out` has the matches before it.
    pub fn matches(&self, text: &str, out: &mut Vec<u32>) -> Result<(), InvalidPattern> {
        let set = self.set.borrow();
        let mut candidates = Candidates::new();
        walk(set, text, &mut candidates);
        // If a pattern is reached in two ways, the one that needs no engine sorts first and is kept.
        candidates.sort_unstable();
        candidates.dedup_by_key(|(pattern, _)| *pattern);
        let bound = set.first_invalid.unwrap_or(u32::MAX);
        for (pattern, verify) in candidates.into_iter().take_while(|(pattern, _)| *pattern < bound) {
            if !verify || self.verify(pattern, text)? {
                out.push(pattern);
            }
        }
        match set.first_invalid.and_then(|index| set.pattern(index as usize)) {
            Some(PatternKind::Invalid { class, message }) => {
                Err(InvalidPattern { index: bound, class: class.clone(), message: message.clone() })
            }
            _ => Ok(()),
        }
    }

    /// Returns `true` if the engine finds a match at the start.
    fn verify(&self, pattern: u32, text: &str) -> Result<bool, InvalidPattern> {
        let failed = |message: String| InvalidPattern { index: pattern, class: "RuntimeError".to_owned(), message };
        let regex = self.regex(pattern).map_err(failed)?;
        engine::matches_at_start(&regex, text).map_err(|error| failed(error.to_string()))
    }

    fn regex(&self, pattern: u32) -> Result<Arc<fancy_regex::Regex>, String> {
        // A poisoned lock is harmless, because the map is consistent after each of its operations.
        if let Some(regex) = self.compiled.read().unwrap_or_else(PoisonError::into_inner).get(&pattern) {
            return Ok(regex.clone());
        }
        let Some(PatternKind::Regex { source, .. }) = self.set.borrow().pattern(pattern as usize) else {
            return Err("the pattern has no source".to_owned());
        };
        let regex = Arc::new(engine::build(source)?);
        let mut compiled = self.compiled.write().unwrap_or_else(PoisonError::into_inner);
        if compiled.len() >= MAX_COMPILED {
            compiled.clear();
        }
        compiled.insert(pattern, regex.clone());
        Ok(regex)
    }
}

/// Finds all patterns whose place in the trie a text reaches.
fn walk(set: &PatternSet, text: &str, candidates: &mut Candidates) {
    let mut walk = Walk { set, text, waiting: SmallVec::new(), crossed: SmallVec::new(), candidates };
    walk.waiting.push((0, 0));
    while let Some((index, start)) = walk.waiting.pop() {
        let Some(node) = set.nodes.get(index as usize) else { continue };
        match node.label.of(&set.labels) {
            [GAP] => walk.cross(index, node, start),
            label => {
                if let Some(position) = follow(label, text, start) {
                    walk.end(node, position);
                    walk.descend(node, position);
                }
            }
        }
    }
}

struct Walk<'w> {
    set: &'w PatternSet,
    text: &'w str,
    /// Nodes to follow, each with the position where its label begins.
    waiting: SmallVec<[(u32, usize); 16]>,
    /// Gaps that have been crossed: the node, the end of the line, and the first position crossed from.
    crossed: SmallVec<[(u32, usize, usize); 8]>,
    candidates: &'w mut Candidates,
}

impl Walk<'_> {
    /// Adds the patterns that end at a node to the candidates.
    fn end(&mut self, node: &Node, position: usize) {
        let rest = self.text.as_bytes().get(position..).unwrap_or_default();
        for entry in node.entries.of(&self.set.entries) {
            match entry.ending {
                Ending::Open => self.candidates.push((entry.pattern, false)),
                Ending::End if matches!(rest, b"" | b"\n") => self.candidates.push((entry.pattern, false)),
                Ending::EndOfText if rest.is_empty() => self.candidates.push((entry.pattern, false)),
                Ending::Verify => self.candidates.push((entry.pattern, true)),
                Ending::End | Ending::EndOfText => {}
            }
        }
    }

    /// Queues the children of a node whose labels the text at a position can begin with.
    fn descend(&mut self, node: &Node, position: usize) {
        let children = node.children.of(&self.set.nodes);
        let first_byte = |child: &Node| child.label.of(&self.set.labels).first().copied();
        let child = |offset: usize| node.children.start.saturating_add(u32::try_from(offset).unwrap_or(u32::MAX));
        if let Some(next) = self.text.as_bytes().get(position)
            && let Ok(offset) = children.binary_search_by_key(&Some(*next), first_byte)
        {
            self.waiting.push((child(offset), position));
        }
        for (offset, node) in children.iter().enumerate().rev().take(2) {
            match first_byte(node) {
                Some(WILDCARD | GAP) => self.waiting.push((child(offset), position)),
                _ => break,
            }
        }
    }

    /// Crosses a gap: the label after it may begin anywhere in the rest of the line.
    fn cross(&mut self, index: u32, node: &Node, start: usize) {
        let Some(rest) = self.text.get(start..) else { return };
        let end = start + rest.find('\n').unwrap_or(rest.len());
        // A crossing from an earlier position has already found everything that later positions lead to.
        let mut stop = end + 1;
        match self.crossed.iter_mut().find(|(crossed, line, _)| *crossed == index && *line == end) {
            Some((_, _, first)) if *first <= start => return,
            Some((_, _, first)) => stop = std::mem::replace(first, start),
            None => {
                self.crossed.push((index, end, start));
                self.end(node, end);
            }
        }
        let children = node.children.of(&self.set.nodes);
        let begins = FirstBytes::of(children, &self.set.labels);
        if begins.any {
            for position in (start..stop).filter(|position| self.text.is_char_boundary(*position)) {
                self.descend(node, position);
            }
            return;
        }
        for (position, byte) in self.text.as_bytes().iter().enumerate().take(stop).skip(start) {
            if let Some(offset) = begins.child(*byte)
                && let Some(child) = children.get(usize::from(offset))
                && follow(child.label.of(&self.set.labels), self.text, position).is_some()
            {
                self.waiting.push((node.children.start.saturating_add(offset.into()), position));
            }
        }
    }
}

/// The children of a node by the first byte of their labels.
struct FirstBytes {
    /// By byte, one more than the child's place among the children; 0 if there is none.
    children: [u8; 256],
    /// `true` if the table cannot decide: a child begins with a wildcard or a gap, or there are more than 255 children.
    any: bool,
}

impl FirstBytes {
    fn of(children: &[Node], labels: &[u8]) -> Self {
        let mut first = Self { children: [0; 256], any: children.len() > usize::from(u8::MAX) };
        for (number, child) in (1..=u8::MAX).zip(children) {
            let Some(byte) = labels.get(child.label.start as usize) else { continue };
            first.any |= matches!(*byte, WILDCARD | GAP);
            if let Some(slot) = first.children.get_mut(usize::from(*byte)) {
                *slot = number;
            }
        }
        first
    }

    /// The place of the child whose label begins with the byte.
    fn child(&self, byte: u8) -> Option<u8> {
        self.children.get(usize::from(byte))?.checked_sub(1)
    }
}

/// The position after a label, or `None` if the text does not continue with it.
fn follow(label: &[u8], text: &str, start: usize) -> Option<usize> {
    let mut position = start;
    for byte in label {
        if *byte == WILDCARD {
            let c = text.get(position..)?.chars().next().filter(|c| *c != '\n')?;
            position += c.len_utf8();
        } else if text.as_bytes().get(position) == Some(byte) {
            position += 1;
        } else {
            return None;
        }
    }
    Some(position)
}
