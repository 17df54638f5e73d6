//! What is done with instances of data classes: `fields`, `asdict`, `astuple`, `replace`.

use std::rc::Rc;

use super::field::{Field, Kind};
use super::fields_of;
use crate::python::args::Args;
use crate::python::dict::{Dict, DictKind};
use crate::python::exception::{PyResult, type_error, value_error};
use crate::python::modules::copy;
use crate::python::modules::signature::Signature;
use crate::python::string::Str;
use crate::python::types::{DICT, TUPLE, Type};
use crate::python::value::{Tuple, Value};
use crate::python::vm::Vm;

/// The fields of a class or of the class of an instance.
fn any_fields(value: &Value) -> Option<Vec<Rc<Field>>> {
    match value {
        Value::Type(Type::Class(class)) => fields_of(class),
        Value::Instance(instance) => fields_of(&instance.class),
        _ => None,
    }
}

/// The fields of the class of an instance.
fn instance_fields(value: &Value) -> Option<Vec<Rc<Field>>> {
    match value {
        Value::Instance(instance) => fields_of(&instance.class),
        _ => None,
    }
}

fn field_value(field: &Rc<Field>) -> Value {
    Value::object(Field::clone(field))
}

/// The fields by name.
pub(super) fn dict_of(fields: &[Rc<Field>]) -> Value {
    Value::dict(Dict::from_strs(fields.iter().map(|field| (field.name.clone(), field_value(field)))))
}

/// `fields(class_or_instance)`
pub(super) fn fields(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [value] = Signature::function("fields", ["class_or_instance"], 1).bind(args)?.map(Option::unwrap_or_default);
    let fields = any_fields(&value).ok_or_else(|| type_error("must be called with a dataclass type or instance"))?;
    let fields = fields.iter().filter(|field| field.kind == Kind::Field);
    Ok(Value::tuple(fields.map(field_value).collect()))
}

/// `is_dataclass(obj)`
pub(super) fn is_dataclass(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [value] = Signature::function("is_dataclass", ["obj"], 1).bind(args)?.map(Option::unwrap_or_default);
    Ok(Value::Bool(any_fields(&value).is_some()))
}

/// Whether to make dicts or tuples, and by which function.
struct Conversion {
    to_dict: bool,
    factory: Value,
}

/// `asdict(obj, *, dict_factory=dict)`
pub(super) fn asdict(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let signature =
        Signature { name: "asdict", parameters: ["obj", "dict_factory"], positional: 1, required: 1, method: false };
    let [object, factory] = signature.bind(args)?;
    let object = object.unwrap_or_default();
    if instance_fields(&object).is_none() {
        return Err(type_error("asdict() should be called on dataclass instances"));
    }
    let factory = factory.unwrap_or_else(|| Value::Type((&DICT).into()));
    Conversion { to_dict: true, factory }.of(vm, &object)
}

/// `astuple(obj, *, tuple_factory=tuple)`
pub(super) fn astuple(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let signature =
        Signature { name: "astuple", parameters: ["obj", "tuple_factory"], positional: 1, required: 1, method: false };
    let [object, factory] = signature.bind(args)?;
    let object = object.unwrap_or_default();
    if instance_fields(&object).is_none() {
        return Err(type_error("astuple() should be called on dataclass instances"));
    }
    let factory = factory.unwrap_or_else(|| Value::Type((&TUPLE).into()));
    Conversion { to_dict: false, factory }.of(vm, &object)
}

impl Conversion {
    fn of(&self, vm: &mut Vm, value: &Value) -> PyResult<Value> {
        vm.charge(4)?;
        vm.deeper(|vm| self.inner(vm, value))
    }

    fn all(&self, vm: &mut Vm, values: &[Value]) -> PyResult<Vec<Value>> {
        values.iter().map(|value| self.of(vm, value)).collect()
    }

    fn inner(&self, vm: &mut Vm, value: &Value) -> PyResult<Value> {
        if let Some(fields) = instance_fields(value) {
            let mut result = Vec::with_capacity(fields.len());
            for field in fields.iter().filter(|field| field.kind == Kind::Field) {
                let item = vm.get_attr(value, &field.name)?;
                let item = self.of(vm, &item)?;
                result.push(match self.to_dict {
                    true => Value::tuple(vec![Value::Str(field.name.clone()), item]),
                    false => item,
                });
            }
            return vm.call(&self.factory, Args::one(Value::list(result)));
        }
        match value {
            Value::Tuple(tuple) => {
                let items = self.all(vm, &tuple.items)?;
                Ok(Value::Tuple(Rc::new(Tuple { items, class: tuple.class.clone() })))
            }
            Value::List(list) => {
                let items = list.items.borrow().clone();
                Ok(Value::list(self.all(vm, &items)?))
            }
            Value::Dict(dict) => {
                // A `defaultdict` is made anew from pairs, which it takes for its factory.
                if matches!(dict.kind, DictKind::Default(_)) {
                    return Err(type_error("first argument must be callable or None"));
                }
                // A `Counter` counts the pairs.
                if matches!(dict.kind, DictKind::Counter) {
                    let mut pairs = Vec::new();
                    for (key, item) in dict.items() {
                        pairs.push(Value::tuple(vec![self.of(vm, &key)?, self.of(vm, &item)?]));
                    }
                    return vm.call(&Value::Type(value.class()), Args::one(Value::list(pairs)));
                }
                let copy = Dict::with_kind(dict.kind.clone());
                for (key, item) in dict.items() {
                    let (key, item) = (self.of(vm, &key)?, self.of(vm, &item)?);
                    copy.set(vm, key, item)?;
                }
                Ok(Value::dict(copy))
            }
            other => copy::deepcopy(vm, other),
        }
    }
}

/// `replace(obj, **changes)`
pub(super) fn replace(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [object] = <[Value; 1]>::try_from(args.pos.into_vec()).map_err(|given| match given.len() {
        0 => type_error("replace() missing 1 required positional argument: 'obj'"),
        count => type_error(format!("replace() takes 1 positional argument but {count} were given")),
    })?;
    let fields =
        instance_fields(&object).ok_or_else(|| type_error("replace() should be called on dataclass instances"))?;
    let mut changes: Vec<(Str, Value)> = args.kw;
    vm.charge(fields.len().saturating_mul(2 + changes.len() / 8))?;
    for field in fields.iter().filter(|field| field.kind != Kind::ClassVar) {
        let name = field.name.as_str();
        let given = changes.iter().any(|(changed, _)| changed.as_str() == name);
        if !field.init {
            if given {
                let message =
                    format!("field {name} is declared with init=False, it cannot be specified with replace()");
                return Err(value_error(message));
            }
        } else if !given {
            if field.kind == Kind::InitVar && super::is_missing(&field.default) {
                let shown = vm.repr(&Value::str(name))?;
                return Err(value_error(format!("InitVar {shown} must be specified with replace()")));
            }
            let value = vm.get_attr(&object, name)?;
            changes.push((field.name.clone(), value));
        }
    }
    vm.call(&Value::Type(object.class()), Args { kw: changes, ..Args::none() })
}
