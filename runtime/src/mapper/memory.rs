//! What a thread keeps of earlier jobs, in bytes, and when it lets go of it.
//!
//! All of it belongs to the thread's [`Worker`]. Once it takes more than [`super::Hooks::kept_bytes`], the worker is replaced by a
//! new one between two jobs. So no bound of one table depends on another that holds the same things, and no number or
//! address of something dropped can be found again.
//!
//! Sizes are estimates: what several tables hold is counted for each, what belongs to the artifact is not counted.

use std::rc::Rc;

use crate::python::value::Value;

use super::entity::Entity;
use super::output::Prepared;
use super::shared::{Context, ContextChange, ContextEntry};
use super::worker::Worker;

/// What a thread keeps where nothing else is said: far more than what a server's jobs bring up again and again.
pub(super) const MAX_KEPT: usize = 104 << 20;

/// The bytes of text for which room is kept.
const MAX_TEXT: usize = 1 << 20;

/// What an allocation takes beside its contents: counts of references and what the allocator rounds up.
pub(super) const ALLOCATION: usize = 32;

/// Bytes that an entry of a hash table takes: such tables are between half and wholly full.
pub(super) const fn entry<K, V>() -> usize {
    2 * (size_of::<(K, V)>() + 1)
}

/// The bytes that something takes which is kept for later jobs.
pub(super) trait Held {
    /// The bytes that belong to it alone.
    fn held(&self) -> usize;
}

/// A list or dict that was made of others shares their items.
impl Held for Value {
    fn held(&self) -> usize {
        match self {
            Self::Str(text) => ALLOCATION + size_of::<String>() + text.len(),
            Self::List(list) => 2 * ALLOCATION + size_of::<Self>() * list.items.borrow().len(),
            // An entry has its key, its hash and value, and its place in the index.
            Self::Dict(dict) => 3 * ALLOCATION + entry::<[Self; 2], [usize; 2]>() * dict.len(),
            _ => 0,
        }
    }
}

impl Held for Rc<Context> {
    fn held(&self) -> usize {
        let entries = self.constant.len() + self.mutable.len();
        ALLOCATION
            + size_of::<Context>()
            + size_of::<ContextEntry>() * entries
            + size_of::<ContextChange>() * self.changes.len()
    }
}

impl Held for Rc<Prepared> {
    fn held(&self) -> usize {
        ALLOCATION + size_of::<Prepared>() + self.bytes()
    }
}

/// A derived entity shares its values with those that it came from, but for its id, its tags and the list of its rules.
impl Held for Entity {
    fn held(&self) -> usize {
        let rules: usize = self.rules.iter().map(|(_, rule)| if rule.kept.is_shared() { 0 } else { own(rule) }).sum();
        own(self) + size_of::<(usize, usize)>() * self.rules.len() + rules
    }
}

fn own(entity: &Entity) -> usize {
    4 * ALLOCATION + size_of::<Entity>() + entity.id.held() + entity.tags.bytes()
}

impl Worker {
    /// The bytes that are kept, with what belongs to the artifact as far as it is counted.
    pub(super) fn kept_bytes(&self) -> usize {
        self.memo.bytes() + self.lookups.bytes() + self.store.shared.bytes() + self.names.bytes() + self.vm.kept_bytes()
    }

    /// Ends a job: what it needed much of is not held until the next that does.
    pub(super) fn end_job(&mut self) {
        if self.text.capacity() > MAX_TEXT {
            self.text = String::new();
        }
    }

    /// Whether more is kept than may be.
    pub(super) fn is_full(&self) -> bool {
        self.kept_bytes() > self.most_bytes
    }
}
