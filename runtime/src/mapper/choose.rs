//! Choose: the whole way of one job, TPV's `map_to_destination`.

use std::rc::Rc;
use std::sync::Arc;

use crate::artifact::tables::Resource;
use crate::galaxy::answer::{Answer, Destination, Mapped, Outcome};
use crate::galaxy::errors::{JOB_NOT_READY_EXCEPTION, job_mapping_exception};
use crate::galaxy::job::Job;
use crate::galaxy::json::Json;
use crate::galaxy::objects::JobObjects;
use crate::python::dict::{Dict, Key, StrKey};
use crate::python::exception::{PyResult, Raised, raise_with};
use crate::python::modules::random::MersenneTwister;
use crate::python::value::Value;

use super::entity::Entity;
use super::evaluate::Evaluated;
use super::explain::{Observer, Step};
use super::inherit::combine;
use super::lookup::id_of;
use super::matching::matches;
use super::objects::{EntityObject, MapperObject, TRY_NEXT_DESTINATION_OR_FAIL, TRY_NEXT_DESTINATION_OR_WAIT};
use super::places::ConfigPlace;
use super::worker::Worker;
use super::working::Working;

impl Worker {
    /// Maps one job.
    pub(super) fn map(&mut self, job: &Arc<Job>, detail: bool, observer: &mut dyn Observer) -> Answer {
        self.vm.reset();
        self.vm.random = MersenneTwister::default();
        if let Some(seed) = &job.seed {
            self.vm.random.set_big_seed(seed);
        }
        match self.map_to_destination(job, detail, observer) {
            Ok(answer) => answer,
            Err(raised) => {
                if observer.watches() {
                    let place = ConfigPlace::of_raised(&self.rules, &raised);
                    observer.step(Step::Raised { raised: &raised, place: place.as_ref() });
                }
                self.error(job, &raised)
            }
        }
    }

    fn map_to_destination(&mut self, job: &Arc<Job>, detail: bool, observer: &mut dyn Observer) -> PyResult<Answer> {
        self.start_context(job)?;
        observer.step(Step::Start { names: &self.names });
        let mut working = self.match_combine_evaluate(job, observer)?;
        let candidates = self.match_and_rank(&mut working, observer)?;
        let mut ids = Vec::new();
        if detail {
            for candidate in &candidates {
                ids.push(id_of(&*EntityObject::of(candidate)?.entity(&mut self.vm)?).to_string());
            }
        }
        let mut wait = false;
        for candidate in &candidates {
            let candidate = EntityObject::of(candidate)?.entity(&mut self.vm)?;
            match self.evaluate_candidate(&candidate, &working, observer) {
                Ok(evaluated) => {
                    observer.step(Step::Chosen { candidate: id_of(&candidate).as_str() });
                    return self.answer(job, &evaluated, detail.then_some(ids));
                }
                Err(raised) if raised.is(&TRY_NEXT_DESTINATION_OR_FAIL) => {
                    self.passed(&candidate, &raised, observer);
                }
                Err(raised) if raised.is(&TRY_NEXT_DESTINATION_OR_WAIT) => {
                    self.passed(&candidate, &raised, observer);
                    wait = true;
                }
                Err(raised) => return Err(raised),
            }
        }
        if wait {
            return Err(raise_with(&JOB_NOT_READY_EXCEPTION, Vec::new()));
        }
        let entity = working.entity(&mut self.vm)?;
        let id = self.vm.str(&entity.id)?;
        let message = format!("No destinations are available to fulfill request: {}", id.as_str());
        Err(job_mapping_exception(Value::str(message)))
    }

    fn passed(&self, candidate: &Entity, raised: &Raised, observer: &mut dyn Observer) {
        let place = if observer.watches() { ConfigPlace::of_raised(&self.rules, raised) } else { None };
        observer.step(Step::Passed { candidate: id_of(candidate).as_str(), raised, place: place.as_ref() });
    }

    /// The evaluation context at the start: the global context, then the arguments of the call.
    fn start_context(&mut self, job: &Arc<Job>) -> PyResult<()> {
        for (slot, value) in self.global_context.clone() {
            // DIFFERENCE: in TPV a list of the global context that code changes stays changed for later jobs.
            let value = super::data::deep_copy(&mut self.vm, &value)?;
            self.vm.set_context(slot, value);
        }
        let objects = JobObjects::new(job);
        let slots = &self.slots;
        let mapper = MapperObject::value(&self.names, &self.store);
        for (slot, value) in [
            (slots.app, self.environment.app(job.stand_in)),
            (slots.tool, objects.tool),
            (slots.user, objects.user),
            (slots.job, objects.job),
            (slots.job_wrapper, objects.job_wrapper),
            (slots.resource_params, objects.resource_params),
            (slots.workflow_invocation_uuid, objects.workflow_invocation_uuid),
            (slots.mapper, mapper),
        ] {
            self.vm.set_context(slot, value);
        }
        self.environment.start_job();
        Ok(())
    }

