//! The whole way of one job, as TPV's `map_to_destination`.

use std::rc::Rc;
use std::sync::Arc;

use num_bigint::BigInt;

use tpv_galaxy::answer::{Answer, Draft, Field, MappedText};
use tpv_galaxy::errors::{JOB_NOT_READY_EXCEPTION, NO_DESTINATIONS, job_mapping_exception};
use tpv_galaxy::job::Job;
use tpv_galaxy::json::{Json, dump};
use tpv_model::{Quantity, Version};
use tpv_python::dict::Dict;
use tpv_python::exception::{ATTRIBUTE_ERROR, PyResult, Raised, attribute_error, raise_with};
use tpv_python::value::Value;
use tpv_python::vm::Vm;

use super::current_entity::CurrentEntity;
use super::entity::Entity;
use super::evaluate::{Evaluated, Part};
use super::explain::{Observer, Step};
use super::host_job::HostJob;
use super::job_source::JobSource;
use super::lookup::id_of;
use super::mapped::Mapped;
use super::objects::{EntityObject, TRY_NEXT_DESTINATION_OR_FAIL, TRY_NEXT_DESTINATION_OR_WAIT, class_of};
use super::pools::Bill;
use super::properties::galaxy_resubmit;
use super::trace::Trace;
use super::worker::Worker;

/// Makes of an evaluated destination what is wanted of it.
type Finish<T> = fn(&mut Worker, &Evaluated) -> PyResult<T>;

impl Worker {
    /// Maps one job of a job file.
    pub(super) fn map(&mut self, job: &Arc<Job>, detail: bool, observer: &mut dyn Observer) -> Answer {
        let mapped = self.with_interpreters(observer, |worker, observer| {
            worker.start_job(job.seed.as_ref());
            worker.map_record(job, detail, observer)
        });
        match mapped {
            Ok(answer) => answer,
            Err(raised) => {
                self.raised(&raised, observer);
                self.error(job, &raised)
            }
        }
    }

    fn map_record(&mut self, job: &Arc<Job>, detail: bool, observer: &mut dyn Observer) -> PyResult<Answer> {
        let (mapped, candidates) = self.map_to_destination(JobSource::Record(job), observer, Self::to_text)?;
        let ids = if detail { Some(self.ids(&candidates)?) } else { None };
        Ok(Answer::mapped(&job.id, mapped, ids.as_deref()))
    }

    /// Maps one job whose objects the host gives.
    ///
    /// # Errors
    /// Exceptions raised by code, by the host's objects or by TPV.
    pub(super) fn map_objects(
        &mut self,
        start: &mut dyn FnMut(&mut Vm) -> PyResult<HostJob>,
        observer: &mut dyn Observer,
    ) -> PyResult<Mapped> {
        self.wants_values = true;
        let mapped = self.with_interpreters(observer, |worker, observer| {
            worker.start_job(None);
            let job = start(&mut worker.vm)?;
            worker.set_world(&job.world);
            if let Some(seed) = &job.seed {
                worker.vm.random.set_big_seed(seed);
            }
            worker.map_to_destination(JobSource::Objects(&job), observer, Self::to_values)
        });
        self.wants_values = false;
        if observer.watches()
            && let Some(size) = &self.environment.known_input_size()
        {
            observer.step(Step::InputSize { size });
        }
        mapped.map(|(mapped, _)| mapped).inspect_err(|raised| self.raised(raised, observer))
    }

    /// Forgets the last job.
    fn start_job(&mut self, seed: Option<&BigInt>) {
        self.vm.reset();
        self.entered = None;
        self.vm.random.reset();
        if let Some(seed) = seed {
            self.vm.random.set_big_seed(seed);
        }
    }

    /// Tells an observer what ended the job.
    fn raised(&self, raised: &Raised, observer: &mut dyn Observer) {
        if observer.watches() {
            let trace = Trace::of(&self.rules, raised);
            observer.step(Step::Raised { raised, trace: trace.as_ref() });
        }
    }

