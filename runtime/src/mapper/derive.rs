//! Entities made of two others, each made once where jobs share both.

use std::rc::Rc;

use tpv_python::exception::PyResult;
use tpv_python::value::Value;

use super::cache::{Cache, Derivation};
use super::entity::Entity;
use super::inherit::{combine, inherit};
use super::worker::Worker;

impl Worker {
    /// [`inherit`], made once for entities that jobs share.
    ///
    /// # Errors
    /// As [`inherit`].
    pub(super) fn inherit(&mut self, child: &Rc<Entity>, parent: &Rc<Entity>) -> PyResult<Rc<Entity>> {
        self.derive(Derivation::Inherit, [child, parent], |worker, cache| inherit(&mut worker.vm, cache, child, parent))
    }

    /// [`combine`], made once for entities that jobs share.
    ///
    /// # Errors
    /// As [`combine`].
    pub(super) fn combine(&mut self, high: &Rc<Entity>, low: &Rc<Entity>) -> PyResult<Rc<Entity>> {
        self.derive(Derivation::Combine, [high, low], |worker, cache| {
            combine(&mut worker.vm, cache, &worker.names, high, low)
        })
    }

    /// The entity with a rule that matched: the rule inherits from it, and its id tells of the rule.
    ///
    /// # Errors
    /// As [`inherit`].
    pub(super) fn apply_rule(&mut self, rule: &Rc<Entity>, entity: &Rc<Entity>) -> PyResult<Rc<Entity>> {
        self.derive(Derivation::ApplyRule, [rule, entity], |worker, cache| {
            let vm = &mut worker.vm;
            let mut applied = inherit(vm, cache, rule, entity)?;
            // TPV also sets `cores = rule.cores or new_entity.cores` (and mem, gpus) here; inheriting has chosen already.
            let (id, rule_id) = (vm.str(&applied.id)?, vm.str(&rule.id)?);
            vm.charge_bytes(id.len() + rule_id.len())?;
            applied.id = Value::str([id.as_str(), ", Rule: ", rule_id.as_str()].concat());
            Ok(applied)
        })
    }

    /// The entity that `make` derives from two others, kept where jobs share both.
    ///
    /// # Errors
    /// Exceptions of `make`; they are not cached.
    fn derive(
        &mut self,
        how: Derivation,
        [first, second]: [&Rc<Entity>; 2],
        make: impl FnOnce(&mut Self, Option<&Cache>) -> PyResult<Entity>,
    ) -> PyResult<Rc<Entity>> {
        let (Some(first), Some(second)) = (first.identity.number(), second.identity.number()) else {
            return make(self, None).map(Rc::new);
        };
        if let Some(known) = self.cache.derived(how, [first, second]) {
            return Ok(known);
        }
        let cache = self.cache.clone();
        let steps = self.vm.steps_left();
        self.vm.restore_steps(self.vm.limits.steps);
        let made = make(self, Some(&cache));
        self.vm.restore_steps(steps);
        Ok(cache.keep_derived(how, [first, second], made?))
    }
}
