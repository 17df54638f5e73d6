//! Constructors of the container classes: `tuple`, `list`, `dict`, `set`, `frozenset`, `range`.

use std::rc::Rc;

use super::convert;
use crate::args::Args;
use crate::dict::{Dict, DictKind, Key};
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
/// `TypeError` for more than one positional argument, or as [`update_from`].
pub fn update(vm: &mut Vm, dict: &Dict, function: &str, args: Args) -> PyResult<()> {
    let given = args.pos.len();
    if given > 1 {
        return Err(type_error(format!("{function} expected at most 1 argument, got {given}")));
    }
    if let Some(source) = args.pos.first() {
        update_from(vm, dict, source)?;
    }
    update_from_keywords(dict, args.kw);
    Ok(())
}

/// Sets each keyword argument as an item.
pub fn update_from_keywords(dict: &Dict, keywords: Vec<(Str, Value)>) {
    for (name, value) in keywords {
        dict.set_str(name, value);
    }
}

/// Updates a dict from a mapping or from an iterable of pairs.
///
/// # Errors
/// `TypeError` or `ValueError` as CPython words them where the source is neither.
pub fn update_from(vm: &mut Vm, dict: &Dict, source: &Value) -> PyResult<()> {
    if let Value::Dict(other) = source {
        vm.charge(other.len().saturating_mul(3))?;
        let entries: Vec<_> = other.table.borrow().iter().map(|(key, value)| (key.clone(), value.clone())).collect();
        dict.table.borrow_mut().extend(entries);
        return vm.charge_comparisons();
    }
    if matches!(source, Value::Object(_) | Value::Type(_))
        && let Some(keys) = vm.find_attr(source, "keys")?
    {
        let keys = vm.call(&keys, Args::none())?;
        for key in vm.collect(&keys)? {
            let value = vm.get_item(source, &key)?;
            dict.set(vm, key, value)?;
        }
        return Ok(());
    }
    let iterator = vm.iter(source)?;
    let mut index = 0_usize;
    while let Some(pair) = vm.next(&iterator)? {
        vm.charge(3)?;
        let (key, value) = take_pair(vm, &pair, index)?;
        dict.set(vm, key, value)?;
        index += 1;
    }
    Ok(())
}

fn take_pair(vm: &mut Vm, pair: &Value, index: usize) -> PyResult<(Value, Value)> {
    if let Value::Tuple(tuple) = pair
        && let [key, value] = tuple.items.as_slice()
    {
        return Ok((key.clone(), value.clone()));
    }
    let items = match vm.collect(pair) {
        Ok(items) => items,
        Err(raised) if raised.is(&crate::exception::TYPE_ERROR) => {
            return Err(type_error(format!(
                "cannot convert dictionary update sequence element #{index} to a sequence"
            )));
        }
        Err(raised) => return Err(raised),
    };
    let length = items.len();
    <[Value; 2]>::try_from(items).map(|[key, value]| (key, value)).map_err(|_| {
        value_error(format!("dictionary update sequence element #{index} has length {length}; 2 is required"))
    })
}

/// The set table of an iterable's items.
///
/// # Errors
/// `TypeError` where it is not iterable or an item is not hashable.
pub fn set_table(vm: &mut Vm, iterable: &Value) -> PyResult<SetTable> {
    let mut table = SetTable::default();
    add_to_set(vm, &mut table, iterable)?;
    Ok(table)
}

/// Adds an iterable's items to a table, in CPython's way, which decides the order of iteration.
///
/// # Errors
/// As [`set_table`].
pub fn add_to_set(vm: &mut Vm, table: &mut SetTable, iterable: &Value) -> PyResult<()> {
    match iterable {
        Value::Set(set) => {
            let other = set.table.borrow();
            vm.charge(other.len())?;
            table.merge(&other);
            vm.charge_comparisons()?;
        }
        // CPython makes room for a `dict` itself only: a `Counter` comes item by item.
        Value::Dict(dict) if matches!(dict.kind, DictKind::Plain) => {
            vm.charge(dict.len())?;
            table.make_room(dict.len());
            for key in dict.table.borrow().keys() {
                table.insert(key.clone());
            }
        }
        other => {
            let iterator = vm.iter(other)?;
            while let Some(item) = vm.next(&iterator)? {
                vm.charge(4)?;
                table.insert(Key::new(vm, item)?);
            }
        }
    }
    Ok(())
}

/// `set(iterable=())`
pub(crate) fn set(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let table = match args.between("set", 0)? {
        [None] => SetTable::default(),
        [Some(iterable)] => set_table(vm, &iterable)?,
    };
    Ok(Value::Set(Rc::new(SetObject::new(table, false))))
}

/// `frozenset(iterable=())`
pub(crate) fn frozenset(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let table = match args.between("frozenset", 0)? {
        [None] => SetTable::default(),
        [Some(Value::Set(set))] if set.frozen() => return Ok(Value::Set(set)),
        [Some(iterable)] => set_table(vm, &iterable)?,
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
