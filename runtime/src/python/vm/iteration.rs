//! Iteration.

use super::Vm;
use crate::python::exception::{PyResult, not_implemented_error};
use crate::python::value::Value;

impl Vm {
    /// `iter(object)`
    ///
    /// # Errors
    /// `TypeError: 'int' object is not iterable`
    pub fn iter(&mut self, object: &Value) -> PyResult<Value> {
        let _ = object;
        Err(not_implemented_error("iter"))
    }

    /// The next item of an iterator that [`Vm::iter`] gave; `None` at the end (`StopIteration`).
    ///
    /// # Errors
    /// What producing the item raises.
    pub fn next(&mut self, iterator: &Value) -> PyResult<Option<Value>> {
        let _ = iterator;
        Err(not_implemented_error("next"))
    }

    /// `list(object)` as a vector; pays for each item.
    ///
    /// # Errors
    /// As [`Vm::iter`] and [`Vm::next`].
    pub fn collect(&mut self, object: &Value) -> PyResult<Vec<Value>> {
        let _ = object;
        Err(not_implemented_error("collect"))
    }
}
