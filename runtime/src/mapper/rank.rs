//! Rank: the order in which matching destinations are tried. TPV's `rank_destinations`.

use std::rc::Rc;

use crate::python::code::CodeKind;
use crate::python::exception::PyResult;
use crate::python::value::Value;

use super::code::evaluate;
use super::entity::Entity;
use super::objects::EntityObject;
use super::worker::Worker;

impl Worker {
    /// The candidates in order: by the entity's own `rank` code, or by score, highest first, equal ones in the config's
    /// order. What custom code returns is iterated as TPV does, whatever it is.
    pub(super) fn rank(&mut self, entity: &Rc<Entity>, candidates: Vec<Rc<Entity>>) -> PyResult<Vec<Value>> {
        if !self.vm.truthy(&entity.rank)? {
            let mut scored: Vec<(i64, Rc<Entity>)> =
                candidates.into_iter().map(|d| (d.dest_tags().score(&entity.tags), d)).collect();
            scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
            return Ok(scored.into_iter().map(|(_, d)| EntityObject::value(&self.names, d)).collect());
        }
        let candidates = candidates.into_iter().map(|d| EntityObject::value(&self.names, d)).collect();
        self.vm.set_context(self.slots.candidate_destinations, Value::list(candidates));
        let ranked = evaluate(&mut self.vm, &entity.rank, CodeKind::Block)?;
        if self.vm.truthy(&ranked)? { self.vm.collect(&ranked) } else { Ok(Vec::new()) }
    }
}
