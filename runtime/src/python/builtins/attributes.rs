//! Builtin functions on attributes and identity: `getattr`, `setattr`, `dir`, `vars`, `id`, `hash`.

use std::rc::Rc;

use crate::python::args::Args;
use crate::python::dict::{Dict, Key};
use crate::python::exception::{ATTRIBUTE_ERROR, PyResult, type_error};
use crate::python::string::Str;
use crate::python::types::Type;
use crate::python::value::Value;
use crate::python::vm::Vm;
use crate::python::vm::members::plain;

fn attribute_name(value: &Value) -> PyResult<Str> {
    match plain(value) {
        Value::Str(name) => Ok(name),
        _ => Err(type_error(format!("attribute name must be string, not '{}'", value.type_name().as_str()))),
    }
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

/// `setattr(object, name, value)`
pub(crate) fn setattr(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [object, name, value] = args.exactly("setattr")?;
    let name = attribute_name(&name)?;
    vm.set_attr(&object, &name, value)?;
    Ok(Value::None)
}

/// `delattr(object, name)`
pub(crate) fn delattr(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [object, name] = args.exactly("delattr")?;
    let name = attribute_name(&name)?;
    vm.del_attr(&object, &name)?;
    Ok(Value::None)
}

/// `dir(object)`: the attributes and methods the runtime knows, sorted.
///
/// DIFFERENCE: the methods with underscores that every object has in CPython are left out, and without an argument there
/// is nothing to show.
pub(crate) fn dir(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [object] = args.between("dir", 0)?;
    let mut names: Vec<String> = Vec::new();
    if let Some(object) = object {
        match &object {
            Value::Module(module) => names.extend(module.names.iter().map(|name| (*name).to_owned())),
            Value::Type(class) => class_names(class, &mut names),
            other => {
                class_names(&other.class(), &mut names);
                match other {
                    Value::Object(object) => names.extend(object.attributes().iter().map(|name| (*name).to_owned())),
                    Value::Instance(instance) => {
                        let keys = instance.attributes.keys();
                        names.extend(keys.iter().filter_map(Value::as_str).map(|name| name.to_string()));
                    }
                    Value::Exception(exception) => {
                        names.push("args".to_owned());
                        names.extend(exception.attributes.borrow().keys().cloned());
                    }
                    _ => {}
                }
            }
        }
    }
    vm.charge(names.len().saturating_mul(4))?;
    names.sort();
    names.dedup();
    Ok(Value::list(names.into_iter().map(Value::str).collect()))
}

fn class_names(class: &Type, names: &mut Vec<String>) {
    match class {
        Type::Builtin(class) => {
            names.extend(class.methods.iter().map(|method| method.name.to_owned()));
            names.extend(class.statics.iter().map(|builtin| builtin.name.to_owned()));
            if let Some(base) = class.base {
                class_names(&Type::Builtin(base), names);
            }
        }
        Type::Class(class) => {
            names.extend(class.dict.borrow().keys().cloned());
            for base in &class.bases {
                class_names(base, names);
            }
        }
    }
}

/// `vars(object)`: the object's own attributes.
///
/// DIFFERENCE: of exceptions and classes a copy.
pub(crate) fn vars(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [object] = args.between("vars", 0)?;
    let entries: Vec<(String, Value)> = match &object {
        None => Vec::new(),
        Some(Value::Instance(instance)) => return Ok(Value::Dict(instance.attributes.clone())),
        Some(Value::Exception(exception)) => {
            exception.attributes.borrow().iter().map(|(name, value)| (name.clone(), value.clone())).collect()
        }
        Some(Value::Type(Type::Class(class))) => {
            class.dict.borrow().iter().map(|(name, value)| (name.clone(), value.clone())).collect()
        }
        Some(Value::Object(_)) => {
            let object = object.clone().unwrap_or_default();
            match vm.find_attr(&object, "__dict__")? {
                Some(dict) => return Ok(dict),
                None => return Err(type_error("vars() argument must have __dict__ attribute")),
            }
        }
        Some(_) => return Err(type_error("vars() argument must have __dict__ attribute")),
    };
    vm.charge(entries.len().saturating_mul(2))?;
    let table = entries.into_iter().map(|(name, value)| (Key::str(Str::from(name)), value)).collect();
    Ok(Value::dict(Dict::from_table(table)))
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
        Value::Type(Type::Builtin(class)) => reference(*class),
        Value::Type(Type::Class(class)) => address(class),
        Value::Module(module) => reference(*module),
        Value::Iterator(value) => address(value),
        Value::Exception(value) => address(value),
        Value::Instance(value) => address(value),
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
    Ok(Value::Int(crate::python::hash::hash(vm, &value)?))
}

/// Whether a failed attribute lookup means that the attribute is absent.
pub fn is_absent(raised: &crate::python::exception::Raised) -> bool {
    raised.is(&ATTRIBUTE_ERROR)
}

/// `__import__(name)`: the top package of a dotted name; the module itself with a `fromlist`.
pub(crate) fn import(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [name, _globals, _locals, from, _level] =
        args.bind("__import__", ["name", "globals", "locals", "fromlist", "level"], 1)?;
    let leaf = match from {
        Some(names) => vm.truthy(&names)?,
        None => false,
    };
    match name {
        Some(Value::Str(name)) => vm.import(name.as_str(), leaf),
        _ => Err(type_error("module name must be a string")),
    }
}
