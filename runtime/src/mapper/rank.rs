//! Rank: the order in which matching destinations are tried. TPV's `rank_destinations`.

use std::rc::Rc;

use crate::python::exception::PyResult;
use crate::python::value::Value;

use super::entity::Entity;
use super::explain::{Observer, Step};
use super::matching::{Fits, Resources, matches_resources, wanted, with_resources};
use super::objects::EntityObject;
use super::worker::Worker;

/// The destinations that can take a job, best first.
pub(super) enum Ranked {
    /// Destinations of the config, by index.
    Known(Vec<u32>),
    /// What the entity's own rank code returned.
    Custom(Vec<Value>),
}

impl Worker {
    /// Matches the resources and the tags that the entity had before they were evaluated with every destination, and
    /// ranks those that can take them by the entity as it is now.
    pub(super) fn rank(
        &mut self,
        matched: &Rc<Entity>,
        resources: &Resources,
        entity: &Rc<Entity>,
        observer: &mut dyn Observer,
    ) -> PyResult<Ranked> {
        let custom = self.vm.truthy(&entity.rank)?;
        let mut known = std::mem::take(&mut self.candidates);
        known.clear();
        match wanted(resources) {
            Some(wanted) if !observer.watches() && !self.store.bounds.is_empty() && Rc::ptr_eq(matched, entity) => {
                let fits = || Rc::new(Fits::new(&self.store.destinations, &entity.tags));
                let shape = self.store.shared.shape(entity);
                let fits = shape.map_or_else(fits, |shape| {
                    let make = || {
                        let fits = fits();
                        self.store.shared.hold(fits.bytes());
                        fits
                    };
                    shape.fits.get_or_init(make).clone()
                });
                let order = if custom { &fits.in_order } else { &fits.ranked };
                let takes = |index: &&u32| self.store.bounds.get(**index as usize).is_some_and(|b| b.take(&wanted));
                known.extend(order.iter().filter(takes));
            }
            _ => {
                let store = self.store.clone();
                let evaluated = observer.watches().then(|| with_resources(matched, resources));
                for (destination, index) in store.destinations.iter().zip(0..) {
                    let fits = matches_resources(&mut self.vm, destination, resources, &matched.tags)?;
                    if let Some(entity) = &evaluated {
                        observer.step(Step::Destination { destination, entity, matched: fits });
                    }
                    if fits {
                        known.push(index);
                    }
                }
                if !custom {
                    // Python's sort is stable, and so is this.
                    let score = |index: &u32| {
                        let destination = store.destinations.get(*index as usize);
                        std::cmp::Reverse(destination.map_or(0, |d| d.dest_tags().score(&entity.tags)))
                    };
                    known.sort_by_cached_key(score);
                }
            }
        }
        let ranked = if custom { self.rank_by_code(entity, known)? } else { Ranked::Known(known) };
        if observer.watches() {
            let candidates = self.ranked_entities(&ranked)?;
            observer.step(Step::Ranked { candidates: &candidates, entity });
        }
        Ok(ranked)
    }

    fn ranked_entities(&mut self, ranked: &Ranked) -> PyResult<Vec<Rc<Entity>>> {
        match ranked {
            Ranked::Known(known) => {
                let destinations = &self.store.destinations;
                Ok(known.iter().filter_map(|index| destinations.get(*index as usize).cloned()).collect())
            }
            Ranked::Custom(values) => {
                values.iter().map(|value| EntityObject::of(value)?.entity(&mut self.vm)).collect()
            }
        }
    }

    /// The order that the entity's own `rank` code gives.
    fn rank_by_code(&mut self, entity: &Rc<Entity>, candidates: Vec<u32>) -> PyResult<Ranked> {
        let destinations = &self.store.destinations;
        let objects = candidates.iter().filter_map(|index| destinations.get(*index as usize));
        let objects: Vec<Value> =
            objects.map(|destination| EntityObject::value(&self.names, destination.clone())).collect();
        self.candidates = candidates;
        self.vm.set_context(self.slots.candidate_destinations, Value::list(objects.clone()));
        self.rank_kept(&entity.rank, &objects).map(Ranked::Custom)
    }
}
