//! The methods that a data class gets.

use std::rc::Rc;

use super::field::{Field, Kind};
use super::{FROZEN_INSTANCE_ERROR, is_missing};
use crate::python::args::Args;
use crate::python::exception::{PyResult, raise, type_error};
use crate::python::hash;
use crate::python::modules::signature::{self, Parameter, Signature};
use crate::python::native_function::NativeFunction;
use crate::python::types::{Class, Type};
use crate::python::value::Value;
use crate::python::vm::lookup::{Member, class_member};
use crate::python::vm::{CompareOp, Vm};

fn qualified(class: &Class, name: &str) -> String {
    format!("{}.{name}", class.qualified_name().as_str())
}

/// The receiver, and the other arguments.
fn split(mut args: Args) -> (Value, Args) {
    let receiver = if args.pos.is_empty() { Value::None } else { args.pos.remove(0) };
    (receiver, args)
}

/// Refuses a field without default behind one with.
pub(super) fn check_order(vm: &mut Vm, fields: &[Rc<Field>]) -> PyResult<()> {
    let mut seen_default = false;
    for field in fields.iter().filter(|field| field.init) {
        if field.has_default() {
            seen_default = true;
        } else if seen_default {
            let shown = vm.repr(&Value::Str(field.name.clone()))?;
            return Err(type_error(format!("non-default argument {shown} follows default argument")));
        }
    }
    Ok(())
}

/// `__init__`
pub(super) fn init(class: &Rc<Class>, fields: Vec<Rc<Field>>) -> Value {
    let name = qualified(class, "__init__");
    // Those by keyword come last among the parameters; the fields are set in the order of the class.
    let mut parameters: Vec<Parameter> = fields
        .iter()
        .filter(|field| field.init)
        .map(|field| Parameter {
            name: field.name.clone(),
            required: !field.has_default(),
            keyword_only: field.keyword_only == Some(true),
        })
        .collect();
    parameters.sort_by_key(|parameter| parameter.keyword_only);
    let place = |field: &Rc<Field>| parameters.iter().position(|parameter| parameter.name == field.name);
    let places: Vec<Option<usize>> = fields.iter().map(|field| if field.init { place(field) } else { None }).collect();
    // Whether there is one is asked when the class is made, not for the classes that derive from it.
    let prepares = matches!(class_member(class, "__post_init__"), Some(Member::Value(_)));
    NativeFunction::value("__init__", name.clone(), move |vm, args| {
        let (instance, args) = split(args);
        vm.charge(4 + 2 * fields.len())?;
        let mut given = signature::bind_method(&name, &parameters, args)?;
        let mut for_post_init = Vec::new();
        for (field, place) in fields.iter().zip(&places) {
            let argument = place.and_then(|place| given.get_mut(place)).and_then(Option::take);
            let value = match argument {
                Some(value) => value,
                None if !is_missing(&field.factory) => vm.call(&field.factory, Args::none())?,
                None if !is_missing(&field.default) && (field.init || field.kind == Kind::InitVar) => {
                    field.default.clone()
                }
                None => continue,
            };
            if field.kind == Kind::InitVar {
                for_post_init.push(value);
            } else if let Value::Instance(object) = &instance {
                // Past `__setattr__`, as CPython sets those of frozen classes; others go through it.
                let frozen = matches!(vm.special(&instance, "__setattr__"), Some(setter) if is_refusal(&setter));
                if frozen {
                    object.attributes.set_str(field.name.clone(), value);
                } else {
                    vm.set_attr(&instance, &field.name, value)?;
                }
            }
        }
        if prepares {
            vm.call_method(&instance, "__post_init__", Args::positional(for_post_init))?;
        }
        Ok(Value::None)
    })
}

fn is_refusal(value: &Value) -> bool {
    value.downcast::<NativeFunction>().is_some_and(|function| function.name() == "__setattr__")
}

