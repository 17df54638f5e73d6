//! The evaluation context: what TPV puts into the dict `context` that all code of a job is evaluated in.
//!
//! The machine keeps it by slot ([`tpv_python::vm::Vm::set_context`]); the compiler and this thread have numbered its names.

use tpv_galaxy::job::Job;
use tpv_galaxy::objects::{AppFields, HostObject, JobObjects};
use tpv_python::exception::PyResult;
use tpv_python::value::Value;

use super::current_entity::CurrentEntity;
use super::data::deep_copy;
use super::entity::Entity;
use super::host_job::HostJob;
use super::job_source::JobSource;
use super::objects::EntityObject;
use super::worker::Worker;

impl Worker {
    /// The evaluation context at the start: the global context, then the arguments of the call.
    ///
    /// # Errors
    /// `TimeoutError` where the global context is more than the budget reaches for.
    pub(super) fn start_context(&mut self, job: JobSource<'_>) -> PyResult<()> {
        for (slot, value) in self.global_context.clone().iter() {
            // DIFFERENCE: in TPV a list of the global context that code changes stays changed for later jobs.
            let value = deep_copy(&mut self.vm, value)?;
            self.vm.set_context(*slot, value);
        }
        // In the order of TPV's dict: app, tool, user, job, job_wrapper, resource_params, workflow_invocation_uuid.
        let arguments = match job {
            JobSource::Record(job) => {
                let JobObjects { tool, user, job: object, job_wrapper, resource_params, workflow_invocation_uuid } =
                    JobObjects::new(job);
                let app = self.app_of(job);
                [app, tool, user, object, job_wrapper, resource_params, workflow_invocation_uuid]
            }
            JobSource::Objects(objects) => {
                let HostJob { app, tool, user, job, job_wrapper, resource_params, workflow_invocation_uuid, .. } =
                    objects.clone();
                [app, tool, user, job, job_wrapper, resource_params, workflow_invocation_uuid]
            }
        };
        // TPV 1 has the first four.
        let count = if self.version().evaluates_early() { 4 } else { arguments.len() };
        for (slot, value) in self.slots.arguments().into_iter().zip(arguments).take(count) {
            self.vm.set_context(slot, value);
        }
        self.vm.set_context(self.slots.mapper, self.mapper.clone());
        self.environment.start_job();
        Ok(())
    }

    /// `app`, as no job has used it.
    fn app_of(&mut self, job: &Job) -> Value {
        if job.stand_in {
            return self.environment.app(true);
        }
        if !self.app.downcast::<HostObject<AppFields>>().is_some_and(HostObject::is_unused) {
            self.app = self.environment.app(false);
        }
        self.app.clone()
    }

    /// `context.update(entity.context)`, where the entity is what `working` is now. A list or dict in it is the one that code finds
    /// as `entity.context[name]`, so that changing the one changes the other.
    ///
    /// # Errors
    /// Exceptions raised by copying such a value.
    pub(super) fn enter_context(&mut self, working: &mut CurrentEntity, entity: &Entity) -> PyResult<()> {
        let mutable = entity.context.enter(&mut self.vm, &self.slots, &mut self.entered);
        if mutable.is_empty() {
            return Ok(());
        }
        let object = working.object(&self.names);
        let object = EntityObject::of(&object)?;
        for (slot, name, value) in mutable {
            let part = object.context_part(&mut self.vm, &name, &value)?;
            self.vm.set_context(slot, part);
        }
        Ok(())
    }

    /// `context.update({"entity": entity, "self": entity})`; gives the object that code sees.
    pub(super) fn show_as_entity_and_self(&mut self, entity: &mut CurrentEntity) -> Value {
        let object = entity.object(&self.names);
        self.vm.set_context(self.slots.entity, object.clone());
        self.vm.set_context(self.slots.self_, object.clone());
        object
    }

    /// `context.update({"entity": entity})`
    pub(super) fn show_as_entity(&mut self, entity: &mut CurrentEntity) {
        let object = entity.object(&self.names);
        self.vm.set_context(self.slots.entity, object);
    }
}
