//! Constructors of the builtin classes: what `int(...)`, `list(...)` do.

use super::classes::is_callable;
pub(crate) use super::construct_scalars::{bool_, bytes, float, int, object, slice, str_, type_};
use crate::python::args::Args;
use crate::python::exception::{PyResult, type_error};
use crate::python::types::BuiltinType;
use crate::python::value::Value;
use crate::python::vm::Vm;
use crate::python::vm::attributes::bound;

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

/// An exception class called: `ValueError("...")`.
pub(crate) fn exception(vm: &mut Vm, class: &'static BuiltinType, args: Args) -> PyResult<Value> {
    let _ = vm;
    super::exceptions::construct(class, args)
}

/// `types.GenericAlias(origin, args)`
pub(crate) fn generic_alias(_: &mut Vm, args: Args) -> PyResult<Value> {
    args.no_keywords("GenericAlias")?;
    let [origin, arguments] = args.between("GenericAlias", 2)?.map(Option::unwrap_or_default);
    Ok(crate::python::modules::typing::generic_alias(origin, &arguments))
}

/// `ellipsis()`, which is `...`.
pub fn ellipsis(_: &mut Vm, args: Args) -> PyResult<Value> {
    if args.pos.is_empty() && args.kw.is_empty() {
        return Ok(Value::Ellipsis);
    }
    Err(type_error("EllipsisType takes no arguments"))
}

/// `function(code, globals, ...)`: there are no code objects to make one of.
pub fn function(_: &mut Vm, args: Args) -> PyResult<Value> {
    let given = |index: usize, name: &str| {
        let named = || args.kw.iter().find(|(keyword, _)| keyword.as_str() == name).map(|(_, value)| value);
        args.pos.get(index).or_else(named)
    };
    let count = args.pos.len() + args.kw.len();
    if count > 5 {
        return Err(type_error(format!("function() takes at most 5 arguments ({count} given)")));
    }
    let Some(code) = given(0, "code") else {
        return Err(type_error("function() missing required argument 'code' (pos 1)"));
    };
    if given(1, "globals").is_none() {
        return Err(type_error("function() missing required argument 'globals' (pos 2)"));
    }
    let found = code.argument_class();
    Err(type_error(format!("function() argument 'code' must be code, not {}", found.as_str())))
}

/// `method(function, instance)`
pub fn method(vm: &mut Vm, args: Args) -> PyResult<Value> {
    args.no_keywords("method")?;
    let [function, receiver] = args.pos.as_slice() else {
        return Err(type_error(format!("method expected 2 arguments, got {}", args.pos.len())));
    };
    if !is_callable(vm, function)? {
        return Err(type_error("first argument must be callable"));
    }
    if receiver.is_none() {
        return Err(type_error("instance must not be None"));
    }
    Ok(bound(receiver.clone(), function.clone()))
}
