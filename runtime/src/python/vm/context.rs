//! The evaluation context: one dict that grows while a job is mapped, by slot.

use super::Vm;
use crate::python::string::Str;
use crate::python::value::Value;
use crate::word_hash::WordMap;

/// What a machine knows of its context beside the values.
#[derive(Default)]
pub(super) struct Slots {
    by_name: WordMap<String, usize>,
    names: Vec<Str>,
    states: Vec<State>,
    /// The slots that the job has set and that are to be emptied.
    filled: Vec<usize>,
    /// The slots that were set to last; some may have been set otherwise since.
    lasting: Vec<usize>,
    /// Whether one of these was set otherwise.
    is_broken: bool,
    /// Counts what a user of the machine wants to tell apart: see [`Vm::begin_stage`].
    stage: u64,
    /// Counts what is put into the context.
    version: u64,
    /// The bytes that the names take.
    bytes: usize,
}

/// What a slot takes beside the two copies of its name: in the tables of names, states, values and meanings.
const SLOT: usize = 256;

#[derive(Clone, Copy, Default)]
struct State {
    /// The stage in which the slot was last set.
    set_in: u64,
    /// Whether the value stays when the job ends.
    lasts: bool,
    /// Whether the slot is in the list of those that last.
    listed: bool,
}

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
        slots.states.push(State::default());
        self.context.push(None);
        slot
    }

    /// The bytes that the names of the slots take.
    pub(super) fn slot_bytes(&self) -> usize {
        self.slots.bytes
    }

    /// The names of the context's slots.
    pub fn slot_names(&self) -> &[Str] {
        &self.slots.names
    }

    /// Sets a name of the context.
    pub fn set_context(&mut self, slot: usize, value: Value) {
        self.slots.version += 1;
        self.replace_context(slot, value);
    }

    /// A number that changes whenever the context does, but for [`Vm::replace_context`].
    pub(crate) fn context_version(&self) -> u64 {
        self.slots.version
    }

    /// [`Vm::set_context`] without a new version.
    pub(crate) fn replace_context(&mut self, slot: usize, value: Value) {
        let slots = &mut self.slots;
        let (Some(entry), Some(state)) = (self.context.get_mut(slot), slots.states.get_mut(slot)) else { return };
        state.set_in = slots.stage;
        if state.lasts {
            (state.lasts, slots.is_broken) = (false, true);
            slots.filled.push(slot);
        } else if entry.is_none() {
            slots.filled.push(slot);
        }
        *entry = Some(value);
    }

    /// [`Vm::set_context`] of values that [`Vm::reset`] leaves there: what most jobs have need not be set for each. They must be
    /// such that code cannot change. The next job finds them, until their slots are set or [`Vm::end_lasting`] empties them.
    pub(crate) fn set_lasting<'a>(&mut self, values: impl Iterator<Item = (usize, &'a Value)>) {
        self.change_lasting(values.map(|(slot, value)| (slot, Some(value))));
    }

    /// [`Vm::set_lasting`], where some of the slots are to last no more: they are emptied, unless they have what the job set.
    pub(crate) fn change_lasting<'a>(&mut self, values: impl Iterator<Item = (usize, Option<&'a Value>)>) {
        let slots = &mut self.slots;
        slots.version += 1;
        for (slot, value) in values {
            let (Some(entry), Some(state)) = (self.context.get_mut(slot), slots.states.get_mut(slot)) else { continue };
            if value.is_none() && !state.lasts {
                continue;
            }
            state.set_in = slots.stage;
            state.lasts = value.is_some();
            if state.lasts && !state.listed {
                state.listed = true;
                slots.lasting.push(slot);
            }
            let is_there = entry.as_ref().zip(value).is_some_and(|(there, value)| there.is(value));
            if !is_there {
                *entry = value.cloned();
            }
        }
    }

    /// Whether all that was set to last is still there.
    pub(crate) fn lasting_is_whole(&self) -> bool {
        !self.slots.is_broken
    }

    /// Empties the slots that last and were not set since a stage began.
    pub(crate) fn end_lasting(&mut self, stage: u64) {
        let slots = &mut self.slots;
        slots.version += 1;
        slots.is_broken = false;
        slots.lasting.retain(|slot| {
            let Some(state) = slots.states.get_mut(*slot) else { return false };
            if state.lasts && state.set_in < stage {
                state.lasts = false;
                if let Some(entry) = self.context.get_mut(*slot) {
                    *entry = None;
                }
            }
            state.listed = state.lasts;
            state.lasts
        });
    }

    /// Empties the context but for what lasts.
    pub(super) fn empty_context(&mut self) {
        let slots = &mut self.slots;
        slots.version += 1;
        // A config has more names than a job's context.
        while let Some(slot) = slots.filled.pop() {
            if slots.states.get(slot).is_some_and(|state| !state.lasts)
                && let Some(entry) = self.context.get_mut(slot)
            {
                *entry = None;
            }
        }
    }

    /// Begins a stage of the work: [`Vm::was_set_since`] tells what was set in it.
    pub(crate) fn begin_stage(&mut self) -> u64 {
        self.slots.stage += 1;
        self.slots.stage
    }

    /// Whether a slot of the context was set, or counts as set, since a stage began.
    pub(crate) fn was_set_since(&self, slot: usize, stage: u64) -> bool {
        self.slots.states.get(slot).is_some_and(|state| state.set_in >= stage)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::rc::Rc;

    use super::super::NoEnvironment;
    use super::*;

    fn machine() -> (Vm, usize, usize) {
        let mut vm = Vm::new(Rc::new(NoEnvironment));
        let (a, b) = (vm.slot("a"), vm.slot("b"));
        (vm, a, b)
    }

    fn int(vm: &Vm, slot: usize) -> Option<i64> {
        match vm.context.get(slot).unwrap() {
            Some(Value::Int(int)) => Some(*int),
            _ => None,
        }
    }

    #[test]
    fn what_lasts_stays_until_it_is_ended() {
        let (mut vm, a, b) = machine();
        vm.set_lasting([(a, &Value::Int(1))].into_iter());
        vm.set_context(b, Value::Int(2));
        vm.reset();
        assert_eq!((int(&vm, a), int(&vm, b)), (Some(1), None));
        assert!(vm.lasting_is_whole());
        let stage = vm.begin_stage();
        vm.set_lasting([(b, &Value::Int(3))].into_iter());
        vm.end_lasting(stage);
        assert_eq!((int(&vm, a), int(&vm, b)), (None, Some(3)));
    }

    #[test]
    fn what_is_set_otherwise_ends_with_the_job() {
        let (mut vm, a, _) = machine();
        for _ in 0..3 {
            let stage = vm.begin_stage();
            vm.set_lasting([(a, &Value::Int(1))].into_iter());
            vm.end_lasting(stage);
            assert!(vm.lasting_is_whole());
            vm.set_context(a, Value::Int(5));
            assert!(!vm.lasting_is_whole());
            vm.reset();
            assert_eq!(int(&vm, a), None);
        }
        assert_eq!(vm.slots.lasting.len(), 1);
    }

    #[test]
    fn what_lasts_is_changed_slot_by_slot() {
        let (mut vm, a, b) = machine();
        vm.set_lasting([(a, &Value::Int(1))].into_iter());
        vm.change_lasting([(a, None), (b, Some(&Value::Int(2)))].into_iter());
        vm.reset();
        assert_eq!((int(&vm, a), int(&vm, b)), (None, Some(2)));
        // What lasts no more is a slot like any other.
        vm.set_context(a, Value::Int(3));
        assert!(vm.lasting_is_whole());
        vm.change_lasting([(a, None)].into_iter());
        assert_eq!(int(&vm, a), Some(3));
        vm.reset();
        assert_eq!((int(&vm, a), int(&vm, b)), (None, Some(2)));
        vm.change_lasting([(a, Some(&Value::Int(4)))].into_iter());
        let stage = vm.begin_stage();
        vm.end_lasting(stage);
        assert_eq!((int(&vm, a), int(&vm, b)), (None, None));
    }

    #[test]
    fn what_a_job_set_may_last_after_it() {
        let (mut vm, a, _) = machine();
        vm.set_context(a, Value::Int(5));
        vm.set_lasting([(a, &Value::Int(1))].into_iter());
        vm.reset();
        assert_eq!(int(&vm, a), Some(1));
    }
}
