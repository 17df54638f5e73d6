//! Which ids of tools match the same jobs.
//!
//! Tool ids that match the same jobs.

use tpv_python::regex::parser::parse;
use tpv_runtime::patterns::prefix::{Ending, GAP, Prefix, WILDCARD, prefixes};

/// The ids of a section, as patterns.
pub(crate) struct Overlap {
    nodes: Vec<Node>,
    ids: Vec<Vec<Prefix>>,
}

/// A node of the tree of all beginnings.
#[derive(Default)]
struct Node {
    children: Vec<(u8, usize)>,
    /// The patterns whose beginning ends here.
    ends: Vec<(usize, Ending)>,
}

/// A pattern that may match the ids of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Beside {
    /// Its place in the section.
    pub index: usize,
    /// `true` if it matches all of them.
    pub always: bool,
}

impl Overlap {
    /// The ids of a section. `None` if one is no valid pattern, which ends every job.
    pub(crate) fn new<'k>(keys: impl Iterator<Item = &'k str>) -> Option<Self> {
        let mut out = Self { nodes: vec![Node::default()], ids: Vec::new() };
        for (index, key) in keys.enumerate() {
            let found = prefixes(&parse(key, 0).ok()?);
            for prefix in &found {
                out.add(index, prefix);
            }
            out.ids.push(found);
        }
        Some(out)
    }

    fn add(&mut self, index: usize, prefix: &Prefix) {
        let mut at = 0;
        for byte in &prefix.bytes {
            let known = self.nodes.get(at).and_then(|node| node.children.iter().find(|(label, _)| label == byte));
            at = match known.map(|(_, child)| *child) {
                Some(child) => child,
                None => {
                    let child = self.nodes.len();
                    self.nodes.push(Node::default());
                    if let Some(node) = self.nodes.get_mut(at) {
                        node.children.push((*byte, child));
                    }
                    child
                }
            };
        }
        if let Some(node) = self.nodes.get_mut(at) {
            node.ends.push((index, prefix.ending));
        }
    }

    /// The patterns that may match an id that this one matches, itself included, in order.
    pub(crate) fn beside(&self, index: usize) -> Vec<Beside> {
        self.ids.get(index).map_or_else(Vec::new, |own| {
            let mut found = self.matching(own);
            found.retain(|other| other.index != index);
            found.push(Beside { index, always: true });
            found.sort_unstable();
            found
        })
    }

    /// The patterns that may match an id that begins with a text, in order.
    pub(crate) fn beginning(&self, text: &str) -> Vec<Beside> {
        self.matching(&[Prefix { bytes: text.as_bytes().to_vec(), ending: Ending::Verify }])
    }

    /// The patterns that may match an id that another one matches, in order. `None` if that is no valid pattern.
    pub(crate) fn of_pattern(&self, pattern: &str) -> Option<Vec<Beside>> {
        Some(self.matching(&prefixes(&parse(pattern, 0).ok()?)))
    }

    fn matching(&self, own: &[Prefix]) -> Vec<Beside> {
        let mut found = Vec::new();
        for prefix in own {
            self.walk(0, &prefix.bytes, prefix.ending, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        let covers = |index: usize| {
            let others = self.ids.get(index).map_or(&[] as &[Prefix], Vec::as_slice);
            own.iter().all(|own| others.iter().any(|other| covers(other, own)))
        };
        found.into_iter().map(|index| Beside { index, always: covers(index) }).collect()
    }

    fn walk(&self, at: usize, rest: &[u8], ending: Ending, found: &mut Vec<usize>) {
        let Some(node) = self.nodes.get(at) else { return };
        let Some((next, rest)) = rest.split_first() else {
            match ending {
                Ending::Open | Ending::Verify => self.collect(at, found),
                // The id ends here, or with a newline.
                Ending::End | Ending::EndOfText => {
                    found.extend(node.ends.iter().map(|(index, _)| *index));
                    for (label, child) in &node.children {
                        if matches!(*label, GAP | b'\n') {
                            self.collect(*child, found);
                        }
                    }
                }
            }
            return;
        };
        let ends = matches!(*next, GAP | b'\n');
        found.extend(
            node.ends.iter().filter_map(|(index, ending)| {
                (ends || matches!(ending, Ending::Open | Ending::Verify)).then_some(*index)
            }),
        );
        if *next == GAP {
            self.collect(at, found);
            return;
        }
        for (label, child) in &node.children {
            match (*label, *next) {
                (GAP, _) => self.collect(*child, found),
                (label, next) if label == next => self.walk(*child, rest, ending, found),
                (WILDCARD, b'\n') | (b'\n', WILDCARD) => {}
                // A wildcard is a character, which may be several bytes.
                (WILDCARD, next) if next.is_ascii() => self.walk(*child, rest, ending, found),
                (label, WILDCARD) if label.is_ascii() => self.walk(*child, rest, ending, found),
                (WILDCARD, _) | (_, WILDCARD) => self.collect(*child, found),
                _ => {}
            }
        }
    }

    /// All patterns below a node.
    fn collect(&self, at: usize, found: &mut Vec<usize>) {
        let mut open = vec![at];
        while let Some(node) = open.pop().and_then(|at| self.nodes.get(at)) {
            found.extend(node.ends.iter().map(|(index, _)| *index));
            open.extend(node.children.iter().map(|(_, child)| *child));
        }
    }
}

/// Returns `true` if a prefix is all that its pattern requires, and each id with the other prefix has it.
fn covers(wide: &Prefix, narrow: &Prefix) -> bool {
    if wide.ending != Ending::Open {
        return false;
    }
    // What a gap at the end takes may be nothing.
    let bytes = match wide.bytes.split_last() {
        Some((&GAP, rest)) => rest,
        _ => wide.bytes.as_slice(),
    };
    let fits = |(wide, narrow): (&u8, &u8)| match (*wide, *narrow) {
        (GAP, _) | (_, GAP) => false,
        (WILDCARD, narrow) => narrow == WILDCARD || (narrow.is_ascii() && narrow != b'\n'),
        (wide, narrow) => wide == narrow,
    };
    bytes.len() <= narrow.bytes.len() && bytes.iter().zip(&narrow.bytes).all(fits)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn beside(keys: &[&str], index: usize) -> Vec<(usize, bool)> {
        let found = Overlap::new(keys.iter().copied()).unwrap().beside(index);
        found.into_iter().map(|other| (other.index, other.always)).collect()
    }

    #[test]
    fn a_beginning_matches_what_is_longer() {
        let keys = ["bwa", "bwa_mem", "star", ".*", "b.a_mem2"];
        assert_eq!(beside(&keys, 0), [(0, true), (1, false), (3, true), (4, false)]);
        assert_eq!(beside(&keys, 1), [(0, true), (1, true), (3, true), (4, false)]);
        assert_eq!(beside(&keys, 2), [(2, true), (3, true)]);
    }

    #[test]
    fn an_end_keeps_longer_ids_out() {
        let keys = ["bwa$", "bwa_mem", "(bwa|star)/.*/1", "star/x"];
        assert_eq!(beside(&keys, 0), [(0, true)]);
        assert_eq!(beside(&keys, 2), [(2, true), (3, false)]);
        assert_eq!(beside(&keys, 3), [(2, false), (3, true)]);
    }

    #[test]
    fn no_key_that_is_no_pattern() {
        assert!(Overlap::new(["(", "a"].into_iter()).is_none());
    }
}
