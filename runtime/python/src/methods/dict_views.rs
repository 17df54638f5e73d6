//! The views of a dict, `keys()`, `values()` and `items()`, and the iterators over it.

use std::rc::Rc;

use super::set::{self, Operation};
use crate::args::Args;
use crate::builtins::containers;
use crate::dict::{Dict, Key};
use crate::exception::{PyResult, runtime_error};
use crate::iterator::{IteratorObject, PyIterator};
use crate::object::Object;
use crate::set::SetTable;
use crate::types::{BuiltinType, DICT_ITEMS, DICT_KEYS, DICT_VALUES, OBJECT};
use crate::value::Value;
use crate::vm::iteration::{DictPart, dict_iterator};
use crate::vm::operators::of_method;
use crate::vm::{BinaryOp, CompareOp, Vm};

/// The content of a view or iterator.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Keys
    Keys,
    /// Values
    Values,
    /// Pairs
    Items,
}

/// A view: it shows the dict as it is at each moment.
pub struct View {
    /// The dict.
    pub dict: Rc<Dict>,
    /// The content.
    pub kind: Kind,
}

static DICT_REVERSEKEYITERATOR: BuiltinType = reverse_class("dict_reversekeyiterator");
static DICT_REVERSEVALUEITERATOR: BuiltinType = reverse_class("dict_reversevalueiterator");
static DICT_REVERSEITEMITERATOR: BuiltinType = reverse_class("dict_reverseitemiterator");

const fn reverse_class(name: &'static str) -> BuiltinType {
    BuiltinType::new(name, "", &OBJECT)
}

struct ReverseIterator {
    dict: Rc<Dict>,
    kind: Kind,
    /// The initial number of items.
    length: usize,
    /// The number of remaining items.
    left: usize,
}

impl PyIterator for ReverseIterator {
    fn next(&mut self, _: &mut Vm) -> PyResult<Option<Value>> {
        let Some(place) = self.left.checked_sub(1) else { return Ok(None) };
        let table = self.dict.table.borrow();
        if table.len() != self.length {
            return Err(runtime_error("dictionary changed size during iteration"));
        }
        self.left = place;
        Ok(table.get_index(place).map(|(key, value)| match self.kind {
            Kind::Keys => key.value.clone(),
            Kind::Values => value.clone(),
            Kind::Items => Value::tuple(vec![key.value.clone(), value.clone()]),
        }))
    }

    fn size_hint(&self) -> usize {
        self.left
    }
}

/// An iterator over a dict from its end.
pub fn reversed(dict: &Rc<Dict>, kind: Kind) -> Value {
    let class = match kind {
        Kind::Keys => &DICT_REVERSEKEYITERATOR,
        Kind::Values => &DICT_REVERSEVALUEITERATOR,
        Kind::Items => &DICT_REVERSEITEMITERATOR,
    };
    let state = ReverseIterator { dict: dict.clone(), kind, length: dict.len(), left: dict.len() };
    IteratorObject::new(class, state)
}

impl View {
    fn values(&self) -> Vec<Value> {
        match self.kind {
            Kind::Keys => self.dict.keys(),
            Kind::Values => self.dict.values(),
            Kind::Items => self.dict.items().into_iter().map(|(key, value)| Value::tuple(vec![key, value])).collect(),
        }
    }

    /// `items ^ items`: in CPython's order, the other's pairs first.
    fn items_of_either(&self, vm: &mut Vm, other: &Self) -> PyResult<Value> {
        vm.charge(self.dict.len() + other.dict.len())?;
        let mut rest = self.dict.table.borrow().clone();
        let mut result = SetTable::default();
        let theirs = other.dict.table.borrow().clone();
        let mut add = |vm: &mut Vm, key: &Key, value: Value| {
            let pair = Key::new(vm, Value::tuple(vec![key.value.clone(), value]))?;
            result.insert(pair);
            Ok(())
        };
        for (key, value) in theirs {
            let same = match rest.get(&key).cloned() {
                Some(mine) => vm.equal(&mine, &value)?,
                None => false,
            };
            if same {
                rest.shift_remove(&key);
            } else {
                add(vm, &key, value)?;
            }
        }
        for (key, value) in rest {
            add(vm, &key, value)?;
        }
        Ok(set::set_value(result, false))
    }

    fn set_operation(&self, vm: &mut Vm, operation: Operation, other: &Value, swapped: bool) -> PyResult<Value> {
        if let (Operation::Xor, Kind::Items, false, Some(view)) =
            (operation, self.kind, swapped, other.downcast::<Self>())
            && view.kind == Kind::Items
        {
            return self.items_of_either(vm, view);
        }
        let this = Value::object(Self { dict: self.dict.clone(), kind: self.kind });
        let update = match operation {
            Operation::And => return self.intersection(vm, &this, other),
            Operation::Or => "update",
            Operation::Subtract => "difference_update",
            Operation::Xor => "symmetric_difference_update",
        };
        let (left, right) = if swapped { (other.clone(), this) } else { (this, other.clone()) };
        // Of a dict itself, CPython knows beforehand how many keys come.
        let left = match left.downcast::<Self>() {
            Some(Self { dict, kind: Kind::Keys }) => Value::Dict(dict.clone()),
            _ => left,
        };
        let result = containers::set(vm, Args::one(left))?;
        vm.call_method(&result, update, Args::one(right))?;
        Ok(result)
    }

