//! The operators `+`, `*` and `in` on sequences.

use std::rc::Rc;

use super::Vm;
use crate::exception::{PyResult, overflow_error, type_error, value_error};
use crate::number::Num;
use crate::value::{Tuple, Value};

/// The bytes that a list or tuple needs for each item.
const ITEM: usize = std::mem::size_of::<Value>();

impl Vm {
    /// `a + b` of sequences; `None` where `a` is none.
    pub(super) fn concatenate(&mut self, a: &Value, b: &Value) -> PyResult<Option<Value>> {
        let cannot = |what: &str| {
            Err(type_error(format!("can only concatenate {what} (not \"{}\") to {what}", b.type_name().as_str())))
        };
        match (a, b) {
            (Value::Str(x), Value::Str(y)) => {
                let (x, y) = (x.as_str(), y.as_str());
                self.charge_bytes(x.len() + y.len())?;
                Ok(Some(Value::str([x, y].concat())))
            }
            (Value::Str(_), _) => cannot("str"),
            (Value::List(x), Value::List(y)) => {
                let (x, y) = (x.items.borrow(), y.items.borrow());
                self.charge_bytes((x.len() + y.len()).saturating_mul(ITEM))?;
                Ok(Some(Value::list([x.as_slice(), y.as_slice()].concat())))
            }
            (Value::List(_), _) => cannot("list"),
            (Value::Tuple(x), Value::Tuple(y)) => {
                self.charge_bytes((x.items.len() + y.items.len()).saturating_mul(ITEM))?;
                Ok(Some(Value::tuple([x.items.as_slice(), y.items.as_slice()].concat())))
            }
            (Value::Tuple(_), _) => cannot("tuple"),
            (Value::Bytes(x), Value::Bytes(y)) => {
                self.charge_bytes(x.len() + y.len())?;
                Ok(Some(Value::bytes([x.as_slice(), y.as_slice()].concat())))
            }
            (Value::Bytes(_), _) => Err(type_error(format!("can't concat {} to bytes", b.type_name().as_str()))),
            _ => Ok(None),
        }
    }

    /// `a * b` where one is a sequence; `None` where none is.
    pub(super) fn repeat(&mut self, a: &Value, b: &Value) -> PyResult<Option<Value>> {
        let is_sequence =
            |value: &Value| matches!(value, Value::Str(_) | Value::List(_) | Value::Tuple(_) | Value::Bytes(_));
        let (sequence, count) = if is_sequence(a) {
            (a, b)
        } else if is_sequence(b) {
            (b, a)
        } else {
            return Ok(None);
        };
        let Some(number) = self.index_of(count)? else {
            return Err(type_error(format!(
                "can't multiply sequence by non-int of type '{}'",
                count.type_name().as_str()
            )));
        };
        let Value::Int(count) = number else {
            let class = count.type_name();
            return Err(overflow_error(format!("cannot fit '{}' into an index-sized integer", class.as_str())));
        };
        let count = usize::try_from(count).unwrap_or(0);
        match sequence {
            Value::Str(text) => {
                self.charge_bytes(text.as_str().len().saturating_mul(count))?;
                Ok(Some(Value::str(text.as_str().repeat(count))))
            }
            Value::List(list) => {
                let items = list.items.borrow();
                self.charge_bytes(items.len().saturating_mul(count).saturating_mul(ITEM))?;
                self.visit(items.len().saturating_mul(count), 4)?;
                Ok(Some(Value::list(repeated(&items, count))))
            }
            Value::Tuple(tuple) => {
                self.charge_bytes(tuple.items.len().saturating_mul(count).saturating_mul(ITEM))?;
                self.visit(tuple.items.len().saturating_mul(count), 4)?;
                Ok(Some(Value::tuple(repeated(&tuple.items, count))))
            }
            Value::Bytes(bytes) => {
                self.charge_bytes(bytes.len().saturating_mul(count))?;
                Ok(Some(Value::bytes(bytes.repeat(count))))
            }
            _ => Ok(None),
        }
    }

    /// `item in range`, for an int.
    pub(super) fn range_contains(&mut self, range: &Value, item: &Value) -> PyResult<bool> {
        let (Value::Range(range), Some(Num::Small(item))) = (range, Num::int_of(item)) else { return Ok(false) };
        let (start, stop, step) = (i128::from(range.start), i128::from(range.stop), i128::from(range.step));
        let item = i128::from(item);
        let inside = if step > 0 { start <= item && item < stop } else { stop < item && item <= start };
        Ok(inside && (item - start) % step == 0)
    }

    /// `item in bytes`: a byte's number, or bytes.
    pub(super) fn bytes_contain(&mut self, bytes: &[u8], item: &Value) -> PyResult<bool> {
        match item {
            Value::Bytes(part) => {
                // At each place all that is wanted may be compared.
                self.visit(bytes.len().saturating_mul(part.len().max(1)), 16)?;
                Ok(part.is_empty() || bytes.windows(part.len()).any(|window| window == part.as_slice()))
            }
            _ => match self.index_of(item)? {
                Some(Value::Int(byte)) if (0..256).contains(&byte) => {
                    self.visit(bytes.len(), 16)?;
                    Ok(bytes.iter().any(|candidate| i64::from(*candidate) == byte))
                }
                Some(_) => Err(value_error("byte must be in range(0, 256)")),
                None => {
                    Err(type_error(format!("a bytes-like object is required, not '{}'", item.type_name().as_str())))
                }
            },
        }
    }

    /// A slice of a tuple, as a plain tuple.
    pub(super) fn tuple_of(&mut self, items: Vec<Value>) -> Value {
        Value::Tuple(Rc::new(Tuple { items }))
    }
}

fn repeated(items: &[Value], count: usize) -> Vec<Value> {
    if items.is_empty() {
        return Vec::new();
    }
    let mut out = Vec::with_capacity(items.len() * count);
    (0..count).for_each(|_| out.extend_from_slice(items));
    out
}
