//! The machine: one thread's Python.
//!
//! A [`Vm`] runs code blocks in an evaluation context. Its operations are spread over this folder, one idea a file, each
//! an `impl Vm`: [`operators`] for arithmetic and comparison, [`attributes`], [`items`], [`iteration`], [`text`] for
//! `str`, `repr` and `format`, [`call`], and [`interpreter`], the loop over instructions (with `frame`, `names`, `unwind`,
//! `generator`, `import` and `with` for its parts).

mod arguments;
pub mod attributes;
mod build;
pub mod call;
mod compare;
mod comprehension;
mod containers;
mod context;
mod cost;
mod cycles;
mod formatting;
mod frame;
mod generator;
mod import;
pub mod interpreter;
pub mod items;
pub mod iteration;
mod iterators;
pub mod lookup;
mod missing_method;
mod names;
pub mod operators;
mod sequences;
mod slices;
#[cfg(test)]
mod tests;
pub mod text;
pub mod unbound_method;
mod unwind;
mod with;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

pub use arguments::qualified;
use cost::Work;
pub(crate) use cost::{MAX_KEPT, MAX_STEPS_KEPT};
use lookup::Library;
pub use names::OutsideContext;

use super::collisions;
use super::exception::{PyResult, name_error, raise, recursion_error, timeout_error};
use super::identity::Inside;
use super::mersenne_twister::MersenneTwister;
use super::module::ModuleDef;
use super::native_code::NativeCode;
use super::types::BuiltinType;
use super::value::Value;
use crate::lacking;
use crate::program::Program;
use crate::visit;
use crate::word_hash::WordMap;
use tpv_bytecode::ProgramData;
pub use tpv_bytecode::{BinaryOp, CodeKind, CompareOp, UnaryOp};

/// The machine's interface to its surroundings. Everything impure passes through it, so that a mapping reads no file,
/// network or clock that the world, the seed or an option did not provide.
pub trait Environment {
    /// The modules that code can import: of [Python's own](crate::modules::MODULES) and of the host.
    fn modules(&self) -> &'static [&'static ModuleDef] {
        &[]
    }

    /// The loader's module global `name` (`log`, `functools`, `ast`, ...), found after the context and before the
    /// builtins.
    fn global(&self, vm: &mut Vm, name: &str) -> PyResult<Option<Value>> {
        let _ = (vm, name);
        Ok(None)
    }

    /// A name that hides even the context: TPV's `helpers`.
    fn overriding(&self, vm: &mut Vm, name: &str) -> PyResult<Option<Value>> {
        let _ = (vm, name);
        Ok(None)
    }

    /// An attribute that a class of the host has beside its methods: `Job.state`.
    fn class_attribute(&self, vm: &mut Vm, class: &'static BuiltinType, name: &str) -> PyResult<Option<Value>> {
        let _ = (vm, class, name);
        Ok(None)
    }

    /// The value of one of a block's [computed names](tpv_bytecode::Code::computed), as TPV computes `input_size` before it runs
    /// a block whose text names it.
    fn computed_name(&self, vm: &mut Vm, name: &str) -> PyResult<Value> {
        let _ = vm;
        Err(name_error(format!("name '{name}' is not defined")))
    }

    /// Now, as microseconds since 1970 UTC, if the world tells.
    fn now(&self) -> Option<i64> {
        None
    }

    /// The size in bytes of a file of the world; `None` if it does not exist, which is an exception if the file is `needed`.
    fn file_size(&self, path: &str, needed: bool) -> Option<u64> {
        let _ = (path, needed);
        None
    }

    /// An environment variable of the world.
    fn environment_variable(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }

    /// Compiles Python source that was made at run time (`entity.mem = "cores * 4"`). The runtime holds no parser; who
    /// links the compiler can give one. The root is code 0. `None` if there is none.
    fn compile(&self, source: &str, kind: CodeKind) -> Option<PyResult<ProgramData>> {
        let _ = (source, kind);
        None
    }

    /// The class of loggers that the host derives from `logging.Logger`, if it does.
    fn logger_class(&self) -> Option<&'static BuiltinType> {
        None
    }

    /// Takes a record that the code logged.
    fn log(&self, level: LogLevel, message: &str) {
        let _ = (level, message);
    }

    /// Returns `true` if anyone reads the log at this level, so that messages nobody reads are not created.
    fn log_enabled(&self, level: LogLevel) -> bool {
        let _ = level;
        false
    }

    /// Returns `true` if calling a method of a class only logs, and nobody reads the log at its level.
    fn is_unread(&self, class: &BuiltinType, method: &str) -> bool {
        let _ = (class, method);
        false
    }
}

