//! Text of values: `str`, `repr`, `ascii` and `format`.

use super::Vm;
use crate::python::exception::{PyResult, not_implemented_error};
use crate::python::string::Str;
use crate::python::value::Value;

impl Vm {
    /// `str(value)`
    ///
    /// # Errors
    /// What `__str__` raises.
    pub fn str(&mut self, value: &Value) -> PyResult<Str> {
        let _ = value;
        Err(not_implemented_error("str"))
    }

    /// `repr(value)`
    ///
    /// # Errors
    /// What `__repr__` raises.
    pub fn repr(&mut self, value: &Value) -> PyResult<String> {
        let _ = value;
        Err(not_implemented_error("repr"))
    }

    /// `ascii(value)`
    ///
    /// # Errors
    /// What `__repr__` raises.
    pub fn ascii(&mut self, value: &Value) -> PyResult<String> {
        let _ = value;
        Err(not_implemented_error("ascii"))
    }

    /// `format(value, spec)`
    ///
    /// # Errors
    /// `ValueError` for a bad specification, `TypeError` for a type that takes none.
    pub fn format(&mut self, value: &Value, spec: &str) -> PyResult<Str> {
        let _ = (value, spec);
        Err(not_implemented_error("format"))
    }
}