    /// The destination that takes the job, and the candidates, best first.
    fn map_to_destination<T>(
        &mut self,
        job: JobSource<'_>,
        observer: &mut dyn Observer,
        finish: Finish<T>,
    ) -> PyResult<(T, Vec<CurrentEntity>)> {
        self.start_context(job)?;
        let user = self.vm.context.get(self.slots.user).cloned().flatten().unwrap_or(Value::None);
        observer.step(Step::Start { names: &self.names });
        let mut entity = match self.version().evaluates_early() {
            true => self.combine_evaluated(job, observer)?,
            false => self.match_combine_evaluate_entities(job, observer)?,
        };
        let candidates = self.match_and_rank_destinations(&mut entity, observer)?;
        let billed = if candidates.is_empty() { None } else { self.billed(&mut entity, &user)? };
        let bill = billed.as_deref().map(|entity| Bill { entity, user: &user });
        let mapped = self.choose(&mut entity, &candidates, bill, observer, finish)?;
        Ok((mapped, candidates))
    }

    /// The entities of the job's tool, role and user in one, with the rules applied that match.
    fn match_combine_evaluate_entities(
        &mut self,
        job: JobSource<'_>,
        observer: &mut dyn Observer,
    ) -> PyResult<CurrentEntity> {
        let (tool, others) = self.find_matching_entities(job, observer)?;
        let combined = others.iter().try_fold(tool, |combined, higher| self.combine(higher, &combined))?;
        observer.step(Step::Combined { entity: &combined });
        let mut combined = CurrentEntity::Unseen(combined);
        self.show_as_entity_and_self(&mut combined);
        let mut evaluated = self.evaluate_rules(&combined, observer)?;
        let object = self.show_as_entity_and_self(&mut evaluated);
        // They have been evaluated, and must not be again when a destination is combined.
        EntityObject::of(&object)?.clear_rules(&self.cache);
        Ok(evaluated)
    }

