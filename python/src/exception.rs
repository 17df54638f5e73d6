//! Exceptions: class, arguments, attributes, cause and context stay as they cross, and one that comes back is the same object.

use std::rc::Rc;

use pyo3::exceptions::{PyBaseException, PySystemError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tpv_python::exception::{ExceptionObject, Raised, system_error};
use tpv_python::value::Value;
use tpv_python::vm::Vm;

use crate::live::LiveObject;
use crate::session::Session;
use crate::{classes, to_native as native, to_python as python};

/// The maximum length of a chain of causes and contexts that crosses.
const MAX_CHAIN: usize = 32;

/// Converts a Python exception for native code.
pub fn to_native(vm: &mut Vm, py: Python<'_>, error: PyErr) -> Raised {
    match object(vm, error.into_value(py).bind(py)) {
        Ok(exception) => Raised(exception),
        // An exception whose class cannot be asked for its name: what that raises says more than nothing.
        Err(error) => system_error(format!("an exception cannot be shown: {error}")),
    }
}

/// A Python exception as a native one, which stands for it.
///
/// # Errors
/// Exceptions raised while its class is determined.
pub fn object(vm: &mut Vm, exception: &Bound<'_, PyBaseException>) -> PyResult<Rc<ExceptionObject>> {
    let session = Session::current();
    if let Some(known) = session.exception(exception) {
        return Ok(known);
    }
    let class = classes::class_of(&exception.get_type())?;
    let mut args = Vec::new();
    if let Ok(given) = exception.getattr("args").and_then(|args| Ok(args.cast_into::<PyTuple>()?)) {
        for arg in given.iter() {
            // What cannot cross is still there in the exception itself.
            args.push(native::value(vm, &arg).unwrap_or_default());
        }
    }
    let native = ExceptionObject::new(class, args);
    native.host.replace(Some(LiveObject::value(exception.as_any(), class)));
    session.keep_exception(exception, &native);
    Ok(native)
}

/// Converts a native exception for Python: the original Python exception if it stands for one.
pub fn to_python(py: Python<'_>, raised: &Raised) -> PyErr {
    match shown(py, &raised.0, 0) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// A native exception as a Python object.
///
/// # Errors
/// Exceptions raised while the Python object is created.
pub fn show<'py>(py: Python<'py>, exception: &Rc<ExceptionObject>) -> PyResult<Bound<'py, PyAny>> {
    shown(py, exception, 0)
}

fn shown<'py>(py: Python<'py>, exception: &Rc<ExceptionObject>, depth: usize) -> PyResult<Bound<'py, PyAny>> {
    // Of arguments that are exceptions, too, and of their causes.
    let _deeper = python::deeper()?;
    let host = exception.host.borrow().clone();
    let of_python = match host.as_ref().and_then(|host| host.downcast::<LiveObject>()) {
        Some(live) => live.object(py).clone(),
        None => {
            let session = Session::current();
            match session.shown_exception(py, exception) {
                Some(known) => known,
                None => made(py, &session, exception)?,
            }
        }
    };
    let object = of_python.cast_into::<PyBaseException>().map_err(|_| PySystemError::new_err("no exception"))?;
    if depth < MAX_CHAIN {
        let of = |value: &Option<Value>| match value {
            Some(Value::Exception(other)) if !Rc::ptr_eq(other, exception) => Some(other.clone()),
            _ => None,
        };
        let error = PyErr::from_value(object.clone().into_any());
        let (cause, context) = (of(&exception.cause.borrow()), of(&exception.context.borrow()));
        if let Some(context) = context {
            error.set_context(py, Some(PyErr::from_value(shown(py, &context, depth + 1)?)));
        }
        if let Some(cause) = cause {
            error.set_cause(py, Some(PyErr::from_value(shown(py, &cause, depth + 1)?)));
        }
        if exception.suppress_context.get() {
            object.setattr("__suppress_context__", true)?;
        }
    }
    Ok(object.into_any())
}

fn made<'py>(py: Python<'py>, session: &Session, exception: &Rc<ExceptionObject>) -> PyResult<Bound<'py, PyAny>> {
    let class = classes::exception_type_of(py, exception.class)?;
    let mut args = Vec::new();
    for arg in exception.args.borrow().clone() {
        args.push(python::value(py, &arg)?);
    }
    let args = PyTuple::new(py, args)?;
    let made = match class.call1(&args) {
        Ok(made) => made,
        // A constructor of Galaxy's may ask for other arguments than those that the exception was left with.
        Err(_) => {
            let made = class.call_method1("__new__", (&class,))?;
            made.setattr("args", &args)?;
            made
        }
    };
    let attributes: Vec<_> = {
        let attributes = exception.attributes.borrow();
        attributes.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    for (name, value) in attributes {
        // Those that Python's class computes of its arguments cannot all be set.
        let _ = made.setattr(name.as_str(), python::value(py, &value)?);
    }
    session.keep_exception(made.cast::<PyBaseException>()?, exception);
    Ok(made)
}
