//! The names that the mapper itself sets in the evaluation context.

use tpv_model::Resource;
use tpv_python::vm::Vm;

/// The size of the job's inputs in GiB, as TPV's `helpers.input_size(job)` has it.
pub(super) const INPUT_SIZE: &str = "input_size";

/// The names that have a value only in blocks whose text has them: the mapper computes it before such a block runs.
pub const COMPUTED_NAMES: &[&str] = &[INPUT_SIZE];

/// The slots of the names that the mapper itself sets.
pub(super) struct Slots {
    pub app: usize,
    pub tool: usize,
    pub user: usize,
    pub job: usize,
    pub job_wrapper: usize,
    pub resource_params: usize,
    pub workflow_invocation_uuid: usize,
    pub mapper: usize,
    pub entity: usize,
    /// `entities`, of TPV 1.
    pub entities: usize,
    pub self_: usize,
    pub candidate_destinations: usize,
    pub env: usize,
    pub params: usize,
    pub resubmit: usize,
    pub dest_name: usize,
    pub handler_tags: usize,
    resources: [usize; Resource::COUNT],
}

impl Slots {
    pub(super) fn new(vm: &mut Vm) -> Self {
        let resources: Vec<usize> = Resource::ALL.iter().map(|resource| vm.slot(resource.name())).collect();
        Self {
            app: vm.slot("app"),
            tool: vm.slot("tool"),
            user: vm.slot("user"),
            job: vm.slot("job"),
            job_wrapper: vm.slot("job_wrapper"),
            resource_params: vm.slot("resource_params"),
            workflow_invocation_uuid: vm.slot("workflow_invocation_uuid"),
            mapper: vm.slot("mapper"),
            entity: vm.slot("entity"),
            entities: vm.slot("entities"),
            self_: vm.slot("self"),
            candidate_destinations: vm.slot("candidate_destinations"),
            env: vm.slot("env"),
            params: vm.slot("params"),
            resubmit: vm.slot("resubmit"),
            dest_name: vm.slot("dest_name"),
            handler_tags: vm.slot("handler_tags"),
            resources: resources.try_into().unwrap_or_default(),
        }
    }

    /// The slots of what Galaxy calls TPV with, in the order of TPV's dict.
    pub(super) fn arguments(&self) -> [usize; 7] {
        let Self { app, tool, user, job, job_wrapper, resource_params, workflow_invocation_uuid, .. } = *self;
        [app, tool, user, job, job_wrapper, resource_params, workflow_invocation_uuid]
    }

    /// Returns `true` if the mapper itself sets this slot.
    pub(super) fn is_own(&self, slot: usize) -> bool {
        let Self {
            mapper, entity, self_, candidate_destinations, env, params, resubmit, dest_name, handler_tags, ..
        } = *self;
        let others = [mapper, entity, self_, candidate_destinations, env, params, resubmit, dest_name, handler_tags];
        self.arguments().contains(&slot) || self.resources.contains(&slot) || others.contains(&slot)
    }

    /// The slot of a resource's evaluated value.
    pub(super) fn resource(&self, resource: Resource) -> usize {
        self.resources.get(resource as usize).copied().unwrap_or_default()
    }
}
