//! Choose: the whole way of one job, TPV's `map_to_destination`.

use std::rc::Rc;
use std::sync::Arc;

use crate::artifact::tables::Resource;
use crate::galaxy::answer::{Answer, Draft, Field, Mapped};
use crate::galaxy::errors::{JOB_NOT_READY_EXCEPTION, job_mapping_exception};
use crate::galaxy::job::Job;
use crate::galaxy::json::{Json, dump};
use crate::galaxy::objects::{AppFields, Bag, JobObjects};
use crate::python::dict::{Dict, Key, StrKey};
use crate::python::exception::{MEMORY_ERROR, PyResult, Raised, raise_with};
use crate::python::value::Value;
use crate::python::vm::Vm;

use super::entity::Entity;
use super::evaluate::{Evaluated, Part};
use super::explain::{Observer, Step, Unobserved};
use super::lookup::id_of;
use super::matching::with_resources;
use super::objects::{TRY_NEXT_DESTINATION_OR_FAIL, TRY_NEXT_DESTINATION_OR_WAIT};
use super::rank::Ranked;
use super::requirements::Wanted;
use super::trace::Trace;
use super::worker::Worker;
use super::working::Working;

impl Worker {
    /// Maps one job.
    pub(super) fn map(&mut self, job: &Arc<Job>, detail: bool, observer: &mut dyn Observer) -> Answer {
        self.vm.reset();
        self.entered.start_job();
        self.vm.random.reset();
        if let Some(seed) = &job.seed {
            self.vm.random.set_big_seed(seed);
        }
        match self.map_to_destination(job, detail, observer) {
            Ok(answer) => answer,
            Err(raised) => {
                if observer.watches() {
                    let trace = Trace::of(&self.rules, &raised);
                    observer.step(Step::Raised { raised: &raised, trace: trace.as_ref() });
                }
                self.error(job, &raised)
            }
        }
    }

    fn map_to_destination(&mut self, job: &Arc<Job>, detail: bool, observer: &mut dyn Observer) -> PyResult<Answer> {
        self.start_context(job)?;
        observer.step(Step::Start { names: &self.names });
        let combined = self.match_combine(job, observer)?;
        let mut seen = Working::Unseen(combined.clone());
        self.show_entity(&mut seen);
        // What is read of the context is read as the rules will find it.
        let steps = self.vm.steps_left();
        let lasts = self.enter_context(&mut Working::Unseen(combined.clone()))?;
        self.vm.restore_steps(steps);
        if !lasts || detail || observer.watches() {
            let mut candidates = Vec::new();
            let wanted = self.evaluate_entity(seen, &combined, lasts, observer)?;
            let mapped = self.choose(&wanted, detail.then_some(&mut candidates), observer)?;
            return Ok(Answer::mapped(&job.id, mapped, detail.then_some(&candidates)));
        }
        let mapped = self.job_kept(&combined, |worker| {
            let wanted = worker.evaluate_entity(seen, &combined, lasts, &mut Unobserved)?;
            worker.choose(&wanted, None, &mut Unobserved)
        })?;
        Ok(Answer::mapped(&job.id, mapped, None))
    }