/// A level of Python's `logging`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// `log.debug`
    Debug,
    /// `log.info`
    Info,
    /// `log.warning`
    Warning,
    /// `log.error`, `log.exception`
    Error,
    /// `log.critical`
    Critical,
}

/// An environment without host, world or compiler.
pub struct NoEnvironment;

impl Environment for NoEnvironment {}

/// The limits of one evaluation. They end in a Python exception, never in a hang or an abort.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Instructions and items handled by builtins, for one job.
    pub steps: u64,
    /// Bytes of strings, lists and ints made by one operation.
    pub bytes: usize,
    /// Nested calls. Any number is safe: the stack grows as it is needed.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 500_000, bytes: 64 << 20, depth: 1000 }
    }
}

/// The bytes of stack that must be left for one more call; unoptimized builds need far more.
const RED_ZONE: usize = if cfg!(debug_assertions) { 512 << 10 } else { 128 << 10 };
/// The bytes that are added if less is left.
const STACK_SEGMENT: usize = 8 << 20;

/// The names that a block has set: its globals. Functions of the block keep it.
#[derive(Default)]
pub struct Namespace {
    /// By index in the root code's table of names, as far as the block has set names.
    pub slots: RefCell<Vec<Binding>>,
}

/// One name of a namespace.
#[derive(Clone, Default)]
pub enum Binding {
    /// Not set here: the context, the loader's globals and the builtins are asked.
    #[default]
    Outer,
    /// Set by the block.
    Value(Value),
    /// Deleted by the block: `NameError`.
    Deleted,
}

/// One thread's Python machine.
pub struct Vm {
    /// Python's builtins, and the methods of its classes.
    pub library: &'static Library,
    /// The surroundings.
    pub environment: Rc<dyn Environment>,
    /// The evaluation context: one dict that grows while a job is mapped, here by slot.
    pub context: Vec<Option<Value>>,
    /// The machine's knowledge of the context.
    slots: context::Slots,
    /// `random`'s state.
    pub random: MersenneTwister,
    /// The limits.
    pub limits: Limits,
    /// The version of the host's API that code sees, as the host writes it; `None` if there is one only.
    pub host_version: Option<u64>,
    /// The main program: the artifact's.
    pub program: Option<Rc<Program>>,
    /// Steps left for this job.
    pub(super) steps_left: u64,
    /// See [`Vm::changes`].
    changes: u64,
    /// The work that this job has paid for once.
    paid: cost::Paid,
    pub(super) depth: usize,
    /// The exceptions being handled, innermost last: what a bare `raise` raises.
    pub(super) handling: Vec<Value>,
    /// The meanings of names outside blocks and context, by slot.
    outer: Vec<names::Outer>,
    pool: frame::FramePool,
    methods: lookup::MethodCache,
    cycles: cycles::Cycles,
    /// Counts the NaNs that code made of text.
    pub(super) nans: u64,
    /// The containers whose `repr` is being made, so that one that holds itself ends.
    pub(super) in_repr: Inside,
    /// The modules that code has imported, by name.
    imported: WordMap<&'static str, &'static ModuleDef>,
    /// The code compiled at run time, by kind and source.
    compiled: HashMap<(CodeKind, String), Rc<Program>>,
    /// The bytes that it takes.
    compiled_bytes: usize,
    /// The steps that compiling it took.
    compiled_steps: usize,
    /// `true` if this job requested some of it.
    has_compiled: bool,
}

/// The bytes of text that a builtin handles in about the time of a step.
pub const BYTES_A_STEP: usize = 8;

/// The bytes of new memory that are had and filled in about the time of a step.
const MADE_A_STEP: usize = 32;

