//! Choose: the whole way of one job, TPV's `map_to_destination`.

use std::rc::Rc;
use std::sync::Arc;

use crate::artifact::tables::Resource;
use crate::galaxy::answer::{Answer, Draft, Field, Mapped};
use crate::galaxy::errors::{JOB_NOT_READY_EXCEPTION, job_mapping_exception};
use crate::galaxy::job::Job;
use crate::galaxy::json::{Json, dump};
use tpv_python::dict::{Dict, Key, StrKey};
use tpv_python::exception::{MEMORY_ERROR, PyResult, Raised, raise_with};
use tpv_python::value::Value;
use tpv_python::vm::Vm;

use super::entity::Entity;
use super::evaluate::{Evaluated, Part};
use super::explain::{Observer, Step};
use super::lookup::id_of;
use super::objects::{EntityObject, TRY_NEXT_DESTINATION_OR_FAIL, TRY_NEXT_DESTINATION_OR_WAIT};
use super::trace::Trace;
use super::worker::Worker;
use super::working::Working;

impl Worker {
    /// Maps one job.
    pub(super) fn map(&mut self, job: &Arc<Job>, detail: bool, observer: &mut dyn Observer) -> Answer {
        self.vm.reset();
        self.entered = None;
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
        let mut entity = self.match_combine_evaluate_entities(job, observer)?;
        let candidates = self.match_and_rank_destinations(&mut entity, observer)?;
        let ids = if detail { Some(self.ids(&candidates)?) } else { None };
        let mapped = self.choose(&entity, &candidates, observer)?;
        Ok(Answer::mapped(&job.id, mapped, ids.as_deref()))
    }

    /// The entities of the job's tool, role and user in one, with the rules applied that match.
    fn match_combine_evaluate_entities(&mut self, job: &Job, observer: &mut dyn Observer) -> PyResult<Working> {
        let (tool, others) = self.find_matching_entities(job, observer)?;
        let combined = others.iter().try_fold(tool, |combined, higher| self.combine(higher, &combined))?;
        observer.step(Step::Combined { entity: &combined });
        let mut combined = Working::Unseen(combined);
        self.show_as_entity_and_self(&mut combined);
        let mut evaluated = self.evaluate_rules(&combined, observer)?;
        let object = self.show_as_entity_and_self(&mut evaluated);
        // They have been evaluated, and must not be again when a destination is combined.
        EntityObject::of(&object)?.clear_rules(&self.cache);
        Ok(evaluated)
    }

    /// The first destination that takes the job, of those that match, best first.
    fn choose(&mut self, entity: &Working, candidates: &[Working], observer: &mut dyn Observer) -> PyResult<Mapped> {
        let mut wait = false;
        for candidate in candidates {
            let candidate = candidate.entity(&mut self.vm)?;
            match self.try_candidate(&candidate, entity, observer) {
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
        let entity = entity.entity(&mut self.vm)?;
        let id = self.vm.str(&entity.id)?;
        let message = format!("No destinations are available to fulfill request: {}", id.as_str());
        Err(job_mapping_exception(Value::str(message)))
    }

    fn passed(&self, candidate: &Entity, raised: &Raised, observer: &mut dyn Observer) {
        let trace = if observer.watches() { Trace::of(&self.rules, raised) } else { None };
        observer.step(Step::Passed { candidate: id_of(candidate).as_str(), raised, trace: trace.as_ref() });
    }

    /// The ids of the candidates, for the answer.
    fn ids(&mut self, candidates: &[Working]) -> PyResult<Vec<String>> {
        let mut bytes = 0_usize;
        let mut ids = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            let candidate = candidate.entity(&mut self.vm)?;
            let id = id_of(&candidate);
            bytes = bytes.saturating_add(size_of::<String>() + id.len());
            self.vm.limit_bytes(bytes)?;
            ids.push(id.to_string());
        }
        Ok(ids)
    }

    fn try_candidate(
        &mut self,
        candidate: &Rc<Entity>,
        entity: &Working,
        observer: &mut dyn Observer,
    ) -> PyResult<Mapped> {
        observer.step(Step::Trying { candidate });
        let entity = entity.entity(&mut self.vm)?;
        let combined = self.combine(candidate, &entity)?;
        let evaluated = self.evaluate_destination(combined, observer)?;
        self.to_galaxy_destination(&evaluated)
    }

    /// The answer for an evaluated destination.
    // TPV's name, which says what is made and not what of.
    #[allow(clippy::wrong_self_convention)]
    fn to_galaxy_destination(&mut self, evaluated: &Evaluated) -> PyResult<Mapped> {
        let mut draft = Draft::new();
        let runner = evaluated.entity.destination.as_ref().map_or(&Value::None, |fields| &fields.runner);
        let vm = &mut self.vm;
        draft.field(Field::Id, |out| dump(vm, out, &evaluated.dest_name))?;
        draft.field(Field::Runner, |out| dump(vm, out, runner))?;
        draft.field(Field::Tags, |out| dump(vm, out, &evaluated.handler_tags))?;
        draft.field(Field::Params, |out| part(vm, out, &evaluated.params, "{}"))?;
        draft.field(Field::Env, |out| part(vm, out, &evaluated.env, "[]"))?;
        draft.field(Field::Resubmit, |out| match &evaluated.resubmit {
            Value::Dict(dict) if !dict.is_empty() => {
                let entries = dict.values().iter().map(to_galaxy_resubmit).collect();
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
        let answer = answer.unwrap_or_else(|_| Answer::error_line(&job.id, raised.class_name(), Json::str("")));
        self.environment.log_raised(&job.id, &answer, raised, &self.rules);
        answer
    }
}

/// `property or {}`, `property or []`
fn part(vm: &mut Vm, out: &mut String, part: &Part, empty: &str) -> PyResult<()> {
    match part {
        Part::Text(text) => out.push_str(text),
        Part::Value(value) if vm.truthy(value)? => return dump(vm, out, value),
        Part::Value(_) => out.push_str(empty),
    }
    Ok(())
}

/// `_to_galaxy_resubmit`: Galaxy's resubmission reads the target from `environment`, where TPV's definitions say `destination`.
fn to_galaxy_resubmit(entry: &Value) -> Value {
    let Value::Dict(dict) = entry else { return entry.clone() };
    let mut table = dict.table.borrow().clone();
    if let Some(target) = table.shift_remove(&StrKey("destination")) {
        table.insert(Key::str("environment".into()), target);
    }
    Value::dict(Dict::from_table(table))
}
