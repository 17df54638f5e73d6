//! The values of a document, as TPV sorts them: scalars, sequences and mappings that carry their comments.
//!
//! Values are shared: an alias is the same value again, and the sorted copy of a mapping holds the values of the old one.

use std::collections::HashSet;
use std::rc::Rc;

use indexmap::IndexMap;
use num_bigint::BigInt;

use crate::yaml::read::comment::{Before, CommentId, ItemSlots};
use crate::yaml::read::node::Tag;
use crate::yaml::style::ScalarStyle;

/// The number of a value in [`Values`].
pub(crate) type ValueId = usize;

/// The equality of keys, as Python compares them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
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
pub(crate) struct Anchor {
    pub(crate) name: String,
    pub(crate) always: bool,
}

/// A scalar, ready to be written.
#[derive(Clone, Debug)]
pub(crate) struct Scalar {
    pub(crate) text: String,
    pub(crate) tag: Tag,
    pub(crate) style: ScalarStyle,
    /// The comment in the first line of a block scalar.
    pub(crate) header: Option<Rc<str>>,
    pub(crate) anchor: Option<Anchor>,
    /// `true` if the same value in two places becomes an anchor and an alias.
    pub(crate) shared: bool,
    pub(crate) key: Key,
}

/// The comments of a collection itself.
#[derive(Clone, Debug)]
pub(crate) struct OwnSlots {
    pub(crate) after: Option<CommentId>,
    pub(crate) before: Option<Vec<Before>>,
    pub(crate) end: Vec<Before>,
}

/// The form shared by sequences and mappings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Form {
    pub(crate) own: Option<OwnSlots>,
    /// Brackets or indents; `None` leaves it open.
    pub(crate) flow: Option<bool>,
    pub(crate) anchor: Option<String>,
    /// The tag, if the text gives one.
    pub(crate) tag: Option<Tag>,
}

/// A sequence.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sequence {
    pub(crate) form: Form,
    pub(crate) items: Vec<ValueId>,
    pub(crate) slots: IndexMap<usize, ItemSlots>,
}

/// A pair of a mapping.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) key: ValueId,
    pub(crate) value: ValueId,
}

/// The `<<` of a mapping.
#[derive(Clone, Debug)]
pub(crate) struct Merge {
    /// Before which pair it stands.
    pub(crate) at: usize,
    /// The sequence after it; `None` where a single mapping stands there.
    pub(crate) sequence: Option<ValueId>,
    pub(crate) mappings: Vec<ValueId>,
}

/// A mapping.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mapping {
    pub(crate) form: Form,
    /// Its own pairs; [`Values::all_pairs`] has those that are merged into it, too.
    pub(crate) pairs: IndexMap<Key, Pair>,
    pub(crate) slots: IndexMap<Key, ItemSlots>,
    pub(crate) merge: Option<Merge>,
}

/// A value.
#[derive(Clone, Debug)]
pub(crate) enum Value {
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
pub(crate) struct Values {
    items: Vec<Value>,
}

impl Values {
    pub(crate) fn add(&mut self, value: Value) -> ValueId {
        self.items.push(value);
        self.items.len() - 1
    }

    pub(crate) fn get(&self, id: ValueId) -> Option<&Value> {
        self.items.get(id)
    }

    pub(crate) fn set(&mut self, id: ValueId, value: Value) {
        if let Some(place) = self.items.get_mut(id) {
            *place = value;
        }
    }

    /// The value as a mapping.
    pub(crate) fn mapping(&self, id: ValueId) -> Option<&Mapping> {
        match self.get(id) {
            Some(Value::Mapping(mapping) | Value::OrderedMap(mapping)) => Some(mapping),
            _ => None,
        }
    }

    /// The mappings merged into a mapping: each once, the ones that win first.
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
    pub(crate) fn all_pairs(&self, mapping: &Mapping) -> IndexMap<Key, Pair> {
        let mut pairs = mapping.pairs.clone();
        for merged in self.merged(mapping) {
            for (key, pair) in &merged.pairs {
                pairs.entry(key.clone()).or_insert_with(|| pair.clone());
            }
        }
        pairs
    }

    /// Returns `true` if a mapping has no pairs, not by merging either.
    pub(crate) fn is_empty(&self, mapping: &Mapping) -> bool {
        mapping.pairs.is_empty() && self.merged(mapping).all(|merged| merged.pairs.is_empty())
    }

    /// The value of a key, which may be merged into the mapping.
    pub(crate) fn lookup(&self, mapping: &Mapping, key: &Key) -> Option<ValueId> {
        let pair = mapping.pairs.get(key).or_else(|| self.merged(mapping).find_map(|merged| merged.pairs.get(key)));
        pair.map(|pair| pair.value)
    }

    /// The number of values.
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// A value as a key; `None` for one that Python cannot hash.
    pub(crate) fn key(&self, id: ValueId) -> Option<Key> {
        match self.get(id)? {
            Value::Scalar(scalar) => Some(scalar.key.clone()),
            Value::Sequence(_) | Value::Mapping(_) | Value::Set(_) | Value::OrderedMap(_) => None,
        }
    }

    /// Returns `true` if Python takes the value for true.
    pub(crate) fn is_true(&self, id: ValueId) -> bool {
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
