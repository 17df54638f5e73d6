//! Trees of reads: what was computed, found again by what it read.
//!
//! Code that changes nothing gives the same whenever it reads the same. What it reads next depends only on what it has
//! read, so all its runs make a tree: at each node one thing is read, the words of its value ([`super::words`]) lead to the
//! next node, and a leaf has the result. A run that finds its way to a leaf need not be made.

use std::hash::Hasher;
use std::mem::replace;

use crate::python::value::Value;
use crate::python::vm::{Cost, Vm};
use crate::word_hash::{WordHasher, WordMap};

use super::memory::{ALLOCATION, entry};
use super::reads::Source;
use super::words::{Words, push, slot_of};
use super::worker::Slots;

/// One read of a run.
struct Step {
    source: Source,
    /// Where the words of what it read end in the trail's; nothing where it had none.
    end: Option<usize>,
    /// The steps that reading takes.
    paid: u64,
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
            let mut words = Words::default();
            let pushed = push(&mut words, vm, slots, source);
            self.add(source, pushed.and_then(|()| words.words()), 0);
        }
    }

    /// Notes what a condition was found to be, for `paid` steps; nothing where it raised.
    pub(super) fn condition(&mut self, vm: &Vm, slots: &Slots, code: u32, value: Option<&Value>, paid: u64) {
        let mut words = Words::default();
        let pushed = value.and_then(|value| words.push_truth(value));
        self.note(vm, slots, Source::Condition(code), pushed.and_then(|()| words.words()), paid);
    }

    /// Notes a read with the words of what was there, for `paid` steps.
    fn note(&mut self, vm: &Vm, slots: &Slots, source: Source, words: Option<&[u64]>, paid: u64) {
        if self.is_new(vm, slots, source) {
            self.add(source, words, paid);
        }
    }

    fn is_new(&mut self, vm: &Vm, slots: &Slots, source: Source) -> bool {
        if self.lost || self.steps.iter().any(|step| step.source == source) {
            return false;
        }
        if let Source::Condition(code) = source {
            // A walk evaluates it before anything else is done.
            self.lost = self.stage.is_some_and(|stage| reads_since(vm, slots, code, stage));
            return !self.lost;
        }
        let own = |stage| slot_of(source, slots).is_some_and(|slot| vm.was_set_since(slot, stage));
        let is_own = self.stage.is_some_and(own);
        // What the run makes of an entity follows from the entity's shape, but for the id.
        self.lost = is_own && [Source::Slot(slots.entity), Source::Slot(slots.self_)].contains(&source);
        !is_own
    }

    fn add(&mut self, source: Source, words: Option<&[u64]>, paid: u64) {
        self.words.extend_from_slice(words.unwrap_or_default());
        self.lost = words.is_none();
        self.steps.push(Step { source, end: words.map(|_| self.words.len()), paid });
    }

    /// The reads with their words and what they take.
    fn steps(&self) -> impl Iterator<Item = (Source, Option<&[u64]>, u64)> {
        self.steps.iter().scan(0, |start, step| {
            let words = step.end.and_then(|end| self.words.get(replace(start, end)..end));
            Some((step.source, words, step.paid))
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
        other.steps().for_each(|(source, words, paid)| self.note(vm, slots, source, words, paid));
        other.absent.iter().for_each(|slot| self.absent(*slot));
        self.lost |= other.lost;
    }

    /// The trail without the reads of names that the context surely has with the same values.
    pub(super) fn without(self, told: impl Fn(usize) -> bool) -> Self {
        let mut trail = Self { absent: self.absent.clone(), stage: self.stage, ..Self::default() };
        for (source, words, paid) in self.steps() {
            if !matches!(source, Source::Slot(slot) if told(slot)) {
                trail.add(source, words, paid);
            }
        }
        trail.lost = self.lost;
        trail
    }
}

/// Whether a block of this root code can read something that was set since a stage began.
fn reads_since(vm: &Vm, slots: &Slots, code: u32, stage: u64) -> bool {
    let Some(program) = &vm.program else { return true };
    let names = program.code(code).map_or(&[][..], |root| &root.names);
    let read = names.iter().filter_map(|name| program.names.get(*name as usize)).map(|name| name.slot);
    // The size of the inputs is the job's.
    read.chain([slots.job]).any(|slot| vm.was_set_since(slot, stage))
}

/// A result.
pub(super) struct Leaf<T> {
    /// The result.
    pub value: T,
    /// What it costs a job beside the walk.
    pub cost: Cost,
    /// How many bytes it takes beside the leaf itself.
    bytes: usize,
    absent: Box<[usize]>,
}

impl<T> Leaf<T> {
    /// The result of a run, which takes `bytes` on the heap.
    pub(super) fn new(value: T, cost: Cost, bytes: usize, trail: &Trail) -> Self {
        let paid = trail.steps.iter().map(|step| step.paid).sum();
        let absent: Box<[usize]> = trail.absent.as_slice().into();
        let bytes = bytes + 2 * ALLOCATION + cost.bytes() + size_of_val(&*absent);
        Self { value, cost: cost.without(paid), bytes, absent }
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

/// A place in a tree. What belongs to one run is made at once, and so lies side by side: a walk mostly goes straight through
/// memory.
#[derive(Clone, Copy)]
enum Node {
    /// Something is read here.
    Read {
        source: Source,
        /// The edge that was made last.
        last: u32,
        /// How many edges there are.
        count: u32,
    },
    /// The result, by its index.
    Leaf(u32),
    /// What is read next is not known or has no words: a run must be made.
    Run,
}

/// Where the words of what was read lead.
struct Edge {
    /// The first word, which mostly is the only one; 0 where there is none.
    first: u64,
    /// How many words there are, and where those after the first begin.
    length: u32,
    start: u32,
    node: u32,
    /// The edge of the same node that was made before.
    before: u32,
}

/// No edge.
const NONE: u32 = u32::MAX;

/// How many edges of a node are looked at one after the other; the others are found by a hash of their words.
const LINEAR: u32 = 8;

/// Where a node is to be.
#[derive(Clone, Copy)]
enum Place<'a> {
    Root(u64),
    After(u32, &'a [u64]),
}

/// Trees of reads, each under a root of its own.
pub(super) struct Tree<T> {
    /// The first nodes.
    roots: WordMap<u64, u32>,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// The words of all edges but their first ones.
    words: Vec<u64>,
    leaves: Vec<Leaf<T>>,
    /// The edges of nodes that have many, by the node and the hash of the words.
    crowded: WordMap<(u32, u64), u32>,
    /// How many bytes the leaves take beside themselves.
    leaf_bytes: usize,
    /// How many bytes all of that takes.
    bytes: usize,
}

impl<T> Default for Tree<T> {
    fn default() -> Self {
        Self {
            roots: WordMap::default(),
            nodes: Vec::new(),
            edges: Vec::new(),
            words: Vec::new(),
            leaves: Vec::new(),
            crowded: WordMap::default(),
            leaf_bytes: 0,
            bytes: 0,
        }
    }
}

impl<T: Clone> Tree<T> {
    /// Follows what can be read now from a root. A result is paid for as when it was computed. What is read on the way is
    /// noted in `outer`, as the run will read it that must be made where there is no result.
    pub(super) fn find(&self, vm: &mut Vm, slots: &Slots, root: u64, outer: Option<&mut Trail>) -> Found<T> {
        let steps = vm.steps_left();
        let found = self.walk(vm, slots, root, outer);
        if !matches!(found, Found::Given(_)) {
            vm.restore_steps(steps);
        }
        found
    }

    fn walk(&self, vm: &mut Vm, slots: &Slots, root: u64, mut outer: Option<&mut Trail>) -> Found<T> {
        let Some(mut node) = self.roots.get(&root).copied() else { return Found::New };
        let mut words = Words::default();
        let leaf = loop {
            match self.nodes.get(node as usize) {
                Some(Node::Leaf(leaf)) => break self.leaves.get(*leaf as usize),
                Some(Node::Read { source, .. }) => {
                    words.clear();
                    let before = vm.steps_left();
                    let pushed = push(&mut words, vm, slots, *source);
                    let Some(read) = pushed.and_then(|()| words.words()) else { return Found::Run };
                    if let Some(outer) = &mut outer {
                        outer.note(vm, slots, *source, Some(read), before.saturating_sub(vm.steps_left()));
                    }
                    match self.after(node, read) {
                        Some(next) => node = next,
                        None => return Found::New,
                    }
                }
                Some(Node::Run) | None => return Found::Run,
            }
        };
        let Some(leaf) = leaf else { return Found::Run };
        let absent = leaf.absent.iter().all(|slot| matches!(vm.context.get(*slot), Some(None)));
        if !absent || !vm.pay_again(&leaf.cost) {
            return Found::Run;
        }
        if let Some(outer) = outer {
            leaf.absent.iter().for_each(|slot| outer.absent(*slot));
        }
        Found::Given(leaf.value.clone())
    }

    /// The node that these words lead to.
    fn after(&self, node: u32, words: &[u64]) -> Option<u32> {
        let Some(Node::Read { last, count, .. }) = self.nodes.get(node as usize) else { return None };
        let (first, rest) = split(words);
        let leads = |edge: &Edge| {
            edge.first == first && edge.length as usize == words.len() && (rest.is_empty() || self.rest(edge) == rest)
        };
        if *count > LINEAR {
            let edge = self.crowded.get(&(node, hash(first, rest)))?;
            return self.edges.get(*edge as usize).filter(|edge| leads(edge)).map(|edge| edge.node);
        }
        let mut at = *last;
        while let Some(edge) = self.edges.get(at as usize) {
            if leads(edge) {
                return Some(edge.node);
            }
            at = edge.before;
        }
        None
    }

    /// The words of an edge but the first one.
    fn rest(&self, edge: &Edge) -> &[u64] {
        let start = edge.start as usize;
        self.words.get(start..start + (edge.length as usize).saturating_sub(1)).unwrap_or_default()
    }

    /// The bytes that the tree takes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Keeps what a run gave, by what it read; nothing for what is to be run again.
    pub(super) fn keep(&mut self, root: u64, trail: &Trail, leaf: Option<Leaf<T>>) {
        self.add(root, trail, leaf);
        self.bytes = self.leaf_bytes
            + self.roots.capacity() * entry::<u64, u32>()
            + self.nodes.capacity() * size_of::<Node>()
            + self.edges.capacity() * size_of::<Edge>()
            + self.words.capacity() * size_of::<u64>()
            + self.leaves.capacity() * size_of::<Leaf<T>>()
            + self.crowded.capacity() * entry::<(u32, u64), u32>();
    }

    fn add(&mut self, root: u64, trail: &Trail, leaf: Option<Leaf<T>>) {
        let mut place = Place::Root(root);
        for (source, read, _) in trail.steps() {
            let node = match self.at(place) {
                Some(node) => node,
                None => self.put(place, Node::Read { source, last: NONE, count: 0 }),
            };
            // What is read without words ends the trail, which is lost then.
            let Some(read) = read else { return };
            match self.nodes.get(node as usize) {
                Some(Node::Read { source: known, .. }) if *known == source => place = Place::After(node, read),
                _ => return,
            }
        }
        if self.at(place).is_some() {
            return;
        }
        match leaf {
            Some(leaf) if !trail.lost => {
                self.put(place, Node::Leaf(index(&self.leaves)));
                self.leaf_bytes += leaf.bytes;
                self.leaves.push(leaf);
            }
            _ => {
                self.put(place, Node::Run);
            }
        }
    }

    fn at(&self, place: Place) -> Option<u32> {
        match place {
            Place::Root(root) => self.roots.get(&root).copied(),
            Place::After(node, words) => self.after(node, words),
        }
    }

    /// Makes a node where there is none.
    fn put(&mut self, place: Place, made: Node) -> u32 {
        let new = index(&self.nodes);
        self.nodes.push(made);
        match place {
            Place::Root(root) => {
                self.roots.insert(root, new);
            }
            Place::After(node, words) => self.link(node, words, new),
        }
        new
    }

    fn link(&mut self, from: u32, words: &[u64], to: u32) {
        let edge = index(&self.edges);
        let Some(Node::Read { last, count, .. }) = self.nodes.get_mut(from as usize) else { return };
        let (start, length) = (index(&self.words), u32::try_from(words.len()).unwrap_or(NONE));
        let (first, rest) = split(words);
        self.edges.push(Edge { first, length, start, node: to, before: replace(last, edge) });
        *count += 1;
        let count = *count;
        self.words.extend_from_slice(rest);
        if count == LINEAR + 1 {
            // From now on all of them are found by their hash.
            let mut at = edge;
            while let Some(known) = self.edges.get(at as usize) {
                self.crowded.insert((from, hash(known.first, self.rest(known))), at);
                at = known.before;
            }
        } else if count > LINEAR {
            // Other words of the same hash, if there ever are any, are looked for and made again each time.
            self.crowded.insert((from, hash(first, rest)), edge);
        }
    }
}

/// The index of what is pushed next. The bound on the words keeps it small.
fn index<T>(all: &[T]) -> u32 {
    u32::try_from(all.len()).unwrap_or(NONE)
}

/// The first word and the others.
fn split(words: &[u64]) -> (u64, &[u64]) {
    words.split_first().map_or((0, words), |(first, rest)| (*first, rest))
}

fn hash(first: u64, rest: &[u64]) -> u64 {
    let mut hasher = WordHasher::default();
    hasher.write_u64(first);
    rest.iter().for_each(|word| hasher.write_u64(*word));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::python::vm::NoEnvironment;

    const ROOT: u64 = 7;

    struct Reader {
        vm: Vm,
        slots: Slots,
        names: [usize; 2],
        tree: Tree<i64>,
    }

    impl Reader {
        fn new() -> Self {
            let mut vm = Vm::new(std::rc::Rc::new(NoEnvironment));
            let slots = Slots::new(&mut vm);
            let names = [vm.slot("first"), vm.slot("second")];
            Self { vm, slots, names, tree: Tree::default() }
        }

        fn set(&mut self, values: [Value; 2]) {
            for (slot, value) in self.names.into_iter().zip(values) {
                self.vm.set_context(slot, value);
            }
        }

        /// Keeps a result of a run that read both names.
        fn keep(&mut self, value: i64) {
            let start = self.vm.measure();
            let mut trail = Trail::default();
            for slot in self.names {
                trail.read(&mut self.vm, &self.slots, Source::Slot(slot));
            }
            let leaf = Leaf::new(value, self.vm.cost_since(&start), 0, &trail);
            self.tree.keep(ROOT, &trail, Some(leaf));
        }

        fn find(&mut self) -> Found<i64> {
            self.tree.find(&mut self.vm, &self.slots, ROOT, None)
        }
    }

    fn texts(number: i64) -> [Value; 2] {
        [Value::str(format!("a text of some words, {}", number % 40)), Value::Int(number / 40)]
    }

    #[test]
    fn results_are_found_by_what_was_read_however_many_there_are() {
        let mut reader = Reader::new();
        for number in 0..400 {
            reader.set(texts(number));
            assert!(matches!(reader.find(), Found::New), "{number}");
            reader.keep(number);
        }
        for number in 0..400 {
            reader.set(texts(number));
            assert!(matches!(reader.find(), Found::Given(found) if found == number), "{number}");
        }
    }

    #[test]
    fn what_has_no_words_is_run() {
        let mut reader = Reader::new();
        reader.set([Value::Int(1), Value::Int(2)]);
        reader.keep(3);
        reader.set([Value::list(Vec::new()), Value::Int(2)]);
        assert!(matches!(reader.find(), Found::Run));
    }
}
