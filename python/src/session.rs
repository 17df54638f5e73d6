//! Values that cross the boundary while one job is mapped, with their counterparts on the other side.
//!
//! A list, dict or set that crosses exists twice: natively and in Python. The two are twins, so that a container that crosses again is
//! the same object, and what one side changes is carried over when the other side's code runs next: only one of the two runs at a
//! time, so that both never change at once. A job whose code passes no containers over pays nothing.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use tpv_python::exception::{ExceptionObject, PyResult as NativeResult};
use tpv_python::identity::identity;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

use crate::asked::Answer;
use crate::twin::Twin;

/// The number of entries that the session outside of mappings keeps before it drops all of them.
const MAX_OUTSIDE: usize = 10_000;

/// The most answers that are kept for a job: code may ask many objects.
const MAX_ANSWERS: usize = 100;

thread_local! {
    /// The sessions of this thread, the innermost last: rules can map another job.
    static SESSIONS: RefCell<Vec<Rc<Session>>> = const { RefCell::new(Vec::new()) };
    /// The session for what Python does with native objects outside of a mapping.
    static OUTSIDE: RefCell<Rc<Session>> = RefCell::default();
}

/// The values that crossed.
#[derive(Default)]
pub struct Session {
    /// `true` if only the mapper ends it, by reporting the end of a job.
    is_of_mapper: bool,
    /// `true` if Python's `random` has the state of native code's while its code runs.
    lends_random: bool,
    twins: RefCell<Twins>,
    /// The Python objects that show native ones, by the address of these.
    shown: RefCell<HashMap<usize, (Value, Py<PyAny>)>>,
    exceptions: RefCell<Exceptions>,
    /// Answers of Galaxy's objects that are not asked for again.
    answers: RefCell<Vec<Answer>>,
}

#[derive(Default)]
struct Twins {
    all: Vec<Rc<Twin>>,
    by_native: HashMap<usize, usize>,
    by_python: HashMap<usize, usize>,
}

#[derive(Default)]
struct Exceptions {
    by_native: HashMap<usize, Py<PyBaseException>>,
    by_python: HashMap<usize, (Py<PyBaseException>, Rc<ExceptionObject>)>,
}

/// The number of sessions of all threads.
static MAPPINGS: AtomicUsize = AtomicUsize::new(0);

/// The names that leave `sys.modules` when no thread maps a job. Locked by threads that are attached to Python, and only for a moment.
static MODULES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Counts a session that ended.
fn end_mapping() {
    let are_there = |modules: &Vec<String>| !modules.is_empty();
    if !are_there(&MODULES.lock().unwrap_or_else(PoisonError::into_inner)) {
        MAPPINGS.fetch_sub(1, Ordering::SeqCst);
        return;
    }
    Python::attach(|py| {
        // A thread that imports one of them maps a job, and this one keeps Python until all are gone.
        if MAPPINGS.fetch_sub(1, Ordering::SeqCst) != 1 {
            return;
        }
        let names = std::mem::take(&mut *MODULES.lock().unwrap_or_else(PoisonError::into_inner));
        let Ok(modules) = py.import("sys").and_then(|sys| sys.getattr("modules")) else { return };
        for name in names {
            // Somebody may have removed it before.
            let _ = modules.del_item(name);
        }
    });
}

/// Returns `true` if this thread maps a job.
#[pyfunction]
pub fn is_mapping() -> bool {
    SESSIONS.with_borrow(|sessions| !sessions.is_empty())
}

/// Has a module leave `sys.modules` when no thread maps a job.
#[pyfunction]
pub fn forget_after_mapping(name: String) {
    MODULES.lock().unwrap_or_else(PoisonError::into_inner).push(name);
}

/// Ends a session when it is dropped.
pub struct Started(());

impl Drop for Started {
    fn drop(&mut self) {
        let ended = SESSIONS.with_borrow_mut(Vec::pop);
        // Outside of the borrow: what it holds may run code as it goes.
        drop(ended);
        end_mapping();
    }
}

impl Session {
    /// Starts a session for a job, which lasts as long as the result.
    pub fn start() -> Started {
        SESSIONS.with_borrow_mut(|sessions| sessions.push(Rc::default()));
        MAPPINGS.fetch_add(1, Ordering::SeqCst);
        Started(())
    }

    /// Starts a session for a job whose state of `random` is given: native code and CPython draw from one generator.
    pub fn start_lending() -> Started {
        SESSIONS.with_borrow_mut(|sessions| sessions.push(Rc::new(Self { lends_random: true, ..Self::default() })));
        Started(())
    }

    /// Returns `true` if Python's `random` gets the state of native code's.
    pub fn lends_random(&self) -> bool {
        self.lends_random
    }

    /// Starts a session where this thread has none, which lasts until the job ends.
    pub fn start_of_job() {
        SESSIONS.with_borrow_mut(|sessions| {
            if sessions.is_empty() {
                sessions.push(Rc::new(Self { is_of_mapper: true, ..Self::default() }));
                MAPPINGS.fetch_add(1, Ordering::SeqCst);
            }
        });
    }

    /// Ends what [`Session::start_of_job`] started.
    pub fn end_job() {
        let ended = SESSIONS.with_borrow_mut(|sessions| sessions.pop_if(|session| session.is_of_mapper));
        if ended.is_some() {
            drop(ended);
            end_mapping();
        }
    }

