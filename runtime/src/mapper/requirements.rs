//! What destinations are matched with: an entity with the rules that match it and its evaluated resources.
//!
//! All of it mostly follows from the entity's shape and a few things that its code reads. Then it is found in one walk
//! ([`super::memo`]), and neither rules nor resources are evaluated.

use std::rc::Rc;

use crate::artifact::tables::Resource;
use crate::python::exception::PyResult;

use super::entity::Entity;
use super::explain::{Observer, Unobserved};
use super::matching::Resources;
use super::objects::EntityObject;
use super::tree::Found;
use super::worker::Worker;
use super::working::Working;

/// An entity for which a destination is wanted.
pub(super) struct Wanted {
    /// The entity with the rules applied that match it, as code sees it.
    pub entity: Working,
    /// What it was before its resources were evaluated.
    pub matched: Rc<Entity>,
    /// The rules.
    pub rules: Rc<[Rc<Entity>]>,
    /// Its evaluated resources.
    pub resources: Resources,
}

/// What is kept of a [`Wanted`] for all entities of a shape.
pub(super) struct Requirements {
    /// A number of its own, never used again.
    number: u32,
    rules: Rc<[Rc<Entity>]>,
    resources: Resources,
}

impl Requirements {
    pub(super) fn new(number: u32, wanted: &Wanted) -> Self {
        Self { number, rules: wanted.rules.clone(), resources: wanted.resources.clone() }
    }
}

impl Worker {
    /// Evaluates rules and resources of the combined entity, which is what code sees as `entity` and `self`; `lasts` tells
    /// whether its context was entered, and nothing can have changed it.
    pub(super) fn evaluate_entity(
        &mut self,
        working: Working,
        combined: &Rc<Entity>,
        lasts: bool,
        observer: &mut dyn Observer,
    ) -> PyResult<Wanted> {
        if observer.watches() {
            return self.evaluate_wanted(&working, observer);
        }
        match if lasts { self.find_requirements(combined) } else { Found::Run } {
            Found::Given(known) => self.meet(working, combined, &known),
            Found::New => self.keep_requirements(combined, |worker| worker.evaluate_wanted(&working, &mut Unobserved)),
            Found::Run => {
                self.memo.lose_trail();
                self.evaluate_wanted(&working, observer)
            }
        }
    }

    fn evaluate_wanted(&mut self, combined: &Working, observer: &mut dyn Observer) -> PyResult<Wanted> {
        let (mut entity, rules) = self.evaluate_rules(combined, observer)?;
        let object = self.show_entity(&mut entity);
        // They have been evaluated, and must not be again when a destination is combined.
        EntityObject::of(&object)?.clear_rules(&self.store.shared);
        let (matched, resources) = self.evaluate_resources(&mut entity, observer)?;
        Ok(Wanted { entity, matched, rules, resources })
    }

    /// Does for an entity what evaluating it would do that gives these requirements. Code that keeps nothing has seen the
    /// object at most.
    fn meet(&mut self, seen: Working, combined: &Rc<Entity>, known: &Requirements) -> PyResult<Wanted> {
        let matched = self.apply_rules(combined, &known.rules, known.number)?;
        let mut entity = match seen {
            Working::Seen(object) if EntityObject::of(&object)?.stand_for(&matched) => Working::Seen(object),
            _ => Working::Unseen(matched.clone()),
        };
        // Be it the same object: what is read of it from now on is read of another entity.
        self.show_entity(&mut entity);
        // Its steps are paid for with all the others.
        let steps = self.vm.steps_left();
        self.enter_context(&mut entity)?;
        self.vm.restore_steps(steps);
        for (resource, value) in Resource::ALL.iter().zip(&known.resources) {
            if !matched.resource(*resource).is_none() {
                self.vm.set_context(self.slots.resource(*resource), value.clone());
            }
        }
        Ok(Wanted { entity, matched, rules: known.rules.clone(), resources: known.resources.clone() })
    }
}
