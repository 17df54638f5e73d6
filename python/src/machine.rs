//! The machine that Python code runs under: native code calls Python, which may call native code again.
//!
//! While Python runs for a machine, the machine waits, and what Python calls of native objects runs on it. The thread notes which
//! machine that is. Outside of a mapping a machine of the thread's own serves.

use std::cell::{Cell, RefCell};
use std::ptr;
use std::rc::Rc;

use pyo3::prelude::*;
use tpv_python::exception::PyResult as NativeResult;
use tpv_python::vm::Vm;

use crate::exception;
use crate::outside::Outside;
use crate::session::Session;

thread_local! {
    /// The machine that waits for Python on this thread; null where none does.
    static WAITING: Cell<*mut Vm> = const { Cell::new(ptr::null_mut()) };
    /// The machine for what Python does with native objects outside of a mapping.
    static OUTSIDE: RefCell<Option<Box<Vm>>> = const { RefCell::new(None) };
}

/// Puts back which machine waits, also where Python code or a panic ends the work.
struct Waiting(*mut Vm);

impl Waiting {
    fn set(machine: *mut Vm) -> Self {
        Self(WAITING.replace(machine))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        WAITING.set(self.0);
    }
}

/// Runs Python code while the machine waits. What native code changed before counts for it, and what it changes counts after.
///
/// # Errors
/// Exceptions raised by the code.
pub fn in_python<R>(vm: &mut Vm, run: impl FnOnce(Python<'_>) -> PyResult<R>) -> NativeResult<R> {
    Python::attach(|py| {
        let session = Session::current();
        if let Err(error) = session.to_python(py) {
            return Err(exception::to_native(vm, py, error));
        }
        let result = {
            let _waiting = Waiting::set(ptr::from_mut(vm));
            run(py)
        };
        session.to_native(vm, py)?;
        result.map_err(|error| exception::to_native(vm, py, error))
    })
}

/// Runs native code for Python, on the machine that waits for it.
///
/// # Errors
/// Exceptions raised by the code, as Python exceptions.
pub fn on_machine<R>(py: Python<'_>, work: impl FnOnce(&mut Vm) -> NativeResult<R>) -> PyResult<R> {
    let waiting = WAITING.get();
    if waiting.is_null() {
        let mut vm = OUTSIDE.take().unwrap_or_else(|| Box::new(Vm::new(Rc::new(Outside))));
        vm.renew();
        let result = native_for_python(py, &mut vm, work);
        OUTSIDE.set(Some(vm));
        return result;
    }
    // What runs natively meanwhile, the destructors of Python's objects included, must not find the machine that is at work.
    let _working = Waiting::set(ptr::null_mut());
    // SAFETY: `in_python` made the pointer of a `&mut Vm` that its caller holds and does not use before Python returns to it. This
    // thread set it, so that it is on this thread's stack, and `_working` hides it from all other callers until `work` is done.
    #[expect(unsafe_code, reason = "the machine passes through CPython's frames, which hold no references of Rust")]
    let vm = unsafe { &mut *waiting };
    // What Python does has no budget; each native operation of it has a whole one.
    let steps = vm.steps_left();
    vm.renew();
    let result = native_for_python(py, vm, work);
    vm.restore_steps(steps);
    result
}

fn native_for_python<R>(py: Python<'_>, vm: &mut Vm, work: impl FnOnce(&mut Vm) -> NativeResult<R>) -> PyResult<R> {
    let session = Session::current();
    let result = session.to_native(vm, py).and_then(|()| work(vm));
    session.to_python(py)?;
    result.map_err(|raised| exception::to_python(py, &raised))
}
