//! Indices and slices as numbers.

use num_bigint::BigInt;
use num_traits::Signed;

use super::Vm;
use crate::exception::{PyResult, index_error, type_error, value_error};
use crate::number::Num;
use crate::value::{Slice, Value};

/// A slice made fit for a sequence of known length: `count` items from `start` on, `step` apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// The first index; at most the length.
    pub(crate) start: i64,
    /// The end, which may lie before the start.
    pub(crate) stop: i64,
    /// The step, never zero.
    pub(crate) step: i64,
    /// The number of items.
    pub(crate) count: usize,
}

impl Span {
    /// The indices, in the slice's order.
    pub(crate) fn indices(self) -> impl Iterator<Item = usize> {
        let mut next = self.start;
        (0..self.count).map(move |_| {
            let index = next;
            next = next.saturating_add(self.step);
            usize::try_from(index).unwrap_or(usize::MAX)
        })
    }

    /// The items of a sequence, in the slice's order.
    pub(crate) fn of<T: Clone>(self, items: &[T]) -> Vec<T> {
        if self.step == 1 {
            let (start, stop) = self.bounds();
            return items.get(start..stop).map(<[T]>::to_vec).unwrap_or_default();
        }
        self.indices().filter_map(|index| items.get(index).cloned()).collect()
    }

    /// Start and end if the step is 1.
    pub(crate) fn bounds(self) -> (usize, usize) {
        let start = usize::try_from(self.start).unwrap_or(0);
        (start, start + self.count)
    }
}

impl Vm {
    /// `operator.index(value)`; `None` if the value is neither an int nor an object that stands for one.
    ///
    /// # Errors
    /// Exceptions raised by an object that is asked for its index.
    pub(crate) fn index_of(&mut self, value: &Value) -> PyResult<Option<Value>> {
        match value {
            Value::Int(_) | Value::BigInt(_) => Ok(Some(value.clone())),
            Value::Bool(value) => Ok(Some(Value::Int(i64::from(*value)))),
            Value::Object(object) => match object.number(self, "index").transpose()? {
                Some(Value::Bool(value)) => Ok(Some(Value::Int(i64::from(value)))),
                index @ (None | Some(Value::Int(_) | Value::BigInt(_))) => Ok(index),
                Some(other) => {
                    Err(type_error(format!("__index__ returned non-int (type {})", other.type_name().as_str())))
                }
            },
            _ => Ok(None),
        }
    }

    /// The position in a sequence of `len` items that an index names; `None` if it is out of range.
    ///
    /// # Errors
    /// `IndexError` for an int past 64 bits; `TypeError` that starts with `what`, such as `list indices must be integers or
    /// slices`.
    pub(super) fn position(&mut self, key: &Value, len: usize, what: &str) -> PyResult<Option<usize>> {
        let index = match key {
            Value::Int(index) => *index,
            _ => match self.index_of(key)? {
                Some(Value::Int(index)) => index,
                Some(_) => {
                    let class = key.type_name();
                    return Err(index_error(format!("cannot fit '{}' into an index-sized integer", class.as_str())));
                }
                None => {
                    let quote = if what.starts_with("string") { "'" } else { "" };
                    let name = key.type_name();
                    return Err(type_error(format!("{what}, not {quote}{}{quote}", name.as_str())));
                }
            },
        };
        Ok(from_end(index, len).filter(|position| *position < len))
    }

    /// The items that a slice takes from a sequence of `len` items.
    ///
    /// # Errors
    /// `ValueError: slice step cannot be zero`, `TypeError` if a part is no int.
    pub(crate) fn span(&mut self, slice: &Slice, len: usize) -> PyResult<Span> {
        let step = match self.slice_part(&slice.step)? {
            Some(0) => return Err(value_error("slice step cannot be zero")),
            Some(step) => step.max(-i64::MAX),
            None => 1,
        };
        let len = i64::try_from(len).unwrap_or(i64::MAX);
        let (lowest, highest) = if step < 0 { (-1, len - 1) } else { (0, len) };
        let fit = |index: i64| {
            let index = if index < 0 { index.saturating_add(len) } else { index };
            index.clamp(lowest, highest)
        };
        let start = self.slice_part(&slice.start)?.map_or(if step < 0 { highest } else { lowest }, fit);
        let stop = self.slice_part(&slice.stop)?.map_or(if step < 0 { lowest } else { highest }, fit);
        let distance = if step < 0 { start - stop } else { stop - start };
        let count = if distance <= 0 { 0 } else { (distance - 1) / step.abs() + 1 };
        Ok(Span { start, stop, step, count: usize::try_from(count).unwrap_or(0) })
    }

    /// A part of a slice, or a bound that `str.find` and its like take; ints past 64 bits are cut to the bounds.
    ///
    /// # Errors
    /// `TypeError` if it is neither `None` nor an int.
    pub(crate) fn slice_part(&mut self, part: &Value) -> PyResult<Option<i64>> {
        match part {
            Value::None => Ok(None),
            Value::Int(index) => Ok(Some(*index)),
            _ => match self.index_of(part)? {
                Some(index) => Ok(Some(clamped(&index))),
                None => Err(type_error("slice indices must be integers or None or have an __index__ method")),
            },
        }
    }
}

/// An int, cut to 64 bits.
fn clamped(index: &Value) -> i64 {
    match Num::int_of(index) {
        Some(Num::Small(index)) => index,
        Some(Num::Big(index)) if BigInt::is_negative(index) => i64::MIN,
        _ => i64::MAX,
    }
}

/// An index that counts from the end if it is negative; `None` if it is before the start.
fn from_end(index: i64, len: usize) -> Option<usize> {
    match usize::try_from(index) {
        Ok(index) => Some(index),
        Err(_) => len.checked_sub(usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX)),
    }
}
