//! `range` past 64 bits. Ranges whose bounds fit a word are [`Range`]s, which loops are quick over; others are these.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::slice;
use crate::args::Args;
use crate::exception::{PyResult, index_error, overflow_error, type_error, value_error};
use crate::hash::{hash_immutable, hash_tuple};
use crate::iterator::{IteratorObject, PyIterator};
use crate::number::Num;
use crate::number::int_ops::{charge_division, charge_product, words};
use crate::object::Object;
use crate::types::{BuiltinType, OBJECT, RANGE};
use crate::value::{Range, Value};
use crate::vm::{CompareOp, Vm};

static LONG_RANGE_ITERATOR: BuiltinType = BuiltinType::new("longrange_iterator", "", &OBJECT);

/// A range of ints of any size.
#[derive(Clone)]
pub struct BigRange {
    start: BigInt,
    stop: BigInt,
    step: BigInt,
    length: BigInt,
}

impl From<&Range> for BigRange {
    fn from(range: &Range) -> Self {
        Self::new(range.start.into(), range.stop.into(), range.step.into())
    }
}

/// `range(start, stop, step)`; the step is not zero.
///
/// # Errors
/// As [`Vm::charge`].
pub fn range(vm: &mut Vm, start: BigInt, stop: BigInt, step: BigInt) -> PyResult<Value> {
    if let (Some(start), Some(stop), Some(step)) = (start.to_i64(), stop.to_i64(), step.to_i64()) {
        return Ok(Value::Range(std::rc::Rc::new(Range { start, stop, step })));
    }
    charge_division(vm, &start, &step)?;
    charge_division(vm, &stop, &step)?;
    let range = BigRange::new(start, stop, step);
    range.pay(vm)?;
    Ok(Value::object(range))
}

impl BigRange {
    fn new(start: BigInt, stop: BigInt, step: BigInt) -> Self {
        let span = if step.is_negative() { &start - &stop } else { &stop - &start };
        let length = if span.is_positive() { Integer::div_ceil(&span, &step.abs()) } else { BigInt::zero() };
        Self { start, stop, step, length }
    }

    /// Pays for an operation that looks at the numbers, or computes others of them.
    fn pay(&self, vm: &mut Vm) -> PyResult<()> {
        let numbers = [&self.start, &self.stop, &self.step, &self.length];
        vm.charge(numbers.into_iter().map(|number| words(number) / 2).fold(0, usize::saturating_add))
    }

    /// Pays for computing an item.
    fn pay_item(&self, vm: &mut Vm, index: &BigInt) -> PyResult<()> {
        self.pay(vm)?;
        charge_product(vm, index, &self.step)
    }

    /// The range that a value is.
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Range(range) => Some(Self::from(&**range)),
            other => other.downcast::<Self>().cloned(),
        }
    }

    fn item(&self, index: &BigInt) -> BigInt {
        &self.start + index * &self.step
    }

    /// The place of an int.
    fn position(&self, value: &BigInt) -> Option<BigInt> {
        let (place, rest) = (value - &self.start).div_rem(&self.step);
        (rest.is_zero() && !place.is_negative() && place < self.length).then_some(place)
    }

    /// The place of a value: of what is no int by comparing.
    fn find(&self, vm: &mut Vm, wanted: &Value) -> PyResult<Option<BigInt>> {
        self.pay(vm)?;
        if let Some(number) = Num::int_of(wanted) {
            let number = number.to_big();
            charge_division(vm, &number, &self.step)?;
            charge_division(vm, &self.start, &self.step)?;
            return Ok(self.position(&number));
        }
        let mut place = BigInt::zero();
        while place < self.length {
            vm.charge(1)?;
            self.pay_item(vm, &place)?;
            if vm.equal(&Value::from_bigint(self.item(&place)), wanted)? {
                return Ok(Some(place));
            }
            place += 1;
        }
        Ok(None)
    }

    /// The part of a range that a slice takes.
    ///
    /// # Errors
    /// As [`slice::big_indices`].
    pub fn slice(&self, vm: &mut Vm, key: &crate::value::Slice) -> PyResult<Value> {
        let (start, stop, step) = slice::big_indices(vm, key, &self.length)?;
        for index in [&start, &stop, &step] {
            self.pay_item(vm, index)?;
        }
        range(vm, self.item(&start), self.item(&stop), step * &self.step)
    }

    /// `range[index]`
    ///
    /// # Errors
    /// `IndexError`, or `TypeError` where the index is no int.
    pub fn item_at(&self, vm: &mut Vm, key: &Value) -> PyResult<Value> {
        let Some(index) = vm.index_of(key)? else {
            let given = key.type_name();
            return Err(type_error(format!("range indices must be integers or slices, not {}", given.as_str())));
        };
        let index = Num::int_of(&index).map(|index| index.to_big()).unwrap_or_default();
        let index = if index.is_negative() { index + &self.length } else { index };
        if index.is_negative() || index >= self.length {
            return Err(index_error("range object index out of range"));
        }
        self.pay_item(vm, &index)?;
        Ok(Value::from_bigint(self.item(&index)))
    }

    fn from_end(&self, vm: &mut Vm) -> PyResult<Value> {
        self.pay_item(vm, &self.length)?;
        let step = -&self.step;
        let first = self.item(&(&self.length - 1));
        Ok(iterator(first, step, self.length.clone()))
    }

    /// What decides equality: ranges of the same items are equal.
    fn key(&self) -> (&BigInt, Option<&BigInt>, Option<&BigInt>) {
        (&self.length, Some(&self.start).filter(|_| !self.length.is_zero()), {
            Some(&self.step).filter(|_| self.length > BigInt::one())
        })
    }

    fn hash_value(&self) -> i64 {
        let (length, start, step) = self.key();
        let part = |number: Option<&BigInt>| {
            let value = number.map_or(Value::None, |number| Value::from_bigint(number.clone()));
            hash_immutable(&value).unwrap_or_default()
        };
        hash_tuple(&[part(Some(length)), part(start), part(step)])
    }
}

