//! `wraps` and `update_wrapper`: functions that look like those they wrap.

use std::rc::Rc;

use super::{LRU_CACHE_WRAPPER, PARTIAL, Partial};
use crate::python::args::Args;
use crate::python::exception::{PyResult, Raised, attribute_error, type_error};
use crate::python::function::Guise;
use crate::python::modules::signature::Signature;
use crate::python::modules::types::SIMPLE_NAMESPACE;
use crate::python::string::Str;
use crate::python::types::{
    BUILTIN_FUNCTION, BuiltinType, CLASS_METHOD, FUNCTION, GETSET_DESCRIPTOR, MEMBER_DESCRIPTOR, METHOD_DESCRIPTOR,
    METHOD_WRAPPER, PROPERTY, STATIC_METHOD, Type, WRAPPER_DESCRIPTOR,
};
use crate::python::value::Value;
use crate::python::vm::Vm;
use crate::python::vm::members::plain;

/// `wraps(wrapped, assigned, updated)`: `update_wrapper` with all but the function that it decorates.
pub(super) fn wraps(vm: &mut Vm, args: Args) -> PyResult<Value> {
    const NAMES: [&str; 3] = ["wrapped", "assigned", "updated"];
    let [wrapped, assigned, updated] = Signature::function("wraps", NAMES, 1).bind(args)?;
    let names = |names: &[&str]| Value::tuple(names.iter().map(|name| Value::str(*name)).collect());
    let assigned =
        assigned.unwrap_or_else(|| names(&["__module__", "__name__", "__qualname__", "__doc__", "__annotations__"]));
    let updated = updated.unwrap_or_else(|| names(&["__dict__"]));
    let given = [wrapped.unwrap_or_default(), assigned, updated];
    let keywords = NAMES.map(Str::from).into_iter().zip(given).collect();
    let module = vm.import("functools", true)?;
    let function = vm.get_attr(&module, "update_wrapper")?;
    Ok(Value::object(Partial { function, args: Vec::new(), keywords }))
}

/// `update_wrapper(wrapper, wrapped, assigned, updated)`.
///
/// DIFFERENCE: `assigned` and `updated` are taken and dropped, as the doc string is, which functions do not keep.
pub(super) fn update_wrapper(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let names = ["wrapper", "wrapped", "assigned", "updated"];
    let [wrapper, wrapped, _, _] = Signature::function("update_wrapper", names, 2).bind(args)?;
    let (wrapper, wrapped) = (wrapper.unwrap_or_default(), wrapped.unwrap_or_default());
    match &wrapper {
        Value::Function(function) => {
            let guise = Guise {
                module: vm.find_attr(&wrapped, "__module__")?,
                name: text_of(vm, &wrapped, "__name__")?,
                qualified: text_of(vm, &wrapped, "__qualname__")?,
                wrapped,
            };
            let old = function.guise.replace(Some(Rc::new(guise)));
            drop(old);
        }
        // Wrappers of the runtime show what they wrap by themselves.
        Value::Object(object)
            if [&FUNCTION, &LRU_CACHE_WRAPPER, &PARTIAL].iter().any(|class| std::ptr::eq(*class, object.class())) => {}
        // They take all but the last, which they have already.
        Value::Object(object)
            if [&STATIC_METHOD, &CLASS_METHOD].iter().any(|class| std::ptr::eq(*class, object.class())) =>
        {
            return Err(attribute_error("readonly attribute"));
        }
        Value::Object(object) if std::ptr::eq(object.class(), &raw const PROPERTY) => {
            let name = ["__module__", "__name__", "__qualname__"];
            for name in name {
                if vm.find_attr(&wrapped, name)?.is_some() {
                    return Err(attribute_error(format!("'property' object has no attribute '{name}'")));
                }
            }
            return Err(attribute_error("'property' object has no attribute '__dict__'"));
        }
        Value::Object(object) if object.class().module == "uuid" => {
            return Err(type_error("UUID objects are immutable"));
        }
        // DIFFERENCE: what else takes attributes in CPython stays as it is.
        _ if takes_attributes(&wrapper) => {}
        // DIFFERENCE: a class of a library takes what it can there, before this is found.
        Value::Type(Type::Builtin(class)) if !class.module.is_empty() && !class.is_in_c_module() => {
            return Err(attribute_error("'mappingproxy' object has no attribute 'update'"));
        }
        _ => {
            // The module of a builtin function can be set, its name cannot.
            let is_builtin = wrapper.class().same(&Type::Builtin(&BUILTIN_FUNCTION));
            let names = ["__module__", "__name__", "__qualname__", "__doc__"];
            for name in names.into_iter().filter(|name| !(is_builtin && *name == "__module__")) {
                if let Some(value) = vm.find_attr(&wrapped, name)? {
                    if matches!(&wrapper, Value::Object(object) if !std::ptr::eq(object.class(), &raw const SIMPLE_NAMESPACE))
                    {
                        return Err(refusal(wrapper.class().builtin_base(), name));
                    }
                    vm.set_attr(&wrapper, &Str::from(name), value)?;
                }
            }
            if matches!(wrapper, Value::Type(_)) {
                return Err(attribute_error("'mappingproxy' object has no attribute 'update'"));
            }
            vm.set_attr(&wrapper, &Str::from("__wrapped__"), wrapped)?;
        }
    }
    Ok(wrapper)
}

