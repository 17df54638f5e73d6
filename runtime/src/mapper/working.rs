//! An entity that the mapper works on and that code may see and change meanwhile.

use std::rc::Rc;

use crate::python::exception::PyResult;
use crate::python::value::Value;
use crate::python::vm::Vm;

use super::data::mutable;
use super::entity::Entity;
use super::objects::EntityObject;
use super::shared::{Context, ContextChange, ContextEntry, Shared};
use super::tags::TagNames;
use super::worker::Slots;

/// An entity, or the object that code has of it once code has one: then what the object says counts.
pub(super) enum Working {
    /// No code has seen it.
    Unseen(Rc<Entity>),
    /// Code has it.
    Seen(Value),
}

impl Working {
    /// The entity as it is now.
    ///
    /// # Errors
    /// What reading the changes of code raises; `AttributeError`, as TPV gets, where rank code returned something else.
    pub(super) fn entity(&self, vm: &mut Vm) -> PyResult<Rc<Entity>> {
        match self {
            Self::Seen(object) => EntityObject::of(object)?.entity(vm),
            Self::Unseen(entity) => Ok(entity.clone()),
        }
    }

    /// The object that code sees, always the same one.
    pub(super) fn object(&mut self, names: &Rc<TagNames>) -> Value {
        let object = match self {
            Self::Seen(object) => return object.clone(),
            Self::Unseen(entity) => EntityObject::value(names, entity.clone()),
        };
        *self = Self::Seen(object.clone());
        object
    }

    /// `copy.deepcopy(entity)`: the same entity, which no code has seen.
    ///
    /// # Errors
    /// As [`Working::entity`].
    pub(super) fn copy(&self, vm: &mut Vm) -> PyResult<Self> {
        Ok(Self::Unseen(self.entity(vm)?))
    }

    /// Adds the entity's context to the evaluation context; tells whether to do so again would change nothing.
    ///
    /// # Errors
    /// As [`Working::entity`].
    pub(super) fn enter_context(
        &mut self,
        vm: &mut Vm,
        names: &Rc<TagNames>,
        shared: &Shared,
        entered: &mut Entered,
    ) -> PyResult<bool> {
        let entity = self.entity(vm)?;
        let Some(shape) = shared.shape(&entity) else {
            entered.enter(vm, None);
            for (key, value) in self.context(&entity, vm, names)? {
                let Value::Str(key) = key else { continue };
                let slot = vm.slot(&key);
                vm.set_context(slot, value);
            }
            return Ok(false);
        };
        let context = match shape.context.get() {
            Some(context) => context,
            None => {
                let make = || Ok(Rc::new(entered.context(&entity, vm)));
                let made = shared.contexts.get(&entity.context, &Value::None, make)?;
                shape.context.get_or_init(|| made)
            }
        };
        if entered.holds(vm, context) {
            return Ok(true);
        }
        entered.enter(vm, Some(context));
        for entry in &context.mutable {
            let object = self.object(names);
            let value = EntityObject::of(&object)?.context_part(vm, entry)?;
            vm.set_context(entry.slot, value);
        }
        entered.note(vm, context);
        Ok(context.lasts)
    }

    /// The context of the entity, name by name. A list or dict in it is the one that code finds as `entity.context[name]`,
    /// so that changing the one changes the other.
    ///
    /// # Errors
    /// As [`Working::entity`].
    fn context(&mut self, entity: &Entity, vm: &mut Vm, names: &Rc<TagNames>) -> PyResult<Vec<(Value, Value)>> {
        let Value::Dict(context) = &entity.context else { return Ok(Vec::new()) };
        if !context.table.borrow().values().any(mutable) {
            return Ok(context.items());
        }
        let object = self.object(names);
        match vm.get_attr(&object, "context")? {
            Value::Dict(live) => Ok(live.items()),
            _ => Ok(Vec::new()),
        }
    }
}

