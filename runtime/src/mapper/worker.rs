//! One thread's side of a [`super::Mapper`]: its Python machine and its view of the artifact.

use std::rc::Rc;
use std::sync::Arc;

use crate::artifact::Rules;
use crate::pools::AllocationStore;
use tpv_galaxy::world::World;
use tpv_jit::Native;
use tpv_model::Version;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

use super::Hooks;
use super::cache::{Cache, MAX_BYTES};
use super::environment::MapperEnvironment;
use super::interpreters::Interpreters;
use super::layers::EntityContext;
use super::objects::MapperObject;
use super::properties::UnreadProperties;
use super::slots::Slots;
use super::store::Store;
use super::tags::TagNames;

/// One thread's mapper.
pub(super) struct Worker {
    pub rules: Arc<Rules>,
    pub vm: Vm,
    pub environment: Rc<MapperEnvironment>,
    pub names: Rc<TagNames>,
    pub slots: Slots,
    /// This thread's view of the artifact's entities.
    pub store: Rc<Store>,
    /// The object that code sees as `mapper`, which it cannot change.
    pub mapper: Value,
    /// The store for allocations of resource pools; `None` if the config has no pools.
    pub allocations: Option<Arc<dyn AllocationStore>>,
    /// The object that code saw as the world's `app`, reusable if it was not changed.
    pub app: Value,
    /// The global context, by slot.
    pub global_context: Rc<[(usize, Value)]>,
    /// The context that was entered last, where nothing of it was changed since.
    pub entered: Option<EntityContext>,
    /// Which interpreter runs a block, where CPython is at hand.
    pub interpreters: Option<Rc<Interpreters>>,
    /// The results kept of earlier jobs.
    pub cache: Rc<Cache>,
    /// The properties that no code sees.
    pub unread: UnreadProperties,
    /// `true` if the destination is requested in values: then no part of it is written as text.
    pub wants_values: bool,
    /// The limit of kept bytes, including the initial ones.
    pub most_bytes: usize,
}

impl Worker {
    /// The version of TPV whose answers the rules give.
    pub(super) fn version(&self) -> Version {
        self.rules.tables().global.version
    }

    /// Makes this the world of the jobs to come.
    pub(super) fn set_world(&mut self, world: &Arc<World>) {
        if self.environment.set_world(world) {
            self.app = Value::None;
        }
    }

    /// Lets go of everything of the last job and of its world.
    pub(super) fn forget_world(&mut self) {
        self.forget_job();
        self.app = Value::None;
        self.environment.forget_world();
    }

    /// Lets go of everything of the last job, whose objects are the host's.
    pub(super) fn forget_job(&mut self) {
        self.vm.reset();
        self.entered = None;
        self.environment.start_job();
    }

    pub(super) fn new(rules: Arc<Rules>, native: Option<&Native>, hooks: &Hooks) -> Self {
        let environment = Rc::new(MapperEnvironment::new(hooks.clone()));
        let mut vm = Vm::new(environment.clone());
        vm.limits = hooks.limits;
        vm.host_version = Some(rules.tables().global.version.bits());
        vm.reset();
        let program = vm.load_native(rules.program().clone(), native.map(Native::view));
        vm.program = Some(program);
        let tables = rules.tables();
        let names = Rc::new(TagNames::default());
        for tag in &tables.tags {
            names.id(tables.strings.get(*tag as usize).map_or("", String::as_str));
        }
        let cache = Rc::new(Cache::default());
        let store = Rc::new(Store::new(rules.clone(), cache.clone()));
        let global_context = tables
            .global
            .context
            .iter()
            .map(|(name, value)| (vm.slot(&store.rows.string(tables, *name)), store.rows.value(tables, value)))
            .collect();
        let slots = Slots::new(&mut vm);
        environment.set_job_slot(slots.job);
        let mapper = MapperObject::value(&names, &store);
        let interpreters = Interpreters::new(hooks, &rules).map(Rc::new);
        let may_read = interpreters.as_ref().is_some_and(|interpreters| interpreters.may_run(rules.program()));
        let program = vm.program.as_ref().filter(|_| !may_read);
        let unread = program.map(|program| UnreadProperties::new(program, &slots)).unwrap_or_default();
        let mut worker = Self {
            rules,
            vm,
            environment,
            names,
            slots,
            store,
            mapper,
            allocations: hooks.pool_store.clone(),
            app: Value::None,
            global_context,
            entered: None,
            interpreters,
            cache,
            unread,
            wants_values: false,
            most_bytes: 0,
        };
        let kept = if hooks.kept_bytes == 0 { MAX_BYTES } else { hooks.kept_bytes };
        worker.most_bytes = worker.kept_bytes().saturating_add(kept);
        worker
    }

    /// The bytes that this thread keeps, with what belongs to the artifact as far as it is counted.
    pub(super) fn kept_bytes(&self) -> usize {
        self.cache.bytes() + self.names.bytes() + self.vm.kept_bytes()
    }

    /// Returns `true` if the cache exceeds its limit.
    pub(super) fn is_full(&self) -> bool {
        self.kept_bytes() > self.most_bytes
    }
}
