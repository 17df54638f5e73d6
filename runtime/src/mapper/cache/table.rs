//! A hash table that knows its size.

use std::borrow::Borrow;
use std::cell::{Cell, RefCell};
use std::hash::Hash;

use tpv_python::word_hash::WordMap;

use crate::mapper::heap_size::{HeapSize, entry};

/// Results by their keys. What is found is a clone, such as another count of a reference.
pub(super) struct Table<K, V> {
    entries: RefCell<WordMap<K, V>>,
    bytes: Cell<usize>,
}

impl<K, V> Default for Table<K, V> {
    fn default() -> Self {
        Self { entries: RefCell::default(), bytes: Cell::new(0) }
    }
}

impl<K, V> Table<K, V> {
    /// An estimate of the bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.get()
    }
}

impl<K: Eq + Hash + HeapSize, V: Clone + HeapSize> Table<K, V> {
    /// The result of a key.
    pub(super) fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.get_part(key, V::clone)
    }

    /// A part of the result of a key.
    pub(super) fn get_part<Q: Eq + Hash + ?Sized, R>(&self, key: &Q, part: impl FnOnce(&V) -> R) -> Option<R>
    where
        K: Borrow<Q>,
    {
        self.entries.borrow().get(key).map(part)
    }

    /// Keeps the result of a new key.
    pub(super) fn insert(&self, key: K, value: V) {
        self.bytes.set(self.bytes.get() + entry::<K, V>() + key.heap_size() + value.heap_size());
        self.entries.borrow_mut().insert(key, value);
    }

    /// The result of a key, or what `make` makes, which may look into the table.
    pub(super) fn get_or_insert(&self, key: K, make: impl FnOnce() -> V) -> V {
        if let Some(known) = self.get(&key) {
            return known;
        }
        let made = make();
        self.insert(key, made.clone());
        made
    }
}
