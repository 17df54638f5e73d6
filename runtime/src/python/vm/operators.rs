//! Operators: arithmetic, comparison, membership, truth.

use super::{BinaryOp, CompareOp, UnaryOp, Vm};
use crate::python::exception::{PyResult, not_implemented_error};
use crate::python::value::Value;

impl Vm {
    /// `a op b`
    ///
    /// # Errors
    /// `TypeError: unsupported operand type(s) for +: 'int' and 'str'`, `ZeroDivisionError`, `OverflowError`.
    pub fn binary(&mut self, op: BinaryOp, a: &Value, b: &Value) -> PyResult<Value> {
        let _ = (op, a, b);
        Err(not_implemented_error("binary"))
    }

    /// `a op= b`: lists, dicts and sets change in place.
    ///
    /// # Errors
    /// As [`Vm::binary`], with `op=` in the text.
    pub fn in_place(&mut self, op: BinaryOp, a: &Value, b: &Value) -> PyResult<Value> {
        let _ = (op, a, b);
        Err(not_implemented_error("in_place"))
    }

    /// `op a`, but for `not`: see [`Vm::truthy`].
    ///
    /// # Errors
    /// `TypeError: bad operand type for unary -: 'str'`
    pub fn unary(&mut self, op: UnaryOp, a: &Value) -> PyResult<Value> {
        let _ = (op, a);
        Err(not_implemented_error("unary"))
    }

    /// `a op b` as a rich comparison; its result may be any value.
    ///
    /// # Errors
    /// `TypeError: '<' not supported between instances of 'int' and 'str'`
    pub fn compare(&mut self, op: CompareOp, a: &Value, b: &Value) -> PyResult<Value> {
        let _ = (op, a, b);
        Err(not_implemented_error("compare"))
    }

    /// `bool(a == b)`, identity first, as containers compare.
    ///
    /// # Errors
    /// What `__eq__` raises.
    pub fn equal(&mut self, a: &Value, b: &Value) -> PyResult<bool> {
        let _ = (a, b);
        Err(not_implemented_error("equal"))
    }

    /// `bool(a < b)`: what sorting asks.
    ///
    /// # Errors
    /// As [`Vm::compare`].
    pub fn less(&mut self, a: &Value, b: &Value) -> PyResult<bool> {
        let _ = (a, b);
        Err(not_implemented_error("less"))
    }

    /// `item in container`
    ///
    /// # Errors
    /// `TypeError: argument of type 'int' is not iterable`
    pub fn contains(&mut self, container: &Value, item: &Value) -> PyResult<bool> {
        let _ = (container, item);
        Err(not_implemented_error("contains"))
    }

    /// `bool(value)`
    ///
    /// # Errors
    /// What `__bool__` or `__len__` raises.
    pub fn truthy(&mut self, value: &Value) -> PyResult<bool> {
        let _ = value;
        Err(not_implemented_error("truthy"))
    }
}
