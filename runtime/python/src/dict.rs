//! `dict`: insertion-ordered, keyed by hashable values.

use std::cell::RefCell;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::rc::Rc;

use indexmap::IndexMap;

use super::exception::{PyResult, key_error};
use super::release::release;
use super::string::Str;
use super::types::{BuiltinType, DICT};
use super::value::Value;
use super::vm::{BinaryOp, CompareOp, UnaryOp, Vm};
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

/// The table behind a dict.
pub type Table = IndexMap<Key, Value, BuildHasherDefault<KeyHasher>>;

/// The behaviour that distinguishes a class of dicts. The defaults are those of `dict`.
pub trait DictClass: Sync {
    /// The class.
    fn class(&self) -> &'static BuiltinType;

    /// Returns `true` for `OrderedDict`, whose iterators and views have their own classes.
    fn is_ordered(&self) -> bool {
        false
    }

    /// Returns `true` if `|` of a dict of the class and a plain one, in either order, gives one of the class.
    fn keeps_class(&self) -> bool {
        false
    }

    /// `dict[key]` where there is no such key. `this` is the value that holds `dict`.
    ///
    /// # Errors
    /// `KeyError`
    fn missing(&self, vm: &mut Vm, this: &Value, dict: &Dict, key: &Value) -> PyResult<Value> {
        let _ = (vm, this, dict);
        Err(key_error(key.clone()))
    }

    /// `del dict[key]` where there is no such key.
    ///
    /// # Errors
    /// `KeyError`
    fn delete_missing(&self, key: &Value) -> PyResult<()> {
        Err(key_error(key.clone()))
    }

    /// `repr(dict)`
    ///
    /// # Errors
    /// Exceptions raised by the text of an item.
    fn repr(&self, vm: &mut Vm, this: &Value, dict: &Dict) -> PyResult<String> {
        vm.guarded_repr(this, "{...}", |vm| vm.entries_repr(&dict.items()))
    }

    /// `a == b` of two dicts of the class.
    ///
    /// # Errors
    /// Exceptions raised by comparing values.
    fn equal(&self, vm: &mut Vm, a: &Dict, b: &Dict) -> PyResult<bool> {
        vm.entries_equal(a, b)
    }

    /// `a < b` and its like; `None` where the dicts have no order.
    ///
    /// # Errors
    /// Exceptions raised by comparing values.
    fn compare(&self, vm: &mut Vm, op: CompareOp, a: &Rc<Dict>, b: &Rc<Dict>) -> PyResult<Option<bool>> {
        let _ = (vm, op, a, b);
        Ok(None)
    }

    /// `a op b`; `None` where the class has nothing of its own for it.
    ///
    /// # Errors
    /// Exceptions raised by the operation on two values.
    fn binary(&self, vm: &mut Vm, op: BinaryOp, a: &Dict, b: &Dict) -> PyResult<Option<Value>> {
        let _ = (vm, op, a, b);
        Ok(None)
    }

    /// `dict op= other`; false where the class has nothing of its own for it.
    ///
    /// # Errors
    /// Exceptions raised by the operation on two values.
    fn in_place(&self, vm: &mut Vm, op: BinaryOp, dict: &Dict, other: &Value) -> PyResult<bool> {
        let _ = (vm, op, dict, other);
        Ok(false)
    }

    /// `-dict` and its like; `None` where there is no such thing.
    fn unary(&self, vm: &mut Vm, op: UnaryOp, dict: &Dict) -> Option<PyResult<Value>> {
        let _ = (vm, op, dict);
        None
    }
}

/// `dict` itself.
struct Plain;

impl DictClass for Plain {
    fn class(&self) -> &'static BuiltinType {
        &DICT
    }
}

/// A Python dict. Never hold a borrow of the table while calling back into Python code.
pub struct Dict {
    /// The items in insertion order. Remove with `shift_remove`, which keeps the order.
    pub table: RefCell<Table>,
    kind: &'static dyn DictClass,
    factory: Option<Value>,
}

impl Drop for Dict {
    fn drop(&mut self) {
        release((std::mem::take(self.table.get_mut()), self.factory.take()));
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

    /// An empty dict of this class.
    pub fn of_class(kind: &'static dyn DictClass) -> Self {
        Self { table: RefCell::default(), kind, factory: None }
    }

    /// The same, with what makes the values of missing keys.
    #[must_use]
    pub fn with_factory(mut self, factory: Value) -> Self {
        self.factory = Some(factory);
        self
    }

    /// A dict of the same class with other items.
    #[must_use]
    pub fn with_items(&self, table: Table) -> Self {
        Self { table: RefCell::new(table), kind: self.kind, factory: self.factory.clone() }
    }

    /// A plain dict with these items.
    pub fn from_table(table: Table) -> Self {
        Self { table: RefCell::new(table), kind: &Plain, factory: None }
    }

    /// A plain dict with string keys.
    pub fn from_strs<K: Into<Str>>(items: impl IntoIterator<Item = (K, Value)>) -> Self {
        Self::from_table(items.into_iter().map(|(key, value)| (Key::str(key.into()), value)).collect())
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

    /// A dict of the same class with the same items.
    #[must_use]
    pub fn copied(&self) -> Self {
        self.with_items(self.table.borrow().clone())
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

    /// The behaviour of its class.
    pub fn kind(&self) -> &'static dyn DictClass {
        self.kind
    }

    /// The factory for the values of missing keys: `defaultdict.default_factory`.
    pub fn factory(&self) -> Option<&Value> {
        self.factory.as_ref()
    }

    /// The class.
    pub fn class(&self) -> &'static BuiltinType {
        self.kind.class()
    }

    /// Returns `true` if it is a `dict` and of no derived class.
    pub fn is_plain(&self) -> bool {
        self.class().is(&DICT)
    }

    /// Returns `true` for an `OrderedDict`.
    pub fn is_ordered(&self) -> bool {
        self.kind.is_ordered()
    }
}
