//! Scheduling tags: how sets of them inherit, combine, match and score.
//!
//! A set keeps its tags twice: as lists in TPV's order, which code can see and messages show, and as bit sets, on which
//! matching and scoring run. The rules are those of TPV's `SchedulingTags`.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use smallvec::SmallVec;
use tpv_model::merge::{TagLists, combine_tags, inherit_tags};
use tpv_model::{TagNumbers, TagType, Version};

use crate::artifact::tables::TagsRow;
use tpv_python::string::Str;
use tpv_python::word_hash::WordMap;

use super::heap_size::named;

/// A tag, by its number in a [`TagNames`].
pub type TagId = u32;

/// The numbers of tags: the artifact's, then those that jobs brought along (`tool_type_...`, or made by code).
#[derive(Default)]
pub struct TagNames {
    names: RefCell<Vec<Str>>,
    ids: RefCell<WordMap<String, TagId>>,
    bytes: Cell<usize>,
}

impl TagNames {
    /// The number of a tag, made if it is new.
    pub fn id(&self, name: &str) -> TagId {
        if let Some(id) = self.ids.borrow().get(name) {
            return *id;
        }
        let mut names = self.names.borrow_mut();
        let id = TagId::try_from(names.len()).unwrap_or(TagId::MAX);
        names.push(Str::from(name));
        self.bytes.set(self.bytes.get() + named::<TagId>(name));
        self.ids.borrow_mut().insert(name.to_owned(), id);
        id
    }

    /// The number of a tag, if it has one.
    pub fn find(&self, name: &str) -> Option<TagId> {
        self.ids.borrow().get(name).copied()
    }

    /// The bytes that the names take.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.get()
    }

    /// The name of a tag.
    pub fn name(&self, id: TagId) -> Str {
        self.names.borrow().get(id as usize).cloned().unwrap_or_else(|| Str::from(""))
    }
}

/// A set of tags as bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Bits(SmallVec<[u64; 4]>);

impl Bits {
    fn insert(&mut self, id: TagId) {
        let word = (id / 64) as usize;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        if let Some(entry) = self.0.get_mut(word) {
            *entry |= 1 << (id % 64);
        }
    }

    fn contains(&self, id: TagId) -> bool {
        self.0.get((id / 64) as usize).is_some_and(|word| word & (1 << (id % 64)) != 0)
    }

    fn intersects(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().enumerate().all(|(index, word)| word & !other.0.get(index).copied().unwrap_or(0) == 0)
    }

    fn count_common(&self, other: &Self) -> i64 {
        self.0.iter().zip(&other.0).map(|(a, b)| i64::from((a & b).count_ones())).sum()
    }

    fn count_missing(&self, other: &Self) -> i64 {
        let missing = |(index, word): (usize, &u64)| word & !other.0.get(index).copied().unwrap_or(0);
        self.0.iter().enumerate().map(missing).map(|word| i64::from(word.count_ones())).sum()
    }
}

/// One list of tags.
pub type TagList = SmallVec<[TagId; 4]>;

/// The lists of all types, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lists(pub [TagList; 4]);

impl TagLists for Lists {
    type Tag = TagId;

    fn list(&self, kind: TagType) -> &[TagId] {
        self.0.get(kind as usize).map_or(&[], |list| list)
    }

    fn remove(&mut self, kind: TagType, tag: &TagId) {
        if let Some(list) = self.0.get_mut(kind as usize)
            && let Some(index) = list.iter().position(|other| other == tag)
        {
            list.remove(index);
        }
    }

    fn push(&mut self, kind: TagType, tag: TagId) {
        if let Some(list) = self.0.get_mut(kind as usize) {
            list.push(tag);
        }
    }
}

/// TPV's `SchedulingTags`, never changed once made.
#[derive(Clone, Debug, Default)]
pub struct Tags {
    lists: Lists,
    bits: [Bits; 4],
    all: Bits,
    /// `true` if a tag is in the lists more than once, which only code can cause.
    repeated: bool,
    /// Which lists are `None` rather than empty.
    none: [bool; 4],
}

impl Tags {
    /// The set with these lists.
    pub fn new(lists: Lists) -> Self {
        let mut tags = Self { lists, ..Self::default() };
        for (list, bits) in tags.lists.0.iter().zip(&mut tags.bits) {
            for id in list {
                tags.repeated |= tags.all.contains(*id);
                tags.all.insert(*id);
                bits.insert(*id);
            }
        }
        tags
    }

    /// The set of a row of the artifact.
    pub fn from_row(row: &TagsRow) -> Self {
        let lists = row.lists.each_ref().map(|ids| TagList::from_slice(ids.as_deref().unwrap_or_default()));
        let none = row.lists.each_ref().map(Option::is_none);
        Self::new(Lists(lists)).with_none(none)
    }

    /// The same set with these lists `None` if they are empty.
    pub fn with_none(mut self, none: [bool; 4]) -> Self {
        self.none = none;
        for (none, list) in self.none.iter_mut().zip(&self.lists.0) {
            *none &= list.is_empty();
        }
        self
    }

    /// The bytes that the set takes.
    pub(super) fn bytes(&self) -> usize {
        let ids: usize = self.lists.0.iter().filter(|list| list.spilled()).map(|list| list.capacity()).sum();
        let bits = self.bits.iter().chain([&self.all]).map(|bits| &bits.0);
        let words: usize = bits.filter(|bits| bits.spilled()).map(|bits| bits.capacity()).sum();
        size_of::<Self>() + size_of::<TagId>() * ids + size_of::<u64>() * words
    }

    /// Which lists are `None`.
    pub fn none(&self) -> [bool; 4] {
        self.none
    }