    /// Lookup, combine, and the rules: TPV's `match_combine_evaluate_entities`.
    fn match_combine_evaluate(&mut self, job: &Job, observer: &mut dyn Observer) -> PyResult<Working> {
        let found = self.find_matching_entities(job, observer)?;
        observer.step(Step::Matched { entities: &found });
        let mut found = found.into_iter();
        let mut combined = found
            .next()
            .unwrap_or_else(|| Rc::new(Entity::new(crate::artifact::tables::EntityClass::Tool, &*job.tool.id)));
        for higher in found {
            combined = Rc::new(combine(&mut self.vm, &self.names, &higher, &combined)?);
        }
        observer.step(Step::Combined { entity: &combined });
        let mut combined = Working::new(combined);
        self.show_entity(&mut combined);
        let mut evaluated = self.evaluate_rules(&combined, observer)?;
        let object = self.show_entity(&mut evaluated);
        // They have been evaluated, and must not be again when a destination is combined.
        EntityObject::of(&object)?.clear_rules();
        Ok(evaluated)
    }

    /// Makes an entity what code sees as `entity` and `self`.
    fn show_entity(&mut self, entity: &mut Working) -> Value {
        let value = entity.object(&self.names);
        self.vm.set_context(self.slots.entity, value.clone());
        self.vm.set_context(self.slots.self_, value.clone());
        value
    }

    /// The destinations that can take the entity, best first.
    fn match_and_rank(&mut self, entity: &mut Working, observer: &mut dyn Observer) -> PyResult<Vec<Value>> {
        let evaluated = self.evaluate_resources(entity, observer)?;
        if observer.watches() {
            let entity = entity.entity(&mut self.vm)?;
            observer.step(Step::Resources { entity: &entity, evaluated: &evaluated });
        }
        let mut candidates = Vec::new();
        let store = self.store.clone();
        for destination in &store.destinations {
            let matched = matches(&mut self.vm, destination, &evaluated)?;
            observer.step(Step::Destination { destination, entity: &evaluated, matched });
            if matched {
                candidates.push(destination.clone());
            }
        }
        let entity = entity.entity(&mut self.vm)?;
        let ranked = self.rank(&entity, candidates)?;
        if observer.watches() {
            let mut candidates = Vec::with_capacity(ranked.len());
            for candidate in &ranked {
                candidates.push(EntityObject::of(candidate)?.entity(&mut self.vm)?);
            }
            observer.step(Step::Ranked { candidates: &candidates, entity: &entity });
        }
        Ok(ranked)
    }

    fn evaluate_candidate(
        &mut self,
        candidate: &Rc<Entity>,
        entity: &Working,
        observer: &mut dyn Observer,
    ) -> PyResult<Evaluated> {
        observer.step(Step::Trying { candidate });
        let entity = entity.entity(&mut self.vm)?;
        let combined = Rc::new(combine(&mut self.vm, &self.names, candidate, &entity)?);
        self.evaluate_destination(combined, observer)
    }

    /// The answer for an evaluated destination: TPV's `to_galaxy_destination`.
    fn answer(&mut self, job: &Job, evaluated: &Evaluated, candidates: Option<Vec<String>>) -> PyResult<Answer> {
        let resubmit = match &evaluated.resubmit {
            Value::Dict(dict) => dict.values().into_iter().map(|entry| galaxy_resubmit(&entry)).collect(),
            _ => Vec::new(),
        };
        let runner = evaluated.entity.destination.as_ref().map_or(Value::None, |fields| fields.runner.clone());
        let vm = &mut self.vm;
        // `destination.params or {}`, `destination.env or []`
        let params = if vm.truthy(&evaluated.params)? { evaluated.params.clone() } else { Value::dict(Dict::new()) };
        let env = if vm.truthy(&evaluated.env)? { evaluated.env.clone() } else { Value::list(Vec::new()) };
        let mut of = |value: &Value| Json::from_value(vm, value);
        Ok(Answer {
            id: job.id.clone(),
            outcome: Outcome::Mapped(Box::new(Mapped {
                destination: Destination {
                    id: of(&evaluated.dest_name)?,
                    runner: of(&runner)?,
                    tags: of(&evaluated.handler_tags)?,
                    params: of(&params)?,
                    env: of(&env)?,
                    resubmit: of(&Value::list(resubmit))?,
                },
                cores: of(evaluated.entity.resource(Resource::Cores))?,
                mem: of(evaluated.entity.resource(Resource::Mem))?,
                gpus: of(evaluated.entity.resource(Resource::Gpus))?,
                candidates: candidates.map(|ids| Json::List(ids.into_iter().map(Json::str).collect())),
            })),
        })
    }

    /// The answer for an exception. Its text may be made by code, which gets a budget of its own.
    fn error(&mut self, job: &Job, raised: &Raised) -> Answer {
        self.environment.log_raised(&job.id, raised, self.rules.clone().as_ref());
        self.vm.renew();
        let answer = Answer::failed(&mut self.vm, job.id.clone(), raised);
        answer.unwrap_or_else(|_| Answer {
            id: job.id.clone(),
            outcome: Outcome::Failed { kind: raised.class_name().as_str().into(), message: Json::str("") },
        })
    }
}

/// Galaxy's resubmission reads the target from `environment`, where TPV's definitions say `destination`.
fn galaxy_resubmit(entry: &Value) -> Value {
    let Value::Dict(dict) = entry else { return entry.clone() };
    let mut table = dict.table.borrow().clone();
    if let Some(target) = table.shift_remove(&StrKey("destination")) {
        table.insert(Key::str("environment".into()), target);
    }
    Value::dict(Dict::from_table(table))
}
