//! Methods of `dict`.

use std::rc::Rc;

use super::dict_views::{Kind, View};
use crate::args::Args;
use crate::builtins::containers;
use crate::dict::{Dict, Key};
use crate::exception::{PyResult, key_error};
use crate::value::{Builtin, Method, Value};
use crate::vm::Vm;

/// The methods, by name.
pub static METHODS: &[Method] = &[
    Method { name: "get", call: get },
    Method { name: "items", call: items },
    Method { name: "keys", call: keys },
    Method { name: "values", call: values },
    Method { name: "clear", call: clear },
    Method { name: "copy", call: copy },
    Method { name: "fromkeys", call: |vm, _, args| fromkeys(vm, args) },
    Method { name: "pop", call: pop },
    Method { name: "popitem", call: popitem },
    Method { name: "setdefault", call: setdefault },
    Method { name: "update", call: update },
];

/// The class methods.
pub static STATICS: &[Builtin] = &[Builtin::new("dict", "fromkeys", fromkeys)];

/// The dict that a method was called on.
///
/// # Errors
/// `TypeError` where it was called on something else.
fn receiver(this: &Value) -> PyResult<&Rc<Dict>> {
    match this {
        Value::Dict(dict) => Ok(dict),
        other => Err(super::wrong_receiver("dict", other)),
    }
}

fn get(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [key, default] = args.between("get", 1)?;
    let found = match &key {
        Some(Value::Str(key)) => receiver(this)?.get_str(key),
        _ => receiver(this)?.get(vm, &key.unwrap_or_default())?,
    };
    Ok(found.or(default).unwrap_or_default())
}

fn items(_: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = args.exactly("dict.items")?;
    Ok(Value::object(View { dict: receiver(this)?.clone(), kind: Kind::Items }))
}

fn keys(_: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = args.exactly("dict.keys")?;
    Ok(Value::object(View { dict: receiver(this)?.clone(), kind: Kind::Keys }))
}

fn values(_: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = args.exactly("dict.values")?;
    Ok(Value::object(View { dict: receiver(this)?.clone(), kind: Kind::Values }))
}

fn clear(_: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = args.exactly("dict.clear")?;
    // Dropped after the borrow ends.
    let old = std::mem::take(&mut *receiver(this)?.table.borrow_mut());
    drop(old);
    Ok(Value::None)
}

fn copy(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = args.exactly("dict.copy")?;
    let dict = receiver(this)?;
    vm.charge(dict.len())?;
    Ok(Value::dict(dict.copied()))
}

/// `dict.fromkeys(iterable, value=None)`
fn fromkeys(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [keys, value] = args.between("fromkeys", 1)?.map(Option::unwrap_or_default);
    let dict = Dict::new();
    let iterator = vm.iter(&keys)?;
    while let Some(key) = vm.next(&iterator)? {
        vm.charge(2)?;
        dict.set(vm, key, value.clone())?;
    }
    Ok(Value::dict(dict))
}

fn pop(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [key, default] = args.between("pop", 1)?;
    let (dict, key) = (receiver(this)?, key.unwrap_or_default());
    if dict.table.borrow().is_empty() {
        // CPython does not even hash the key.
        return default.ok_or_else(|| key_error(key));
    }
    let wanted = Key::new(vm, key.clone())?;
    vm.charge_removal(dict, &wanted)?;
    let removed = dict.table.borrow_mut().shift_remove(&wanted);
    removed.or(default).ok_or_else(|| key_error(key))
}

fn popitem(_: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = args.exactly("dict.popitem")?;
    let popped = receiver(this)?.table.borrow_mut().pop();
    match popped {
        Some((key, value)) => Ok(Value::tuple(vec![key.value, value])),
        None => Err(key_error(Value::str("popitem(): dictionary is empty"))),
    }
}

/// `dict.setdefault(key, default=None)`
///
/// # Errors
/// `TypeError` where the key is not hashable, or for too few or many arguments.
fn setdefault(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [key, default] = args.between("setdefault", 1)?.map(Option::unwrap_or_default);
    let key = Key::new(vm, key)?;
    Ok(receiver(this)?.table.borrow_mut().entry(key).or_insert(default).clone())
}

fn update(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    containers::update(vm, receiver(this)?, "update", args)?;
    Ok(Value::None)
}
