//! Native modules in Python, such as `tpv.core.entities`.

use pyo3::exceptions::PyModuleNotFoundError;
use pyo3::prelude::*;
use tpv_python::value::Value;

use crate::to_python;

/// The native module of this dotted name. Its attributes are its classes, functions and values.
///
/// Raises `ModuleNotFoundError` if there is none.
#[pyfunction]
pub fn native_module<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    match tpv_runtime::mapper::find_module(name) {
        Some(module) => to_python::value(py, &Value::Module(module)),
        None => Err(PyModuleNotFoundError::new_err(format!("tpvc has no native module `{name}`"))),
    }
}