    /// The first destination that takes the job, of those that match, best first.
    fn choose<T>(
        &mut self,
        entity: &mut CurrentEntity,
        candidates: &[CurrentEntity],
        bill: Option<Bill<'_>>,
        observer: &mut dyn Observer,
        finish: Finish<T>,
    ) -> PyResult<T> {
        let mut wait = false;
        for candidate in candidates {
            let candidate = candidate.entity(&mut self.vm)?;
            match self.try_candidate(&candidate, entity, bill, observer, finish) {
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
        let message = format!("{NO_DESTINATIONS}: {}", id.as_str());
        Err(job_mapping_exception(Value::str(message)))
    }

    fn passed(&self, candidate: &Entity, raised: &Raised, observer: &mut dyn Observer) {
        let trace = if observer.watches() { Trace::of(&self.rules, raised) } else { None };
        observer.step(Step::Passed { candidate: id_of(candidate).as_str(), raised, trace: trace.as_ref() });
    }

    /// The ids of the candidates, for the answer; `None` for what a rank function gave that is no entity.
    fn ids(&mut self, candidates: &[CurrentEntity]) -> PyResult<Vec<Option<String>>> {
        let mut bytes = 0_usize;
        let mut ids = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            let id = match candidate.entity(&mut self.vm) {
                Ok(candidate) => Some(id_of(&candidate).to_string()),
                Err(raised) if raised.is(&ATTRIBUTE_ERROR) => None,
                Err(raised) => return Err(raised),
            };
            bytes = bytes.saturating_add(size_of::<Option<String>>() + id.as_ref().map_or(0, String::len));
            self.vm.limit_bytes(bytes)?;
            ids.push(id);
        }
        Ok(ids)
    }

    fn try_candidate<T>(
        &mut self,
        candidate: &Rc<Entity>,
        entity: &mut CurrentEntity,
        bill: Option<Bill<'_>>,
        observer: &mut dyn Observer,
        finish: Finish<T>,
    ) -> PyResult<T> {
        observer.step(Step::Trying { candidate });
        let evaluated = if self.version().evaluates_early() {
            self.evaluate_destination_early(candidate, entity, observer)?
        } else {
            let entity = entity.entity(&mut self.vm)?;
            let combined = self.combine(candidate, &entity)?;
            self.evaluate_destination(combined, observer)?
        };
        if evaluated.entity.dest_tags.is_none() && !self.version().evaluates_early() {
            // A rank function gave an entity of another class.
            let class = class_of(evaluated.entity.class).name;
            return Err(attribute_error(format!("'{class}' object has no attribute 'dest_name'")));
        }
        let mapped = finish(self, &evaluated)?;
        self.check_interpreters()?;
        // Only a mapping that can be returned is paid for.
        if let Some(bill) = bill {
            self.admit_to_pools(bill, observer)?;
        }
        Ok(mapped)
    }

    /// `to_galaxy_destination` of an evaluated destination, as text of an answer.
    // The name says what is made, and not what of.
    #[allow(clippy::wrong_self_convention)]
    fn to_text(&mut self, evaluated: &Evaluated) -> PyResult<MappedText> {
        let mut draft = Draft::default();
        let runner = evaluated.entity.single(tpv_model::Field::Runner);
        let (version, vm) = (self.version(), &mut self.vm);
        draft.field(Field::Id, |out| dump(vm, out, &evaluated.dest_name))?;
        draft.field(Field::Runner, |out| dump(vm, out, runner))?;
        let text = |part: &Part| match part {
            Part::Text(range) => evaluated.text.get(range.clone()),
            Part::Value(_) => None,
        };
        for (field, part) in [
            (Field::Tags, &evaluated.handler_tags),
            (Field::Params, &evaluated.params),
            (Field::Env, &evaluated.env),
            (Field::Resubmit, &evaluated.resubmit),
        ] {
            draft.field(field, |out| match text(part) {
                Some(text) => {
                    out.push_str(text);
                    Ok(())
                }
                None => {
                    let value = galaxy_value(vm, version, field, part)?;
                    dump(vm, out, &value)
                }
            })?;
        }
        for quantity in Quantity::ALL {
            let value = evaluated.resources.get(quantity.resource() as usize).unwrap_or(&Value::None);
            draft.field(quantity.into(), |out| dump(vm, out, value))?;
        }
        Ok(draft.finish())
    }

    /// `to_galaxy_destination` of an evaluated destination, in values.
    #[allow(clippy::wrong_self_convention)]
    fn to_values(&mut self, evaluated: &Evaluated) -> PyResult<Mapped> {
        let amount = |quantity: Quantity| evaluated.resources.get(quantity.resource() as usize).cloned();
        let (version, vm) = (self.version(), &mut self.vm);
        Ok(Mapped {
            dest_name: evaluated.dest_name.clone(),
            runner: evaluated.entity.single(tpv_model::Field::Runner).clone(),
            tags: galaxy_value(vm, version, Field::Tags, &evaluated.handler_tags)?,
            params: galaxy_value(vm, version, Field::Params, &evaluated.params)?,
            env: galaxy_value(vm, version, Field::Env, &evaluated.env)?,
            resubmit: galaxy_value(vm, version, Field::Resubmit, &evaluated.resubmit)?,
            amounts: Quantity::ALL.map(|quantity| amount(quantity).unwrap_or(Value::None)),
        })
    }

    /// The answer for an exception. Its text may be made by code, which gets a budget of its own.
    fn error(&mut self, job: &Job, raised: &Raised) -> Answer {
        self.vm.renew();
        let answer = Answer::failed(&mut self.vm, &job.id, raised).or_else(|other| {
            // A text beyond the budget ends the job in the error of that budget.
            self.vm.renew();
            Answer::failed(&mut self.vm, &job.id, &other)
        });
        let answer = answer.unwrap_or_else(|_| Answer::error_line(&job.id, raised.class_name(), Json::str("")));
        self.environment.log_raised(&job.id, &answer, raised, &self.rules);
        answer
    }
}

/// The result of `to_galaxy_destination` for an evaluated property: `property or {}`, `property or []`.
fn galaxy_value(vm: &mut Vm, version: Version, field: Field, part: &Part) -> PyResult<Value> {
    let value = match part {
        Part::Value(value) => value,
        Part::Text(_) => &Value::None,
    };
    Ok(match field {
        Field::Resubmit => galaxy_resubmit(vm, value, version)?,
        Field::Params if !vm.truthy(value)? => Value::dict(Dict::new()),
        Field::Env if !vm.truthy(value)? => Value::list(Vec::new()),
        _ => value.clone(),
    })
}
