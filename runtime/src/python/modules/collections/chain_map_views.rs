//! The views of a `ChainMap`: `keys()`, `values()` and `items()`, which show it as it is at each moment.

use crate::python::args::Args;
use crate::python::exception::{KEY_ERROR, PyResult, type_error};
use crate::python::iterator::{IteratorObject, PyIterator};
use crate::python::methods::dict_views::{Kind, compare_as_sets};
use crate::python::modules::abc;
use crate::python::modules::signature::Signature;
use crate::python::object::Object;
use crate::python::types::{BuiltinType, SET as SET_TYPE, Type};
use crate::python::value::Value;
use crate::python::vm::{CompareOp, Vm};

/// A view: `collections.abc.KeysView`, `ValuesView` or `ItemsView` of the map.
pub(super) struct View {
    /// The map.
    pub(super) map: Value,
    /// What it shows of it.
    pub(super) kind: Kind,
}

/// `KeysView(mapping)`, `ValuesView(mapping)` or `ItemsView(mapping)`
pub(in crate::python::modules) fn mapping_view(kind: Kind, args: Args) -> PyResult<Value> {
    let [map] = Signature::method("MappingView.__init__", ["mapping"], 1).bind(args)?.map(Option::unwrap_or_default);
    Ok(Value::object(View { map, kind }))
}

impl View {
    fn has_pair(&self, vm: &mut Vm, pair: &Value) -> PyResult<bool> {
        let pair = vm.unpack(pair, 2)?;
        let [key, value] = pair.as_slice() else { return Ok(false) };
        match vm.get_item(&self.map, key) {
            Ok(found) => vm.equal(&found, value),
            Err(raised) if raised.is(&KEY_ERROR) => Ok(false),
            Err(raised) => Err(raised),
        }
    }

    /// What an operator of `collections.abc.Set` gives: a set that gets its items in the order in which that class finds them.
    fn combined(&self, vm: &mut Vm, method: &str, other: &Value, mut others: Vec<Value>) -> PyResult<Option<Value>> {
        let this = self.this();
        let mut items = match method {
            "and" | "rand" => Vec::new(),
            _ => vm.collect(&this)?,
        };
        let other = if is_set(other) { other.clone() } else { set_of(vm, others.clone())? };
        match method {
            "and" | "rand" => items = among(vm, others, &this, true)?,
            "or" | "ror" => items.append(&mut others),
            "sub" => items = among(vm, items, &other, false)?,
            "rsub" => items = among(vm, others, &this, false)?,
            "xor" | "rxor" => {
                items = among(vm, items, &other, false)?;
                items.append(&mut among(vm, others, &this, false)?);
            }
            _ => return Ok(None),
        }
        set_of(vm, items).map(Some)
    }

    fn this(&self) -> Value {
        Value::object(Self { map: self.map.clone(), kind: self.kind })
    }
}

impl Object for View {
    fn class(&self) -> &'static BuiltinType {
        match self.kind {
            Kind::Keys => &abc::KEYS_VIEW,
            Kind::Values => &abc::VALUES_VIEW,
            Kind::Items => &abc::ITEMS_VIEW,
        }
    }

    fn has_method(&self, name: &str) -> bool {
        name == "isdisjoint" && self.kind != Kind::Values
    }

    fn call_method(&self, vm: &mut Vm, this: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        if !self.has_method(name) {
            return None;
        }
        let args = std::mem::take(args);
        Some((|| {
            let [other] = Signature::method("Set.isdisjoint", ["other"], 1).bind(args)?.map(Option::unwrap_or_default);
            let others = vm.collect(&other)?;
            Ok(Value::Bool(among(vm, others, this, true)?.is_empty()))
        })())
    }

    fn len(&self, vm: &mut Vm) -> Option<PyResult<usize>> {
        Some(vm.len(&self.map))
    }

    fn iter(&self, _: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        let function = match self.kind {
            Kind::Keys => "KeysView.__iter__",
            Kind::Values => "ValuesView.__iter__",
            Kind::Items => "ItemsView.__iter__",
        };
        let walk = Walk { map: self.map.clone(), keys: None, kind: self.kind };
        Some(Ok(IteratorObject::generator(function, walk)))
    }

    fn contains(&self, vm: &mut Vm, item: &Value) -> Option<PyResult<bool>> {
        Some(match self.kind {
            Kind::Keys => vm.contains(&self.map, item),
            Kind::Values => vm.iter(&self.this()).and_then(|items| vm.contains(&items, item)),
            Kind::Items => self.has_pair(vm, item),
        })
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        let map = vm.deeper(|vm| vm.repr(&self.map))?;
        Ok(format!("{}({map})", self.class().name))
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        if self.kind == Kind::Values || !is_set(other) {
            return None;
        }
        Some(compare_as_sets(vm, op, &self.this(), other))
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        let operator = method.strip_prefix('r').unwrap_or(method);
        if self.kind == Kind::Values || !matches!(operator, "and" | "or" | "sub" | "xor") {
            return None;
        }
        if !abc::is_virtual_subclass(&other.class(), &Type::Builtin(&abc::ITERABLE)) {
            return None;
        }
        let others = match vm.collect(other) {
            Ok(others) => others,
            Err(raised) => return Some(Err(raised)),
        };
        self.combined(vm, method, other, others).transpose()
    }

    fn hash(&self, _: &mut Vm) -> Option<PyResult<i64>> {
        let hashed = self.kind == Kind::Values;
        let message = format!("unhashable type: '{}'", self.class().name);
        (!hashed).then(|| Err(type_error(message)))
    }
}

fn is_set(value: &Value) -> bool {
    abc::is_virtual_subclass(&value.class(), &Type::Builtin(&abc::SET))
}

fn set_of(vm: &mut Vm, items: Vec<Value>) -> PyResult<Value> {
    vm.call(&Value::Type(Type::Builtin(&SET_TYPE)), Args::one(Value::list(items)))
}

/// Those of the items that are in a collection, or those that are not.
fn among(vm: &mut Vm, items: Vec<Value>, collection: &Value, wanted: bool) -> PyResult<Vec<Value>> {
    let mut found = Vec::new();
    for item in items {
        if vm.contains(collection, &item)? == wanted {
            found.push(item);
        }
    }
    Ok(found)
}

/// The values or pairs of a map, which are looked up one by one.
struct Walk {
    map: Value,
    /// The keys, once the first item was asked for.
    keys: Option<Value>,
    kind: Kind,
}

impl PyIterator for Walk {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        let keys = match &self.keys {
            Some(keys) => keys.clone(),
            None => self.keys.insert(vm.iter(&self.map)?).clone(),
        };
        let Some(key) = vm.next(&keys)? else { return Ok(None) };
        Ok(Some(match self.kind {
            Kind::Keys => key,
            Kind::Values => vm.get_item(&self.map, &key)?,
            Kind::Items => {
                let value = vm.get_item(&self.map, &key)?;
                Value::tuple(vec![key, value])
            }
        }))
    }
}
