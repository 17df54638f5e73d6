//! Trees of reads: what was computed, found again by what it read.
//!
//! Code that changes nothing gives the same whenever it reads the same. What it reads next depends only on what it has
//! read, so all its runs make a tree: at each node one thing is read, the words of its value ([`super::words`]) lead to the
//! next node, and a leaf has the result. A run that finds its way to a leaf need not be made.

use std::mem::replace;

use smallvec::SmallVec;

use crate::python::vm::{Cost, Vm};
use crate::word_hash::WordMap;

use super::reads::Source;
use super::words::{Words, push, slot_of};
use super::worker::Slots;

/// How many words of keys a tree keeps: 8 MiB of them, and some times as much for what belongs to them. A full tree is
/// emptied.
const MAX_WORDS: usize = 1 << 20;

/// One read of a run.
struct Step {
    source: Source,
    /// Where the words of what it read end in the trail's; nothing where it had none.
    end: Option<usize>,
}

/// What a run read, in order.
///
/// Something larger than a block sets names of the context itself. What it reads of them then follows from what it read
/// before, and is no read of its own.
#[derive(Default)]
pub(super) struct Trail {
    steps: Vec<Step>,
    words: Vec<u64>,
    /// The names that it looked for in the context and that were not there.
    absent: Vec<usize>,
    /// The stage of the machine in which the run began; what was set since then is the run's own.
    stage: Option<u64>,
    /// Whether something was read that is not known or has no words; what came after it is not noted.
    pub lost: bool,
}

impl Trail {
    /// The trail of a run that begins with this stage.
    pub(super) fn from(stage: u64) -> Self {
        Self { stage: Some(stage), ..Self::default() }
    }

    /// Notes a read of what is there now.
    pub(super) fn read(&mut self, vm: &mut Vm, slots: &Slots, source: Source) {
        if source == Source::Unknown {
            self.lost = true;
        } else if self.is_new(vm, slots, source) {
            let mut words = Words::new(0);
            let pushed = push(&mut words, vm, slots, source);
            self.add(source, pushed.and_then(|()| words.after_first()));
        }
    }

    /// Notes a read with the words of what was there.
    fn note(&mut self, vm: &Vm, slots: &Slots, source: Source, words: Option<&[u64]>) {
        if self.is_new(vm, slots, source) {
            self.add(source, words);
        }
    }

    fn is_new(&mut self, vm: &Vm, slots: &Slots, source: Source) -> bool {
        if self.lost || self.steps.iter().any(|step| step.source == source) {
            return false;
        }
        let own = |stage| slot_of(source, slots).is_some_and(|slot| vm.was_set_since(slot, stage));
        let is_own = self.stage.is_some_and(own);
        // What the run makes of an entity follows from the entity's shape, but for the id.
        self.lost = is_own && [Source::Slot(slots.entity), Source::Slot(slots.self_)].contains(&source);
        !is_own
    }

    fn add(&mut self, source: Source, words: Option<&[u64]>) {
        self.words.extend_from_slice(words.unwrap_or_default());
        self.lost = words.is_none();
        self.steps.push(Step { source, end: words.map(|_| self.words.len()) });
    }

    /// The reads with their words.
    fn steps(&self) -> impl Iterator<Item = (Source, Option<&[u64]>)> {
        self.steps.iter().scan(0, |start, step| {
            let words = step.end.and_then(|end| self.words.get(replace(start, end)..end));
            Some((step.source, words))
        })
    }

    /// Notes that the context did not have the name of this slot.
    pub(super) fn absent(&mut self, slot: usize) {
        if !self.absent.contains(&slot) {
            self.absent.push(slot);
        }
    }

    /// Notes what another run read.
    pub(super) fn extend(&mut self, vm: &Vm, slots: &Slots, other: &Self) {
        other.steps().for_each(|(source, words)| self.note(vm, slots, source, words));
        other.absent.iter().for_each(|slot| self.absent(*slot));
        self.lost |= other.lost;
    }

    /// The trail without the reads of names that the context surely has with the same values.
    pub(super) fn without(self, told: impl Fn(usize) -> bool) -> Self {
        let mut trail = Self { absent: self.absent.clone(), stage: self.stage, ..Self::default() };
        for (source, words) in self.steps() {
            if !matches!(source, Source::Slot(slot) if told(slot)) {
                trail.add(source, words);
            }
        }
        trail.lost = self.lost;
        trail
    }
}

/// Where words lead.
enum Next<T> {
    /// To another node, which reads this.
    Node(u64, Source),
    /// To the result.
    Leaf(Box<Leaf<T>>),
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
    nodes: WordMap<SmallVec<[u64; 6]>, Next<T>>,
    next: u64,
    words: usize,
}

impl<T> Default for Tree<T> {
    fn default() -> Self {
        Self { nodes: WordMap::default(), next: 0, words: 0 }
    }
}

impl<T: Clone> Tree<T> {
    /// Follows what can be read now from a root. A result is paid for as when it was computed. What is read on the way is
    /// noted in `outer`, as the run will read it that must be made where there is no result.
    pub(super) fn find(&self, vm: &mut Vm, slots: &Slots, root: u64, mut outer: Option<&mut Trail>) -> Found<T> {
        let mut words = Words::new(root_word(root));
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
                    if let Some(outer) = &mut outer {
                        outer.note(vm, slots, *source, words.after_first());
                    }
                }
            }
        };
        let absent = leaf.absent.iter().all(|slot| matches!(vm.context.get(*slot), Some(None)));
        if !absent || !vm.pay_again(&leaf.cost) {
            return Found::Run;
        }
        if let Some(outer) = outer {
            leaf.absent.iter().for_each(|slot| outer.absent(*slot));
        }
        Found::Given(leaf.value.clone())
    }

    /// Keeps what a run gave, by what it read.
    pub(super) fn keep(&mut self, root: u64, trail: &Trail, leaf: Leaf<T>) {
        if self.words > MAX_WORDS {
            self.nodes.clear();
            self.words = 0;
        }
        let mut words = Words::new(root_word(root));
        for (source, read) in trail.steps() {
            let Some(key) = words.words() else { return };
            let (node, known) = match self.nodes.get(key) {
                Some(Next::Node(node, known)) => (*node, *known),
                Some(_) => return,
                None => {
                    self.next += 1;
                    self.insert(key, Next::Node(self.next, source));
                    (self.next, source)
                }
            };
            words.restart(node);
            match read {
                Some(read) if known == source => words.extend(read),
                _ => return,
            }
        }
        let Some(key) = words.words() else { return };
        if !self.nodes.contains_key(key) {
            self.words += leaf.words;
            self.insert(key, if trail.lost { Next::Run } else { Next::Leaf(Box::new(leaf)) });
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
