//! Config data as Python values: copying, comparing and merging what entities hold.

use std::rc::Rc;

use tpv_model::merge::{self, Env};
use tpv_python::args::Args;
use tpv_python::dict::Dict;
use tpv_python::exception::{PyResult, Raised, type_error};
use tpv_python::set::SetObject;
use tpv_python::string::Str;
use tpv_python::types::GENERATOR;
use tpv_python::value::Value;
use tpv_python::vm::{BYTES_A_STEP, Vm};

/// The steps of the table of a new dict, besides its entries.
const NEW_TABLE: usize = 4;

/// `copy.deepcopy` of data: lists and dicts are copied, immutable values shared, objects copy themselves.
///
/// # Errors
/// `RecursionError` for data that holds itself.
pub fn deep_copy(vm: &mut Vm, value: &Value) -> PyResult<Value> {
    match value {
        Value::List(list) => {
            let items = list.items.borrow().clone();
            vm.charge(items.len())?;
            let copies: PyResult<Vec<Value>> = vm.deeper(|vm| items.iter().map(|item| deep_copy(vm, item)).collect());
            Ok(Value::list(copies?))
        }
        Value::Dict(dict) => {
            // A table is copied much faster as a whole than item by item.
            let mut table = dict.table.borrow().clone();
            vm.charge(NEW_TABLE + table.len())?;
            vm.deeper(|vm| {
                let is_shared = |item: &Value| !mutable(item) && !matches!(item, Value::Module(_) | Value::Iterator(_));
                for item in table.values_mut().filter(|item| !is_shared(item)) {
                    *item = deep_copy(vm, item)?;
                }
                Ok(())
            })?;
            Ok(Value::dict(Dict::from_table(table)))
        }
        Value::Set(set) if !set.frozen() => {
            vm.charge(set.table.borrow().len())?;
            Ok(Value::Set(Rc::new(SetObject::new(set.table.borrow().clone(), false))))
        }
        Value::Object(object) => object.deepcopy(vm, value),
        Value::Module(_) => Err(type_error("cannot pickle 'module' object")),
        Value::Iterator(iterator) if std::ptr::eq(iterator.class(), &GENERATOR) => {
            Err(type_error("cannot pickle 'generator' object"))
        }
        other => Ok(other.clone()),
    }
}

/// Returns `true` if code could change the value itself.
pub(super) fn mutable(value: &Value) -> bool {
    matches!(value, Value::List(_) | Value::Dict(_) | Value::Set(_) | Value::Object(_))
}

/// Returns `true` if a copy that was given to code still equals the original, so that the original can remain shared.
///
/// # Errors
/// `TimeoutError` where code made so much of it that the budget does not reach.
pub fn unchanged(vm: &mut Vm, original: &Value, copy: &Value) -> PyResult<bool> {
    Ok(match (original, copy) {
        (Value::List(a), Value::List(b)) => {
            let (a, b) = (a.items.borrow(), b.items.borrow());
            if a.len() != b.len() {
                return Ok(false);
            }
            vm.charge(a.len())?;
            for (a, b) in a.iter().zip(b.iter()) {
                if !vm.deeper(|vm| unchanged(vm, a, b))? {
                    return Ok(false);
                }
            }
            true
        }
        (Value::Dict(a), Value::Dict(b)) => {
            let (a, b) = (a.table.borrow(), b.table.borrow());
            if a.len() != b.len() {
                return Ok(false);
            }
            vm.charge(a.len())?;
            for ((ka, a), (kb, b)) in a.iter().zip(b.iter()) {
                if !ka.value.is(&kb.value) || !vm.deeper(|vm| unchanged(vm, a, b))? {
                    return Ok(false);
                }
            }
            true
        }
        (Value::Str(a), Value::Str(b)) => a.same(b),
        (Value::Int(_), Value::Int(_))
        | (Value::Float(_), Value::Float(_))
        | (Value::Bool(_), Value::Bool(_))
        | (Value::None, Value::None) => original.is(copy),
        (Value::Object(a), Value::Object(b)) => Rc::ptr_eq(a, b),
        _ => false,
    })
}

/// Returns `true` if the value is `None` or an empty container.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::None => true,
        Value::Dict(dict) => dict.is_empty(),
        Value::List(list) => list.items.borrow().is_empty(),
        _ => false,
    }
}

/// The result of [`merge_dicts`] if one of the two is empty or the two are one: the other.
pub(super) fn one_dict(child: &Value, parent: &Value) -> Option<Value> {
    match (child, parent) {
        (child, Value::Dict(_)) if is_empty(child) => Some(parent.clone()),
        (Value::Dict(_), parent) if is_empty(parent) => Some(child.clone()),
        (Value::Dict(over), Value::Dict(under)) if Rc::ptr_eq(over, under) => Some(parent.clone()),
        _ => None,
    }
}

/// The result of [`merge_env`] if one of the two is empty: the other.
pub(super) fn one_list(child: &Value, parent: &Value) -> Option<Value> {
    match (child, parent) {
        (child, Value::List(_)) if is_empty(child) => Some(parent.clone()),
        (Value::List(_), parent) if is_empty(parent) => Some(child.clone()),
        _ => None,
    }
}