/// The context that was entered last: to enter it again changes nothing as long as the evaluation context stays as it is.
///
/// Most jobs enter the same few contexts. So the values that code cannot change stay when a job ends; nothing reads the
/// evaluation context before the next job enters one of its own.
pub(super) struct Entered {
    last: Option<Rc<Context>>,
    version: u64,
    /// The slots that change without a new version: those through which code sees the entity.
    unversioned: [usize; 2],
    /// Whether this job has entered a context.
    begun: bool,
    /// The context that lasts, where it is one.
    lasting: Option<Rc<Context>>,
    /// The names of the first context that was made, from which most others differ in little.
    first: Option<Box<[(usize, Value)]>>,
}

impl Entered {
    pub(super) fn new(slots: &Slots) -> Self {
        let unversioned = [slots.entity, slots.self_];
        Self { last: None, version: 0, unversioned, begun: false, lasting: None, first: None }
    }

    /// Says that what is entered next is the first context of a job.
    pub(super) fn start_job(&mut self) {
        self.begun = false;
    }

    /// The context of an entity by slot.
    fn context(&mut self, entity: &Entity, vm: &mut Vm) -> Context {
        let mut entries = Vec::new();
        if let Value::Dict(context) = &entity.context {
            let table = context.table.borrow();
            entries.extend(table.iter().enumerate().filter_map(|(index, (key, value))| {
                let slot = vm.slot(key.value.as_str()?);
                Some(ContextEntry { slot, index, value: value.clone() })
            }));
        }
        let (mutable, constant): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| mutable(&entry.value));
        let seen = constant.iter().any(|entry| self.unversioned.contains(&entry.slot));
        let changes = self.changes(&constant);
        Context { lasts: mutable.is_empty() && !seen, constant: constant.into(), mutable: mutable.into(), changes }
    }

    /// Where a context differs from the first one.
    fn changes(&mut self, constant: &[ContextEntry]) -> Box<[ContextChange]> {
        let names = || constant.iter().map(|entry| (entry.slot, entry.value.clone())).collect();
        let first = self.first.get_or_insert_with(names);
        let own = constant.iter().filter_map(|ContextEntry { slot, value, .. }| {
            let there = first.iter().find(|(other, _)| other == slot).map(|(_, value)| value);
            let differs = there.is_none_or(|there| !there.is(value));
            differs.then(|| ContextChange { slot: *slot, here: Some(value.clone()), there: there.cloned() })
        });
        let missing = first.iter().filter(|(slot, _)| !constant.iter().any(|entry| entry.slot == *slot));
        let missing =
            missing.map(|(slot, value)| ContextChange { slot: *slot, here: None, there: Some(value.clone()) });
        own.chain(missing).collect()
    }

    fn holds(&self, vm: &Vm, context: &Rc<Context>) -> bool {
        self.begun
            && self.version == vm.context_version()
            && self.last.as_ref().is_some_and(|known| Rc::ptr_eq(known, context))
    }

    /// Sets what code cannot change of a context; the first of a job also ends what lasts of another.
    fn enter(&mut self, vm: &mut Vm, context: Option<&Rc<Context>>) {
        let is_first = !std::mem::replace(&mut self.begun, true);
        if is_first
            && vm.lasting_is_whole()
            && let (Some(context), Some(lasting)) = (context, &mut self.lasting)
        {
            if !Rc::ptr_eq(context, lasting) {
                let differs = |slot| context.changes.iter().any(|change| change.slot == slot);
                let back = lasting.changes.iter().filter(|change| !differs(change.slot));
                let back = back.map(|change| (change.slot, change.there.as_ref()));
                let on = context.changes.iter().map(|change| (change.slot, change.here.as_ref()));
                vm.change_lasting(back.chain(on));
                *lasting = context.clone();
            }
            return;
        }
        let stage = is_first.then(|| vm.begin_stage());
        let constant = context.map_or(&[][..], |context| &context.constant);
        vm.set_lasting(constant.iter().map(|entry| (entry.slot, &entry.value)));
        if let Some(stage) = stage {
            vm.end_lasting(stage);
        }
        self.lasting = if is_first { context.cloned() } else { None };
    }

    fn note(&mut self, vm: &Vm, context: &Rc<Context>) {
        self.last = context.lasts.then(|| context.clone());
        self.version = vm.context_version();
    }
}
