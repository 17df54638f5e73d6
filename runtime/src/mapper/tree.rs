//! Trees of reads: what was computed, found again by what it read.
//!
//! Code that changes nothing gives the same whenever it reads the same. What it reads next depends only on what it has
//! read, so all its runs make a tree: at each node one thing is read, the words of its value ([`super::words`]) lead to the
//! next node, and a leaf has the result. A run that finds its way to a leaf need not be made.

use smallvec::SmallVec;

use crate::python::vm::{Cost, Vm};
use crate::word_hash::WordMap;

use super::reads::Source;
use super::words::{Words, push};
use super::worker::Slots;

/// How many words of keys a tree keeps: 8 MiB of them, and some times as much for what belongs to them. A full tree is
/// emptied.
const MAX_WORDS: usize = 1 << 20;

/// What a run read, in order.
#[derive(Default)]
pub(super) struct Trail {
    sources: Vec<Source>,
    /// The names that it looked for in the context and that were not there.
    absent: Vec<usize>,
    /// Whether something was read that is not known; what came after it is not noted.
    pub lost: bool,
}

impl Trail {
    /// Notes a read.
    pub(super) fn read(&mut self, source: Source) {
        self.lost |= source == Source::Unknown;
        if !self.lost && !self.sources.contains(&source) {
            self.sources.push(source);
        }
    }

    /// Notes that the context did not have the name of this slot.
    pub(super) fn absent(&mut self, slot: usize) {
        if !self.absent.contains(&slot) {
            self.absent.push(slot);
        }
    }

    /// Notes what another run read.
    pub(super) fn extend(&mut self, other: &Self) {
        other.sources.iter().for_each(|source| self.read(*source));
        other.absent.iter().for_each(|slot| self.absent(*slot));
        self.lost |= other.lost;
    }

    /// Forgets reads of names that the context surely has with the same values.
    pub(super) fn forget(&mut self, slots: impl Fn(usize) -> bool) {
        self.sources.retain(|source| !matches!(source, Source::Slot(slot) if slots(*slot)));
    }
}

/// Where words lead.
enum Next<T> {
    /// To another node, which reads this.
    Node(u64, Source),
    /// To the result.
    Leaf(Leaf<T>),
    /// To something whose value has no words: a run must be made.
    Run,
}

/// A result.
pub(super) struct Leaf<T> {
    /// The result.
    pub value: T,
    /// What it costs a job.
    pub cost: Cost,
    /// How many words it takes beside the node.
    pub words: usize,
    absent: Box<[usize]>,
}

impl<T> Leaf<T> {
    /// The result of a run.
    pub(super) fn new(value: T, cost: Cost, words: usize, trail: &Trail) -> Self {
        Self { value, cost, words, absent: trail.absent.as_slice().into() }
    }
}

/// What a walk through a tree came to.
pub(super) enum Found<T> {
    /// The result.
    Given(T),
    /// Nothing yet: what the next run reads is worth knowing.
    New,
    /// Nothing, and nothing to be learnt.
    Run,
}

/// Trees of reads, each under a root of its own.
pub(super) struct Tree<T> {
    nodes: WordMap<Box<[u64]>, Next<T>>,
    next: u64,
    words: usize,
}

impl<T> Default for Tree<T> {
    fn default() -> Self {
        Self { nodes: WordMap::default(), next: 0, words: 0 }
    }
}

impl<T: Clone> Tree<T> {
    /// Follows what can be read now from a root. A result is paid for as when it was computed, and what led to it is noted
    /// in `outer`.
    pub(super) fn find(&self, vm: &mut Vm, slots: &Slots, root: u64, outer: Option<&mut Trail>) -> Found<T> {
        let mut words = Words::new(root_word(root));
        let mut walked: SmallVec<[Source; 8]> = SmallVec::new();
        let leaf = loop {
            let Some(key) = words.words() else { return Found::Run };
            match self.nodes.get(key) {
                None => return Found::New,
                Some(Next::Run) => return Found::Run,
                Some(Next::Leaf(leaf)) => break leaf,
                Some(Next::Node(node, source)) => {
                    words.restart(*node);
                    if push(&mut words, vm, slots, *source).is_none() {
                        return Found::Run;
                    }
                    walked.push(*source);
                }
            }
        };
        let absent = leaf.absent.iter().all(|slot| matches!(vm.context.get(*slot), Some(None)));
        if !absent || !vm.pay_again(&leaf.cost) {
            return Found::Run;
        }
        if let Some(outer) = outer {
            walked.iter().for_each(|source| outer.read(*source));
            leaf.absent.iter().for_each(|slot| outer.absent(*slot));
        }
        Found::Given(leaf.value.clone())
    }

    /// Keeps what a run gave, by what it read.
    pub(super) fn keep(&mut self, vm: &mut Vm, slots: &Slots, root: u64, trail: &Trail, leaf: Leaf<T>) {
        if self.words > MAX_WORDS {
            self.nodes.clear();
            self.words = 0;
        }
        let mut words = Words::new(root_word(root));
        for source in &trail.sources {
            let Some(key) = words.words() else { return };
            let (node, known) = match self.nodes.get(key) {
                Some(Next::Node(node, known)) => (*node, *known),
                Some(_) => return,
                None => {
                    self.next += 1;
                    self.insert(key, Next::Node(self.next, *source));
                    (self.next, *source)
                }
            };
            words.restart(node);
            if known != *source || push(&mut words, vm, slots, *source).is_none() {
                return;
            }
        }
        let Some(key) = words.words() else { return };
        if !self.nodes.contains_key(key) {
            self.words += leaf.words;
            self.insert(key, if trail.lost { Next::Run } else { Next::Leaf(leaf) });
        }
    }

    fn insert(&mut self, key: &[u64], next: Next<T>) {
        // A node, its key and its place in the table take some 16 words beside those of the value.
        self.words += key.len() + 16;
        self.nodes.insert(key.into(), next);
    }
}

/// The first word of a root's key; nodes have smaller ones.
fn root_word(root: u64) -> u64 {
    1 << 63 | root
}
