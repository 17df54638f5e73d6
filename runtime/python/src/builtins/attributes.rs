//! Builtin functions on attributes and identity: `getattr`, `hasattr`, `id`, `hash`.

use crate::args::Args;
use crate::exception::{PyResult, type_error};
use crate::identity::identity;
use crate::string::Str;
use crate::value::Value;
use crate::vm::{BYTES_A_STEP, Vm};

/// The name of an attribute, which is looked for and shows in messages.
fn attribute_name(vm: &mut Vm, value: &Value) -> PyResult<Str> {
    let wrong = || type_error(format!("attribute name must be string, not '{}'", value.type_name().as_str()));
    let name = value.as_str().ok_or_else(wrong)?;
    vm.visit(name.len(), BYTES_A_STEP)?;
    Ok(name.clone())
}

/// `getattr(object, name[, default])`
pub(crate) fn getattr(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [object, name, default] = args.between("getattr", 2)?;
    let (object, name) = (object.unwrap_or_default(), attribute_name(vm, &name.unwrap_or_default())?);
    match default {
        None => vm.get_attr(&object, &name),
        Some(default) => Ok(vm.find_attr(&object, &name)?.unwrap_or(default)),
    }
}

/// `hasattr(object, name)`
pub(crate) fn hasattr(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [object, name] = args.exactly("hasattr")?;
    let name = attribute_name(vm, &name)?;
    Ok(Value::Bool(vm.find_attr(&object, &name)?.is_some()))
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
