//! Builtin functions on classes: `callable`, `isinstance`, `issubclass`.

use crate::annotation;
use crate::args::Args;
use crate::exception::{PyResult, type_error};
use crate::types::BuiltinType;
use crate::value::Value;
use crate::vm::Vm;

/// How many classes are compared in about the time of a step.
const CLASSES_A_STEP: usize = 4;

/// `callable(object)`
pub(crate) fn callable(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [value] = args.exactly("callable")?;
    Ok(Value::Bool(is_callable(&value)))
}

/// Whether a value can be called.
pub fn is_callable(value: &Value) -> bool {
    match value {
        Value::Function(_) | Value::Builtin(_) | Value::BoundMethod(_) | Value::Type(_) => true,
        Value::Object(object) => object.callable(),
        _ => false,
    }
}

/// `isinstance(value, info)` where `info` is a class, a union, or a tuple of such.
///
/// # Errors
/// `TypeError` where `info` is none of these.
pub fn is_instance(vm: &mut Vm, value: &Value, info: &Value) -> PyResult<bool> {
    match matches_info(vm, value.class(), info, "isinstance")? {
        Some(found) => Ok(found),
        None => Err(type_error("isinstance() arg 2 must be a type, a tuple of types, or a union")),
    }
}

/// Whether a class matches a class, a union or a tuple of such; `None` where `info` is none of these. `function` is the one that
/// asks, `isinstance` or `issubclass`.
fn matches_info(vm: &mut Vm, class: &'static BuiltinType, info: &Value, function: &str) -> PyResult<Option<bool>> {
    match info {
        Value::Type(wanted) => Ok(Some(class.counts_as(wanted))),
        Value::None => Ok(None),
        Value::Tuple(infos) => {
            vm.charge(infos.items.len() / CLASSES_A_STEP)?;
            let place = if function == "isinstance" { " in __instancecheck__" } else { " in __subclasscheck__" };
            vm.deeper_in(place, |vm| matches_any(vm, class, &infos.items, function))
        }
        other => {
            if let Some(refusal) = annotation::no_check(other) {
                return Err(refusal);
            }
            let Some(members) = annotation::union_members(other) else { return Ok(None) };
            vm.charge(members.len() / CLASSES_A_STEP)?;
            matches_any(vm, class, &members, function)
        }
    }
}

/// Whether a class matches one of these, the first that decides: one that cannot be asked does, too.
fn matches_any(vm: &mut Vm, class: &'static BuiltinType, infos: &[Value], function: &str) -> PyResult<Option<bool>> {
    for info in infos {
        match matches_info(vm, class, info, function)? {
            Some(false) => {}
            decided => return Ok(decided),
        }
    }
    Ok(Some(false))
}

/// `isinstance(object, classinfo)`
pub(crate) fn isinstance(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [value, info] = args.between("isinstance", 2)?.map(Option::unwrap_or_default);
    Ok(Value::Bool(is_instance(vm, &value, &info)?))
}

/// `issubclass(class, classinfo)`
pub(crate) fn issubclass(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [class, info] = args.between("issubclass", 2)?.map(Option::unwrap_or_default);
    let Value::Type(class) = &class else {
        return Err(type_error("issubclass() arg 1 must be a class"));
    };
    match matches_info(vm, class, &info, "issubclass")? {
        Some(found) => Ok(Value::Bool(found)),
        None => Err(type_error("issubclass() arg 2 must be a class, a tuple of classes, or a union")),
    }
}