impl Vm {
    /// A machine with this library in these surroundings, with an empty context.
    pub fn with_library(library: &'static Library, environment: Rc<dyn Environment>) -> Self {
        let limits = Limits::default();
        collisions::take();
        collisions::allow(limits.steps);
        Self {
            library,
            environment,
            context: Vec::new(),
            slots: context::Slots::default(),
            random: MersenneTwister::default(),
            limits,
            host_version: None,
            program: None,
            steps_left: limits.steps,
            changes: 0,
            paid: cost::Paid::default(),
            depth: 0,
            handling: Vec::new(),
            outer: Vec::new(),
            pool: frame::FramePool::default(),
            methods: lookup::MethodCache::default(),
            cycles: cycles::Cycles::default(),
            nans: 0,
            in_repr: Inside::default(),
            imported: WordMap::default(),
            compiled: HashMap::new(),
            compiled_bytes: 0,
            compiled_steps: 0,
            has_compiled: false,
        }
    }

    /// Makes this thread's view of a program.
    pub fn load(&mut self, data: std::sync::Arc<ProgramData>) -> Rc<Program> {
        self.load_native(data, None)
    }

    /// Makes this thread's view of a program whose kernels may become machine code; that of another program is not used.
    pub fn load_native(
        &mut self,
        data: std::sync::Arc<ProgramData>,
        native: Option<Box<dyn NativeCode>>,
    ) -> Rc<Program> {
        let native = native.filter(|native| native.is_for(&data));
        Program::new(data, native, |name| self.slot(name.as_str()))
    }

    /// Empties the context and renews the budgets, for the next job. Functions that the last job's code made lose their globals:
    /// nothing of a job may be kept.
    pub fn reset(&mut self) {
        self.empty_context();
        self.note_change();
        self.steps_left = self.limits.steps;
        self.paid.clear();
        collisions::take();
        collisions::allow(self.steps_left);
        self.has_compiled = false;
        self.depth = 0;
        self.handling.clear();
        self.break_cycles();
        self.in_repr.clear();
    }

    /// Gives a new budget of steps, for what remains to be done when the job has ended.
    pub fn renew(&mut self) {
        self.steps_left = self.limits.steps;
        self.paid.clear();
        collisions::take();
        collisions::allow(self.steps_left);
    }

    /// The bytes of what the machine keeps that jobs brought along: names, and code made at run time.
    pub fn kept_bytes(&self) -> usize {
        self.slot_bytes() + self.compiled_bytes
    }

    /// The steps that are left.
    pub fn steps_left(&self) -> u64 {
        self.steps_left
    }

    /// Sets the steps that are left to what they were, after work that the job does not pay for.
    pub fn restore_steps(&mut self, steps: u64) {
        self.steps_left = steps;
        collisions::allow(steps);
    }

    /// Pays for `steps` items of work.
    ///
    /// # Errors
    /// `TimeoutError` if the budget is spent.
    #[inline]
    pub fn charge(&mut self, steps: usize) -> PyResult<()> {
        match self.steps_left.checked_sub(steps as u64) {
            Some(left) => {
                self.steps_left = left;
                Ok(())
            }
            None => {
                // Nothing more can be paid, so that code which catches the error gets no further.
                self.steps_left = 0;
                let message = format!("the evaluation took more than {} steps", self.limits.steps);
                lacking::note_spent(message.as_str());
                lacking::note_refusal(&super::exception::TIMEOUT_ERROR, &message);
                Err(timeout_error(message))
            }
        }
    }

    /// Pays for a visit to something of `amount` bytes or items, of which `a_step` are handled in about the time of a step: at
    /// least a step.
    ///
    /// # Errors
    /// As [`Vm::charge`].
    #[inline]
    pub fn visit(&mut self, amount: usize, a_step: usize) -> PyResult<()> {
        self.charge(visit::steps(amount, a_step))
    }

    /// Pays for a call of a method of the runtime: methods of texts and of large ints mostly look at all of them.
    ///
    /// # Errors
    /// As [`Vm::charge`].
    #[inline]
    pub fn charge_receiver(&mut self, receiver: &Value) -> PyResult<()> {
        self.charge_comparisons()?;
        match receiver {
            Value::Str(text) => self.visit(text.as_str().len(), BYTES_A_STEP),
            Value::Bytes(bytes) => self.visit(bytes.len(), BYTES_A_STEP),
            Value::BigInt(int) => self.visit(usize::try_from(int.bits()).unwrap_or(usize::MAX), 64),
            _ => self.charge(1),
        }
    }