/// `__repr__`
pub(super) fn repr(class: &Class, fields: Vec<Rc<Field>>) -> Value {
    NativeFunction::value("__repr__", qualified(class, "__repr__"), move |vm, args| {
        let (instance, args) = split(args);
        let [] = Signature::method("__repr__", [], 0).bind(args)?;
        if !vm.in_repr.enter(&instance) {
            return Ok(Value::str("..."));
        }
        vm.charge(4 + 4 * fields.len())?;
        let parts = fields.iter().map(|field| {
            let value = vm.get_attr(&instance, &field.name)?;
            let shown = vm.deeper(|vm| vm.repr(&value))?;
            Ok(format!("{}={shown}", field.name.as_str()))
        });
        let parts: PyResult<Vec<String>> = parts.collect();
        vm.in_repr.leave();
        let class = vm.get_attr(&Value::Type(instance.class()), "__qualname__")?;
        let class = vm.str(&class)?;
        Ok(Value::str(format!("{}({})", class.as_str(), parts?.join(", "))))
    })
}

/// The values of some fields.
fn values(vm: &mut Vm, instance: &Value, fields: &[Rc<Field>]) -> PyResult<Value> {
    vm.charge(2 + 2 * fields.len())?;
    let values = fields.iter().map(|field| vm.get_attr(instance, &field.name)).collect::<PyResult<Vec<_>>>()?;
    Ok(Value::tuple(values))
}

/// `__eq__`, `__lt__` and their like: of the fields as tuples, for objects of the same class.
pub(super) fn comparison(class: &Class, name: &'static str, fields: Vec<Rc<Field>>) -> Value {
    let op = match name {
        "__lt__" => CompareOp::Lt,
        "__le__" => CompareOp::Le,
        "__gt__" => CompareOp::Gt,
        "__ge__" => CompareOp::Ge,
        _ => CompareOp::Eq,
    };
    let qualified = qualified(class, name);
    NativeFunction::value(name, qualified.clone(), move |vm, args| {
        let (instance, args) = split(args);
        let parameters = [Parameter { name: "other".into(), required: true, keyword_only: false }];
        let other = signature::bind_method(&qualified, &parameters, args)?.pop().flatten().unwrap_or_default();
        if !other.class().same(&instance.class()) {
            return Ok(Value::NotImplemented);
        }
        let (mine, theirs) = (values(vm, &instance, &fields)?, values(vm, &other, &fields)?);
        vm.deeper(|vm| vm.compare(op, &mine, &theirs))
    })
}

/// `__hash__`
pub(super) fn hash(class: &Class, fields: Vec<Rc<Field>>) -> Value {
    NativeFunction::value("__hash__", qualified(class, "__hash__"), move |vm, args| {
        let (instance, _) = split(args);
        let values = values(vm, &instance, &fields)?;
        hash::hash(vm, &values).map(Value::Int)
    })
}

/// `__setattr__` and `__delattr__` of a frozen class.
pub(super) fn refusal(class: &Rc<Class>, name: &'static str, fields: Vec<Rc<Field>>) -> Value {
    let qualified = qualified(class, name);
    let own = Rc::downgrade(class);
    NativeFunction::value(name, qualified, move |vm, args| {
        let (instance, args) = split(args);
        let attribute = args.pos.first().and_then(|name| name.as_str().cloned()).unwrap_or_else(|| "".into());
        let exact = own.upgrade().is_some_and(|own| instance.class().same(&Type::Class(own)));
        if exact || fields.iter().any(|field| field.name == attribute) {
            let shown = vm.repr(&Value::Str(attribute))?;
            let what = if name == "__setattr__" { "assign to" } else { "delete" };
            return Err(raise(&FROZEN_INSTANCE_ERROR, format!("cannot {what} field {shown}")));
        }
        let Value::Instance(object) = &instance else { return Ok(Value::None) };
        match args.pos.into_iter().nth(1) {
            Some(value) => object.attributes.set_str(attribute, value),
            None => drop(object.attributes.remove_str(&attribute)),
        }
        Ok(Value::None)
    })
}