    /// A set with one tag.
    pub fn single(kind: TagType, id: TagId) -> Self {
        let mut lists = Lists::default();
        lists.push(kind, id);
        Self::new(lists)
    }

    /// Returns `true` if a tag is in the lists more than once.
    pub(super) fn is_repeated(&self) -> bool {
        self.repeated
    }

    /// The lists.
    pub fn lists(&self) -> &Lists {
        &self.lists
    }

    /// The tags of one kind, in order.
    pub fn list(&self, kind: TagType) -> &[TagId] {
        self.lists.list(kind)
    }

    /// Returns `true` if the lists are equal.
    pub fn same_lists(&self, other: &Self) -> bool {
        self.lists == other.lists && self.none == other.none
    }

    /// Returns `true` if there are no tags.
    pub fn is_empty(&self) -> bool {
        self.lists.0.iter().all(|list| list.is_empty())
    }

    /// Returns `true` if there is a tag of this value, of any kind, as `filter(tag_value=value)` finds it: the empty
    /// value is no tag, and finds every tag.
    pub(super) fn has_value(&self, names: &TagNames, value: &str) -> bool {
        if value.is_empty() {
            return !self.is_empty();
        }
        names.find(value).is_some_and(|id| self.all.contains(id))
    }

    fn bits(&self, kind: TagType) -> &Bits {
        let [require, prefer, accept, reject] = &self.bits;
        match kind {
            TagType::Require => require,
            TagType::Prefer => prefer,
            TagType::Accept => accept,
            TagType::Reject => reject,
        }
    }

    /// The steps that putting two sets together or comparing them takes.
    pub fn effort(one: &Self, other: &Self) -> usize {
        let size = |set: &Self| -> (usize, usize) {
            (set.lists.0.iter().map(|list| list.len()).sum(), set.bits.iter().map(|bits| bits.0.len()).sum())
        };
        let ((a, words), (b, others)) = (size(one), size(other));
        1 + (words + others + a + b) / 16 + a.saturating_mul(b) / 32
    }

    /// `SchedulingTags.inherit`: the parent's tags, each of the child's put over them.
    pub fn inherit(child: &Rc<Self>, parent: &Rc<Self>) -> Rc<Self> {
        if child.is_empty() {
            return parent.clone();
        }
        if parent.is_empty() && !child.repeated && child.none == parent.none {
            return child.clone();
        }
        // Each tag is put where it is, in the same order.
        if Rc::ptr_eq(child, parent) && !child.repeated {
            return parent.clone();
        }
        let lists = inherit_tags(&child.lists, parent.lists.clone());
        Rc::new(Self::new(lists).with_none(parent.none))
    }

    /// Returns `true` if there is no conflict: neither side requires a tag that the other rejects.
    pub fn can_combine(&self, other: &Self) -> bool {
        let clash = |a: &Self, b: &Self| a.bits(TagType::Require).intersects(b.bits(TagType::Reject));
        !clash(self, other) && !clash(other, self)
    }

    /// `SchedulingTags.combine`, called on the lower entity's tags with the higher one's: the kinds are applied from the
    /// weakest to the strongest, in each first `other`'s tags and then `this`'s. `None` if they cannot be combined.
    pub fn combine(this: &Rc<Self>, other: &Rc<Self>) -> Option<Rc<Self>> {
        if !this.can_combine(other) {
            return None;
        }
        for (one, another) in [(this, other), (other, this)] {
            if another.is_empty() && !one.repeated && one.none == [false; 4] {
                return Some(one.clone());
            }
        }
        Some(Rc::new(Self::new(combine_tags(&this.lists, &other.lists))))
    }

    /// `SchedulingTags.match`: what either side requires the other has, and what either rejects the other has not.
    pub fn matches(&self, other: &Self) -> bool {
        self.bits(TagType::Require).is_subset(&other.all)
            && other.bits(TagType::Require).is_subset(&self.all)
            && !self.bits(TagType::Reject).intersects(&other.all)
            && !other.bits(TagType::Reject).intersects(&self.all)
    }

    /// `SchedulingTags.score`: the products of the weights of common tags, less the weights of what `other` lacks.
    pub fn score(&self, other: &Self, version: Version) -> i64 {
        let weights = version.tag_weights();
        let mut score = self.score_by(other, weights);
        if version.counts_missing_of_both() {
            score -= TagType::ALL
                .into_iter()
                .map(|kind| weights.of(kind) * other.bits(kind).count_missing(&self.all))
                .sum::<i64>();
        }
        score
    }

    fn score_by(&self, other: &Self, weights: TagNumbers) -> i64 {
        if self.repeated || other.repeated {
            return self.score_lists(other, weights);
        }
        let mut score = 0;
        for kind in TagType::ALL {
            let bits = self.bits(kind);
            for other_kind in TagType::ALL {
                score += weights.of(kind) * weights.of(other_kind) * bits.count_common(other.bits(other_kind));
            }
            score -= weights.of(kind) * bits.count_missing(&other.all);
        }
        score
    }

    /// The score by its definition, for sets that code gave a tag twice.
    fn score_lists(&self, other: &Self, weights: TagNumbers) -> i64 {
        let tags = |set: &Self| -> Vec<(TagType, TagId)> {
            TagType::ALL.into_iter().flat_map(|kind| set.list(kind).iter().map(move |id| (kind, *id))).collect()
        };
        let (mine, theirs) = (tags(self), tags(other));
        let mut score = 0;
        for (kind, id) in &mine {
            let common = theirs.iter().filter(|(_, other)| other == id);
            score += common.map(|(other, _)| weights.of(*kind) * weights.of(*other)).sum::<i64>();
            if !other.all.contains(*id) {
                score -= weights.of(*kind);
            }
        }
        score
    }
}
