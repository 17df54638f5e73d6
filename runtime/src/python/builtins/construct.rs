//! Constructors of the builtin classes: what `int(...)`, `list(...)` do.

use crate::python::args::Args;
use crate::python::exception::{PyResult, not_implemented_error};
use crate::python::types::BuiltinType;
use crate::python::value::Value;
use crate::python::vm::Vm;

/// `object(...)`
pub(crate) fn object(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let _ = (vm, args);
    Err(not_implemented_error("object"))
}

/// `type(...)`
pub(crate) fn type_(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let _ = (vm, args);
    Err(not_implemented_error("type"))
}

/// `int(...)`
pub(crate) fn int(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let _ = (vm, args);
    Err(not_implemented_error("int"))
}

/// `bool(...)`
pub(crate) fn bool_(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let _ = (vm, args);
    Err(not_implemented_error("bool"))
}

/// `float(...)`
pub(crate) fn float(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let _ = (vm, args);
    Err(not_implemented_error("float"))
}

/// `str(...)`
pub(crate) fn str_(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let _ = (vm, args);
    Err(not_implemented_error("str"))
}

/// `bytes(...)`
pub(crate) fn bytes(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let _ = (vm, args);
    Err(not_implemented_error("bytes"))
}

/// `tuple(...)`
pub(crate) fn tuple(vm: &mut Vm, args: Args) -> PyResult<Value> {
    super::containers::tuple(vm, args)
}

/// `list(...)`
pub(crate) fn list(vm: &mut Vm, args: Args) -> PyResult<Value> {
    super::containers::list(vm, args)
}

/// `dict(...)`
pub(crate) fn dict(vm: &mut Vm, args: Args) -> PyResult<Value> {
    super::containers::dict(vm, args)
}

/// `set(...)`
pub(crate) fn set(vm: &mut Vm, args: Args) -> PyResult<Value> {
    super::containers::set(vm, args)
}

/// `frozenset(...)`
pub(crate) fn frozenset(vm: &mut Vm, args: Args) -> PyResult<Value> {
    super::containers::frozenset(vm, args)
}

/// `range(...)`
pub(crate) fn range(vm: &mut Vm, args: Args) -> PyResult<Value> {
    super::containers::range(vm, args)
}

/// `slice(...)`
pub(crate) fn slice(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let _ = (vm, args);
    Err(not_implemented_error("slice"))
}

/// `map(...)`
pub(crate) fn map(vm: &mut Vm, args: Args) -> PyResult<Value> {
    super::lazy::map(vm, args)
}

/// `filter(...)`
pub(crate) fn filter(vm: &mut Vm, args: Args) -> PyResult<Value> {
    super::lazy::filter(vm, args)
}

/// `zip(...)`
pub(crate) fn zip(vm: &mut Vm, args: Args) -> PyResult<Value> {
    super::lazy::zip(vm, args)
}

/// `enumerate(...)`
pub(crate) fn enumerate(vm: &mut Vm, args: Args) -> PyResult<Value> {
    super::lazy::enumerate(vm, args)
}

/// `reversed(...)`
pub(crate) fn reversed(vm: &mut Vm, args: Args) -> PyResult<Value> {
    super::lazy::reversed(vm, args)
}

/// An exception class called: `ValueError("...")`.
pub(crate) fn exception(vm: &mut Vm, class: &'static BuiltinType, args: Args) -> PyResult<Value> {
    let _ = vm;
    super::exceptions::construct(class, args)
}
