//! The values of a document, as TPV sorts them: scalars, sequences and mappings that carry their comments.
//!
//! Values are shared: an alias is the same value again, and the sorted copy of a mapping holds the values of the old one.

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
    /// Whether it comes from a merged mapping.
    pub merged: bool,
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
            Some(Value::Mapping(mapping) | Value::Set(mapping) | Value::OrderedMap(mapping)) => {
                !mapping.pairs.is_empty()
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
