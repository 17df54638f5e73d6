//! Builtin functions on classes: `callable`, `isinstance`, `issubclass`.

use crate::annotation;
use crate::args::Args;
use crate::exception::{PyResult, type_error};
use crate::types::BuiltinType;
use crate::value::Value;
use crate::vm::Vm;

/// The number of classes compared in about the time of a step.
const CLASSES_A_STEP: usize = 4;

/// `callable(object)`
pub(crate) fn callable(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [value] = args.exactly("callable")?;
    Ok(Value::Bool(is_callable(&value)))
}

/// Returns `true` if a value can be called.
pub fn is_callable(value: &Value) -> bool {
    match value {
        Value::Function(_) | Value::Builtin(_) | Value::BoundMethod(_) | Value::Type(_) => true,
        Value::Object(object) => object.callable(),
        _ => false,
    }
}

/// The subject of a class test.
#[derive(Clone, Copy)]
struct Subject<'a> {
    value: &'a Value,
    /// The class of the value, or the one that it is.
    class: &'static BuiltinType,
    /// `true` for `issubclass`, `false` for `isinstance`.
    is_class: bool,
}

/// `isinstance(value, info)` where `info` is a class, a union, or a tuple of such.
///
/// # Errors
/// `TypeError` where `info` is none of these.
pub fn is_instance(vm: &mut Vm, value: &Value, info: &Value) -> PyResult<bool> {
    match matches_info(vm, Subject { value, class: value.class(), is_class: false }, info)? {
        Some(found) => Ok(found),
        None => Err(type_error("isinstance() arg 2 must be a type, a tuple of types, or a union")),
    }
}

/// Tests a value or class against a class, a union or a tuple of these; `None` if `info` is none of them.
fn matches_info(vm: &mut Vm, subject: Subject<'_>, info: &Value) -> PyResult<Option<bool>> {
    match info {
        Value::Type(wanted) => Ok(Some(subject.class.counts_as(wanted))),
        Value::None => Ok(None),
        Value::Tuple(infos) => {
            vm.visit(infos.items.len(), CLASSES_A_STEP)?;
            let place = if subject.is_class { " in __subclasscheck__" } else { " in __instancecheck__" };
            vm.deeper_in(place, |vm| matches_any(vm, subject, &infos.items))
        }
        other => {
            if let Value::Object(handle) = other
                && let Some(found) = handle.check(vm, subject.value, subject.is_class)
            {
                return found.map(Some);
            }
            if let Some(refusal) = annotation::no_check(other) {
                return Err(refusal);
            }
            let Some(members) = annotation::union_members(other) else { return Ok(None) };
            vm.visit(members.len(), CLASSES_A_STEP)?;
            matches_any(vm, subject, &members)
        }
    }
}

/// Tests a value or class against several; the first that matches, or that cannot be tested, decides.
fn matches_any(vm: &mut Vm, subject: Subject<'_>, infos: &[Value]) -> PyResult<Option<bool>> {
    for info in infos {
        match matches_info(vm, subject, info)? {
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
    let as_class = match &class {
        Value::Type(class) => Some(*class),
        Value::Object(handle) => handle.as_class(),
        _ => None,
    };
    let Some(as_class) = as_class else {
        return Err(type_error("issubclass() arg 1 must be a class"));
    };
    match matches_info(vm, Subject { value: &class, class: as_class, is_class: true }, &info)? {
        Some(found) => Ok(Value::Bool(found)),
        None => Err(type_error("issubclass() arg 2 must be a class, a tuple of classes, or a union")),
    }
}
