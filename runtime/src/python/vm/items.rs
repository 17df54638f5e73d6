//! Items: `object[key]`, slices and `len`.

use super::Vm;
use crate::python::exception::{PyResult, not_implemented_error};
use crate::python::value::Value;

impl Vm {
    /// `object[key]`
    ///
    /// # Errors
    /// `TypeError`, `IndexError`, `KeyError`.
    pub fn get_item(&mut self, object: &Value, key: &Value) -> PyResult<Value> {
        let _ = (object, key);
        Err(not_implemented_error("get_item"))
    }

    /// `object[key] = value`
    ///
    /// # Errors
    /// `TypeError`, `IndexError`, `ValueError`.
    pub fn set_item(&mut self, object: &Value, key: &Value, value: Value) -> PyResult<()> {
        let _ = (object, key, value);
        Err(not_implemented_error("set_item"))
    }

    /// `del object[key]`
    ///
    /// # Errors
    /// `TypeError`, `IndexError`, `KeyError`.
    pub fn del_item(&mut self, object: &Value, key: &Value) -> PyResult<()> {
        let _ = (object, key);
        Err(not_implemented_error("del_item"))
    }

    /// `len(object)`
    ///
    /// # Errors
    /// `TypeError` where it has no length.
    pub fn len(&mut self, object: &Value) -> PyResult<usize> {
        let _ = object;
        Err(not_implemented_error("len"))
    }
}
