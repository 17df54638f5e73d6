//! Selects the interpreter that runs a block: the interpreter of this runtime, or CPython if the host has it.
//!
//! CPython runs the blocks that the compiler marked, and what was made at run time and cannot be compiled. If native code meets
//! something that the native language lacks ([`lacking`]), the mapping is given up, and the job is mapped once more with all code in
//! CPython. So no answer depends on which interpreter ran.
//!
//! Every block passes here that is evaluated, so this is also where those are noted that ran, if somebody wants to know.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use tpv_bytecode::{CodeKind, CodeRef, ProgramData};
use tpv_python::exception::{PyResult, Raised, runtime_error};
use tpv_python::lacking;
use tpv_python::string::Str;
use tpv_python::value::Value;
use tpv_python::vm::{Limits, LogLevel, Vm};

use super::Hooks;
use super::code::{evaluate_natively, is_plain};
use super::cpython::{Cpython, Origin};
use super::explain::{InCpython, Observer, SpentBudget, Step};
use super::places::ConfigPlace;
use super::trace::Trace;
use super::worker::Worker;
use crate::artifact::Rules;

/// The budget of native code if CPython runs everything: CPython's own code has none.
const UNLIMITED: u64 = u64::MAX / 4;

/// One thread's choice of interpreters.
pub(super) struct Interpreters {
    /// `None` if there is only the machine, whose blocks are to be noted.
    cpython: Option<Arc<dyn Cpython>>,
    rules: Arc<Rules>,
    is_live: bool,
    forced: Option<u64>,
    /// `true` if CPython runs all code of this job.
    all: Cell<bool>,
    /// `true` if an observer asks for the blocks that CPython ran.
    is_observed: Cell<bool>,
    ran: RefCell<Vec<InCpython>>,
    /// The sites of the blocks that were evaluated, if they are to be noted.
    evaluated: Option<RefCell<Vec<u32>>>,
    /// The block that spent its native budget.
    spent: RefCell<Option<SpentBudget>>,
}

impl Interpreters {
    /// The interpreters of these hooks. `None` if there is no CPython and no block needs to be recorded.
    pub(super) fn new(hooks: &Hooks, rules: &Arc<Rules>) -> Option<Self> {
        let cpython = hooks.cpython.clone();
        if cpython.is_none() && !hooks.note_blocks {
            return None;
        }
        Some(Self {
            is_live: cpython.as_ref().is_some_and(|cpython| cpython.is_live()),
            cpython,
            rules: rules.clone(),
            spent: RefCell::default(),
            evaluated: hooks.note_blocks.then(RefCell::default),
            forced: hooks.force_cpython,
            all: Cell::new(false),
            is_observed: Cell::new(false),
            ran: RefCell::default(),
        })
    }

    /// Returns `true` if CPython may run blocks of a program in a mapping of this kind; these can read any name of the
    /// context.
    pub(super) fn may_run(&self, program: &ProgramData) -> bool {
        let mut roots = program.codes.iter().filter_map(|code| code.cpython);
        let may_run = self.all.get() || self.forced.is_some() || roots.any(|needs| self.is_live || !needs.only_live);
        self.cpython.is_some() && may_run
    }

    /// The blocks that were noted since the last call.
    fn take_evaluated(&self) -> Vec<u32> {
        self.evaluated.as_ref().map(RefCell::take).unwrap_or_default()
    }

    /// Returns `true` if CPython runs all code of this job.
    pub(super) fn runs_all(&self) -> bool {
        self.all.get()
    }

    /// Evaluates a source in the interpreter that it is for.
    ///
    /// # Errors
    /// Exceptions raised by the code; any error if native code met a feature that it lacks, which abandons the mapping.
    pub(super) fn evaluate(&self, vm: &mut Vm, source: &Str, kind: CodeKind) -> PyResult<Value> {
        if kind == CodeKind::FString && is_plain(source) {
            return Ok(Value::Str(source.clone()));
        }
        let program = vm.program.clone();
        let data = program.as_ref().map(|program| &*program.data);
        let is_of_kind = |origin: &CodeRef| {
            data.and_then(|data| data.codes.get(origin.code as usize)).is_some_and(|code| code.kind == kind)
        };
        let origin = source.code().filter(is_of_kind);
        if let (Some(evaluated), Some(origin)) = (&self.evaluated, origin) {
            evaluated.borrow_mut().push(origin.site);
        }
        let Some(cpython) = &self.cpython else { return evaluate_natively(vm, source, kind) };
        if let Some(reason) = self.reason(data, origin, source, kind) {
            return self.run(vm, &**cpython, source, kind, origin, &reason);
        }
        if origin.is_none()
            && let Err(raised) = vm.compile(source, kind)
        {
            // CPython raises its own error, if it is one for it.
            let reason = format!("tpvc does not read it: {raised:?}");
            lacking::take();
            return self.run(vm, &**cpython, source, kind, origin, &reason);
        }
        let result = evaluate_natively(vm, source, kind);
        if !lacking::is_noted() {
            return result;
        }
        if lacking::is_spent() {
            let trace = result.err().and_then(|raised| Trace::of(&self.rules, &raised));
            let site = origin.map(|origin| origin.site);
            let at = trace.as_ref().and_then(Trace::place).cloned();
            let place = at.or_else(|| ConfigPlace::of_site(&self.rules, site?));
            self.spent.borrow_mut().get_or_insert(SpentBudget { site, place });
        }
        Err(given_up())
    }

