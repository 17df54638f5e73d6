//! Admission to resource pools: TPV's `admit_to_pools`.
//!
//! A job is admitted when a destination has been evaluated for it, with what it asked for before destinations had a say. All pools
//! that govern it take it in one step, or none does.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::pools::{Admission, AllocationStore, Budget, StoreError, Usage};
use num_bigint::Sign;
use tpv_galaxy::errors::{JOB_NOT_READY_EXCEPTION, job_mapping_exception};
use tpv_galaxy::objects::world_of_session;
use tpv_galaxy::reads::Read;
use tpv_model::Resource;
use tpv_python::args::Args;
use tpv_python::builtins::scalars;
use tpv_python::exception::{PyResult, host_unavailable, raise_with, type_error, value_error};
use tpv_python::value::Value;
use tpv_python::vm::{CompareOp, Vm};

use super::current_entity::CurrentEntity;
use super::entity::Entity;
use super::explain::{Observer, Step, Unobserved};
use super::matching::with_resources;
use super::pool_step::PoolStep;
use super::worker::Worker;

/// A job's request and the user it is billed to.
#[derive(Clone, Copy)]
pub(super) struct Bill<'a> {
    /// The job's entity with its resources evaluated.
    pub entity: &'a Entity,
    /// The user.
    pub user: &'a Value,
}

impl Worker {
    /// The bill for a job of this user; `None` if no pool could govern it. The code of the resources runs once more for
    /// it, in a context of its own, as in TPV.
    ///
    /// # Errors
    /// Exceptions raised by the code of the resources.
    pub(super) fn billed(&mut self, entity: &mut CurrentEntity, user: &Value) -> PyResult<Option<Rc<Entity>>> {
        if self.store.pools.is_empty() || user.is_none() {
            return Ok(None);
        }
        let context = self.vm.save_context();
        let evaluated = self.evaluate_resources(entity, &mut Unobserved);
        self.entered = None;
        self.vm.restore_context(context);
        let (entity, resources) = evaluated?;
        Ok(Some(with_resources(&entity, &resources)))
    }

    /// Admits a job to every pool that governs it.
    ///
    /// # Errors
    /// `JobNotReadyException` where a pool has no room now, or its store is away and it does not fail open; `JobMappingException`
    /// where it never will.
    pub(super) fn admit_to_pools(
        &mut self,
        Bill { entity: billed, user }: Bill<'_>,
        observer: &mut dyn Observer,
    ) -> PyResult<()> {
        let Some(allocations) = self.allocations.clone() else { return Ok(()) };
        // A mapping that is to be done once more is not paid for.
        self.check_interpreters()?;
        let usage = Usage {
            cores: asked(&mut self.vm, billed.resource(Resource::Cores))?,
            mem: asked(&mut self.vm, billed.resource(Resource::Mem))?,
            gpus: asked(&mut self.vm, billed.resource(Resource::Gpus))?,
        };
        let store = self.store.clone();
        let mut admissions: Vec<Admission> = Vec::new();
        let mut fail_open = true;
        for pool in store.pools.iter().filter(|pool| pool.governs(billed)) {
            let told = pool.budget_for(billed);
            let budget = budget(&mut self.vm, &told)?;
            let Some(kind) = pool.classify(&usage, &budget) else {
                let message = format!(
                    "This job requests {usage}, which exceeds your '{}' resource pool allocation and can never be scheduled.",
                    pool.name.as_str()
                );
                observer.step(Step::Pool { pool: Some(&pool.entity), step: PoolStep::Refused { message: &message } });
                return Err(job_mapping_exception(Value::str(message)));
            };
            if observer.watches() {
                let shown = shown(&mut self.vm, &told)?;
                let step = PoolStep::Governs { kind, usage: &usage, budget: &shown, policy: &pool.policy };
                observer.step(Step::Pool { pool: Some(&pool.entity), step });
            }
            let user = id_of(&mut self.vm, user, "user")?;
            self.environment.note(Read::Pools(user));
            let ledger = match allocations.read(&pool.name, user) {
                Ok(ledger) => ledger,
                Err(StoreError::Host(raised)) => return Err(raised(&mut self.vm)),
                Err(StoreError::Malformed(what)) => return Err(value_error(what)),
                Err(StoreError::Unavailable(why)) => {
                    self.store_is_away(&format!("Resource pool '{}' store", pool.name.as_str()), pool.fail_open, &why);
                    let step = PoolStep::StoreAway { admitted: pool.fail_open };
                    observer.step(Step::Pool { pool: Some(&pool.entity), step });
                    if pool.fail_open {
                        continue;
                    }
                    return Err(raise_with(&JOB_NOT_READY_EXCEPTION, Vec::new()));
                }
            };
            fail_open &= pool.fail_open;
            admissions.push(Admission {
                pool: pool.name.to_string(),
                usage,
                kind,
                budget,
                max_oversize: pool.policy.max_concurrent,
                reserve_pool: pool.policy.reserve_pool,
                finished: self.finished_jobs(ledger.into_iter().map(|(id, _)| id).collect())?,
            });
        }
        if admissions.is_empty() {
            observer.step(Step::Pool { pool: None, step: PoolStep::NoPool });
            return Ok(());
        }
        self.commit(&*allocations, user, &admissions, fail_open, observer)
    }

