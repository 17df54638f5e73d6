//! Inherit and combine as jobs need them: made once for entities that jobs share.

use std::rc::Rc;

use crate::python::exception::PyResult;
use crate::python::value::Value;

use super::entity::Entity;
use super::inherit::{combine_by, inherit_by};
use super::merges::Merges;
use super::shared::Derivation;
use super::worker::Worker;

impl Worker {
    /// `child.inherit(parent)`
    pub(super) fn inherit(&mut self, child: &Rc<Entity>, parent: &Rc<Entity>) -> PyResult<Rc<Entity>> {
        self.derive(Derivation::Inherit, child, parent, |worker, merges| {
            inherit_by(&mut worker.vm, merges, child, parent)
        })
    }

    /// `high.combine(low)`
    pub(super) fn combine(&mut self, high: &Rc<Entity>, low: &Rc<Entity>) -> PyResult<Rc<Entity>> {
        let mut combine = || {
            self.derive(Derivation::Combine, high, low, |worker, merges| {
                combine_by(&mut worker.vm, merges, &worker.names, high, low)
            })
        };
        match high.kept.number() {
            Some(number) if low.kept.is_shared() => low.kept.derived(number, combine),
            _ => combine(),
        }
    }

    /// The entity with a rule that matched: it inherits from the entity, whose id tells of it.
    pub(super) fn apply_rule(&mut self, rule: &Rc<Entity>, entity: &Rc<Entity>) -> PyResult<Rc<Entity>> {
        self.derive(Derivation::Rule, rule, entity, |worker, merges| {
            let vm = &mut worker.vm;
            let mut derived = inherit_by(vm, merges, rule, entity)?;
            // TPV also sets `cores = rule.cores or new_entity.cores` (and mem, gpus) here; inheriting has chosen already.
            let (id, rule_id) = (vm.str(&derived.id)?, vm.str(&rule.id)?);
            derived.id = Value::str(format!("{}, Rule: {}", id.as_str(), rule_id.as_str()));
            Ok(derived)
        })
    }

    /// An entity with rules that match it applied, one after the other.
    pub(super) fn apply_each_rule(&mut self, entity: &Rc<Entity>, rules: &[Rc<Entity>]) -> PyResult<Rc<Entity>> {
        rules.iter().try_fold(entity.clone(), |entity, rule| self.apply_rule(rule, &entity))
    }

    /// An entity that jobs share with rules that match it applied, and without its own: what was left of it once `rules` were
    /// found, which have this number.
    pub(super) fn apply_rules(
        &mut self,
        entity: &Rc<Entity>,
        rules: &[Rc<Entity>],
        number: u32,
    ) -> PyResult<Rc<Entity>> {
        entity.kept.derived(number, || {
            let applied = self.apply_each_rule(entity, rules)?;
            let shared = &self.store.shared;
            // A rule that was merged with another of its id has no number, and what it made has none. Yet all of it comes from
            // what jobs share.
            Ok(shared.without_rules(&applied).unwrap_or_else(|| shared.share_without_rules(&applied)))
        })
    }

    fn derive(
        &mut self,
        how: Derivation,
        first: &Rc<Entity>,
        second: &Rc<Entity>,
        make: impl FnOnce(&mut Self, Option<&Merges>) -> PyResult<Entity>,
    ) -> PyResult<Rc<Entity>> {
        let (Some(first), Some(second)) = (first.kept.number(), second.kept.number()) else {
            return make(self, None).map(Rc::new);
        };
        let shared = self.store.shared.clone();
        if let Some(known) = shared.get(how, first, second) {
            return Ok(known);
        }
        // Whether it is made now or was made for another job must make no difference to the job's budget.
        let steps = self.vm.steps_left();
        self.vm.restore_steps(self.vm.limits.steps);
        let made = make(self, Some(&shared.merges));
        self.vm.restore_steps(steps);
        let made = shared.share(made?);
        shared.keep(how, first, second, &made);
        Ok(made)
    }
}
