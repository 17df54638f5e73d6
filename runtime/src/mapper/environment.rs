//! The surroundings of the mapper's Python machine: TPV's names, the world, the log.

use std::cell::{Cell, RefCell};

use std::sync::Arc;

use crate::artifact::Rules;
use crate::pools::FinishedJobs;
use tpv_bytecode::{CodeKind, ProgramData};
use tpv_galaxy::answer::Answer;
use tpv_galaxy::helpers::input_size_of;
use tpv_galaxy::lacks::Lack;
use tpv_galaxy::objects::{self, app, stand_in_app};
use tpv_galaxy::reads::Read;
use tpv_galaxy::world::World;
use tpv_python::exception::{PyResult, Raised};
use tpv_python::lacking;
use tpv_python::module::ModuleDef;
use tpv_python::modules::logging::{self, LOGGER};
use tpv_python::types::{self, BuiltinType};
use tpv_python::value::Value;
use tpv_python::vm::{Environment, LogLevel, Vm};

use super::hooks::compile_by;
use super::slots::INPUT_SIZE;
use super::trace::Trace;
use super::{Hooks, helpers};

/// Returns `true` if a method of this name, of some object that code meets, may be one that changes nothing and calls
/// no code: then a kernel asks the object.
pub fn may_be_pure(method: &str) -> bool {
    types::TYPES.iter().any(|class| class.pure.contains(&method))
        || objects::has_pure_method(method)
        || super::helpers::is_pure(method)
        || logging::level_of_method(method).is_some()
}

/// The surroundings of one worker.
pub(super) struct MapperEnvironment {
    hooks: Hooks,
    /// `true` if Galaxy's objects are live: then CPython asks for time and files.
    is_live: bool,
    world: RefCell<Arc<World>>,
    /// The world of no job.
    nowhere: Arc<World>,
    job_slot: Cell<usize>,
    /// The size of the inputs of the job in the context, and that job: code or context may put another there.
    input_size: RefCell<Option<(Value, Value)>>,
}

impl MapperEnvironment {
    pub(super) fn new(hooks: Hooks) -> Self {
        let is_live = hooks.cpython.as_ref().is_some_and(|cpython| cpython.is_live());
        let nowhere = Arc::<World>::default();
        Self {
            hooks,
            is_live,
            world: RefCell::new(nowhere.clone()),
            nowhere,
            job_slot: Cell::new(0),
            input_size: RefCell::default(),
        }
    }

    /// Makes this the world of the jobs to come; tells whether it is another one than before.
    pub(super) fn set_world(&self, world: &Arc<World>) -> bool {
        let is_new = !Arc::ptr_eq(&self.world.borrow(), world);
        if is_new {
            *self.world.borrow_mut() = world.clone();
        }
        is_new
    }

    /// Tells the world's recorder, if it has one, what was read.
    pub(super) fn note(&self, read: Read) {
        self.world.borrow().note(|| read);
    }

    /// Makes the world an empty one.
    pub(super) fn forget_world(&self) {
        self.world.borrow_mut().clone_from(&self.nowhere);
    }

    /// `app`, as the world has it. Made for each job: code may have changed the last one.
    pub(super) fn app(&self, stand_in: bool) -> Value {
        if stand_in { stand_in_app(&self.world.borrow()) } else { app(&self.world.borrow()) }
    }

    /// Notes that code asked for something that only the live server has.
    fn asks_for(&self, what: &str) {
        if self.is_live {
            lacking::note(format!("the code asks for {what}"));
        }
    }

    /// Tells which slot of the context holds the job.
    pub(super) fn set_job_slot(&self, slot: usize) {
        self.job_slot.set(slot);
    }

    /// Forgets what was computed for the last job.
    pub(super) fn start_job(&self) {
        *self.input_size.borrow_mut() = None;
    }

    /// The size of the job's inputs in GiB, if code asked for it.
    pub(super) fn known_input_size(&self) -> Option<Value> {
        self.input_size.borrow().as_ref().map(|(_, size)| size.clone())
    }