struct BigRangeIterator {
    next: BigInt,
    step: BigInt,
    left: BigInt,
}

fn iterator(next: BigInt, step: BigInt, left: BigInt) -> Value {
    IteratorObject::new(&LONG_RANGE_ITERATOR, BigRangeIterator { next, step, left })
}

impl PyIterator for BigRangeIterator {
    fn next(&mut self, vm: &mut Vm) -> PyResult<Option<Value>> {
        if !self.left.is_positive() {
            return Ok(None);
        }
        let numbers = [&self.next, &self.step, &self.left];
        vm.charge(1 + numbers.into_iter().map(|number| words(number) / 8).sum::<usize>())?;
        self.left -= 1;
        let after = &self.next + &self.step;
        Ok(Some(Value::from_bigint(std::mem::replace(&mut self.next, after))))
    }

    fn size_hint(&self) -> usize {
        self.left.to_usize().unwrap_or(usize::MAX / size_of::<Value>())
    }
}

impl Object for BigRange {
    fn class(&self) -> &'static BuiltinType {
        &RANGE
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        self.pay(vm)?;
        let number = match name {
            "start" => &self.start,
            "stop" => &self.stop,
            "step" => &self.step,
            _ => return Ok(None),
        };
        Ok(Some(Value::from_bigint(number.clone())))
    }

    fn has_method(&self, name: &str) -> bool {
        matches!(name, "count" | "index")
    }

    fn call_method(&self, vm: &mut Vm, _: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        let args = std::mem::take(args);
        Some(match name {
            "count" => args.exactly("range.count").and_then(|[wanted]| {
                let found = self.find(vm, &wanted)?;
                Ok(Value::Int(i64::from(found.is_some())))
            }),
            "index" => args.exactly("range.index").and_then(|[wanted]| match self.find(vm, &wanted)? {
                Some(place) => Ok(Value::from_bigint(place)),
                None if Num::int_of(&wanted).is_some() => {
                    Err(value_error(format!("{} is not in range", vm.repr(&wanted)?)))
                }
                None => Err(value_error("sequence.index(x): x not in sequence")),
            }),
            _ => return None,
        })
    }

    fn get_item(&self, vm: &mut Vm, key: &Value) -> PyResult<Value> {
        match key {
            Value::Slice(slice) => self.slice(vm, slice),
            index => self.item_at(vm, index),
        }
    }

    fn contains(&self, vm: &mut Vm, item: &Value) -> Option<PyResult<bool>> {
        Some(self.find(vm, item).map(|found| found.is_some()))
    }

    fn iter(&self, vm: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        Some(self.pay(vm).map(|()| iterator(self.start.clone(), self.step.clone(), self.length.clone())))
    }

    fn reversed(&self, vm: &mut Vm) -> Option<PyResult<Value>> {
        Some(self.from_end(vm))
    }

    fn len(&self, _: &mut Vm) -> Option<PyResult<usize>> {
        let length = self.length.to_i64().and_then(|length| usize::try_from(length).ok());
        Some(length.ok_or_else(|| overflow_error("Python int too large to convert to C ssize_t")))
    }

    fn truthy(&self, _: &mut Vm) -> PyResult<bool> {
        Ok(!self.length.is_zero())
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        let mut shown = |number: &BigInt| vm.repr(&Value::from_bigint(number.clone()));
        let Self { start, stop, step, .. } = self;
        let (start, stop) = (shown(start)?, shown(stop)?);
        let shown_step = shown(step)?;
        Ok(if step.is_one() {
            format!("range({start}, {stop})")
        } else {
            format!("range({start}, {stop}, {shown_step})")
        })
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        if let Err(raised) = self.pay(vm) {
            return Some(Err(raised));
        }
        let equal = self.key() == Self::of(other)?.key();
        match op {
            CompareOp::Eq => Some(Ok(Value::Bool(equal))),
            CompareOp::Ne => Some(Ok(Value::Bool(!equal))),
            _ => None,
        }
    }

    fn hash(&self, vm: &mut Vm) -> Option<PyResult<i64>> {
        Some(self.pay(vm).map(|()| self.hash_value()))
    }

    fn equals_key(&self, other: &Value) -> bool {
        Self::of(other).is_some_and(|other| self.key() == other.key())
    }
}