    /// Refuses to make something of more than the limit of bytes, before it is made.
    ///
    /// # Errors
    /// `MemoryError`
    pub fn charge_bytes(&mut self, bytes: usize) -> PyResult<()> {
        self.limit_bytes(bytes)?;
        self.visit(bytes, MADE_A_STEP)
    }

    /// Refuses to make something of more than the limit of bytes, of which parts are paid already.
    ///
    /// # Errors
    /// `MemoryError`
    pub fn limit_bytes(&self, bytes: usize) -> PyResult<()> {
        if bytes > self.limits.bytes {
            let message = format!("a value of more than {} MiB", self.limits.bytes >> 20);
            lacking::note_spent(message.as_str());
            // Beyond that CPython mostly finds no memory either.
            const ANY_SERVERS: usize = 1 << 36;
            if bytes < ANY_SERVERS {
                lacking::note_refusal(&super::exception::MEMORY_ERROR, &message);
            }
            return Err(raise(&super::exception::MEMORY_ERROR, message));
        }
        Ok(())
    }

    /// Runs `f` one call deeper.
    ///
    /// # Errors
    /// `RecursionError` past the limit, or what `f` raises.
    #[inline]
    pub fn deeper<T>(&mut self, f: impl FnOnce(&mut Self) -> PyResult<T>) -> PyResult<T> {
        self.deeper_in("", f)
    }

    /// The same, with what CPython's message says of the place: ` in comparison`.
    ///
    /// # Errors
    /// As [`Vm::deeper`].
    #[inline]
    pub(crate) fn deeper_in<T>(&mut self, place: &str, f: impl FnOnce(&mut Self) -> PyResult<T>) -> PyResult<T> {
        if self.depth >= self.limits.depth {
            lacking::note_spent(format!("the evaluation took more than {} nested calls", self.limits.depth));
            return Err(recursion_error(format!("maximum recursion depth exceeded{place}")));
        }
        self.depth += 1;
        let result = stacker::maybe_grow(RED_ZONE, STACK_SEGMENT, || f(self));
        self.depth -= 1;
        result
    }

    /// Returns `true` if this job created code at run time.
    pub fn has_compiled(&self) -> bool {
        self.has_compiled
    }

    /// The program for source made at run time, compiled on first use. Each job is charged as if it compiled the source.
    ///
    /// # Errors
    /// Exceptions of the compilation (`SyntaxError`), `TimeoutError` if the budget is exceeded, or
    /// `NotImplementedError` if no compiler is linked.
    pub fn compile(&mut self, source: &str, kind: CodeKind) -> PyResult<Rc<Program>> {
        // Looking the source up hashes all of it.
        self.visit(source.len(), BYTES_A_STEP)?;
        self.has_compiled = true;
        let charged = self.begin_work(Work::Code(kind), source, cost::compiling(source))?;
        let program = self.compiled(source, kind)?;
        // Source that does not compile is not kept, and is charged for each time.
        self.end_work(charged, source);
        Ok(program)
    }

    /// The program for source whose compilation has been charged for.
    fn compiled(&mut self, source: &str, kind: CodeKind) -> PyResult<Rc<Program>> {
        if let Some(program) = self.compiled.get(&(kind, source.to_owned())) {
            return Ok(program.clone());
        }
        let environment = self.environment.clone();
        let data = match environment.compile(source, kind) {
            Some(result) => result?,
            None => {
                return Err(super::exception::not_implemented_error(
                    "code made at run time needs the compiler, which is not part of this build",
                ));
            }
        };
        // A job that brings its own code brings it once: what is kept is for code that jobs have in common.
        let steps = cost::compiling(source);
        if self.compiled.len() >= cost::MAX_KEPT || self.compiled_steps.saturating_add(steps) > cost::MAX_STEPS_KEPT {
            self.compiled.clear();
            (self.compiled_bytes, self.compiled_steps) = (0, 0);
        }
        self.compiled_steps += steps;
        self.compiled_bytes += 2 * source.len() + data.bytes();
        let program = self.load(std::sync::Arc::new(data));
        self.compiled.insert((kind, source.to_owned()), program.clone());
        Ok(program)
    }
}
