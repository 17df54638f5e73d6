//! Attributes: `object.name`.

use super::Vm;
use crate::python::exception::{PyResult, not_implemented_error};
use crate::python::string::Str;
use crate::python::value::Value;

impl Vm {
    /// `object.name`
    ///
    /// # Errors
    /// `AttributeError` with CPython's text.
    pub fn get_attr(&mut self, object: &Value, name: &str) -> PyResult<Value> {
        let _ = (object, name);
        Err(not_implemented_error("get_attr"))
    }

    /// `getattr(object, name, None)` as an option: only `AttributeError` counts as absent.
    ///
    /// # Errors
    /// Any other exception.
    pub fn find_attr(&mut self, object: &Value, name: &str) -> PyResult<Option<Value>> {
        let _ = (object, name);
        Err(not_implemented_error("find_attr"))
    }

    /// `object.name = value`
    ///
    /// # Errors
    /// `AttributeError` where it cannot be set.
    pub fn set_attr(&mut self, object: &Value, name: &Str, value: Value) -> PyResult<()> {
        let _ = (object, name, value);
        Err(not_implemented_error("set_attr"))
    }

    /// `del object.name`
    ///
    /// # Errors
    /// `AttributeError` where it is not there.
    pub fn del_attr(&mut self, object: &Value, name: &Str) -> PyResult<()> {
        let _ = (object, name);
        Err(not_implemented_error("del_attr"))
    }
}
