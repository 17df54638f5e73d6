//! The values of a document, as TPV sorts them: scalars, sequences and mappings that carry their comments.
//!
//! Values are shared: an alias is the same value again, and the sorted copy of a mapping holds the values of the old one.

use std::collections::HashSet;
use std::rc::Rc;

use indexmap::IndexMap;
use num_bigint::BigInt;

use super::comment::{Before, CommentId, ItemSlots};
use super::node::Tag;
use super::token::Style;

/// The number of a value in [`Values`].
pub(super) type ValueId = usize;

/// What makes keys equal, as Python compares them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Str(Rc<str>),
    /// An integer, a boolean (which is one to Python) or a float without a fraction.
    Int(BigInt),
    /// Another float, by its bits.
    Float(u64),
    Null,
    /// A date or time.
    Time(Rc<str>),
    Tuple(Vec<Key>),
    Mapping(Vec<(Key, Key)>),
    /// A scalar with a tag, equal only to itself; and its text.
    Tagged(ValueId, Rc<str>),
}

/// A name and whether it is written even without an alias to it.
#[derive(Clone, Debug)]
pub(super) struct Anchor {
    pub name: String,
    pub always: bool,
}

/// A scalar, ready to be written.
#[derive(Clone, Debug)]
pub(super) struct Scalar {
    pub text: String,
    pub tag: Tag,
    pub style: Style,
    /// The comment in the first line of a block scalar.
    pub header: Option<Rc<str>>,
    pub anchor: Option<Anchor>,
    /// Whether the same value in two places becomes an anchor and an alias.
    pub shared: bool,
    pub key: Key,
}

/// The comments of a collection itself.
#[derive(Clone, Debug)]
pub(super) struct OwnSlots {
    pub after: Option<CommentId>,
    pub before: Option<Vec<Before>>,
    pub end: Vec<Before>,
}

/// What sequences and mappings have in common.
#[derive(Clone, Debug, Default)]
pub(super) struct Form {
    pub own: Option<OwnSlots>,
    /// Brackets or indents; `None` leaves it open.
    pub flow: Option<bool>,
    pub anchor: Option<String>,
    /// The tag, if the text gives one.
    pub tag: Option<Tag>,
}

/// A sequence.
#[derive(Clone, Debug, Default)]
pub(super) struct Sequence {
    pub form: Form,
    pub items: Vec<ValueId>,
    pub slots: IndexMap<usize, ItemSlots>,
}

/// A pair of a mapping.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub key: ValueId,
    pub value: ValueId,
}

/// The `<<` of a mapping.
#[derive(Clone, Debug)]
pub(super) struct Merge {
    /// Before which pair it stands.
    pub at: usize,
    /// The sequence after it; `None` where a single mapping stands there.
    pub sequence: Option<ValueId>,
    pub mappings: Vec<ValueId>,
}

/// A mapping.
#[derive(Clone, Debug, Default)]
pub(super) struct Mapping {
    pub form: Form,
    /// Its own pairs; [`Values::all_pairs`] has those that are merged into it, too.
    pub pairs: IndexMap<Key, Pair>,
    pub slots: IndexMap<Key, ItemSlots>,
    pub merge: Option<Merge>,
}

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Scalar(Scalar),
    Sequence(Sequence),
    Mapping(Mapping),
    /// `!!set`: a mapping whose values are null.
    Set(Mapping),
    /// `!!omap`: a mapping that is written as a list of pairs.
    OrderedMap(Mapping),
}

/// All values of a document.
#[derive(Debug, Default)]
pub(super) struct Values {
    items: Vec<Value>,
}

impl Values {
    pub(super) fn add(&mut self, value: Value) -> ValueId {
        self.items.push(value);
        self.items.len() - 1
    }

    pub(super) fn get(&self, id: ValueId) -> Option<&Value> {
        self.items.get(id)
    }

    pub(super) fn set(&mut self, id: ValueId, value: Value) {
        if let Some(place) = self.items.get_mut(id) {
            *place = value;
        }
    }

    /// The value as a mapping.
    pub(super) fn mapping(&self, id: ValueId) -> Option<&Mapping> {
        match self.get(id) {
            Some(Value::Mapping(mapping) | Value::OrderedMap(mapping)) => Some(mapping),
            _ => None,
        }
    }

    /// What is merged into a mapping: each of those mappings once, the ones that win first.
    fn merged<'a>(&'a self, mapping: &'a Mapping) -> impl Iterator<Item = &'a Mapping> {
        let into =
            |mapping: &Mapping| mapping.merge.iter().flat_map(|merge| merge.mappings.iter().rev().copied()).collect();
        let mut open: Vec<ValueId> = into(mapping);
        let mut seen = HashSet::new();
        std::iter::from_fn(move || {
            loop {
                let next = open.pop()?;
                if let Some(mapping) = self.mapping(next).filter(|_| seen.insert(next)) {
                    let more: Vec<ValueId> = into(mapping);
                    open.extend(more);
                    return Some(mapping);
                }
            }
        })
    }

    /// The pairs of a mapping: its own, then those of the mappings that are merged into it whose keys are not there. They are
    /// put together where they are written only, since mappings that merge one another have more and more of them.
    pub(super) fn all_pairs(&self, mapping: &Mapping) -> IndexMap<Key, Pair> {
        let mut pairs = mapping.pairs.clone();
        for merged in self.merged(mapping) {
            for (key, pair) in &merged.pairs {
                pairs.entry(key.clone()).or_insert_with(|| pair.clone());
            }
        }
        pairs
    }

    /// Whether a mapping has no pairs, not by merging either.
    pub(super) fn is_empty(&self, mapping: &Mapping) -> bool {
        mapping.pairs.is_empty() && self.merged(mapping).all(|merged| merged.pairs.is_empty())
    }

    /// The value of a key, which may be merged into the mapping.
    pub(super) fn lookup(&self, mapping: &Mapping, key: &Key) -> Option<ValueId> {
        let pair = mapping.pairs.get(key).or_else(|| self.merged(mapping).find_map(|merged| merged.pairs.get(key)));
        pair.map(|pair| pair.value)
    }

    /// How many values there are.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// What a value is as a key; `None` for one that Python cannot hash.
    pub(super) fn key(&self, id: ValueId) -> Option<Key> {
        match self.get(id)? {
            Value::Scalar(scalar) => Some(scalar.key.clone()),
            Value::Sequence(_) | Value::Mapping(_) | Value::Set(_) | Value::OrderedMap(_) => None,
        }
    }

    /// Whether Python takes the value for true.
    pub(super) fn is_true(&self, id: ValueId) -> bool {
        match self.get(id) {
            None => false,
            Some(Value::Sequence(sequence)) => !sequence.items.is_empty(),
            Some(Value::Mapping(mapping) | Value::Set(mapping) | Value::OrderedMap(mapping)) => !self.is_empty(mapping),
            Some(Value::Scalar(scalar)) => match &scalar.key {
                Key::Null => false,
                Key::Str(text) => !text.is_empty(),
                Key::Int(value) => *value != BigInt::ZERO,
                _ => true,
            },
        }
    }
}
