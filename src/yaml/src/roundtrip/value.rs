//! The values of a document, as TPV sorts them: scalars, sequences and mappings that carry their comments.
//!
//! Values are shared: an alias is the same value again, and the sorted copy of a mapping holds the values of the old one.

use std::collections::HashSet;
use std::rc::Rc;

use indexmap::IndexMap;
use num_bigint::BigInt;

use crate::read::comment::{Before, CommentId, ItemSlots};
use crate::read::node::Tag;
use crate::style::ScalarStyle;

/// The number of a value in [`Values`].
pub type ValueId = usize;

/// The equality of keys, as Python compares them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// A string.
    Str(Rc<str>),
    /// An integer, a boolean (which is one to Python) or a float without a fraction.
    Int(BigInt),
    /// Another float, by its bits.
    Float(u64),
    /// `null`.
    Null,
    /// A date or time.
    Time(Rc<str>),
    /// A sequence as a key.
    Tuple(Vec<Key>),
    /// A mapping as a key: its pairs in order.
    Mapping(Vec<(Key, Key)>),
    /// A scalar with a tag, equal only to itself; and its text.
    Tagged(ValueId, Rc<str>),
}

/// A name and whether it is written even without an alias to it.
#[derive(Clone, Debug)]
pub struct Anchor {
    pub name: String,
    pub always: bool,
}

/// A scalar, ready to be written.
#[derive(Clone, Debug)]
pub struct Scalar {
    pub text: String,
    pub tag: Tag,
    pub style: ScalarStyle,
    /// The comment in the first line of a block scalar.
    pub header: Option<Rc<str>>,
    pub anchor: Option<Anchor>,
    /// `true` if the same value in two places becomes an anchor and an alias.
    pub shared: bool,
    pub key: Key,
}

/// The comments of a collection itself.
#[derive(Clone, Debug)]
pub struct OwnSlots {
    pub after: Option<CommentId>,
    pub before: Option<Vec<Before>>,
    pub end: Vec<Before>,
}

/// The form shared by sequences and mappings.
#[derive(Clone, Debug, Default)]
pub struct Form {
    pub own: Option<OwnSlots>,
    /// Brackets or indents; `None` leaves it open.
    pub flow: Option<bool>,
    pub anchor: Option<String>,
    /// The tag, if the text gives one.
    pub tag: Option<Tag>,
}

/// A sequence.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    /// The way it is written.
    pub form: Form,
    /// The items.
    pub items: Vec<ValueId>,
    /// The comments of items, by index.
    pub slots: IndexMap<usize, ItemSlots>,
}

/// A pair of a mapping.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The key.
    pub key: ValueId,
    /// The value.
    pub value: ValueId,
}

/// The `<<` of a mapping.
#[derive(Clone, Debug)]
pub struct Merge {
    /// Before which pair it stands.
    pub at: usize,
    /// The sequence after it; `None` where a single mapping stands there.
    pub sequence: Option<ValueId>,
    pub mappings: Vec<ValueId>,
}

/// A mapping.
#[derive(Clone, Debug, Default)]
pub struct Mapping {
    /// The way it is written.
    pub form: Form,
    /// Its own pairs; [`Values::all_pairs`] has those that are merged into it, too.
    pub pairs: IndexMap<Key, Pair>,
    /// The comments of pairs, by key.
    pub slots: IndexMap<Key, ItemSlots>,
    /// Its `<<`, if it has one.
    pub merge: Option<Merge>,
}

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// A scalar.
    Scalar(Scalar),
    /// A sequence.
    Sequence(Sequence),
    /// A mapping.
    Mapping(Mapping),
    /// `!!set`: a mapping whose values are null.
    Set(Mapping),
    /// `!!omap`: a mapping that is written as a list of pairs.
    OrderedMap(Mapping),
}

/// All values of a document.
#[derive(Debug, Default)]
pub struct Values {
    items: Vec<Value>,
}

impl Values {
    /// Adds a value.
    pub fn add(&mut self, value: Value) -> ValueId {
        self.items.push(value);
        self.items.len() - 1
    }

    /// The value with this number.
    pub fn get(&self, id: ValueId) -> Option<&Value> {
        self.items.get(id)
    }

    /// Replaces a value.
    pub fn set(&mut self, id: ValueId, value: Value) {
        if let Some(place) = self.items.get_mut(id) {
            *place = value;
        }
    }

    /// The value as a mapping.
    pub fn mapping(&self, id: ValueId) -> Option<&Mapping> {
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
    pub fn all_pairs(&self, mapping: &Mapping) -> IndexMap<Key, Pair> {
        let mut pairs = mapping.pairs.clone();
        for merged in self.merged(mapping) {
            for (key, pair) in &merged.pairs {
                pairs.entry(key.clone()).or_insert_with(|| pair.clone());
            }
        }
        pairs
    }

    /// Returns `true` if a mapping has no pairs, of its own or merged.
    pub fn has_no_pairs(&self, mapping: &Mapping) -> bool {
        mapping.pairs.is_empty() && self.merged(mapping).all(|merged| merged.pairs.is_empty())
    }

    /// The value of a key, which may be merged into the mapping.
    pub fn lookup(&self, mapping: &Mapping, key: &Key) -> Option<ValueId> {
        let pair = mapping.pairs.get(key).or_else(|| self.merged(mapping).find_map(|merged| merged.pairs.get(key)));
        pair.map(|pair| pair.value)
    }

    /// The number of values.
    pub fn count(&self) -> usize {
        self.items.len()
    }

    /// A value as a key; `None` for one that Python cannot hash.
    pub fn key(&self, id: ValueId) -> Option<Key> {
        match self.get(id)? {
            Value::Scalar(scalar) => Some(scalar.key.clone()),
            Value::Sequence(_) | Value::Mapping(_) | Value::Set(_) | Value::OrderedMap(_) => None,
        }
    }

    /// Returns `true` if Python takes the value for true.
    pub fn is_true(&self, id: ValueId) -> bool {
        match self.get(id) {
            None => false,
            Some(Value::Sequence(sequence)) => !sequence.items.is_empty(),
            Some(Value::Mapping(mapping) | Value::Set(mapping) | Value::OrderedMap(mapping)) => {
                !self.has_no_pairs(mapping)
            }
            Some(Value::Scalar(scalar)) => match &scalar.key {
                Key::Null => false,
                Key::Str(text) => !text.is_empty(),
                Key::Int(value) => *value != BigInt::ZERO,
                _ => true,
            },
        }
    }
}
