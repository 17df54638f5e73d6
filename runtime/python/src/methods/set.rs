//! Methods of `set` and `frozenset`, and the operations on their tables.

use std::rc::Rc;

use crate::args::Args;
use crate::dict::Key;
use crate::exception::{PyResult, key_error};
use crate::set::{SetObject, SetTable};
use crate::value::{Method, Value};
use crate::vm::Vm;

/// The methods, by name.
pub static METHODS: &[Method] = &[
    Method { name: "add", call: add },
    Method { name: "clear", call: clear },
    Method { name: "copy", call: copy },
    Method { name: "difference", call: difference },
    Method { name: "difference_update", call: difference_update },
    Method { name: "discard", call: discard },
    Method { name: "intersection", call: intersection },
    Method { name: "intersection_update", call: intersection_update },
    Method { name: "isdisjoint", call: isdisjoint },
    Method { name: "issubset", call: issubset },
    Method { name: "issuperset", call: issuperset },
    Method { name: "pop", call: pop },
    Method { name: "remove", call: remove },
    Method { name: "symmetric_difference", call: symmetric_difference },
    Method { name: "symmetric_difference_update", call: symmetric_difference_update },
    Method { name: "union", call: union },
    Method { name: "update", call: update },
];

/// The methods of `frozenset`.
pub static FROZEN_METHODS: &[Method] = &[
    Method { name: "copy", call: copy },
    Method { name: "difference", call: difference },
    Method { name: "intersection", call: intersection },
    Method { name: "isdisjoint", call: isdisjoint },
    Method { name: "issubset", call: issubset },
    Method { name: "issuperset", call: issuperset },
    Method { name: "symmetric_difference", call: symmetric_difference },
    Method { name: "union", call: union },
];

/// An operation of two sets.
#[derive(Clone, Copy)]
pub enum Operation {
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `a - b`
    Subtract,
    /// `a ^ b`
    Xor,
}

impl Operation {
    /// The resulting table, in CPython's order of iteration.
    pub fn apply(self, a: &SetTable, b: &SetTable) -> SetTable {
        match self {
            Self::And => a.intersection(b),
            Self::Or => a.union(b),
            Self::Subtract => a.difference(b),
            Self::Xor => a.symmetric_difference(b),
        }
    }
}

/// A `set` or `frozenset` of this table.
pub fn set_value(table: SetTable, frozen: bool) -> Value {
    Value::Set(Rc::new(SetObject::new(table, frozen)))
}

/// The table of any iterable.
///
/// # Errors
/// As [`Vm::set_table`].
pub fn table_of(vm: &mut Vm, iterable: &Value) -> PyResult<SetTable> {
    vm.set_table(iterable)
}

fn receiver(this: &Value) -> PyResult<&Rc<SetObject>> {
    match this {
        Value::Set(set) => Ok(set),
        other => Err(super::wrong_receiver("set", other)),
    }
}

fn one(this: &Value, args: Args, method: &str) -> PyResult<Value> {
    let class = if receiver(this)?.frozen() { "frozenset" } else { "set" };
    let [value] = args.exactly(&format!("{class}.{method}"))?;
    Ok(value)
}

/// A copy of the receiver's table, combined with each argument in turn.
fn combined(vm: &mut Vm, this: &Value, args: Args, method: &str, operation: Operation) -> PyResult<SetTable> {
    args.no_keywords(&format!("set.{method}"))?;
    // Intersection and difference walk the set itself, union a copy: the layout decides the order of the result.
    let as_it_is = !matches!(operation, Operation::Or) && !args.pos.is_empty();
    let mut table = match receiver(this)?.table.borrow() {
        table if as_it_is => table.clone(),
        table => table.copied(),
    };
    vm.charge(table.len())?;
    for (index, other) in args.pos.iter().enumerate() {
        let is_itself = matches!((this, other), (Value::Set(this), Value::Set(other)) if Rc::ptr_eq(this, other));
        match operation {
            Operation::Or if is_itself => {}
            Operation::And if is_itself && index == 0 => table = table.copied(),
            operation => table = combine(vm, table, operation, other)?,
        }
    }
    Ok(table)
}

/// One step of [`combined`]. What is no set is walked in its own order.
fn combine(vm: &mut Vm, mut table: SetTable, operation: Operation, other: &Value) -> PyResult<SetTable> {
    match (operation, other) {
        (Operation::Or, other) => {
            vm.add_to_set(&mut table, other)?;
            Ok(table)
        }
        (operation, Value::Set(other)) => {
            let other = other.table.borrow();
            // Items of both are taken hold of.
            vm.charge(table.len() / 2 + other.len())?;
            Ok(operation.apply(&table, &other))
        }
        (Operation::And, other) => {
            let mut result = SetTable::default();
            let iterator = vm.iter(other)?;
            while let Some(item) = vm.next(&iterator)? {
                vm.charge(1)?;
                let key = Key::new(vm, item)?;
                if let Some(key) = table.get(&key).map(|_| key) {
                    result.insert(key);
                    // Nothing more can be found.
                    if result.len() >= table.len() {
                        break;
                    }
                }
            }
            Ok(result)
        }
        // In a dict CPython looks up instead of walking it.
        (Operation::Subtract, other) if !matches!(other, Value::Dict(_)) => {
            let mut result = table.copied();
            let iterator = vm.iter(other)?;
            while let Some(item) = vm.next(&iterator)? {
                vm.charge(1)?;
                result.remove(&Key::new(vm, item)?);
            }
            result.shrink();
            Ok(result)
        }
        (operation, other) => {
            let other = table_of(vm, other)?;
            Ok(operation.apply(&table, &other))
        }
    }
}

