//! Union, intersection and difference of sets, in the order of CPython's tables.

use super::{SetTable, Slot, probes};
use crate::dict::Key;

impl SetTable {
    /// Adds all items of another set: CPython's `set_merge`, which makes room first.
    pub fn merge(&mut self, other: &Self) {
        if other.used == 0 {
            return;
        }
        self.make_room(other.used);
        if self.fill == 0 && self.slots.len() == other.slots.len() && other.fill == other.used {
            self.clone_from(other);
        } else if self.fill == 0 {
            self.fill = other.used;
            self.used = other.used;
            let size = self.slots.len();
            for key in other.iter() {
                let free = probes(key, size).find(|index| matches!(self.slots.get(*index), Some(Slot::Empty)));
                if let Some(slot) = free.and_then(|index| self.slots.get_mut(index)) {
                    *slot = Slot::Full(key.clone());
                }
            }
        } else {
            other.iter().for_each(|key| {
                self.insert(key.clone());
            });
        }
    }

    /// Grows before so many items come, as CPython does if it knows their number.
    pub fn make_room(&mut self, count: usize) {
        if (self.fill + count) * 5 >= (self.slots.len() - 1) * 3 {
            self.resize((self.used + count) * 2);
        }
    }

    /// A copy, laid out as CPython lays it out: `set.copy()`.
    pub fn copied(&self) -> Self {
        let mut copy = Self::default();
        copy.merge(self);
        copy
    }

    /// `self | other`
    pub fn union(&self, other: &Self) -> Self {
        let mut result = self.copied();
        if !std::ptr::eq(self, other) {
            result.merge(other);
        }
        result
    }

    /// `self & other`: the items of the smaller, or of `other` if they are as large.
    pub fn intersection(&self, other: &Self) -> Self {
        if std::ptr::eq(self, other) {
            return self.copied();
        }
        let (searched, walked) = if other.used > self.used { (other, self) } else { (self, other) };
        walked.iter().filter(|key| searched.contains(key)).cloned().collect()
    }

    /// `self - other`
    pub fn difference(&self, other: &Self) -> Self {
        if self.used >> 2 > other.used {
            let mut result = self.copied();
            result.subtract(other);
            return result;
        }
        self.iter().filter(|key| !other.contains(key)).cloned().collect()
    }

    /// `self ^ other`
    pub fn symmetric_difference(&self, other: &Self) -> Self {
        let mut result = other.copied();
        result.toggle(self);
        result
    }

    /// `self -= other`
    pub fn subtract(&mut self, other: &Self) {
        other.iter().for_each(|key| {
            self.remove(key);
        });
        self.shrink();
    }

    /// Makes the table anew if more than a quarter of it are deleted places, as CPython does after a difference.
    pub fn shrink(&mut self) {
        if self.fill - self.used > (self.slots.len() - 1) / 4 {
            let target = if self.used > 50_000 { self.used * 2 } else { self.used * 4 };
            self.resize(target);
        }
    }

    /// `self ^= other`
    pub fn toggle(&mut self, other: &Self) {
        other.iter().for_each(|key| self.toggle_key(key));
    }

    /// Removes the key, or adds it if it was not there.
    pub fn toggle_key(&mut self, key: &Key) {
        if !self.remove(key) {
            self.insert(key.clone());
        }
    }

    /// `self <= other`
    pub fn is_subset(&self, other: &Self) -> bool {
        self.used <= other.used && self.iter().all(|key| other.contains(key))
    }
}
