//! `collections.defaultdict` and `collections.OrderedDict`.

use crate::python::args::Args;
use crate::python::builtins::classes::is_callable;
use crate::python::builtins::containers;
use crate::python::dict::{Dict, DictKind, Key};
use crate::python::exception::{PyResult, key_error, type_error};
use crate::python::methods::dict::receiver;
use crate::python::types::{BuiltinType, DICT};
use crate::python::value::{Builtin, Method, Value};
use crate::python::vm::Vm;

/// `collections.defaultdict`
pub static DEFAULTDICT: BuiltinType =
    BuiltinType { construct: Some(default_dict), ..BuiltinType::new("defaultdict", "collections", &DICT) };

/// `collections.OrderedDict`
pub static ORDERED_DICT: BuiltinType = BuiltinType {
    construct: Some(ordered_dict),
    methods: &[Method { name: "move_to_end", call: move_to_end }],
    statics: &[Builtin { name: "fromkeys", call: ordered_from_keys }],
    ..BuiltinType::new("OrderedDict", "collections", &DICT)
};

fn default_dict(vm: &mut Vm, mut args: Args) -> PyResult<Value> {
    let factory = if args.pos.is_empty() { Value::None } else { args.pos.remove(0) };
    if !factory.is_none() && !is_callable(vm, &factory)? {
        return Err(type_error("first argument must be callable or None"));
    }
    let dict = Dict::with_kind(DictKind::Default(factory));
    containers::update(vm, &dict, "defaultdict", args)?;
    Ok(Value::dict(dict))
}

fn ordered_dict(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let dict = Dict::with_kind(DictKind::Ordered);
    containers::update(vm, &dict, "OrderedDict", args)?;
    Ok(Value::dict(dict))
}

fn ordered_from_keys(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [keys, value] = args.bind("fromkeys", ["iterable", "value"], 1)?.map(Option::unwrap_or_default);
    let dict = Dict::with_kind(DictKind::Ordered);
    for key in vm.collect(&keys)? {
        dict.set(vm, key, value.clone())?;
    }
    Ok(Value::dict(dict))
}

fn move_to_end(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [key, last] = args.bind("move_to_end", ["key", "last"], 1)?;
    let key = key.unwrap_or_default();
    let last = match last {
        Some(last) => vm.truthy(&last)?,
        None => true,
    };
    let wanted = Key::new(vm, key.clone())?;
    let mut table = receiver(this)?.table.borrow_mut();
    let Some(index) = table.get_index_of(&wanted) else {
        drop(table);
        return Err(key_error(key));
    };
    let end = table.len() - 1;
    table.move_index(index, if last { end } else { 0 });
    Ok(Value::None)
}
