//! `dict`: insertion-ordered, keyed by hashable values.

use std::cell::RefCell;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use indexmap::IndexMap;

use super::exception::PyResult;
use super::release::release;
use super::string::Str;
use super::value::Value;
use super::vm::Vm;
use super::{collisions, hash};

/// A key of a dict or an item of a set: a value with its Python hash.
#[derive(Clone)]
pub struct Key {
    hash: i64,
    /// The value.
    pub value: Value,
}

impl Key {
    /// The key for a value.
    ///
    /// # Errors
    /// `TypeError: unhashable type: 'list'` and its like.
    pub fn new(vm: &mut Vm, value: Value) -> PyResult<Self> {
        vm.charge_comparisons()?;
        let hash = hash::hash(vm, &value)?;
        Ok(Self { hash, value })
    }

    /// The key for a constant; `None` where hashing it would need a call, which no constant does.
    pub fn constant(value: Value) -> Option<Self> {
        Some(Self { hash: hash::hash_immutable(&value)?, value })
    }

    /// The key for a string, which never fails.
    pub fn str(text: Str) -> Self {
        Self { hash: hash::hash_str(text.as_str()), value: Value::Str(text) }
    }

    /// The Python hash.
    pub fn hash_value(&self) -> i64 {
        self.hash
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_i64(self.hash);
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
            && (hash::keys_equal(&self.value, &other.value) || {
                collisions::note(1);
                false
            })
    }
}

impl Eq for Key {}

/// A lookup by text without making a string object.
pub struct StrKey<'a>(pub &'a str);

impl Hash for StrKey<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_i64(hash::hash_str(self.0));
    }
}

impl indexmap::Equivalent<Key> for StrKey<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        key.value.as_str().is_some_and(|text| text.as_str() == self.0)
    }
}

/// Spreads Python's hashes, which are small ints for small ints, over the table.
#[derive(Default)]
pub struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn write_i64(&mut self, value: i64) {
        let mixed = value.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

/// No more items are made room for before they are there.
const MOST_RESERVED: usize = 1024;

/// The table behind a dict.
pub type Table = IndexMap<Key, Value, BuildHasherDefault<KeyHasher>>;

/// A Python dict. Never hold a borrow of the table while calling back into Python code.
pub struct Dict {
    /// The items in insertion order. Remove with `shift_remove`, which keeps the order.
    pub table: RefCell<Table>,
}

impl Drop for Dict {
    fn drop(&mut self) {
        release(std::mem::take(self.table.get_mut()));
    }
}

impl Default for Dict {
    fn default() -> Self {
        Self::new()
    }
}

impl Dict {
    /// An empty dict.
    pub fn new() -> Self {
        Self::from_table(Table::default())
    }

    /// A dict with these items.
    pub fn from_table(table: Table) -> Self {
        Self { table: RefCell::new(table) }
    }

    /// A dict with string keys.
    pub fn from_strs<K: Into<Str>>(items: impl IntoIterator<Item = (K, Value)>) -> Self {
        let items = items.into_iter();
        // Iterators that leave some out know only the upper bound.
        let most = items.size_hint().1.unwrap_or_default().min(MOST_RESERVED);
        let mut table = Table::with_capacity_and_hasher(most, BuildHasherDefault::default());
        table.extend(items.map(|(key, value)| (Key::str(key.into()), value)));
        Self::from_table(table)
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.table.borrow().len()
    }

    /// Returns `true` if there are no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value under a string key.
    pub fn get_str(&self, key: &str) -> Option<Value> {
        self.table.borrow().get(&StrKey(key)).cloned()
    }

    /// Sets the value under a string key.
    pub fn set_str(&self, key: Str, value: Value) {
        let old = self.table.borrow_mut().insert(Key::str(key), value);
        drop(old);
    }

    /// A dict with the same items.
    #[must_use]
    pub fn copied(&self) -> Self {
        Self::from_table(self.table.borrow().clone())
    }

    /// `dict.get(key)`
    ///
    /// # Errors
    /// `TypeError` where the key is not hashable.
    pub fn get(&self, vm: &mut Vm, key: &Value) -> PyResult<Option<Value>> {
        let key = Key::new(vm, key.clone())?;
        Ok(self.table.borrow().get(&key).cloned())
    }

    /// `dict[key] = value`
    ///
    /// # Errors
    /// `TypeError` where the key is not hashable.
    pub fn set(&self, vm: &mut Vm, key: Value, value: Value) -> PyResult<()> {
        let key = Key::new(vm, key)?;
        self.table.borrow_mut().insert(key, value);
        Ok(())
    }

    /// The items, as they are now.
    pub fn items(&self) -> Vec<(Value, Value)> {
        self.table.borrow().iter().map(|(key, value)| (key.value.clone(), value.clone())).collect()
    }

    /// The keys, as they are now.
    pub fn keys(&self) -> Vec<Value> {
        self.table.borrow().keys().map(|key| key.value.clone()).collect()
    }

    /// The values, as they are now.
    pub fn values(&self) -> Vec<Value> {
        self.table.borrow().values().cloned().collect()
    }
}