    /// The reason that CPython runs a block. `None` if the interpreter runs it.
    fn reason<'a>(
        &self,
        data: Option<&'a ProgramData>,
        origin: Option<CodeRef>,
        source: &str,
        kind: CodeKind,
    ) -> Option<Cow<'a, str>> {
        let marked = origin.and_then(|origin| data?.cpython(origin.code));
        match marked {
            Some((reason, only_live)) if self.is_live || !only_live => return Some(reason.into()),
            _ => {}
        }
        if self.all.get() {
            return Some("the job is mapped once more".into());
        }
        if self.forced.is_some_and(|seed| is_forced(seed, source, kind)) {
            return Some("it is forced".into());
        }
        // The compiler has not seen what it imports.
        let imports = self.is_live && origin.is_none() && source.contains("import");
        imports.then(|| "it was made at run time and imports".into())
    }

    fn run(
        &self,
        vm: &mut Vm,
        cpython: &dyn Cpython,
        source: &Str,
        kind: CodeKind,
        origin: Option<CodeRef>,
        reason: &str,
    ) -> PyResult<Value> {
        if self.is_observed.get() {
            let ran = InCpython { site: origin.map(|origin| origin.site), reason: reason.to_owned() };
            let mut known = self.ran.borrow_mut();
            if !known.contains(&ran) {
                known.push(ran);
            }
        }
        let noted = lacking::take();
        let place = origin.map(|origin| Origin { rules: &self.rules, site: origin.site });
        let result = cpython.run(vm, source, kind, place);
        vm.note_change();
        // What CPython's code met natively, it would meet again.
        lacking::restore(noted);
        result.inspect_err(|raised| {
            if let Some(origin) = origin {
                raised.0.origin.set(raised.0.origin.get().or(Some(origin)));
            }
        })
    }
}

/// Returns `true` if the seed gives a block to CPython: half of all texts.
fn is_forced(seed: u64, source: &str, kind: CodeKind) -> bool {
    let mut hasher = DefaultHasher::new();
    (seed, source, kind).hash(&mut hasher);
    hasher.finish() & 1 == 0
}

/// The error that abandons a mapping so that it can be repeated.
fn given_up() -> Raised {
    runtime_error("the native language lacks what the code asked for")
}

impl Worker {
    /// Maps a job, and once more with all code in CPython if native code met something that it lacks.
    ///
    /// # Errors
    /// Exceptions of `map`.
    pub(super) fn with_interpreters<T>(
        &mut self,
        observer: &mut dyn Observer,
        mut map: impl FnMut(&mut Self, &mut dyn Observer) -> PyResult<T>,
    ) -> PyResult<T> {
        let Some(interpreters) = self.interpreters.clone() else { return map(self, observer) };
        interpreters.is_observed.set(observer.watches());
        interpreters.ran.take();
        interpreters.take_evaluated();
        // Code that CPython runs may map another job on this thread.
        let outer = lacking::take();
        interpreters.spent.take();
        let mut result = map(self, observer);
        let is_spent = lacking::is_spent();
        if let Some(reason) = lacking::take().filter(|_| interpreters.cpython.is_some()) {
            let log = &self.vm.environment;
            if log.log_enabled(LogLevel::Info) {
                log.log(LogLevel::Info, &format!("the job is mapped once more with all code in CPython: {reason}"));
            }
            let spent = is_spent.then(|| interpreters.spent.take().unwrap_or_default());
            observer.step(Step::OnceMore { reason: &reason, spent: spent.as_ref() });
            let limits = self.vm.limits;
            self.vm.limits = Limits { steps: UNLIMITED, bytes: usize::MAX, ..limits };
            interpreters.all.set(true);
            interpreters.ran.take();
            interpreters.take_evaluated();
            result = map(self, observer);
            interpreters.all.set(false);
            self.vm.limits = limits;
            lacking::take();
        }
        lacking::restore(outer);
        if observer.watches() {
            observer.step(Step::InCpython { blocks: &interpreters.ran.take() });
        }
        if interpreters.evaluated.is_some() {
            observer.step(Step::Evaluated { sites: &interpreters.take_evaluated() });
        }
        result
    }

    /// Abandons the mapping if native code met a feature that it lacks.
    ///
    /// # Errors
    /// An error that ends the mapping.
    pub(super) fn check_interpreters(&self) -> PyResult<()> {
        match &self.interpreters {
            Some(interpreters) if interpreters.cpython.is_some() && !interpreters.runs_all() && lacking::is_noted() => {
                Err(given_up())
            }
            _ => Ok(()),
        }
    }
}