    /// Records the job in all pools, or in none.
    fn commit(
        &mut self,
        allocations: &dyn AllocationStore,
        user: &Value,
        admissions: &[Admission],
        fail_open: bool,
        observer: &mut dyn Observer,
    ) -> PyResult<()> {
        let user = id_of(&mut self.vm, user, "user")?;
        let job = self.vm.context.get(self.slots.job).cloned().flatten().unwrap_or(Value::None);
        let job = id_of(&mut self.vm, &job, "job")?;
        let (step, admitted) = match allocations.admit_many(user, job, admissions) {
            Ok(true) => (PoolStep::Admitted { admissions }, true),
            Ok(false) => (PoolStep::Deferred { admissions }, false),
            Err(StoreError::Host(raised)) => return Err(raised(&mut self.vm)),
            Err(StoreError::Malformed(what)) => return Err(value_error(what)),
            Err(StoreError::Unavailable(why)) => {
                // A pool that fails open does not weaken one that does not.
                self.store_is_away("Resource pool store", fail_open, &why);
                (PoolStep::StoreAway { admitted: fail_open }, fail_open)
            }
        };
        observer.step(Step::Pool { pool: None, step });
        if admitted { Ok(()) } else { Err(raise_with(&JOB_NOT_READY_EXCEPTION, Vec::new())) }
    }

    fn store_is_away(&self, what: &str, fail_open: bool, why: &str) {
        let then = if fail_open { "admitting job (fail_open)" } else { "deferring job (fail-closed)" };
        self.environment.warn(&format!("{what} is unavailable; {then}: {why}"));
    }

    /// TPV's `terminal_job_ids`: those of the jobs that have ended, as Galaxy's job table says.
    fn finished_jobs(&mut self, ids: BTreeSet<i64>) -> PyResult<BTreeSet<i64>> {
        let app = self.vm.context.get(self.slots.app).cloned().flatten().unwrap_or(Value::None);
        let model = self.vm.get_attr(&app, "model")?;
        let session = self.vm.get_attr(&model, "context")?;
        if ids.is_empty() {
            return Ok(ids);
        }
        if let Some(world) = world_of_session(&session) {
            return Ok(world.jobs.finished(&ids));
        }
        match self.environment.finished_jobs() {
            Some(table) => table.finished(&mut self.vm, &session, &ids),
            None => Err(host_unavailable("the world has no job table, so ended jobs are unknown")),
        }
    }
}

/// `float(value or 0)`
fn asked(vm: &mut Vm, value: &Value) -> PyResult<f64> {
    if vm.truthy(value)? { float(vm, value) } else { Ok(0.0) }
}

fn float(vm: &mut Vm, value: &Value) -> PyResult<f64> {
    match scalars::float(vm, Args::one(value.clone()))? {
        Value::Float(number) => Ok(number),
        _ => Ok(f64::NAN),
    }
}

fn budget(vm: &mut Vm, [cores, mem, gpus]: &[Value; 3]) -> PyResult<Budget> {
    Ok(Budget { cores: bound(vm, cores)?, mem: bound(vm, mem)?, gpus: bound(vm, gpus)? })
}

/// A budget as a number that floats compare with as they do with the budget itself: Python compares a float with an int exactly,
/// so that an int which no float is becomes the next smaller float.
fn bound(vm: &mut Vm, value: &Value) -> PyResult<Option<f64>> {
    #[expect(clippy::cast_precision_loss, reason = "it is looked at below")]
    let rounded = match value {
        Value::None => return Ok(None),
        Value::Float(number) => return Ok(Some(*number)),
        Value::Bool(value) => return Ok(Some(f64::from(u8::from(*value)))),
        Value::Int(number) => *number as f64,
        // It may be larger than any float.
        Value::BigInt(number) => match (float(vm, value), number.sign()) {
            (Ok(number), _) => number,
            (Err(_), Sign::Minus) => f64::NEG_INFINITY,
            (Err(_), _) => f64::INFINITY,
        },
        other => {
            // Code can set anything; what has no order among numbers raises here, as in TPV.
            vm.compare(CompareOp::Gt, &Value::Float(0.0), other)?;
            return float(vm, other).map(Some);
        }
    };
    let is_above = vm.compare(CompareOp::Gt, &Value::Float(rounded), value)?;
    Ok(Some(if vm.truthy(&is_above)? { rounded.next_down() } else { rounded }))
}

/// A budget as Python writes it.
fn shown(vm: &mut Vm, budget: &[Value; 3]) -> PyResult<[String; 3]> {
    let [cores, mem, gpus] = budget;
    Ok([vm.str(cores)?.to_string(), vm.str(mem)?.to_string(), vm.str(gpus)?.to_string()])
}

/// The id of a user or job.
fn id_of(vm: &mut Vm, object: &Value, what: &str) -> PyResult<i64> {
    match vm.get_attr(object, "id")? {
        Value::Int(id) => Ok(id),
        // DIFFERENCE: TPV writes any id into the key of a ledger; Galaxy's are ints.
        other => Err(type_error(format!("the id of a {what} must be an int, not {}", other.type_name().as_str()))),
    }
}
