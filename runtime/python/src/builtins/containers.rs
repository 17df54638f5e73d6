//! Constructors of the container classes: `tuple`, `list`, `dict`, `set`, `frozenset`, `range`.

use std::rc::Rc;

use super::convert;
use crate::args::Args;
use crate::dict::Dict;
use crate::exception::{PyResult, not_implemented_error, type_error, value_error};
use crate::set::{SetObject, SetTable};
use crate::string::Str;
use crate::value::{Range, Value};
use crate::vm::Vm;

/// `tuple(iterable=())`
pub(crate) fn tuple(vm: &mut Vm, args: Args) -> PyResult<Value> {
    match args.between("tuple", 0)? {
        [None] => Ok(Value::tuple(Vec::new())),
        [Some(Value::Tuple(tuple))] => Ok(Value::Tuple(tuple)),
        [Some(iterable)] => Ok(Value::tuple(vm.collect(&iterable)?)),
    }
}

/// `list(iterable=())`
pub(crate) fn list(vm: &mut Vm, args: Args) -> PyResult<Value> {
    match args.between("list", 0)? {
        [None] => Ok(Value::list(Vec::new())),
        [Some(iterable)] => Ok(Value::list(vm.collect(&iterable)?)),
    }
}

/// `dict(mapping_or_iterable=(), **kwargs)`
pub(crate) fn dict(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let dict = Dict::new();
    update(vm, &dict, "dict", args)?;
    Ok(Value::dict(dict))
}

/// Updates a dict with the arguments of `dict(...)` or `dict.update(...)`.
///
/// # Errors
/// `TypeError` for more than one positional argument, or as [`Vm::update_dict`].
pub fn update(vm: &mut Vm, dict: &Dict, function: &str, args: Args) -> PyResult<()> {
    let given = args.pos.len();
    if given > 1 {
        return Err(type_error(format!("{function} expected at most 1 argument, got {given}")));
    }
    if let Some(source) = args.pos.first() {
        vm.update_dict(dict, source)?;
    }
    update_from_keywords(dict, args.kw);
    Ok(())
}

/// Sets each keyword argument as an item.
fn update_from_keywords(dict: &Dict, keywords: Vec<(Str, Value)>) {
    for (name, value) in keywords {
        dict.set_str(name, value);
    }
}

/// `set(iterable=())`
pub(crate) fn set(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let table = match args.between("set", 0)? {
        [None] => SetTable::default(),
        [Some(iterable)] => vm.set_table(&iterable)?,
    };
    Ok(Value::Set(Rc::new(SetObject::new(table, false))))
}

/// `frozenset(iterable=())`
pub(crate) fn frozenset(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let table = match args.between("frozenset", 0)? {
        [None] => SetTable::default(),
        [Some(Value::Set(set))] if set.frozen() => return Ok(Value::Set(set)),
        [Some(iterable)] => vm.set_table(&iterable)?,
    };
    Ok(Value::Set(Rc::new(SetObject::new(table, true))))
}

/// `range(stop)`, `range(start, stop[, step])`
pub(crate) fn range(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [first, second, step] = args.between("range", 1)?;
    let mut bound = |value: Option<Value>, default: i64| match value {
        Some(value) => convert::index(vm, &value),
        None => Ok(Value::Int(default)),
    };
    let first = bound(first, 0)?;
    let (start, stop) = match second {
        Some(second) => (first, bound(Some(second), 0)?),
        None => (Value::Int(0), first),
    };
    let step = bound(step, 1)?;
    match (start, stop, step) {
        (_, _, Value::Int(0)) => Err(value_error("range() arg 3 must not be zero")),
        (Value::Int(start), Value::Int(stop), Value::Int(step)) => {
            Ok(Value::Range(Rc::new(Range { start, stop, step })))
        }
        // DIFFERENCE: CPython's ranges have no bounds.
        _ => Err(not_implemented_error("tpvc has no ranges beyond 64 bits")),
    }
}
