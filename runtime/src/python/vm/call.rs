//! Calls.

use super::Vm;
use crate::python::args::Args;
use crate::python::exception::{PyResult, not_implemented_error};
use crate::python::value::Value;

impl Vm {
    /// `callee(*args, **kw)`
    ///
    /// # Errors
    /// `TypeError` where it cannot be called so, or what it raises.
    pub fn call(&mut self, callee: &Value, args: Args) -> PyResult<Value> {
        let _ = (callee, args);
        Err(not_implemented_error("call"))
    }

    /// `object.name(*args, **kw)` without making a bound method.
    ///
    /// # Errors
    /// `AttributeError`, `TypeError` or what the method raises.
    pub fn call_method(&mut self, object: &Value, name: &str, args: Args) -> PyResult<Value> {
        let _ = (object, name, args);
        Err(not_implemented_error("call_method"))
    }
}
