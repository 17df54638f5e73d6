//! Constructors of the builtin classes: what `int(...)`, `list(...)` do.

pub(crate) use super::construct_scalars::{bool_, bytes, float, int, object, slice, str_, type_};
use crate::python::args::Args;
use crate::python::exception::{ExceptionObject, PyResult, not_implemented_error};
use crate::python::types::BuiltinType;
use crate::python::value::Value;
use crate::python::vm::Vm;

/// `tuple(...)`
pub(crate) fn tuple(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let _ = (vm, args);
    Err(not_implemented_error("tuple"))
}

/// `list(...)`
pub(crate) fn list(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let _ = (vm, args);
    Err(not_implemented_error("list"))
}

/// `dict(...)`
pub(crate) fn dict(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let _ = (vm, args);
    Err(not_implemented_error("dict"))
}

/// `set(...)`
pub(crate) fn set(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let _ = (vm, args);
    Err(not_implemented_error("set"))
}

/// `frozenset(...)`
pub(crate) fn frozenset(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let _ = (vm, args);
    Err(not_implemented_error("frozenset"))
}

/// `range(...)`
pub(crate) fn range(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let _ = (vm, args);
    Err(not_implemented_error("range"))
}

/// `map(...)`
pub(crate) fn map(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let _ = (vm, args);
    Err(not_implemented_error("map"))
}

/// `filter(...)`
pub(crate) fn filter(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let _ = (vm, args);
    Err(not_implemented_error("filter"))
}

/// `zip(...)`
pub(crate) fn zip(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let _ = (vm, args);
    Err(not_implemented_error("zip"))
}

/// `enumerate(...)`
pub(crate) fn enumerate(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let _ = (vm, args);
    Err(not_implemented_error("enumerate"))
}

/// `reversed(...)`
pub(crate) fn reversed(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let _ = (vm, args);
    Err(not_implemented_error("reversed"))
}

/// An exception class called: `ValueError("...")`.
pub(crate) fn exception(vm: &mut Vm, class: &'static BuiltinType, args: Args) -> PyResult<Value> {
    let _ = vm;
    args.no_keywords(class.name)?;
    Ok(Value::Exception(ExceptionObject::new(class, args.pos.into_vec())))
}
