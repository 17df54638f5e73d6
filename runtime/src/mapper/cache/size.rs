//! Estimates of the memory of cached values.
//!
//! Sizes are estimates: what several tables hold is counted for each, what belongs to the artifact is not counted.

use std::num::NonZeroU32;
use std::rc::Rc;

use crate::mapper::entity::Entity;
use crate::mapper::heap_size::{ALLOCATION, HeapSize, entry};
use crate::mapper::properties::Properties;
use crate::mapper::provided::Provided;
use crate::mapper::rule_map::Rules;
use tpv_python::value::Value;

use super::{Derivation, Matches};

/// Declares what takes no bytes on the heap.
macro_rules! nothing_on_the_heap {
    ($($type:ty),*) => {
        $(impl HeapSize for $type {
            fn heap_size(&self) -> usize {
                0
            }
        })*
    };
}

nothing_on_the_heap!((Derivation, NonZeroU32, NonZeroU32), usize, [usize; 2], [usize; 4]);

impl HeapSize for Box<str> {
    fn heap_size(&self) -> usize {
        ALLOCATION + self.len()
    }
}

impl HeapSize for Matches {
    fn heap_size(&self) -> usize {
        ALLOCATION + size_of_val(&**self)
    }
}

impl HeapSize for Provided {
    fn heap_size(&self) -> usize {
        let texts = [&self.id, &self.tool_type].into_iter().flatten();
        texts.map(HeapSize::heap_size).sum::<usize>() + size_of_val(&*self.resources)
    }
}

/// A list or dict that was made of others shares their items.
impl HeapSize for Value {
    fn heap_size(&self) -> usize {
        match self {
            Self::Str(text) => ALLOCATION + size_of::<String>() + text.len(),
            Self::List(list) => 2 * ALLOCATION + size_of::<Self>() * list.items.borrow().len(),
            // An entry has its key, its hash and value, and its place in the index.
            Self::Dict(dict) => 3 * ALLOCATION + entry::<[Self; 2], [usize; 2]>() * dict.len(),
            _ => 0,
        }
    }
}

/// A result made of two values holds them, but they belong to entities.
impl<T: HeapSize, const N: usize> HeapSize for ([Value; N], T) {
    fn heap_size(&self) -> usize {
        self.1.heap_size()
    }
}

/// A derived entity shares its values with those that it came from, but for its id, its tags and the list of its rules.
impl HeapSize for Entity {
    fn heap_size(&self) -> usize {
        let rules = size_of::<(usize, usize)>() * self.rules.len();
        5 * ALLOCATION + size_of::<Self>() + self.id.heap_size() + self.context.bytes() + self.tags.bytes() + rules
    }
}

impl HeapSize for Rc<Entity> {
    fn heap_size(&self) -> usize {
        Entity::heap_size(self)
    }
}

/// The rules themselves are counted where they are made.
impl HeapSize for [Rules; 2] {
    fn heap_size(&self) -> usize {
        let [_, merged] = self;
        2 * ALLOCATION + size_of::<(usize, usize)>() * merged.len()
    }
}

impl HeapSize for Rc<Properties> {
    fn heap_size(&self) -> usize {
        ALLOCATION + size_of::<Properties>() + self.bytes()
    }
}
