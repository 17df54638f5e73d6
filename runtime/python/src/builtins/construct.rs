//! Constructors of the builtin classes: what `int(...)`, `list(...)` do.

pub use super::construct_scalars::float;
pub(crate) use super::construct_scalars::{bool_, bytes, int, object, slice, str_, type_};
use crate::args::Args;
use crate::exception::PyResult;
use crate::value::Value;
use crate::vm::Vm;

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