/// Why objects of a class do not take one of the attributes: CPython's class has it as data that is read only, as a computed
/// value, as any other value, or not at all.
fn refusal(class: &'static BuiltinType, name: &str) -> Raised {
    let shown = class.shown_name();
    let shown = shown.as_str();
    let is = |others: &[&'static BuiltinType]| others.iter().any(|other| std::ptr::eq(class, *other));
    let descriptor = is(&[&METHOD_DESCRIPTOR, &WRAPPER_DESCRIPTOR, &GETSET_DESCRIPTOR, &MEMBER_DESCRIPTOR]);
    attribute_error(match name {
        "__name__" if descriptor => "readonly attribute".to_owned(),
        "__name__" | "__qualname__" | "__doc__" if descriptor || is(&[&METHOD_WRAPPER]) => {
            format!("attribute '{name}' of '{shown}' objects is not writable")
        }
        "__module__" if !class.is_static() => format!("'{shown}' object attribute '{name}' is read-only"),
        "__doc__" => format!("'{shown}' object attribute '{name}' is read-only"),
        _ => format!("'{shown}' object has no attribute '{name}'"),
    })
}

/// An attribute that a function has as a text only.
fn text_of(vm: &mut Vm, wrapped: &Value, name: &str) -> PyResult<Option<Value>> {
    match vm.find_attr(wrapped, name)? {
        Some(value) if plain(&value).as_str().is_none() => {
            Err(type_error(format!("{name} must be set to a string object")))
        }
        found => Ok(found),
    }
}

/// Whether a value is of a class of a library that CPython writes in Python without slots, or of `OrderedDict`.
fn takes_attributes(value: &Value) -> bool {
    let Type::Builtin(class) = value.class() else { return false };
    let is_namespace = std::ptr::eq(class, &raw const SIMPLE_NAMESPACE);
    match (class.module, class.name) {
        ("collections", "OrderedDict") | ("functools", "partial") => true,
        ("dataclasses", "Field")
        | ("" | "collections.abc" | "re" | "uuid" | "packaging.version" | "packaging.specifiers", _) => false,
        _ => !is_namespace && !class.is_in_c_module() && !matches!(value, Value::Tuple(_) | Value::Type(_)),
    }
}

/// The text of a function that a decorator made: the name of what it wraps, or its own.
pub(in crate::python::modules) fn wrapper_repr(
    vm: &mut Vm,
    wrapped: &Value,
    own: &str,
    this: &Value,
) -> PyResult<String> {
    let name = match vm.find_attr(wrapped, "__qualname__")? {
        Some(name) => vm.str(&name)?.to_string(),
        None => own.to_owned(),
    };
    Ok(format!("<function {name} at {:#x}>", crate::python::builtins::attributes::identity(this)))
}
