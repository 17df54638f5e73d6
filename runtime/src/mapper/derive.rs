//! Entities made of two others, each made once where jobs share both.

use std::rc::Rc;

use tpv_python::exception::PyResult;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

use super::cache::{Cache, Derivation, unpaid};
use super::entity::Entity;
use super::inherit::{combine, inherit};
use super::worker::Worker;

impl Worker {
    /// [`inherit`], made once for entities that jobs share.
    ///
    /// # Errors
    /// As [`inherit`].
    pub(super) fn inherit(&mut self, child: &Rc<Entity>, parent: &Rc<Entity>) -> PyResult<Rc<Entity>> {
        self.derive(Derivation::Inherit, [child, parent], |vm, cache| inherit(vm, Some(cache), child, parent))
    }

    /// [`combine`], made once for entities that jobs share.
    ///
    /// # Errors
    /// As [`combine`].
    pub(super) fn combine(&mut self, high: &Rc<Entity>, low: &Rc<Entity>) -> PyResult<Rc<Entity>> {
        let names = self.names.clone();
        self.derive(Derivation::Combine, [high, low], |vm, cache| combine(vm, Some(cache), &names, high, low))
    }

    /// The entity with a rule that matched: the rule inherits from it, and its id tells of the rule.
    ///
    /// # Errors
    /// As [`inherit`].
    pub(super) fn apply_rule(&mut self, rule: &Rc<Entity>, entity: &Rc<Entity>) -> PyResult<Rc<Entity>> {
        self.derive(Derivation::ApplyRule, [rule, entity], |vm, cache| {
            let mut applied = inherit(vm, Some(cache), rule, entity)?;
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
        make: impl FnOnce(&mut Vm, &Cache) -> PyResult<Entity>,
    ) -> PyResult<Rc<Entity>> {
        let (Some(first), Some(second)) = (first.identity.number(), second.identity.number()) else {
            return make(&mut self.vm, &self.cache).map(Rc::new);
        };
        if let Some(known) = self.cache.derived(how, [first, second]) {
            return Ok(known);
        }
        let made = unpaid(&mut self.vm, |vm| make(vm, &self.cache))?;
        Ok(self.cache.keep_derived(how, [first, second], made))
    }
}
