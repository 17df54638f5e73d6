//! Builtin functions on iterables: `all`, `any`, `iter`, `len`, `max`, `min`, `next`, `sorted`, `sum`.

use super::classes::is_callable;
use super::convert;
use crate::args::Args;
use crate::exception::{PyResult, stop_iteration, type_error, value_error};
use crate::iterator::{IteratorObject, PyIterator};
use crate::methods::sort;
use crate::types::CALLABLE_ITERATOR;
use crate::value::Value;
use crate::vm::{BinaryOp, CompareOp, Vm};

/// `all(iterable)`
pub(crate) fn all(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [iterable] = args.exactly("all")?;
    let iterator = vm.iter(&iterable)?;
    while let Some(item) = vm.next(&iterator)? {
        vm.charge(1)?;
        if !vm.truthy(&item)? {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}

/// `any(iterable)`
pub(crate) fn any(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [iterable] = args.exactly("any")?;
    let iterator = vm.iter(&iterable)?;
    while let Some(item) = vm.next(&iterator)? {
        vm.charge(1)?;
        if vm.truthy(&item)? {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}

/// The result of `iter(callable, sentinel)`.
struct CallableIterator {
    callable: Option<Value>,
    sentinel: Value,
}

impl PyIterator for CallableIterator {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        let Some(callable) = &self.callable else { return Ok(None) };
        vm.charge(3)?;
        let item = vm.call(callable, Args::none())?;
        if vm.equal(&self.sentinel, &item)? {
            self.callable = None;
            return Ok(None);
        }
        Ok(Some(item))
    }
}

/// `iter(object)`, `iter(callable, sentinel)`
pub(crate) fn iter(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [object, sentinel] = args.between("iter", 1)?;
    let object = object.unwrap_or_default();
    let Some(sentinel) = sentinel else { return vm.iter(&object) };
    if !is_callable(&object) {
        return Err(type_error("iter(v, w): v must be callable"));
    }
    Ok(IteratorObject::new(&CALLABLE_ITERATOR, CallableIterator { callable: Some(object), sentinel }))
}

/// `len(object)`
pub(crate) fn len(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [object] = args.exactly("len")?;
    Ok(Value::from_usize(vm.len(&object)?))
}

/// `next(iterator[, default])`
pub(crate) fn next(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [iterator, default] = args.between("next", 1)?;
    let iterator = iterator.unwrap_or_default();
    match (vm.next(&iterator)?, default) {
        (Some(item), _) => Ok(item),
        (None, Some(default)) => Ok(default),
        (None, None) => Err(stop_iteration()),
    }
}

fn extreme(vm: &mut Vm, mut args: Args, function: &str, op: CompareOp) -> PyResult<Value> {
    let (mut key, mut default) = (None, None);
    for (name, value) in std::mem::take(&mut args.kw) {
        match name.as_str() {
            "key" => key = Some(value).filter(|value| !value.is_none()),
            "default" => default = Some(value),
            other => {
                return Err(type_error(format!("'{other}' is an invalid keyword argument for {function}()")));
            }
        }
    }
    if args.pos.is_empty() {
        return Err(type_error(format!("{function} expected at least 1 argument, got 0")));
    }
    if args.pos.len() > 1 && default.is_some() {
        return Err(type_error(format!(
            "Cannot specify a default for {function}() with multiple positional arguments"
        )));
    }
    let items = if args.pos.len() > 1 { Value::tuple(args.pos.into_vec()) } else { args.pos.pop().unwrap_or_default() };
    let iterator = vm.iter(&items)?;
    let mut best: Option<(Value, Value)> = None;
    while let Some(item) = vm.next(&iterator)? {
        vm.charge(1)?;
        let rank = match &key {
            Some(key) => vm.call(key, Args::one(item.clone()))?,
            None => item.clone(),
        };
        let better = match &best {
            None => true,
            Some((_, best_rank)) => {
                let result = vm.compare(op, &rank, best_rank)?;
                vm.truthy(&result)?
            }
        };
        if better {
            best = Some((item, rank));
        }
    }
    match (best, default) {
        (Some((item, _)), _) => Ok(item),
        (None, Some(default)) => Ok(default),
        (None, None) => Err(value_error(format!("{function}() arg is an empty sequence"))),
    }
}

/// `max(iterable, *, key=None, default=...)`, `max(a, b, ..., key=None)`: the first of the greatest.
pub(crate) fn max(vm: &mut Vm, args: Args) -> PyResult<Value> {
    extreme(vm, args, "max", CompareOp::Gt)
}

/// `min(iterable, *, key=None, default=...)`, `min(a, b, ..., key=None)`: the first of the least.
pub(crate) fn min(vm: &mut Vm, args: Args) -> PyResult<Value> {
    extreme(vm, args, "min", CompareOp::Lt)
}

/// `sorted(iterable, *, key=None, reverse=False)`
pub(crate) fn sorted(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let given = args.pos.len();
    if given != 1 {
        return Err(type_error(format!("sorted expected 1 argument, got {given}")));
    }
    let mut items = match args.pos.first() {
        Some(iterable) => vm.collect(iterable)?,
        None => Vec::new(),
    };
    let (key, reverse) = sort::options(vm, &args.kw)?;
    sort::sort(vm, &mut items, key.as_ref(), reverse)?;
    Ok(Value::list(items))
}

/// `sum(iterable, /, start=0)`
pub(crate) fn sum(vm: &mut Vm, args: Args) -> PyResult<Value> {
    if args.pos.is_empty() {
        return Err(type_error("sum() takes at least 1 positional argument (0 given)"));
    }
    let given = args.pos.len() + args.kw.len();
    if given > 2 {
        return Err(type_error(format!("sum() takes at most 2 arguments ({given} given)")));
    }
    let [iterable, start] = args.bind("sum", ["", "start"], 1)?;
    let start = start.unwrap_or(Value::Int(0));
    let iterator = vm.iter(&iterable.unwrap_or_default())?;
    match &start {
        Value::Str(_) => return Err(type_error("sum() can't sum strings [use ''.join(seq) instead]")),
        Value::Bytes(_) => return Err(type_error("sum() can't sum bytes [use b''.join(seq) instead]")),
        _ => {}
    }
    let mut total = start;
    while let Some(item) = vm.next(&iterator)? {
        vm.charge(1)?;
        total = add(vm, &total, &item)?;
    }
    Ok(total)
}

/// `a + b`, with the common kinds of numbers at hand.
///
/// # Errors
/// As [`Vm::binary`].
pub fn add(vm: &mut Vm, a: &Value, b: &Value) -> PyResult<Value> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => {
            if let Some(sum) = a.checked_add(*b) {
                return Ok(Value::Int(sum));
            }
        }
        (Value::Float(a), Value::Float(b)) => return Ok(Value::Float(a + b)),
        (Value::Float(a), Value::Int(_) | Value::Bool(_)) => return Ok(Value::Float(a + convert::real(vm, b)?)),
        _ => {}
    }
    vm.binary(BinaryOp::Add, a, b)
}
