//! Tuples whose items have names, as `time.struct_time` and what `date.isocalendar()` gives.

use crate::python::args::Args;
use crate::python::exception::{PyResult, type_error};
use crate::python::hash;
use crate::python::iterator::{Items, IteratorObject};
use crate::python::object::Object;
use crate::python::types::{BuiltinType, TUPLE_ITERATOR};
use crate::python::value::Value;
use crate::python::vm::{BinaryOp, CompareOp, Vm};

/// A tuple of a class derived from `tuple`, whose items have names.
pub(super) struct NamedParts {
    pub(super) class: &'static BuiltinType,
    /// The names of the items.
    pub(super) fields: &'static [&'static str],
    pub(super) parts: Vec<Value>,
    /// Attributes that are no items.
    pub(super) hidden: Vec<(&'static str, Value)>,
}

impl NamedParts {
    fn tuple(&self) -> Value {
        Value::tuple(self.parts.clone())
    }
}

/// A tuple, also one with names, as a plain tuple.
pub(crate) fn as_tuple(value: &Value) -> Option<Value> {
    match value {
        Value::Tuple(_) => Some(value.clone()),
        other => other.downcast::<NamedParts>().map(NamedParts::tuple),
    }
}

fn is_sequence(value: &Value) -> bool {
    matches!(value, Value::Str(_) | Value::Bytes(_) | Value::List(_)) || as_tuple(value).is_some()
}

impl Object for NamedParts {
    fn class(&self) -> &'static BuiltinType {
        self.class
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        let named = self.fields.iter().zip(&self.parts).find(|(field, _)| **field == name);
        if name == "__match_args__" && self.class.name == "struct_time" {
            return Ok(Some(Value::tuple(self.fields.iter().map(|field| Value::str(*field)).collect())));
        }
        let hidden = || self.hidden.iter().find(|(field, _)| *field == name).map(|(_, value)| value);
        Ok(named.map(|(_, part)| part).or_else(hidden).cloned())
    }

    fn call_method(&self, vm: &mut Vm, _: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        self.class().method(name)?;
        Some(vm.call_method(&self.tuple(), name, std::mem::take(args)))
    }

    fn get_item(&self, vm: &mut Vm, key: &Value) -> PyResult<Value> {
        vm.get_item(&self.tuple(), key)
    }

    fn iter(&self, _: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        let items: Vec<Value> = self.parts.clone();
        Some(Ok(IteratorObject::new(&TUPLE_ITERATOR, Items(items.into_iter()))))
    }

    fn len(&self, _: &mut Vm) -> Option<PyResult<usize>> {
        Some(Ok(self.fields.len()))
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = as_tuple(other)?;
        Some(vm.compare(op, &self.tuple(), &other))
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        match method {
            "add" => {
                let other = as_tuple(other).unwrap_or_else(|| other.clone());
                Some(vm.binary(BinaryOp::Add, &self.tuple(), &other))
            }
            "radd" => as_tuple(other).map(|other| vm.binary(BinaryOp::Add, &other, &self.tuple())),
            // Of two sequences, the one on the left refuses the other.
            "rmul" if is_sequence(other) => {
                let class = self.class.shown_name();
                Some(Err(type_error(format!("can't multiply sequence by non-int of type '{}'", class.as_str()))))
            }
            "mul" | "rmul" => Some(vm.binary(BinaryOp::Multiply, &self.tuple(), other)),
            _ => None,
        }
    }

    fn hash(&self, vm: &mut Vm) -> Option<PyResult<i64>> {
        Some(hash::hash(vm, &self.tuple()))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        let mut fields = Vec::with_capacity(self.fields.len());
        for (field, part) in self.fields.iter().zip(&self.parts) {
            fields.push(format!("{field}={}", vm.repr(part)?));
        }
        Ok(format!("{}.{}({})", self.class.module, self.class.name, fields.join(", ")))
    }

    fn attributes(&self) -> &'static [&'static str] {
        self.fields
    }
}
