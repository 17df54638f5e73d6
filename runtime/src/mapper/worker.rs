//! One thread's side of a [`super::Mapper`]: its Python machine and its view of the artifact.

use std::rc::Rc;
use std::sync::Arc;

use crate::artifact::Rules;
use crate::artifact::tables::Resource;
use crate::galaxy::world::World;
use crate::jit::Native;
use crate::python::value::Value;
use crate::python::vm::Vm;

use super::Hooks;
use super::environment::MapperEnvironment;
use super::lookup::Lookups;
use super::memo::Memo;
use super::memory::MAX_KEPT;
use super::objects::MapperObject;
use super::output::Unseen;
use super::store::Store;
use super::tags::TagNames;
use super::working::Entered;

/// The context slots that the mapper itself fills.
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
    pub self_: usize,
    pub candidate_destinations: usize,
    pub env: usize,
    pub params: usize,
    pub resubmit: usize,
    pub dest_name: usize,
    pub handler_tags: usize,
    resources: [usize; 9],
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

    /// Whether the mapper itself sets the slot, whatever the entities' contexts say.
    pub(super) fn is_set_by_mapper(&self, slot: usize) -> bool {
        let own = [
            self.app,
            self.tool,
            self.user,
            self.job,
            self.job_wrapper,
            self.resource_params,
            self.workflow_invocation_uuid,
            self.mapper,
            self.entity,
            self.self_,
            self.candidate_destinations,
            self.env,
            self.params,
            self.resubmit,
            self.dest_name,
            self.handler_tags,
        ];
        own.contains(&slot) || self.resources.contains(&slot)
    }

    /// The slot of a resource's evaluated value.
    pub(super) fn resource(&self, resource: Resource) -> usize {
        self.resources.get(resource as usize).copied().unwrap_or_default()
    }
}

/// One thread's mapper.
pub(super) struct Worker {
    pub rules: Arc<Rules>,
    pub vm: Vm,
    pub environment: Rc<MapperEnvironment>,
    pub names: Rc<TagNames>,
    pub slots: Slots,
    /// This thread's view of the artifact's entities.
    pub store: Rc<Store>,
    /// What code sees as `mapper`, which it cannot change.
    pub mapper: Value,
    /// What code saw as `app` of the world, and may see again if it was not used.
    pub app: Value,
    /// The global context, by slot.
    pub global_context: Rc<[(usize, Value)]>,
    /// The candidates of the last job, for their memory.
    pub candidates: Vec<u32>,
    pub lookups: Lookups,
    /// The entity's context that the evaluation context has.
    pub entered: Entered,
    /// What blocks gave.
    pub memo: Memo,
    /// The properties that no code sees.
    pub unseen: Unseen,
    /// The text of evaluated properties.
    pub text: String,
    /// How much may be kept, with what was there at the start.
    pub most_bytes: usize,
}

impl Worker {
    /// Makes this the world of the jobs to come. What was kept may tell of another.
    pub(super) fn set_world(&mut self, world: &Arc<World>) {
        if self.environment.set_world(world) {
            self.memo = Memo::default();
            self.app = Value::None;
        }
    }

    pub(super) fn new(rules: Arc<Rules>, native: Option<&Native>, hooks: &Hooks) -> Self {
        let environment = Rc::new(MapperEnvironment::new(hooks.clone()));
        let mut vm = Vm::new(environment.clone());
        vm.limits = hooks.limits;
        vm.reset();
        let program = vm.load_native(rules.program().clone(), native.map(Native::view));
        vm.program = Some(program);
        let tables = rules.tables();
        let names = Rc::new(TagNames::default());
        for tag in &tables.tags {
            names.id(tables.strings.get(*tag as usize).map_or("", String::as_str));
        }
        let store = Rc::new(Store::new(rules.clone()));
        let global_context = tables
            .global
            .context
            .iter()
            .map(|(name, value)| (vm.slot(&store.rows.string(tables, *name)), store.rows.value(tables, value)))
            .collect();
        let slots = Slots::new(&mut vm);
        environment.set_job_slot(slots.job);
        let mapper = MapperObject::value(&names, &store);
        let (candidates, lookups, entered) = (Vec::new(), Lookups::default(), Entered::new(&slots));
        let unseen = vm.program.as_ref().map(|program| Unseen::new(program, &slots)).unwrap_or_default();
        let mut worker = Self {
            rules,
            vm,
            environment,
            names,
            slots,
            store,
            mapper,
            app: Value::None,
            global_context,
            candidates,
            lookups,
            entered,
            memo: Memo::default(),
            unseen,
            text: String::new(),
            most_bytes: 0,
        };
        let kept = if hooks.kept_bytes == 0 { MAX_KEPT } else { hooks.kept_bytes };
        worker.most_bytes = worker.kept_bytes().saturating_add(kept);
        worker
    }
}