    /// The session of the job that this thread maps; outside of a mapping the thread's own.
    pub fn current() -> Rc<Self> {
        if let Some(session) = SESSIONS.with_borrow(|sessions| sessions.last().cloned()) {
            return session;
        }
        let session = OUTSIDE.with_borrow(Rc::clone);
        if session.size() <= MAX_OUTSIDE {
            return session;
        }
        let old = OUTSIDE.replace(Rc::default());
        drop((session, old));
        OUTSIDE.with_borrow(Rc::clone)
    }

    /// The session of the job that this thread maps; `None` outside of a mapping.
    pub fn of_mapping() -> Option<Rc<Self>> {
        SESSIONS.with_borrow(|sessions| sessions.last().cloned())
    }

    /// The answer of a method that was called for the job before.
    pub fn answer(&self, method: &str, of: &(Py<PyAny>, Option<Py<PyAny>>)) -> Option<Value> {
        self.answers.borrow().iter().find_map(|answer| answer.of(method, of))
    }

    /// Keeps an answer for later calls, unless there are too many.
    pub fn keep_answer(&self, answer: Answer) {
        let mut answers = self.answers.borrow_mut();
        if answers.len() < MAX_ANSWERS {
            answers.push(answer);
        }
    }

    /// Forgets the answers of all sessions of this thread, because code runs that may change them.
    pub fn forget_answers() {
        let old: Vec<_> =
            SESSIONS.with_borrow(|sessions| sessions.iter().map(|session| session.answers.take()).collect());
        // Outside of the borrow, as the sessions are.
        drop(old);
    }

    fn size(&self) -> usize {
        self.twins.borrow().all.len() + self.shown.borrow().len() + self.exceptions.borrow().by_python.len()
    }

    /// The native twin of a Python container.
    pub fn native_twin(&self, of_python: &Bound<'_, PyAny>) -> Option<Value> {
        let twins = self.twins.borrow();
        let index = twins.by_python.get(&of_python.as_ptr().addr())?;
        Some(twins.all.get(*index)?.native.clone())
    }

    /// The Python twin of a native container.
    pub fn python_twin<'py>(&self, py: Python<'py>, native: &Value) -> Option<Bound<'py, PyAny>> {
        let twins = self.twins.borrow();
        let index = twins.by_native.get(&identity(native))?;
        Some(twins.all.get(*index)?.python.bind(py).clone())
    }

    /// Notes that two containers stand for each other. Their items follow.
    pub fn pair(&self, native: &Value, of_python: &Bound<'_, PyAny>) -> Rc<Twin> {
        let twin = Rc::new(Twin::new(native.clone(), of_python.clone().unbind()));
        let mut twins = self.twins.borrow_mut();
        let index = twins.all.len();
        twins.by_native.insert(identity(native), index);
        twins.by_python.insert(of_python.as_ptr().addr(), index);
        twins.all.push(twin.clone());
        twin
    }

    fn twin(&self, index: usize) -> Option<Rc<Twin>> {
        self.twins.borrow().all.get(index).cloned()
    }

    /// Carries over to Python what native code changed.
    ///
    /// # Errors
    /// Exceptions raised while an item is converted or a container changed.
    pub fn to_python(&self, py: Python<'_>) -> PyResult<()> {
        // Items that cross add twins, which are equal already.
        let mut index = 0;
        while let Some(twin) = self.twin(index) {
            twin.to_python(py)?;
            index += 1;
        }
        Ok(())
    }

    /// Carries over to the machine what Python code changed.
    ///
    /// # Errors
    /// Exceptions raised while an item is converted.
    pub fn to_native(&self, vm: &mut Vm, py: Python<'_>) -> NativeResult<()> {
        let mut index = 0;
        while let Some(twin) = self.twin(index) {
            twin.to_native(vm, py)?;
            index += 1;
        }
        Ok(())
    }

    /// The Python object that shows a native one.
    pub fn shown<'py>(&self, py: Python<'py>, native: &Value) -> Option<Bound<'py, PyAny>> {
        self.shown.borrow().get(&identity(native)).map(|(_, shown)| shown.bind(py).clone())
    }

    /// Notes the Python object that shows a native one.
    pub fn keep_shown(&self, native: &Value, shown: &Bound<'_, PyAny>) {
        let entry = (native.clone(), shown.clone().unbind());
        let old = self.shown.borrow_mut().insert(identity(native), entry);
        drop(old);
    }

    /// The native exception that stands for one of Python's.
    pub fn exception(&self, of_python: &Bound<'_, PyBaseException>) -> Option<Rc<ExceptionObject>> {
        let exceptions = self.exceptions.borrow();
        exceptions.by_python.get(&of_python.as_ptr().addr()).map(|(_, native)| native.clone())
    }

    /// The Python exception that was made for a native one.
    pub fn shown_exception<'py>(&self, py: Python<'py>, native: &Rc<ExceptionObject>) -> Option<Bound<'py, PyAny>> {
        let exceptions = self.exceptions.borrow();
        exceptions.by_native.get(&Rc::as_ptr(native).addr()).map(|shown| shown.bind(py).clone().into_any())
    }

    /// Notes that two exceptions stand for each other.
    pub fn keep_exception(&self, of_python: &Bound<'_, PyBaseException>, native: &Rc<ExceptionObject>) {
        let mut exceptions = self.exceptions.borrow_mut();
        exceptions.by_native.insert(Rc::as_ptr(native).addr(), of_python.clone().unbind());
        let entry = (of_python.clone().unbind(), native.clone());
        let old = exceptions.by_python.insert(of_python.as_ptr().addr(), entry);
        drop(exceptions);
        drop(old);
    }
}