/// TPV's `default_dict_copier`: the parent's items updated with the child's; always a dict.
///
/// # Errors
/// As TPV gets them where code put something other than a dict in the field.
pub fn merge_dicts(vm: &mut Vm, child: &Value, parent: &Value) -> PyResult<Value> {
    if let Some(one) = one_dict(child, parent) {
        return Ok(one);
    }
    match (child, parent) {
        (Value::Dict(over), Value::Dict(under)) => {
            vm.charge(over.len().saturating_add(under.len()))?;
            let mut table = under.table.borrow().clone();
            for (key, value) in over.table.borrow().iter() {
                table.insert(key.clone(), value.clone());
            }
            Ok(Value::dict(Dict::from_table(table)))
        }
        _ => {
            let merged = copy_or(vm, parent, || Value::dict(Dict::new()))?;
            let update = copy_or(vm, child, || Value::dict(Dict::new()))?;
            vm.call_method(&merged, "update", Args::one(update))?;
            Ok(merged)
        }
    }
}

/// `copy.deepcopy(value or default)`
fn copy_or(vm: &mut Vm, value: &Value, default: impl FnOnce() -> Value) -> PyResult<Value> {
    if vm.truthy(value)? { deep_copy(vm, value) } else { Ok(default()) }
}

/// TPV's `merge_env_list`: the parent's entries, each replaced in place by the child's of the same name (or that is equal),
/// then the rest of the child's.
///
/// # Errors
/// Exceptions raised by comparing entries.
pub fn merge_env(vm: &mut Vm, child: &Value, parent: &Value) -> PyResult<Value> {
    if let Some(one) = one_list(child, parent) {
        return Ok(one);
    }
    let entries = |vm: &mut Vm, value: &Value| -> PyResult<Option<Vec<Value>>> {
        let items = match value {
            Value::List(list) => list.items.borrow().clone(),
            Value::None => Vec::new(),
            _ => return Ok(None),
        };
        vm.charge(items.len())?;
        Ok(items.iter().all(|item| matches!(item, Value::Dict(_))).then_some(items))
    };
    let (original, replace) = (entries(vm, parent)?, entries(vm, child)?);
    if matches!((child, parent), (Value::List(child), Value::List(parent)) if Rc::ptr_eq(child, parent))
        && is_of_texts(parent)
    {
        return Ok(parent.clone());
    }
    match (original, replace) {
        (Some(original), Some(replace)) => merge::merge_env(&mut Entries(vm), replace, original).map(Value::list),
        _ => merge_odd_env(vm, child, parent),
    }
}

/// [`merge_env`] of what code put in the field in place of a list of dicts: each operation of TPV is applied to it as it is.
fn merge_odd_env(vm: &mut Vm, child: &Value, parent: &Value) -> PyResult<Value> {
    let original = copy_or(vm, parent, || Value::list(Vec::new()))?;
    let replace = copy_or(vm, child, || Value::list(Vec::new()))?;
    let name = Value::str("name");
    for (index, old) in vm.collect(&original)?.into_iter().enumerate() {
        for (at, new) in vm.collect(&replace)?.into_iter().enumerate() {
            let is_named = vm.contains(&new, &name)? && {
                let old = vm.call_method(&old, "get", Args::one(name.clone()))?;
                let new = vm.get_item(&new, &name)?;
                vm.equal(&old, &new)?
            };
            if is_named || vm.equal(&old, &new)? {
                let new = vm.call_method(&replace, "pop", Args::one(Value::from_usize(at)))?;
                vm.set_item(&original, &Value::from_usize(index), new)?;
                break;
            }
        }
    }
    vm.call_method(&original, "extend", Args::one(replace))?;
    Ok(original)
}

/// Returns `true` if a value is a list of dicts of texts. Such an `env` over itself is itself: each entry replaces itself, since
/// equal texts are equal either way.
pub(super) fn is_of_texts(env: &Value) -> bool {
    let is_of_texts = |entry: &Value| match entry {
        Value::Dict(dict) => dict.table.borrow().values().all(|value| matches!(value, Value::Str(_))),
        _ => false,
    };
    match env {
        Value::List(list) => list.items.borrow().iter().all(is_of_texts),
        _ => false,
    }
}

/// The entries of `env` as values of Python. Reading them is charged.
struct Entries<'a>(&'a mut Vm);

impl Env for Entries<'_> {
    type Entry = Value;
    type Name = String;
    type Error = Raised;

    fn name(&mut self, entry: &Value) -> PyResult<Option<String>> {
        Ok(env_name(self.0, entry)?.map(|name| name.to_string()))
    }

    fn equal(&mut self, entry: &Value, other: &Value) -> PyResult<bool> {
        self.0.equal(entry, other)
    }

    fn step(&mut self) -> PyResult<()> {
        self.0.charge(1)
    }
}

/// The name of an entry of `env`, if it is a text.
fn env_name(vm: &mut Vm, entry: &Value) -> PyResult<Option<Str>> {
    let Value::Dict(dict) = entry else { return Ok(None) };
    let name = dict.get_str("name");
    let Some(Value::Str(name)) = name else { return Ok(None) };
    vm.visit(name.len(), BYTES_A_STEP)?;
    Ok(Some(name))
}
