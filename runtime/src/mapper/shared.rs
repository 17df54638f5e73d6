//! What jobs share: entities that are derived from shared entities alone, made once.
//!
//! Inheriting and combining are pure functions of entities that never change. So their results are kept for the pairs of
//! entities that jobs bring together again and again, and what can be told of an entity alone is kept with it. An entity
//! that code changed belongs to its job; nothing of it is kept.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use crate::python::exception::PyResult;
use crate::python::value::Value;
use crate::word_hash::WordMap;

use super::entity::Entity;
use super::memory::{ALLOCATION, Held, entry};
use super::merges::{Merges, Pairs};
use super::output::Prepared;
use super::shape::{Shape, push_entity};
use super::words::Words;

/// How many of the entities that came from an entity are kept with it.
const MAX_DERIVED: usize = 8;

/// What is kept with an entity. A copy of the entity is another entity: it starts with nothing.
#[derive(Default)]
pub struct Kept {
    /// The number of an entity that jobs share; 0 for one that belongs to a job.
    identity: Cell<u32>,
    /// What it has in common with entities of other ids, where it has a shape.
    shape: OnceCell<Option<Rc<Shape>>>,
    /// The entity without its rules.
    pub(super) without_rules: OnceCell<Rc<Entity>>,
    /// The last entities that came from this one, by the number of what was combined with it or applied to it.
    derived: RefCell<Vec<(u32, Rc<Entity>)>>,
}

/// The context of an entity, by slot.
#[derive(Default)]
pub(super) struct Context {
    /// The names that code cannot change the values of.
    pub constant: Box<[ContextEntry]>,
    /// Those of which each job needs a copy.
    pub mutable: Box<[ContextEntry]>,
    /// Whether entering it again changes nothing as long as the evaluation context stays as it is.
    pub lasts: bool,
    /// Where `constant` differs from that of the first context of the thread.
    pub changes: Box<[ContextChange]>,
}

/// A name that two contexts do not have alike.
pub(super) struct ContextChange {
    /// The slot of the name.
    pub slot: usize,
    /// Its value here, where it has one.
    pub here: Option<Value>,
    /// Its value there.
    pub there: Option<Value>,
}

/// A name of an entity's context.
pub(super) struct ContextEntry {
    /// The slot of the name.
    pub slot: usize,
    /// The index in the entity's dict.
    pub index: usize,
    /// Its value.
    pub value: Value,
}

impl Clone for Kept {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Kept {
    /// The number of an entity that jobs share.
    pub(super) fn number(&self) -> Option<u32> {
        Some(self.identity.get()).filter(|number| *number != 0)
    }

    /// The entity that this one and what has the number make, or as `make` makes it. Jobs bring few things together with one
    /// entity: they are found beside it.
    ///
    /// # Errors
    /// What `make` raises.
    pub(super) fn derived(&self, number: u32, make: impl FnOnce() -> PyResult<Rc<Entity>>) -> PyResult<Rc<Entity>> {
        if let Some((_, known)) = self.derived.borrow().iter().find(|(known, _)| *known == number) {
            return Ok(known.clone());
        }
        let made = make()?;
        let mut derived = self.derived.borrow_mut();
        if derived.len() >= MAX_DERIVED {
            derived.remove(0);
        }
        derived.push((number, made.clone()));
        Ok(made)
    }

    /// Whether jobs share the entity.
    pub(super) fn is_shared(&self) -> bool {
        self.identity.get() != 0
    }
}

/// How an entity came from two others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Derivation {
    /// The first inherits from the second.
    Inherit,
    /// The first is combined over the second.
    Combine,
    /// The first is a rule that matched, the second the entity that it applies to.
    Rule,
}

/// One thread's derived entities.
#[derive(Default)]
pub(super) struct Shared {
    next: Cell<u32>,
    derived: RefCell<WordMap<(Derivation, u32, u32), Rc<Entity>>>,
    shapes: RefCell<WordMap<Box<[u64]>, Rc<Shape>>>,
    /// The values that derived entities have merged.
    pub(super) merges: Merges,
    /// Contexts by slot, for entities with the same.
    pub(super) contexts: Pairs<Rc<Context>>,
    /// Prepared properties, for entities with the same.
    pub(super) prepared: Pairs<Rc<Prepared>>,
    /// The bytes of derived entities and shapes.
    bytes: Cell<usize>,
}

impl Shared {
    /// The bytes of what is kept.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.get() + self.merges.bytes() + self.contexts.bytes() + self.prepared.bytes()
    }

    /// Says that something of so many bytes is kept.
    pub(super) fn hold(&self, bytes: usize) {
        self.bytes.set(self.bytes.get() + bytes);
    }

    /// A new number. Numbers are never used twice: where they end, nothing more is shared.
    pub(super) fn number(&self) -> Option<u32> {
        let next = self.next.get().checked_add(1)?;
        self.next.set(next);
        Some(next)
    }

    /// Makes an entity one that jobs share.
    pub(super) fn share(&self, entity: Entity) -> Rc<Entity> {
        if let Some(number) = self.number() {
            entity.kept.identity.set(number);
        }
        Rc::new(entity)
    }

    /// An entity that jobs share without its rules.
    pub(super) fn without_rules(&self, entity: &Rc<Entity>) -> Option<Rc<Entity>> {
        if entity.rules.is_empty() {
            return Some(entity.clone());
        }
        let make = || self.share_without_rules(entity);
        entity.kept.is_shared().then(|| entity.kept.without_rules.get_or_init(make).clone())
    }

    /// Makes what an entity is without its rules one that jobs share.
    pub(super) fn share_without_rules(&self, entity: &Entity) -> Rc<Entity> {
        let mut without = Entity::clone(entity);
        without.rules = Rc::default();
        self.hold(without.held());
        self.share(without)
    }

    /// The shape of an entity that jobs share.
    pub(super) fn shape<'a>(&self, entity: &'a Rc<Entity>) -> Option<&'a Rc<Shape>> {
        if !entity.kept.is_shared() {
            return None;
        }
        entity.kept.shape.get_or_init(|| self.make_shape(entity)).as_ref()
    }

    fn make_shape(&self, entity: &Rc<Entity>) -> Option<Rc<Shape>> {
        let mut words = Words::default();
        let pointed_to = push_entity(&mut words, entity)?;
        let words = words.words()?;
        let mut shapes = self.shapes.borrow_mut();
        if let Some(known) = shapes.get(words) {
            return Some(known.clone());
        }
        let bytes = size_of::<Shape>() + pointed_to.bytes() + size_of_val(words);
        self.hold(4 * ALLOCATION + entry::<Box<[u64]>, Rc<Shape>>() + bytes);
        let shape = Rc::new(Shape::new(self.number()?, pointed_to));
        shapes.insert(words.into(), shape.clone());
        Some(shape)
    }

    /// The entity derived from two that jobs share, by their numbers, where it is kept.
    pub(super) fn get(&self, how: Derivation, first: u32, second: u32) -> Option<Rc<Entity>> {
        self.derived.borrow().get(&(how, first, second)).cloned()
    }

    /// Keeps an entity derived from two that jobs share.
    pub(super) fn keep(&self, how: Derivation, first: u32, second: u32, derived: &Rc<Entity>) {
        self.hold(entry::<(Derivation, u32, u32), Rc<Entity>>() + 2 * ALLOCATION + derived.held());
        self.derived.borrow_mut().insert((how, first, second), derived.clone());
    }
}