    /// The job table of a live Galaxy.
    pub(super) fn finished_jobs(&self) -> Option<Arc<dyn FinishedJobs>> {
        self.hooks.finished_jobs.clone()
    }

    /// Tells the log about something that an administrator should know.
    pub(super) fn warn(&self, message: &str) {
        if self.log_enabled(LogLevel::Warning) {
            self.log(LogLevel::Warning, message);
        }
    }

    /// Tells the log about an exception that ended a job, with its trace in the config.
    pub(super) fn log_raised(&self, id: &str, answer: &Answer, raised: &Raised, rules: &Rules) {
        if self.log_enabled(LogLevel::Info)
            && let Some(error) = answer.error_text()
        {
            let trace = Trace::of(rules, raised).map(|trace| format!(", {trace}"));
            self.log(LogLevel::Info, &format!("job {id} ended in {error}{}", trace.unwrap_or_default()));
        }
    }
}

/// The class that Galaxy sets for all loggers of its process.
static GALAXY_LOGGER: BuiltinType = BuiltinType::new("GalaxyLogger", "galaxy.util.custom_logging", &LOGGER);

impl Environment for MapperEnvironment {
    fn class_attribute(&self, _: &mut Vm, class: &'static BuiltinType, name: &str) -> PyResult<Option<Value>> {
        tpv_galaxy::query::class_attribute(class, name)
    }

    fn modules(&self) -> &'static [&'static ModuleDef] {
        super::modules::modules()
    }

    fn global(&self, vm: &mut Vm, name: &str) -> PyResult<Option<Value>> {
        super::modules::loader_global(vm, name)
    }

    fn overriding(&self, _: &mut Vm, name: &str) -> PyResult<Option<Value>> {
        Ok(match name {
            "helpers" => Some(Value::Module(&helpers::MODULE)),
            // TPV sets it to 0 for blocks whose text does not name it.
            INPUT_SIZE => Some(Value::Int(0)),
            _ => None,
        })
    }

    fn computed_name(&self, vm: &mut Vm, _: &str) -> PyResult<Value> {
        let job = vm.context.get(self.job_slot.get()).cloned().flatten().unwrap_or(Value::None);
        if let Some((known, size)) = &*self.input_size.borrow()
            && known.is(&job)
        {
            return Ok(size.clone());
        }
        let size = input_size_of(vm, &job)?;
        *self.input_size.borrow_mut() = Some((job, size.clone()));
        Ok(size)
    }

    fn now(&self) -> Option<i64> {
        self.asks_for("the time");
        self.note(Read::Other);
        self.world.borrow().now
    }

    fn file_size(&self, path: &str, needed: bool) -> Option<u64> {
        self.asks_for("files");
        let world = self.world.borrow();
        let size = world.files.get(path).copied();
        if size.is_none() {
            world.lack(|| Lack::File { path: path.into(), needed });
        }
        size
    }

    fn environment_variable(&self, name: &str) -> Option<String> {
        self.asks_for("the environment");
        let world = self.world.borrow();
        let value = world.environment.get(name).map(|value| value.to_string());
        if value.is_none() {
            world.lack(|| Lack::Variable(name.into()));
        }
        value
    }

    fn compile(&self, source: &str, kind: CodeKind) -> Option<PyResult<ProgramData>> {
        Some(compile_by(self.hooks.compile.as_ref()?, source, kind))
    }

    fn logger_class(&self) -> Option<&'static BuiltinType> {
        Some(&GALAXY_LOGGER)
    }

    fn log(&self, level: LogLevel, message: &str) {
        if let Some(log) = &self.hooks.log {
            log(level, message);
        }
    }

    fn log_enabled(&self, level: LogLevel) -> bool {
        self.hooks.log.is_some() && self.hooks.log_level.is_some_and(|least| level >= least)
    }

    fn is_unread(&self, class: &BuiltinType, method: &str) -> bool {
        class.is_subclass(&LOGGER) && logging::level_of_method(method).is_some_and(|level| !self.log_enabled(level))
    }
}
