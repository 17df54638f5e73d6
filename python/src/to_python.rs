//! Native values as Python objects: the reverse of [`crate::to_native`]. Objects of the machine become proxies
//! ([`crate::proxy`]).

use std::cell::Cell;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyRecursionError;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyDict, PyEllipsis, PyFloat, PyFrozenSet, PyList, PyNotImplemented, PySet, PySlice, PyString,
    PyTuple,
};
use tpv_python::value::Value;

use crate::depth::Deeper;
use crate::live::LiveObject;
use crate::session::Session;
use crate::{classes, dates, exception, proxy, tags};

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Counts one more container, or exception with arguments, around what is converted next.
///
/// # Errors
/// `RecursionError` if they nest too deeply.
pub fn deeper() -> PyResult<Deeper> {
    Deeper::enter(&DEPTH).ok_or_else(|| PyRecursionError::new_err("maximum recursion depth exceeded"))
}

/// A native value as a Python object.
///
/// # Errors
/// `RecursionError` if containers nest too deeply, and exceptions raised while an object is created.
pub fn value<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::None => py.None().into_bound(py),
        Value::NotImplemented => PyNotImplemented::get(py).to_owned().into_any(),
        Value::Ellipsis => PyEllipsis::get(py).to_owned().into_any(),
        Value::Bool(flag) => PyBool::new(py, *flag).to_owned().into_any(),
        Value::Int(number) => number.into_bound_py_any(py)?,
        Value::BigInt(number) => number.as_ref().into_bound_py_any(py)?,
        Value::Float(number) => PyFloat::new(py, *number).into_any(),
        Value::Str(text) => PyString::new(py, text.as_str()).into_any(),
        Value::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
        Value::Tuple(tuple) => {
            let _deeper = deeper()?;
            let items: Vec<_> = tuple.items.iter().map(|item| self::value(py, item)).collect::<PyResult<_>>()?;
            PyTuple::new(py, items)?.into_any()
        }
        Value::List(_) => container(py, value, || Ok(PyList::empty(py).into_any()))?,
        Value::Dict(_) => container(py, value, || Ok(PyDict::new(py).into_any()))?,
        Value::Set(set) if set.frozen() => {
            let _deeper = deeper()?;
            let items: Vec<_> = set.items().iter().map(|item| self::value(py, item)).collect::<PyResult<_>>()?;
            PyFrozenSet::new(py, items)?.into_any()
        }
        Value::Set(_) => container(py, value, || Ok(PySet::empty(py)?.into_any()))?,
        Value::Range(range) => py.import("builtins")?.getattr("range")?.call1((range.start, range.stop, range.step))?,
        Value::Slice(slice) => {
            let _deeper = deeper()?;
            let parts = (self::value(py, &slice.start)?, self::value(py, &slice.stop)?, self::value(py, &slice.step)?);
            py.get_type::<PySlice>().call1(parts)?
        }
        Value::Exception(raised) => exception::show(py, raised)?,
        Value::Type(class) => match classes::type_of(py, class)? {
            Some(of_python) => of_python,
            None => proxy::show(py, value)?,
        },
        Value::Object(_) => match value.downcast::<LiveObject>() {
            Some(live) => live.object(py).clone(),
            None => match tags::to_python(py, value)? {
                Some(of_tpv) => of_tpv,
                None => match dates::to_python(py, value)? {
                    Some(date) => date,
                    None => proxy::show(py, value)?,
                },
            },
        },
        Value::Function(_) | Value::Builtin(_) | Value::BoundMethod(_) | Value::Module(_) | Value::Iterator(_) => {
            proxy::show(py, value)?
        }
    })
}

/// The Python twin of a container. If it has none, `make` creates an empty one.
///
/// # Errors
/// Those of [`value`], and exceptions raised by `make`.
pub fn container<'py>(
    py: Python<'py>,
    native: &Value,
    make: impl FnOnce() -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let session = Session::current();
    if let Some(known) = session.python_twin(py, native) {
        return Ok(known);
    }
    let _deeper = deeper()?;
    let made = make()?;
    // Paired before its items are converted, because they may contain the container itself.
    session.pair(native, &made).to_python(py)?;
    Ok(made)
}
