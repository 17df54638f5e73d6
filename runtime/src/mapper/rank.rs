//! Rank: the order in which matching destinations are tried. TPV's `match_and_rank_destinations` and `rank_destinations`.

use std::cmp::Reverse;
use std::rc::Rc;

use tpv_bytecode::CodeKind;
use tpv_model::{Field, Quantity};
use tpv_python::exception::{PyResult, type_error};
use tpv_python::value::Value;

use super::code::evaluate;
use super::current_entity::CurrentEntity;
use super::entity::Entity;
use super::explain::{Observer, Step};
use super::matching::{Resources, matches_resources, wanted, with_resources};
use super::objects::EntityObject;
use super::worker::Worker;

impl Worker {
    /// The destinations that can take an entity, best first. What they must take are its resources, evaluated for now.
    ///
    /// # Errors
    /// Exceptions raised by the code of the resources and of `rank`.
    pub(super) fn match_and_rank_destinations(
        &mut self,
        working: &mut CurrentEntity,
        observer: &mut dyn Observer,
    ) -> PyResult<Vec<CurrentEntity>> {
        let matching = if self.version().evaluates_resources_once() {
            self.match_once(working, observer)?
        } else if self.version().evaluates_early() {
            let entity = working.entity(&mut self.vm)?;
            self.match_written(&entity, observer)?
        } else {
            self.match_anew(working, observer)?
        };
        // Code of the resources may have changed the entity, which then ranks the destinations otherwise than it matches them.
        let entity = working.entity(&mut self.vm)?;
        let ranked = self.rank_destinations(&entity, matching)?;
        if observer.watches() {
            let candidates: PyResult<Vec<_>> = ranked.iter().map(|candidate| candidate.entity(&mut self.vm)).collect();
            observer.step(Step::Ranked { candidates: &candidates?, entity: &entity, version: self.version() });
        }
        Ok(ranked)
    }

    /// The destinations that match the entity with its resources evaluated once.
    fn match_once(&mut self, working: &mut CurrentEntity, observer: &mut dyn Observer) -> PyResult<Vec<Rc<Entity>>> {
        let (asked, resources) = self.evaluate_resources(working, observer)?;
        if observer.watches() {
            let evaluated = with_resources(&asked, &resources);
            observer.step(Step::Resources { entity: &asked, evaluated: &evaluated });
        }
        let entity = working.entity(&mut self.vm)?;
        match wanted(&resources) {
            Some(wanted) if !observer.reads() && !self.store.bounds.is_empty() && Rc::ptr_eq(&asked, &entity) => {
                Ok(self.match_numbers(&entity, &resources, &wanted, observer))
            }
            _ => self.match_each(&asked, &resources, observer),
        }
    }

    /// The destinations that match the entity with its resources evaluated anew for each, as before TPV 3.2.
    fn match_anew(&mut self, working: &mut CurrentEntity, observer: &mut dyn Observer) -> PyResult<Vec<Rc<Entity>>> {
        let store = self.store.clone();
        let mut matching = Vec::new();
        for (index, destination) in store.destinations.iter().enumerate() {
            let (asked, resources) = self.evaluate_resources(working, observer)?;
            let matched = matches_resources(&mut self.vm, destination, &resources, &asked.tags)?;
            if observer.watches() {
                let evaluated = with_resources(&asked, &resources);
                if index == 0 {
                    observer.step(Step::Resources { entity: &asked, evaluated: &evaluated });
                }
                observer.step(Step::Destination { destination, entity: &evaluated, matched });
            }
            if matched {
                matching.push(destination.clone());
            }
        }
        Ok(matching)
    }

    /// The destinations that fit the entity's tags and whose bounds, all plain numbers, take what is wanted.
    fn match_numbers(
        &self,
        entity: &Rc<Entity>,
        resources: &Resources,
        wanted: &[f64; Quantity::COUNT],
        observer: &mut dyn Observer,
    ) -> Vec<Rc<Entity>> {
        let evaluated = observer.watches().then(|| with_resources(entity, resources));
        let mut matching = Vec::new();
        for (destination, bounds) in self.store.destinations.iter().zip(&self.store.bounds) {
            let matched = matches!(destination.is_abstract, Value::Bool(false))
                && bounds.take(wanted)
                && destination.fits(&entity.tags);
            if let Some(entity) = &evaluated {
                observer.step(Step::Destination { destination, entity, matched });
            }
            if matched {
                matching.push(destination.clone());
            }
        }
        matching
    }

    /// The destinations that match, whatever the values are.
    fn match_each(
        &mut self,
        asked: &Entity,
        resources: &Resources,
        observer: &mut dyn Observer,
    ) -> PyResult<Vec<Rc<Entity>>> {
        let store = self.store.clone();
        let evaluated = observer.watches().then(|| with_resources(asked, resources));
        let mut matching = Vec::new();
        for destination in &store.destinations {
            let matched = matches_resources(&mut self.vm, destination, resources, &asked.tags)?;
            if let Some(entity) = &evaluated {
                observer.step(Step::Destination { destination, entity, matched });
            }
            if matched {
                matching.push(destination.clone());
            }
        }
        Ok(matching)
    }

    /// The line that TPV logs before it ranks: until TPV 3.0 it shows the first characters of each condition, and fails if one is
    /// no text, such as that of `if: true`.
    ///
    /// # Errors
    /// `TypeError` if there is such a rule.
    fn show_ranked(&mut self, entity: &Entity, matching: &[Rc<Entity>]) -> PyResult<()> {
        for shown in matching.iter().map(|destination| &**destination).chain([entity]) {
            for (_, rule) in shown.rules.all()? {
                let condition = rule.single(Field::If);
                if rule.is_rule() && condition.as_str().is_none() && self.vm.truthy(condition)? {
                    let class = condition.type_name();
                    return Err(type_error(format!("'{}' object is not subscriptable", class.as_str())));
                }
            }
        }
        Ok(())
    }

    /// The destinations, given in the order of the config, by their scores, or in the order that the entity's own `rank` code
    /// gives. What the code returns is iterated as TPV does, whatever it is.
    fn rank_destinations(&mut self, entity: &Entity, mut matching: Vec<Rc<Entity>>) -> PyResult<Vec<CurrentEntity>> {
        if !self.version().has_models() {
            self.show_ranked(entity, &matching)?;
        }
        let rank = entity.single(Field::Rank);
        if !self.vm.truthy(rank)? {
            let version = self.version();
            // Python's `sorted` is stable, and so is this.
            matching.sort_by_cached_key(|destination| Reverse(destination.dest_tags().score(&entity.tags, version)));
            return Ok(matching.into_iter().map(CurrentEntity::Unseen).collect());
        }
        let objects = matching.into_iter().map(|destination| EntityObject::value(&self.names, destination));
        self.vm.set_context(self.slots.candidate_destinations, Value::list(objects.collect()));
        let ranked = evaluate(&mut self.vm, self.interpreters.as_deref(), rank, CodeKind::Block)?;
        let ranked = if self.vm.truthy(&ranked)? { self.vm.collect(&ranked)? } else { Vec::new() };
        Ok(ranked.into_iter().map(CurrentEntity::Seen).collect())
    }
}