fn replace(this: &Value, table: SetTable) -> PyResult<Value> {
    // The old table is dropped after the borrow ends.
    let old = std::mem::replace(&mut *receiver(this)?.table.borrow_mut(), table);
    drop(old);
    Ok(Value::None)
}

fn add(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let item = one(this, args, "add")?;
    let key = Key::new(vm, item)?;
    vm.charge(8)?;
    receiver(this)?.table.borrow_mut().insert(key);
    Ok(Value::None)
}

fn clear(_: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = args.exactly("set.clear")?;
    replace(this, SetTable::default())
}

fn copy(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = args.exactly("set.copy")?;
    let set = receiver(this)?;
    if set.frozen() {
        return Ok(this.clone());
    }
    let table = set.table.borrow().copied();
    vm.charge(table.len())?;
    Ok(set_value(table, false))
}

fn union(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let table = combined(vm, this, args, "union", Operation::Or)?;
    Ok(set_value(table, receiver(this)?.frozen()))
}

/// The items of a table that are copied as a whole in about the time of a step.
const COPIED_A_STEP: usize = 8;

fn update(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    args.no_keywords("set.update")?;
    vm.visit(receiver(this)?.table.borrow().len(), COPIED_A_STEP)?;
    // The table is cloned as it stands: its layout, deleted places included, decides the order.
    let mut table = receiver(this)?.table.borrow().clone();
    for other in &args.pos {
        if !matches!((this, other), (Value::Set(this), Value::Set(other)) if Rc::ptr_eq(this, other)) {
            vm.add_to_set(&mut table, other)?;
        }
    }
    replace(this, table)
}

fn intersection(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let table = combined(vm, this, args, "intersection", Operation::And)?;
    Ok(set_value(table, receiver(this)?.frozen()))
}

fn intersection_update(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let table = combined(vm, this, args, "intersection_update", Operation::And)?;
    replace(this, table)
}

fn difference(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let table = combined(vm, this, args, "difference", Operation::Subtract)?;
    Ok(set_value(table, receiver(this)?.frozen()))
}

/// Removes in place, so that the places of the others in the table, and with them their order, stay.
fn difference_update(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    args.no_keywords("set.difference_update")?;
    let set = receiver(this)?;
    for other in &args.pos {
        if let Value::Set(other) = other {
            if Rc::ptr_eq(set, other) {
                set.table.borrow_mut().clear();
            } else {
                vm.charge(other.table.borrow().len())?;
                set.table.borrow_mut().subtract(&other.table.borrow());
            }
            continue;
        }
        let iterator = vm.iter(other)?;
        while let Some(item) = vm.next(&iterator)? {
            vm.charge(1)?;
            let key = Key::new(vm, item)?;
            set.table.borrow_mut().remove(&key);
        }
        set.table.borrow_mut().shrink();
    }
    Ok(Value::None)
}

fn symmetric_difference(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let other = one(this, args, "symmetric_difference")?;
    let mut table = table_of(vm, &other)?;
    let set = receiver(this)?;
    vm.charge(set.table.borrow().len())?;
    table.toggle(&set.table.borrow());
    Ok(set_value(table, set.frozen()))
}

fn symmetric_difference_update(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let other = one(this, args, "symmetric_difference_update")?;
    let set = receiver(this)?;
    match &other {
        // The keys of a dict come in its own order.
        Value::Dict(dict) => {
            vm.charge(dict.len())?;
            for key in dict.table.borrow().keys() {
                set.table.borrow_mut().toggle_key(key);
            }
        }
        Value::Set(other) if Rc::ptr_eq(set, other) => set.table.borrow_mut().clear(),
        other => {
            let other = table_of(vm, other)?;
            set.table.borrow_mut().toggle(&other);
        }
    }
    Ok(Value::None)
}

fn discard(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let item = one(this, args, "discard")?;
    let key = Key::new(vm, item)?;
    receiver(this)?.table.borrow_mut().remove(&key);
    Ok(Value::None)
}

fn remove(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let item = one(this, args, "remove")?;
    let key = Key::new(vm, item.clone())?;
    let removed = receiver(this)?.table.borrow_mut().remove(&key);
    if removed { Ok(Value::None) } else { Err(key_error(item)) }
}

fn pop(_: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = args.exactly("set.pop")?;
    let popped = receiver(this)?.table.borrow_mut().pop();
    popped.map(|key| key.value).ok_or_else(|| key_error(Value::str("pop from an empty set")))
}

/// The first item of an iterable that the set has, or lacks; the rest is not asked for.
fn first_item(vm: &mut Vm, this: &Value, iterable: &Value, has: bool) -> PyResult<Option<Key>> {
    let set = receiver(this)?;
    let iterator = vm.iter(iterable)?;
    while let Some(item) = vm.next(&iterator)? {
        vm.charge(1)?;
        let key = Key::new(vm, item)?;
        if set.table.borrow().contains(&key) == has {
            return Ok(Some(key));
        }
    }
    Ok(None)
}

fn isdisjoint(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let other = one(this, args, "isdisjoint")?;
    let none = first_item(vm, this, &other, true)?.is_none();
    Ok(Value::Bool(none))
}

fn issubset(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let other = one(this, args, "issubset")?;
    let other = table_of(vm, &other)?;
    Ok(Value::Bool(receiver(this)?.table.borrow().is_subset(&other)))
}

fn issuperset(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let other = one(this, args, "issuperset")?;
    let none = first_item(vm, this, &other, false)?.is_none();
    Ok(Value::Bool(none))
}
