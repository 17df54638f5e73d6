//! `copy`: shallow and deep copies.

use std::collections::HashMap;
use std::rc::Rc;

use super::class;
use super::hashlib::HASH;
use super::signature::Signature;
use crate::args::Args;
use crate::dict::{Dict, Key, Table};
use crate::exception::{EXCEPTION, ExceptionObject, PyResult, Raised, type_error};
use crate::identity::ById;
use crate::methods::dict_views::View;
use crate::set::SetObject;
use crate::types::{BuiltinType, GENERATOR};
use crate::value::{Slice, Value};
use crate::vm::Vm;

/// `copy.Error`
pub static ERROR: BuiltinType = BuiltinType {
    construct: Some(|_, args| crate::builtins::exceptions::construct(&ERROR, args)),
    ..BuiltinType::new("Error", "copy", &EXCEPTION)
};

module! {
    /// `copy`
    MODULE = "copy";
    functions {
        "copy" => |vm, args| {
            let [value] = Signature::function("copy", ["x"], 1).bind(args)?.map(Option::unwrap_or_default);
            shallow(vm, &value)
        },
        "deepcopy" => |vm, args| {
            let [value, _memo] = Signature::function("deepcopy", ["x", "memo"], 1).bind(args)?.map(Option::unwrap_or_default);
            deepcopy(vm, &value)
        },
    }
    values(_vm) { "Error" => class(&ERROR), "error" => class(&ERROR) }
}

/// `copy.copy(value)`
///
/// # Errors
/// Exceptions raised by `__copy__`.
pub fn shallow(vm: &mut Vm, value: &Value) -> PyResult<Value> {
    vm.charge(1)?;
    Ok(match value {
        Value::List(list) => {
            let items = list.items.borrow().clone();
            vm.charge(items.len())?;
            Value::list(items)
        }
        Value::Dict(dict) => {
            vm.charge(dict.len())?;
            Value::dict(dict.copied())
        }
        Value::Set(set) if !set.frozen() => {
            let table = set.table.borrow().copied();
            vm.charge(table.len())?;
            Value::Set(Rc::new(SetObject::new(table, false)))
        }
        Value::Exception(exception) => Value::Exception(copy_exception(exception)),
        other if cannot_be_copied(other) => return Err(cannot_pickle(other)),
        Value::Object(object) => {
            if object.has_method("copy") {
                return vm.call_method(value, "copy", Args::none());
            }
            value.clone()
        }
        other => other.clone(),
    })
}

/// Returns `true` for objects that `copy` refuses: those that hold a running computation, another dict, or code, which
/// CPython cannot pickle.
fn cannot_be_copied(value: &Value) -> bool {
    match value {
        Value::Module(_) => true,
        Value::Object(object) if object.class().is(&HASH) => true,
        // DIFFERENCE: of other iterators CPython makes copies, and of what they go through; here each is its own copy.
        Value::Iterator(iterator) => iterator.class().is(&GENERATOR),
        value => value.downcast::<View>().is_some(),
    }
}

fn cannot_pickle(value: &Value) -> Raised {
    type_error(format!("cannot pickle '{}' object", value.type_name().as_str()))
}

fn copy_exception(exception: &ExceptionObject) -> Rc<ExceptionObject> {
    let copy = ExceptionObject::new(exception.class, exception.args.borrow().clone());
    *copy.attributes.borrow_mut() = exception.attributes.borrow().clone();
    copy
}

/// `copy.deepcopy(value)`: what the value holds is copied too, each object once.
///
/// # Errors
/// Exceptions raised by a class's own copying; `RecursionError` for values nested too deeply.
pub fn deepcopy(vm: &mut Vm, value: &Value) -> PyResult<Value> {
    Memo::default().copy(vm, value)
}

/// The copies made so far, by what was copied.
#[derive(Default)]
struct Memo {
    copies: HashMap<ById, Value>,
}

