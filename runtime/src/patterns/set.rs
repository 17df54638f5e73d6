//! The trie of all patterns, as plain data.

use bincode::{Decode, Encode};

use super::prefix::Ending;

/// Patterns ready for lookup: what an artifact holds. Made by [`PatternSet::build`], read by [`super::Matcher`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct PatternSet {
    /// The patterns, in the order of the keys.
    pub(super) patterns: Vec<PatternKind>,
    /// The first pattern that is [`PatternKind::Invalid`].
    pub(super) first_invalid: Option<u32>,
    /// The nodes of the trie, breadth first: the root, and the children of each node in one run.
    pub(super) nodes: Vec<Node>,
    /// The labels of the nodes: UTF-8 bytes, wildcards and gaps. A gap is the whole label of its node.
    pub(super) labels: Vec<u8>,
    /// The entries that end at the nodes.
    pub(super) entries: Vec<Entry>,
}

/// The matcher's view of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub enum PatternKind {
    /// The trie alone decides.
    Simple,
    /// If the trie says so, the engine decides.
    Regex {
        /// The pattern in the engine's syntax.
        source: String,
        /// The engine that runs it.
        engine: Engine,
    },
    /// `re.compile` raises.
    Invalid {
        /// The name of the exception's class: `error`, `OverflowError`, `RecursionError`.
        class: String,
        /// `str(e)`
        message: String,
    },
}

/// The engine of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Engine {
    /// In time linear in the text.
    Linear,
    /// By backtracking, within a bound of steps.
    Backtracking,
}

/// A key that is no regular expression, for a warning when the config is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invalid<'s> {
    /// Which key, from 0.
    pub index: usize,
    /// The name of Python's exception class.
    pub class: &'s str,
    /// `str(e)`
    pub message: &'s str,
}

/// A node of the trie. Its parts are runs in the tables of the set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub(super) struct Node {
    /// The bytes that lead from the parent to here.
    pub(super) label: Run,
    /// The children, ordered by the first byte of their labels; a gap and a wildcard are the last.
    pub(super) children: Run,
    /// The entries that end here.
    pub(super) entries: Run,
}

/// A run of rows in a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub(super) struct Run {
    pub(super) start: u32,
    pub(super) len: u32,
}

/// A pattern that ends at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub(super) struct Entry {
    pub(super) pattern: u32,
    pub(super) ending: Ending,
}

impl Run {
    /// The rows.
    pub(super) fn of<'t, T>(&self, table: &'t [T]) -> &'t [T] {
        let start = self.start as usize;
        table.get(start..start.saturating_add(self.len as usize)).unwrap_or_default()
    }

    fn is_in(&self, len: usize) -> bool {
        (self.start as usize).checked_add(self.len as usize).is_some_and(|end| end <= len)
    }
}

impl PatternSet {
    /// The number of patterns.
    pub fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Returns `true` if there are no patterns.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The pattern of a key.
    pub fn pattern(&self, index: usize) -> Option<&PatternKind> {
        self.patterns.get(index)
    }

    /// The keys that are no regular expressions.
    pub fn invalid(&self) -> impl Iterator<Item = Invalid<'_>> {
        self.patterns.iter().enumerate().filter_map(|(index, pattern)| match pattern {
            PatternKind::Invalid { class, message } => Some(Invalid { index, class, message }),
            PatternKind::Simple | PatternKind::Regex { .. } => None,
        })
    }

    /// The bytes of memory that the set takes, without what a [`super::Matcher`] adds.
    pub fn memory(&self) -> usize {
        let text: usize = self
            .patterns
            .iter()
            .map(|pattern| match pattern {
                PatternKind::Simple => 0,
                PatternKind::Regex { source, .. } => source.capacity(),
                PatternKind::Invalid { class, message } => class.capacity() + message.capacity(),
            })
            .sum();
        text + self.labels.capacity()
            + self.patterns.capacity() * size_of::<PatternKind>()
            + self.nodes.capacity() * size_of::<Node>()
            + self.entries.capacity() * size_of::<Entry>()
    }

    /// Checks data that may come from anyone: every index is in its table, and the nodes form a tree, so that a lookup
    /// ends and does not panic.
    ///
    /// # Errors
    /// A description of the fault.
    pub fn verify(&self) -> Result<(), &'static str> {
        if self.patterns.len() > u32::MAX as usize {
            return Err("too many patterns");
        }
        let first = self.invalid().next().map(|invalid| invalid.index);
        if first != self.first_invalid.map(|index| index as usize) {
            return Err("the first invalid pattern is another");
        }
        // Breadth first, each node's children come right after those of the nodes before it. So each node but the root
        // has one parent, which is before it.
        let mut next_child = 1;
        for (index, node) in self.nodes.iter().enumerate() {
            if !node.label.is_in(self.labels.len()) {
                return Err("a label is outside the table of labels");
            }
            if (node.label.len == 0) != (index == 0) {
                return Err("a label is empty, or the root has one");
            }
            if !node.entries.is_in(self.entries.len()) {
                return Err("an entry is outside the table of entries");
            }
            if node.children.len > 0 {
                if node.children.start as usize != next_child || next_child <= index {
                    return Err("the nodes are no tree");
                }
                next_child += node.children.len as usize;
            }
            let first_bytes = node.children.of(&self.nodes).iter().map(|child| child.label.of(&self.labels).first());
            if !first_bytes.is_sorted_by(|a, b| a < b) {
                return Err("the children of a node are out of order");
            }
        }
        if next_child != self.nodes.len().max(1) {
            return Err("the nodes are no tree");
        }
        if self.entries.iter().any(|entry| entry.pattern as usize >= self.patterns.len()) {
            return Err("an entry is of no pattern");
        }
        Ok(())
    }
}