    /// `view & other`, as CPython chooses whose items are walked: nothing that is only asked for needs a hash.
    fn intersection(&self, vm: &mut Vm, this: &Value, other: &Value) -> PyResult<Value> {
        if matches!(other, Value::Set(set) if !set.frozen()) && self.dict.len() <= vm.len(other)? {
            return vm.call_method(other, "intersection", Args::one(this.clone()));
        }
        let larger =
            other.downcast::<Self>().is_some_and(|view| view.kind != Kind::Values && view.dict.len() > self.dict.len());
        let (asked, walked) = if larger { (other, this) } else { (this, other) };
        let mut result = SetTable::default();
        for item in vm.collect(walked)? {
            if vm.contains(asked, &item)? {
                result.insert(Key::new(vm, item)?);
            }
        }
        Ok(set::set_value(result, false))
    }
}

/// Compares a view with a set or another view. As CPython: sizes first, so that what cannot be hashed is not, where they decide.
///
/// # Errors
/// Exceptions raised by looking for an item.
pub(crate) fn compare_as_sets(vm: &mut Vm, op: CompareOp, this: &Value, other: &Value) -> PyResult<Value> {
    let (own, others) = (vm.len(this)?, vm.len(other)?);
    let decided = match op {
        CompareOp::Eq | CompareOp::Ne if own != others => Some(op == CompareOp::Ne),
        CompareOp::Lt if own >= others => Some(false),
        CompareOp::Le if own > others => Some(false),
        CompareOp::Gt if own <= others => Some(false),
        CompareOp::Ge if own < others => Some(false),
        _ => None,
    };
    if let Some(decided) = decided {
        return Ok(Value::Bool(decided));
    }
    let (part, whole) = match op {
        CompareOp::Gt | CompareOp::Ge => (other, this),
        _ => (this, other),
    };
    for item in vm.collect(part)? {
        if !vm.contains(whole, &item)? {
            return Ok(Value::Bool(op == CompareOp::Ne));
        }
    }
    Ok(Value::Bool(op != CompareOp::Ne))
}

/// Returns `true` for a set, or a set-like view of a dict.
fn is_set_like(value: &Value) -> bool {
    matches!(value, Value::Set(_)) || value.downcast::<View>().is_some_and(|view| view.kind != Kind::Values)
}

impl Object for View {
    fn class(&self) -> &'static BuiltinType {
        match self.kind {
            Kind::Keys => &DICT_KEYS,
            Kind::Values => &DICT_VALUES,
            Kind::Items => &DICT_ITEMS,
        }
    }

    fn is_sequence(&self, _: &mut Vm) -> bool {
        false
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
            let [other] = args.exactly("isdisjoint")?;
            // As CPython: each item of the other is looked for, so that values of the dict need no hash; of two sets, each of the shorter.
            let (walked, asked) = match is_set_like(&other) && vm.len(&other)? > self.dict.len() {
                true => (this, &other),
                false => (&other, this),
            };
            for item in vm.collect(walked)? {
                if vm.contains(asked, &item)? {
                    return Ok(Value::Bool(false));
                }
            }
            Ok(Value::Bool(true))
        })())
    }

    fn contains(&self, vm: &mut Vm, item: &Value) -> Option<PyResult<bool>> {
        match self.kind {
            Kind::Keys => Some(self.dict.get(vm, item).map(|found| found.is_some())),
            Kind::Values => None,
            Kind::Items => {
                let Value::Tuple(pair) = item else { return Some(Ok(false)) };
                let [key, wanted] = pair.items.as_slice() else { return Some(Ok(false)) };
                Some((|| match self.dict.get(vm, key)? {
                    Some(found) => vm.equal(&found, wanted),
                    None => Ok(false),
                })())
            }
        }
    }

    fn iter(&self, _: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        let part = match self.kind {
            Kind::Keys => DictPart::Keys,
            Kind::Values => DictPart::Values,
            Kind::Items => DictPart::Items,
        };
        Some(Ok(dict_iterator(&self.dict, part)))
    }

    fn len(&self, _: &mut Vm) -> Option<PyResult<usize>> {
        Some(Ok(self.dict.len()))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        let list = Value::list(self.values());
        Ok(format!("{}({})", self.class().name, vm.deeper(|vm| vm.repr(&list))?))
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        if self.kind == Kind::Values || !is_set_like(other) {
            return None;
        }
        let this = Value::object(Self { dict: self.dict.clone(), kind: self.kind });
        Some(compare_as_sets(vm, op, &this, other))
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        if self.kind == Kind::Values {
            return None;
        }
        let (op, swapped) = of_method(method)?;
        let operation = match op {
            BinaryOp::And => Operation::And,
            BinaryOp::Or => Operation::Or,
            BinaryOp::Subtract => Operation::Subtract,
            BinaryOp::Xor => Operation::Xor,
            _ => return None,
        };
        Some(self.set_operation(vm, operation, other, swapped))
    }

    fn hash(&self, _: &mut Vm) -> Option<PyResult<i64>> {
        if self.kind == Kind::Values {
            return None;
        }
        Some(Err(crate::exception::type_error(format!("unhashable type: '{}'", self.class().name))))
    }
}