impl Memo {
    fn copy(&mut self, vm: &mut Vm, value: &Value) -> PyResult<Value> {
        match value {
            Value::List(_)
            | Value::Dict(_)
            | Value::Set(_)
            | Value::Tuple(_)
            | Value::Slice(_)
            | Value::Exception(_)
            | Value::Object(_)
            | Value::BoundMethod(_) => {}
            other if cannot_be_copied(other) => return Err(cannot_pickle(other)),
            atomic => return Ok(atomic.clone()),
        }
        // A call, a memo and a new object.
        vm.charge(8)?;
        if let Some(copy) = self.copies.get(&ById(value.clone())) {
            return Ok(copy.clone());
        }
        // As deep as CPython's functions for it call each other: `deepcopy`, one for the class, and for tuples a comprehension.
        if matches!(value, Value::Tuple(_)) {
            return vm.deeper(|vm| vm.deeper(|vm| vm.deeper(|vm| self.copy_container(vm, value))));
        }
        vm.deeper(|vm| vm.deeper(|vm| self.copy_container(vm, value)))
    }

    fn keep(&mut self, original: &Value, copy: &Value) {
        self.copies.insert(ById(original.clone()), copy.clone());
    }

    fn copy_items(&mut self, vm: &mut Vm, items: &[Value]) -> PyResult<Vec<Value>> {
        vm.charge(items.len())?;
        items.iter().map(|item| self.copy(vm, item)).collect()
    }

    fn copy_container(&mut self, vm: &mut Vm, value: &Value) -> PyResult<Value> {
        match value {
            Value::List(list) => {
                let copy = Value::list(Vec::new());
                self.keep(value, &copy);
                let items = list.items.borrow().clone();
                let items = self.copy_items(vm, &items)?;
                if let Value::List(list) = &copy {
                    *list.items.borrow_mut() = items;
                }
                Ok(copy)
            }
            Value::Dict(dict) => self.copy_dict(vm, dict, value),
            Value::Tuple(tuple) => {
                let items = self.copy_items(vm, &tuple.items)?;
                // A tuple may hold itself through a list: then its copy was made meanwhile.
                if let Some(copy) = self.copies.get(&ById(value.clone())) {
                    return Ok(copy.clone());
                }
                let unchanged = items.iter().zip(&tuple.items).all(|(copy, item)| copy.is(item));
                let copy = if unchanged { value.clone() } else { Value::tuple(items) };
                self.keep(value, &copy);
                Ok(copy)
            }
            Value::Set(set) => {
                let mut table = crate::set::SetTable::default();
                vm.charge(set.table.borrow().len().saturating_mul(4))?;
                for item in set.items() {
                    let item = self.copy(vm, &item)?;
                    table.insert(Key::new(vm, item)?);
                }
                let copy = Value::Set(Rc::new(SetObject::new(table, set.frozen())));
                self.keep(value, &copy);
                Ok(copy)
            }
            Value::Slice(slice) => {
                let [start, stop, step] = [&slice.start, &slice.stop, &slice.step].map(|part| self.copy(vm, part));
                Ok(Value::Slice(Rc::new(Slice { start: start?, stop: stop?, step: step? })))
            }
            Value::Exception(exception) => {
                let copy = copy_exception(exception);
                self.keep(value, &Value::Exception(copy.clone()));
                let args = copy.args.borrow().clone();
                let args = self.copy_items(vm, &args)?;
                *copy.args.borrow_mut() = args;
                Ok(Value::Exception(copy))
            }
            other if cannot_be_copied(other) => Err(cannot_pickle(other)),
            Value::Object(object) => {
                let copy = object.deepcopy(vm, value)?;
                self.keep(value, &copy);
                Ok(copy)
            }
            other => Ok(other.clone()),
        }
    }

    fn copy_dict(&mut self, vm: &mut Vm, dict: &Rc<Dict>, original: &Value) -> PyResult<Value> {
        vm.charge(dict.len().saturating_mul(4))?;
        let mut copy = dict.copied();
        let entries: Table = std::mem::take(copy.table.get_mut());
        let copy = Rc::new(copy);
        self.keep(original, &Value::Dict(copy.clone()));
        for (key, value) in entries {
            // Keys are hashable, so most are atomic: those keep their hash.
            let key = match &key.value {
                Value::Tuple(_) | Value::Object(_) | Value::Set(_) => {
                    let copied = self.copy(vm, &key.value)?;
                    Key::new(vm, copied)?
                }
                _ => key,
            };
            let value = self.copy(vm, &value)?;
            copy.table.borrow_mut().insert(key, value);
        }
        Ok(Value::Dict(copy))
    }
}