    /// The first destination that takes the job, of those that match, best first; their ids are added to `ids`.
    fn choose(
        &mut self,
        wanted: &Wanted,
        ids: Option<&mut Vec<String>>,
        observer: &mut dyn Observer,
    ) -> PyResult<Arc<Mapped>> {
        let ranked = self.match_and_rank(wanted, observer)?;
        let working = &wanted.entity;
        let candidates = self.candidates_of(ranked);
        if let Some(ids) = ids {
            let mut bytes = 0_usize;
            for candidate in &candidates {
                let candidate = candidate.entity(&mut self.vm)?;
                let id = id_of(&candidate);
                bytes = bytes.saturating_add(size_of::<String>() + id.len());
                self.vm.limit_bytes(bytes)?;
                ids.push(id.to_string());
            }
        }
        let mut wait = false;
        for candidate in &candidates {
            let candidate = candidate.entity(&mut self.vm)?;
            match self.try_candidate(&candidate, working, observer) {
                Ok(mapped) => {
                    observer.step(Step::Chosen { candidate: id_of(&candidate).as_str() });
                    return Ok(mapped);
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
        let trace = if observer.watches() { Trace::of(&self.rules, raised) } else { None };
        observer.step(Step::Passed { candidate: id_of(candidate).as_str(), raised, trace: trace.as_ref() });
    }

    /// The evaluation context at the start: the global context, then the arguments of the call.
    fn start_context(&mut self, job: &Arc<Job>) -> PyResult<()> {
        for (slot, value) in self.global_context.clone().iter() {
            // DIFFERENCE: in TPV a list of the global context that code changes stays changed for later jobs.
            let value = super::data::deep_copy(&mut self.vm, value)?;
            self.vm.set_context(*slot, value);
        }
        let objects = JobObjects::new(job);
        let app = self.app_of(job);
        let slots = &self.slots;
        for (slot, value) in [
            (slots.app, app),
            (slots.tool, objects.tool),
            (slots.user, objects.user),
            (slots.job, objects.job),
            (slots.job_wrapper, objects.job_wrapper),
            (slots.resource_params, objects.resource_params),
            (slots.workflow_invocation_uuid, objects.workflow_invocation_uuid),
            (slots.mapper, self.mapper.clone()),
        ] {
            self.vm.set_context(slot, value);
        }
        self.environment.start_job();
        Ok(())
    }

    /// `app`, as no job has used it.
    fn app_of(&mut self, job: &Job) -> Value {
        if job.stand_in {
            return self.environment.app(true);
        }
        if !self.app.downcast::<Bag<AppFields>>().is_some_and(Bag::is_unused) {
            self.app = self.environment.app(false);
        }
        self.app.clone()
    }

    /// The matching entities in one.
    fn match_combine(&mut self, job: &Job, observer: &mut dyn Observer) -> PyResult<Rc<Entity>> {
        let kept = !observer.watches();
        if kept && let Some(known) = self.lookups.combined(job) {
            return Ok(known);
        }
        let found = self.find_matching_entities(job, observer)?;
        observer.step(Step::Matched { entities: &found });
        let mut found = found.into_iter();
        let mut combined = found
            .next()
            .unwrap_or_else(|| Rc::new(Entity::new(crate::artifact::tables::EntityClass::Tool, &*job.tool.id)));
        for higher in found {
            combined = self.combine(&higher, &combined)?;
        }
        observer.step(Step::Combined { entity: &combined });
        if kept {
            self.lookups.keep_combined(job, &combined);
        }
        Ok(combined)
    }

    /// Makes an entity what code sees as `entity` and `self`.
    pub(super) fn show_entity(&mut self, entity: &mut Working) -> Value {
        let value = entity.object(&self.names);
        self.vm.replace_context(self.slots.entity, value.clone());
        self.vm.replace_context(self.slots.self_, value.clone());
        value
    }

    /// The destinations that can take the entity, best first.
    fn match_and_rank(&mut self, wanted: &Wanted, observer: &mut dyn Observer) -> PyResult<Ranked> {
        if observer.watches() {
            let evaluated = with_resources(&wanted.matched, &wanted.resources);
            observer.step(Step::Resources { entity: &wanted.matched, evaluated: &evaluated });
        }
        let entity = wanted.entity.entity(&mut self.vm)?;
        self.rank(&wanted.matched, &wanted.resources, &entity, observer)
    }

    fn candidates_of(&mut self, ranked: Ranked) -> Vec<Working> {
        match ranked {
            Ranked::Known(known) => {
                let destinations = &self.store.destinations;
                let candidates = known.iter().filter_map(|index| destinations.get(*index as usize));
                let candidates = candidates.map(|destination| Working::Unseen(destination.clone())).collect();
                self.candidates = known;
                candidates
            }
            Ranked::Custom(values) => values.into_iter().map(Working::Seen).collect(),
        }
    }

    fn try_candidate(
        &mut self,
        candidate: &Rc<Entity>,
        entity: &Working,
        observer: &mut dyn Observer,
    ) -> PyResult<Arc<Mapped>> {
        observer.step(Step::Trying { candidate });
        let entity = entity.entity(&mut self.vm)?;
        if observer.watches() {
            return self.evaluate_candidate(candidate, &entity, observer);
        }
        self.mapped_kept(candidate, &entity, |worker| worker.evaluate_candidate(candidate, &entity, &mut Unobserved))
    }

    fn evaluate_candidate(
        &mut self,
        candidate: &Rc<Entity>,
        entity: &Rc<Entity>,
        observer: &mut dyn Observer,
    ) -> PyResult<Arc<Mapped>> {
        let combined = self.combine(candidate, entity)?;
        let evaluated = self.evaluate_destination(combined, observer)?;
        self.mapped(&evaluated).map(Arc::new)
    }

    /// The answer for an evaluated destination: TPV's `to_galaxy_destination`.
    fn mapped(&mut self, evaluated: &Evaluated) -> PyResult<Mapped> {
        let mut draft = Draft::new();
        let runner = evaluated.entity.destination.as_ref().map_or(&Value::None, |fields| &fields.runner);
        let (env_text, env_end) = match evaluated.env {
            Part::Text(end) => (self.text.get(..end), end),
            Part::Value(_) => (None, 0),
        };
        let params_text = match evaluated.params {
            Part::Text(end) => self.text.get(env_end..end),
            Part::Value(_) => None,
        };
        let vm = &mut self.vm;
        draft.field(Field::Id, |out| dump(vm, out, &evaluated.dest_name))?;
        draft.field(Field::Runner, |out| dump(vm, out, runner))?;
        draft.field(Field::Tags, |out| dump(vm, out, &evaluated.handler_tags))?;
        draft.field(Field::Params, |out| part(vm, out, params_text, &evaluated.params, "{}"))?;
        draft.field(Field::Env, |out| part(vm, out, env_text, &evaluated.env, "[]"))?;
        draft.field(Field::Resubmit, |out| match &evaluated.resubmit {
            Value::Dict(dict) if !dict.is_empty() => {
                let entries = dict.values().iter().map(galaxy_resubmit).collect();
                dump(vm, out, &Value::list(entries))
            }
            _ => {
                out.push_str("[]");
                Ok(())
            }
        })?;
        for (field, resource) in
            [(Field::Cores, Resource::Cores), (Field::Mem, Resource::Mem), (Field::Gpus, Resource::Gpus)]
        {
            let value = evaluated.resources.get(resource as usize).unwrap_or(&Value::None);
            draft.field(field, |out| dump(vm, out, value))?;
        }
        Ok(draft.finish())
    }

    /// The answer for an exception. Its text may be made by code, which gets a budget of its own.
    fn error(&mut self, job: &Job, raised: &Raised) -> Answer {
        self.vm.renew();
        let failed = |vm: &mut Vm, raised: &Raised| Answer::failed(vm, &job.id, raised);
        let answer = failed(&mut self.vm, raised).or_else(|other| match other.is(&MEMORY_ERROR) {
            true => failed(&mut self.vm, &other),
            false => Err(other),
        });
        let answer =
            answer.unwrap_or_else(|_| Answer::error_line(&job.id, raised.class_name().as_str(), Json::str("")));
        self.environment.log_raised(&job.id, &answer, raised, &self.rules);
        answer
    }
}

/// `property or {}`, `property or []`: appends the text of a property, or its value.
fn part(vm: &mut Vm, out: &mut String, text: Option<&str>, part: &Part, empty: &str) -> PyResult<()> {
    match (text, part) {
        (Some(text), _) => out.push_str(text),
        (None, Part::Value(value)) if vm.truthy(value)? => return dump(vm, out, value),
        _ => out.push_str(empty),
    }
    Ok(())
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
