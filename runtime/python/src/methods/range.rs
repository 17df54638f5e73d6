//! Methods of `range`, and its arithmetic.

use std::rc::Rc;

use crate::args::Args;
use crate::exception::{PyResult, value_error};
use crate::iterator::{IteratorObject, PyIterator};
use crate::types::RANGE_ITERATOR;
use crate::value::{Method, Range, Value};
use crate::vm::Vm;

/// The methods, by name.
pub static METHODS: &[Method] = &[Method { name: "count", call: count }, Method { name: "index", call: index }];

fn receiver(this: &Value) -> PyResult<&Rc<Range>> {
    match this {
        Value::Range(range) => Ok(range),
        other => Err(super::wrong_receiver("range", other)),
    }
}

/// The place of an int in a range.
pub fn position(range: &Range, value: i64) -> Option<usize> {
    let offset = i128::from(value) - i128::from(range.start);
    let step = i128::from(range.step);
    if offset % step != 0 {
        return None;
    }
    usize::try_from(offset / step).ok().filter(|place| *place < range.len())
}

/// Finds a value: by arithmetic for ints, by comparing for anything else.
fn find(vm: &mut Vm, range: &Range, wanted: &Value) -> PyResult<Option<usize>> {
    match wanted {
        Value::Int(value) => Ok(position(range, *value)),
        Value::Bool(flag) => Ok(position(range, i64::from(*flag))),
        Value::BigInt(_) => Ok(None),
        other => {
            for index in 0..range.len() {
                vm.charge(1)?;
                let item = item(range, index).map(Value::Int).unwrap_or_default();
                if vm.equal(&item, other)? {
                    return Ok(Some(index));
                }
            }
            Ok(None)
        }
    }
}

/// The item at an index below the length.
pub fn item(range: &Range, index: usize) -> Option<i64> {
    let offset = i128::from(u64::try_from(index).ok()?) * i128::from(range.step);
    i64::try_from(i128::from(range.start) + offset).ok().filter(|_| index < range.len())
}

fn count(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [wanted] = args.exactly("range.count")?;
    let found = find(vm, receiver(this)?, &wanted)?;
    Ok(Value::Int(i64::from(found.is_some())))
}

fn index(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [wanted] = args.exactly("range.index")?;
    match find(vm, receiver(this)?, &wanted)? {
        Some(index) => Ok(Value::from_usize(index)),
        None if matches!(wanted, Value::Int(_) | Value::BigInt(_) | Value::Bool(_)) => {
            Err(value_error(format!("{} is not in range", vm.repr(&wanted)?)))
        }
        None => Err(value_error("sequence.index(x): x not in sequence")),
    }
}

struct ReverseRange {
    range: Range,
    left: usize,
}

impl PyIterator for ReverseRange {
    fn next(&mut self, _: &mut Vm) -> PyResult<Option<Value>> {
        let Some(index) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = index;
        Ok(item(&self.range, index).map(Value::Int))
    }

    fn size_hint(&self) -> usize {
        self.left
    }
}

/// `reversed(range)`
pub fn reverse_iterator(range: &Range) -> Value {
    IteratorObject::new(&RANGE_ITERATOR, ReverseRange { range: *range, left: range.len() })
}
