//! What `object` and `BaseException` give every value by name: `super().__str__()`, `object.__eq__(a, b)`.
//!
//! These never call what the value's own class defines under the same name, since that is what calls them.

use std::rc::Rc;

use super::operator_methods::one;
use super::{CompareOp, Vm};
use crate::python::args::Args;
use crate::python::exception::{BASE_EXCEPTION, PyResult, type_error};
use crate::python::hash;
use crate::python::types::{BuiltinType, OBJECT, Type};
use crate::python::value::{Method, Value};

static METHODS: &[Method] = &[
    Method { name: "__str__", call: |vm, this, _| default_str(vm, this) },
    Method { name: "__repr__", call: |vm, this, _| default_repr(vm, this) },
    Method { name: "__format__", call: default_format },
    Method { name: "__hash__", call: |vm, this, _| default_hash(vm, this).map(Value::Int) },
    Method { name: "__eq__", call: |vm, this, args| compared(vm, CompareOp::Eq, this, args, "__eq__") },
    Method { name: "__ne__", call: |vm, this, args| compared(vm, CompareOp::Ne, this, args, "__ne__") },
    Method { name: "__lt__", call: |vm, this, args| compared(vm, CompareOp::Lt, this, args, "__lt__") },
    Method { name: "__le__", call: |vm, this, args| compared(vm, CompareOp::Le, this, args, "__le__") },
    Method { name: "__gt__", call: |vm, this, args| compared(vm, CompareOp::Gt, this, args, "__gt__") },
    Method { name: "__ge__", call: |vm, this, args| compared(vm, CompareOp::Ge, this, args, "__ge__") },
];

/// The method, with the class that CPython has it in.
pub(super) fn find(class: &Type, name: &str) -> Option<(&'static BuiltinType, &'static Method)> {
    let method = METHODS.iter().find(|method| method.name == name)?;
    let own = class.is_exception() && matches!(name, "__str__" | "__repr__");
    Some((if own { &BASE_EXCEPTION } else { &OBJECT }, method))
}

fn default_str(vm: &mut Vm, this: &Value) -> PyResult<Value> {
    match this {
        Value::Exception(exception) => vm.exception_str(exception).map(Value::str),
        Value::Object(handle) => handle.str(vm, this).map(Value::str),
        _ => vm.repr(this).map(Value::str),
    }
}

fn default_repr(vm: &mut Vm, this: &Value) -> PyResult<Value> {
    match this {
        Value::Exception(exception) => vm.exception_repr(exception).map(Value::str),
        Value::Instance(instance) => Ok(Value::str(super::text::instance_repr(instance))),
        _ => vm.repr(this).map(Value::str),
    }
}

fn default_format(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [spec] = args.exactly("object.__format__")?;
    let Value::Str(spec) = &spec else {
        let given = spec.argument_class();
        return Err(type_error(format!("__format__() argument must be str, not {}", given.as_str())));
    };
    if let Value::Object(handle) = this
        && let Some(text) = handle.format(vm, this, spec)
    {
        return text.map(Value::str);
    }
    if !spec.is_empty() {
        let class = this.type_name();
        return Err(type_error(format!("unsupported format string passed to {}.__format__", class.as_str())));
    }
    vm.str(this).map(Value::Str)
}

fn default_hash(vm: &mut Vm, this: &Value) -> PyResult<i64> {
    match this {
        Value::Instance(instance) => Ok(hash::hash_address(Rc::as_ptr(instance).cast::<u8>() as usize)),
        other => hash::hash(vm, other),
    }
}

fn compared(vm: &mut Vm, op: CompareOp, this: &Value, args: Args, name: &str) -> PyResult<Value> {
    let other = one(this, args, name)?;
    if let Value::Object(handle) = this
        && let Some(result) = handle.compare(vm, op, &other)
    {
        return result;
    }
    Ok(match op {
        CompareOp::Eq if this.is(&other) => Value::Bool(true),
        CompareOp::Ne => match vm.try_special(this, "__eq__", Args::one(other.clone())).transpose()? {
            Some(Value::NotImplemented) => Value::NotImplemented,
            Some(equal) => Value::Bool(!vm.truthy(&equal)?),
            None if this.is(&other) => Value::Bool(false),
            None => Value::NotImplemented,
        },
        _ => Value::NotImplemented,
    })
}
