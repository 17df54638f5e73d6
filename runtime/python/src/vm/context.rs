//! The evaluation context: one dict that grows while a job is mapped, by slot.

use super::Vm;
use crate::string::Str;
use crate::value::Value;
use crate::word_hash::WordMap;

/// The machine's knowledge of its context besides the values.
#[derive(Default)]
pub(super) struct Slots {
    by_name: WordMap<String, usize>,
    names: Vec<Str>,
    /// The slots that the job has set.
    filled: Vec<usize>,
    /// The bytes that the names take.
    bytes: usize,
}

/// The bytes of a slot besides the two copies of its name: in the tables of names, values and meanings.
const SLOT: usize = 224;

/// The values of a context, by slot.
pub struct SavedContext(Vec<(usize, Value)>);

impl Vm {
    /// The context slot of a name, made where it is new.
    pub fn slot(&mut self, name: &str) -> usize {
        let slots = &mut self.slots;
        if let Some(slot) = slots.by_name.get(name) {
            return *slot;
        }
        let slot = slots.names.len();
        slots.bytes += SLOT + 2 * name.len();
        slots.by_name.insert(name.to_owned(), slot);
        slots.names.push(Str::from(name));
        self.context.push(None);
        slot
    }

    /// The names that are set, in the order in which they were set first, with their values.
    pub fn context_entries(&self) -> impl Iterator<Item = (&Str, &Value)> {
        self.slots.filled.iter().filter_map(|slot| {
            let value = self.context.get(*slot).and_then(Option::as_ref)?;
            Some((self.slots.names.get(*slot)?, value))
        })
    }

    /// The value of a name of the context, where it is set.
    pub fn context_value(&self, name: &str) -> Option<&Value> {
        let slot = *self.slots.by_name.get(name)?;
        self.context.get(slot).and_then(Option::as_ref)
    }

    /// The bytes that the names of the slots take.
    pub(super) fn slot_bytes(&self) -> usize {
        self.slots.bytes
    }

    /// Sets a name of the context.
    pub fn set_context(&mut self, slot: usize, value: Value) {
        let Some(entry) = self.context.get_mut(slot) else { return };
        if entry.is_none() {
            self.slots.filled.push(slot);
        }
        *entry = Some(value);
        self.note_change();
    }

    /// A number that is another one once code ran in the interpreter, the context was changed or a job began: as long as it is the same,
    /// what only looks at things finds the same.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Notes that something may have changed that code can look at.
    #[inline]
    pub fn note_change(&mut self) {
        self.changes = self.changes.wrapping_add(1);
    }

    /// The context as it is, for [`Vm::restore_context`].
    pub fn save_context(&self) -> SavedContext {
        let value = |slot: &usize| Some((*slot, self.context.get(*slot)?.clone()?));
        SavedContext(self.slots.filled.iter().filter_map(value).collect())
    }

    /// Makes the context what it was: what was set since is gone.
    pub fn restore_context(&mut self, saved: SavedContext) {
        self.empty_context();
        for (slot, value) in saved.0 {
            self.set_context(slot, value);
        }
    }

    /// Empties the context.
    pub(super) fn empty_context(&mut self) {
        // A config has more names than a job's context.
        while let Some(slot) = self.slots.filled.pop() {
            if let Some(entry) = self.context.get_mut(slot) {
                *entry = None;
            }
        }
    }
}
