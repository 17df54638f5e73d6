//! From keys to the trie.

use std::collections::VecDeque;
use std::ops::Range;

use super::prefix::{Ending, GAP, prefixes};
use super::set::{Engine, Entry, Node, PatternKind, PatternSet, Run};
use tpv_python::regex::CompileError;
use tpv_python::regex::engine;
use tpv_python::regex::parser::parse;
use tpv_python::regex::translate::translate;

/// A prefix of a pattern, on its way into the trie.
struct Row {
    bytes: Vec<u8>,
    entry: Entry,
}

impl PatternSet {
    /// Compiles keys, in config order.
    ///
    /// A key that `re.compile` refuses is kept as [`PatternKind::Invalid`]: TPV reports it when a lookup comes to it.
    /// DIFFERENCE: a key that is too large or too deeply nested for the engine is kept so too, though CPython takes it.
    pub fn build<S: AsRef<str>>(keys: &[S]) -> Self {
        let mut set = Self::default();
        let mut rows = Vec::with_capacity(keys.len());
        for (index, key) in keys.iter().enumerate() {
            let index = count(index);
            match read(key.as_ref(), index, &mut rows) {
                Ok(kind) => set.patterns.push(kind),
                Err(error) => {
                    set.first_invalid.get_or_insert(index);
                    let (class, message) = (error.class_name().to_owned(), error.text(key.as_ref()));
                    set.patterns.push(PatternKind::Invalid { class, message });
                }
            }
        }
        rows.sort_unstable_by(|a, b| {
            (&a.bytes, a.entry.pattern, a.entry.ending).cmp(&(&b.bytes, b.entry.pattern, b.entry.ending))
        });
        set.grow(&rows);
        set.nodes.shrink_to_fit();
        set.labels.shrink_to_fit();
        set.entries.shrink_to_fit();
        set
    }

    /// Makes the nodes for rows in order of their bytes.
    fn grow(&mut self, rows: &[Row]) {
        self.nodes.push(Node::default());
        // For each node to fill: its index, its rows, and the length of the path to it.
        let mut waiting: VecDeque<(usize, Range<usize>, usize)> = VecDeque::from([(0, 0..rows.len(), 0)]);
        while let Some((index, range, depth)) = waiting.pop_front() {
            let inside = rows.get(range.clone()).unwrap_or_default();
            let ending = inside.partition_point(|row| row.bytes.len() <= depth);
            let entries = Run { start: count(self.entries.len()), len: count(ending) };
            self.entries.extend(inside.iter().take(ending).map(|row| row.entry));

            let first_child = self.nodes.len();
            let longer = inside.get(ending..).unwrap_or_default();
            let mut at = range.start + ending;
            for group in longer.chunk_by(|a, b| a.bytes.get(depth) == b.bytes.get(depth)) {
                let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
                // In order, what the first and the last row share all rows share.
                let mut shared = first.bytes.iter().zip(&last.bytes).take_while(|(a, b)| a == b).count();
                // A gap is a node of its own.
                let bytes = first.bytes.get(depth..shared).unwrap_or_default();
                match bytes.iter().position(|byte| *byte == GAP) {
                    Some(0) => shared = depth + 1,
                    Some(gap) => shared = depth + gap,
                    None => {}
                }
                let label = first.bytes.get(depth..shared).unwrap_or_default();
                let start = count(self.labels.len());
                self.labels.extend_from_slice(label);
                waiting.push_back((self.nodes.len(), at..at + group.len(), shared));
                self.nodes.push(Node { label: Run { start, len: count(label.len()) }, ..Node::default() });
                at += group.len();
            }
            let children = Run { start: count(first_child), len: count(self.nodes.len() - first_child) };
            if let Some(node) = self.nodes.get_mut(index) {
                node.entries = entries;
                node.children = children;
            }
        }
    }
}

/// Reads one key, and adds its prefixes to the rows.
fn read(key: &str, index: u32, rows: &mut Vec<Row>) -> Result<PatternKind, CompileError> {
    let pattern = parse(key, 0)?;
    let prefixes = prefixes(&pattern);
    let mut kind = PatternKind::Simple;
    if prefixes.iter().any(|prefix| prefix.ending == Ending::Verify) {
        let translation = translate(&pattern);
        // A key that cannot run must be known when the config is compiled, not when a job comes.
        engine::build(&translation.source).map_err(CompileError::Unsupported)?;
        let engine = if translation.backtracks { Engine::Backtracking } else { Engine::Linear };
        kind = PatternKind::Regex { source: translation.source, engine };
    }
    rows.extend(
        prefixes
            .into_iter()
            .map(|prefix| Row { bytes: prefix.bytes, entry: Entry { pattern: index, ending: prefix.ending } }),
    );
    Ok(kind)
}

fn count(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
