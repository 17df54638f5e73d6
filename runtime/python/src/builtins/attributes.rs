//! Builtin functions on attributes and identity: `getattr`, `hasattr`, `id`, `hash`.

use std::rc::Rc;

use crate::args::Args;
use crate::exception::{PyResult, type_error};
use crate::string::Str;
use crate::value::Value;
use crate::vm::Vm;

fn attribute_name(value: &Value) -> PyResult<Str> {
    let wrong = || type_error(format!("attribute name must be string, not '{}'", value.type_name().as_str()));
    value.as_str().cloned().ok_or_else(wrong)
}

/// `getattr(object, name[, default])`
pub(crate) fn getattr(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [object, name, default] = args.between("getattr", 2)?;
    let (object, name) = (object.unwrap_or_default(), attribute_name(&name.unwrap_or_default())?);
    match default {
        None => vm.get_attr(&object, &name),
        Some(default) => Ok(vm.find_attr(&object, &name)?.unwrap_or(default)),
    }
}

/// `hasattr(object, name)`
pub(crate) fn hasattr(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [object, name] = args.exactly("hasattr")?;
    let name = attribute_name(&name)?;
    Ok(Value::Bool(vm.find_attr(&object, &name)?.is_some()))
}

/// The address that stands for an object's identity. Values without a place in memory get one from their content.
pub fn identity(value: &Value) -> usize {
    fn address<T: ?Sized>(pointer: &Rc<T>) -> usize {
        Rc::as_ptr(pointer).cast::<u8>() as usize
    }
    fn reference<T: ?Sized>(pointer: &'static T) -> usize {
        std::ptr::from_ref(pointer).cast::<u8>() as usize
    }
    #[expect(clippy::cast_possible_truncation, reason = "an identity of a small value need only be stable")]
    match value {
        Value::None => 8,
        Value::NotImplemented => 16,
        Value::Ellipsis => 24,
        Value::Bool(flag) => 32 + 8 * usize::from(*flag),
        Value::Int(value) => (value.cast_unsigned() as usize).wrapping_mul(32).wrapping_add(0x1000),
        Value::Float(value) => (value.to_bits() as usize).wrapping_mul(16).wrapping_add(0x1004),
        Value::BigInt(value) => address(value),
        Value::Str(value) => value.address(),
        Value::Bytes(value) => address(value),
        Value::Tuple(value) => address(value),
        Value::List(value) => address(value),
        Value::Dict(value) => address(value),
        Value::Set(value) => address(value),
        Value::Range(value) => address(value),
        Value::Slice(value) => address(value),
        Value::Function(value) => address(value),
        Value::Builtin(value) => reference(*value),
        Value::BoundMethod(value) => address(value),
        Value::Type(class) => reference(*class),
        Value::Module(module) => reference(*module),
        Value::Iterator(value) => address(value),
        Value::Exception(value) => address(value),
        Value::Object(value) => address(value),
    }
}

/// `id(object)`
pub(crate) fn id(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [value] = args.exactly("id")?;
    Ok(Value::from_usize(identity(&value)))
}

/// `hash(object)`
pub(crate) fn hash(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [value] = args.exactly("hash")?;
    Ok(Value::Int(crate::hash::hash(vm, &value)?))
}
