//! `set` and `frozenset`, in CPython's iteration order if that is deterministic.
//!
//! CPython's order is that of its hash table. Strings are hashed with a random key there; the order here is the one that
//! `PYTHONHASHSEED=0` gives. The table is CPython's (`Objects/setobject.c`): open addressing with a short linear probe,
//! then a perturbed jump.

mod algebra;

use std::cell::RefCell;

use super::dict::Key;
use super::exception::PyResult;
use super::release::release;
use super::value::Value;
use super::vm::Vm;

/// A `set` or `frozenset`. Never hold a borrow while calling back into Python code.
pub struct SetObject {
    /// The items.
    pub table: RefCell<SetTable>,
    frozen: bool,
}

impl Drop for SetObject {
    fn drop(&mut self) {
        release(std::mem::take(self.table.get_mut()));
    }
}

impl SetObject {
    /// A set of these items.
    pub fn new(table: SetTable, frozen: bool) -> Self {
        Self { table: RefCell::new(table), frozen }
    }

    /// Returns `true` for a `frozenset`.
    pub fn frozen(&self) -> bool {
        self.frozen
    }

    /// `item in set`
    ///
    /// # Errors
    /// `TypeError` if the item is not hashable.
    pub fn contains(&self, vm: &mut Vm, item: &Value) -> PyResult<bool> {
        let key = Key::new(vm, item.clone())?;
        Ok(self.table.borrow().contains(&key))
    }

    /// The items in iteration order, as they are now.
    pub fn items(&self) -> Vec<Value> {
        self.table.borrow().iter().map(|key| key.value.clone()).collect()
    }
}

const LINEAR_PROBES: usize = 9;
const PERTURB_SHIFT: u32 = 5;
const MIN_SIZE: usize = 8;

#[derive(Clone)]
enum Slot {
    Empty,
    Deleted,
    Full(Key),
}

/// The hash table of a set.
#[derive(Clone)]
pub struct SetTable {
    slots: Vec<Slot>,
    /// Full and deleted slots.
    fill: usize,
    used: usize,
    /// The position at which the next `pop` looks first.
    finger: usize,
}

impl Default for SetTable {
    fn default() -> Self {
        Self { slots: vec![Slot::Empty; MIN_SIZE], fill: 0, used: 0, finger: 0 }
    }
}

impl FromIterator<Key> for SetTable {
    fn from_iter<T: IntoIterator<Item = Key>>(keys: T) -> Self {
        let mut table = Self::default();
        for key in keys {
            table.insert(key);
        }
        table
    }
}

impl SetTable {
    /// The number of items.
    pub fn len(&self) -> usize {
        self.used
    }

    /// Returns `true` if there are no items.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// The items in CPython's order.
    pub fn iter(&self) -> impl Iterator<Item = &Key> {
        self.slots.iter().filter_map(|slot| match slot {
            Slot::Full(key) => Some(key),
            _ => None,
        })
    }

    /// Returns `true` if the key is present.
    pub fn contains(&self, key: &Key) -> bool {
        self.find(key).is_some()
    }

    /// The item that equals the key.
    pub fn get(&self, key: &Key) -> Option<&Key> {
        match self.slots.get(self.find(key)?) {
            Some(Slot::Full(found)) => Some(found),
            _ => None,
        }
    }

    /// Adds the key; false if it was there. An equal item stays.
    pub fn insert(&mut self, key: Key) -> bool {
        // The last deleted place on the way is taken again, once it is known that the key is not farther on.
        let mut deleted = None;
        let mut empty = None;
        for index in probes(&key, self.slots.len()) {
            match self.slots.get(index) {
                Some(Slot::Full(found)) if *found == key => return false,
                Some(Slot::Full(_)) | None => {}
                Some(Slot::Deleted) => deleted = Some(index),
                Some(Slot::Empty) => {
                    empty = Some(index);
                    break;
                }
            }
        }
        let Some(index) = deleted.or(empty) else { return false };
        if let Some(slot) = self.slots.get_mut(index) {
            *slot = Slot::Full(key);
        }
        self.used += 1;
        if deleted.is_some() {
            return true;
        }
        self.fill += 1;
        let mask = self.slots.len() - 1;
        if self.fill * 5 >= mask * 3 {
            let target = if self.used > 50_000 { self.used * 2 } else { self.used * 4 };
            self.resize(target);
        }
        true
    }

    /// Removes the key; false if it was not there.
    pub fn remove(&mut self, key: &Key) -> bool {
        let Some(index) = self.find(key) else { return false };
        if let Some(slot) = self.slots.get_mut(index) {
            *slot = Slot::Deleted;
        }
        self.used -= 1;
        true
    }

    /// Removes and gives an item: the next in table order after the one that was popped before.
    pub fn pop(&mut self) -> Option<Key> {
        let start = self.finger & (self.slots.len() - 1);
        let is_full = |slot: &Slot| matches!(slot, Slot::Full(_));
        let after = self.slots.iter().skip(start).position(is_full).map(|offset| start + offset);
        let index = after.or_else(|| self.slots.iter().position(is_full))?;
        self.finger = index + 1;
        match std::mem::replace(self.slots.get_mut(index)?, Slot::Deleted) {
            Slot::Full(key) => {
                self.used -= 1;
                Some(key)
            }
            _ => None,
        }
    }

    /// Removes all.
    pub fn clear(&mut self) {
        *self = Self { finger: self.finger, ..Self::default() };
    }

    fn find(&self, key: &Key) -> Option<usize> {
        for index in probes(key, self.slots.len()) {
            match self.slots.get(index) {
                Some(Slot::Full(found)) if found == key => return Some(index),
                Some(Slot::Empty) | None => return None,
                _ => {}
            }
        }
        None
    }

    fn resize(&mut self, at_least: usize) {
        let mut size = MIN_SIZE;
        while size <= at_least {
            size <<= 1;
        }
        let old = std::mem::replace(&mut self.slots, vec![Slot::Empty; size]);
        self.fill = self.used;
        for slot in old {
            let Slot::Full(key) = slot else { continue };
            let free = probes(&key, size).find(|index| matches!(self.slots.get(*index), Some(Slot::Empty)));
            if let Some(slot) = free.and_then(|index| self.slots.get_mut(index)) {
                *slot = Slot::Full(key);
            }
        }
    }
}

/// The slots to look at for a key, in CPython's order.
fn probes(key: &Key, size: usize) -> impl Iterator<Item = usize> + use<> {
    let mask = size - 1;
    let mut perturb = usize::from_ne_bytes(key.hash_value().to_ne_bytes());
    let mut start = perturb & mask;
    let mut offset = 0;
    std::iter::from_fn(move || {
        let index = start + offset;
        if offset < LINEAR_PROBES && start + LINEAR_PROBES <= mask {
            offset += 1;
        } else {
            offset = 0;
            perturb >>= PERTURB_SHIFT;
            start = start.wrapping_mul(5).wrapping_add(1).wrapping_add(perturb) & mask;
        }
        Some(index)
    })
}
