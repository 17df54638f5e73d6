//! One thread's side of a [`super::Mapper`]: its Python machine and its view of the artifact.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use crate::artifact::Rules;
use crate::artifact::tables::{EntityTable, Resource};
use crate::python::value::Value;
use crate::python::vm::Vm;

use super::entity::Entity;
use super::environment::MapperEnvironment;
use super::rows::Rows;
use super::tags::TagNames;
use super::{Hooks, lookup::Section};

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
    fn new(vm: &mut Vm) -> Self {
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
    pub rows: Rows,
    /// The destinations in the order of the config.
    pub destinations: Vec<Rc<Entity>>,
    /// The global context, by slot.
    pub global_context: Vec<(usize, Value)>,
    entities: [Vec<OnceCell<Rc<Entity>>>; 3],
}

impl Worker {
    pub(super) fn new(rules: Arc<Rules>, hooks: &Hooks) -> Self {
        let environment = Rc::new(MapperEnvironment::new(hooks.clone()));
        let mut vm = Vm::new(environment.clone());
        vm.limits = hooks.limits;
        vm.reset();
        let program = vm.load(rules.program().clone());
        vm.program = Some(program);
        let tables = rules.tables();
        let names = Rc::new(TagNames::default());
        for tag in &tables.tags {
            names.id(tables.strings.get(*tag as usize).map_or("", String::as_str));
        }
        let rows = Rows::new(tables);
        let destinations = tables.destinations.iter().map(|row| Rc::new(rows.entity(tables, row))).collect();
        let cells = |table: &EntityTable| table.rows.iter().map(|_| OnceCell::new()).collect();
        let entities = [cells(&tables.tools), cells(&tables.roles), cells(&tables.users)];
        let global_context = tables
            .global
            .context
            .iter()
            .map(|(name, value)| (vm.slot(&rows.string(tables, *name)), rows.value(tables, value)))
            .collect();
        let slots = Slots::new(&mut vm);
        Self { rules, vm, environment, names, slots, rows, destinations, global_context, entities }
    }

    /// An entity of a section.
    pub(super) fn entity(&self, section: Section, index: u32) -> Option<Rc<Entity>> {
        let row = section.table(self.rules.tables()).rows.get(index as usize)?;
        let cell = self.entities.get(section as usize)?.get(index as usize)?;
        Some(cell.get_or_init(|| Rc::new(self.rows.entity(self.rules.tables(), row))).clone())
    }
}
