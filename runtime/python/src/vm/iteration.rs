//! Iteration.

use std::rc::Rc;

use super::Vm;
pub use super::iterators::DictPart;
use super::iterators::{
    BytesIterator, DictIterator, ListIterator, RangeIterator, SetIterator, StrIterator, TupleIterator,
};
use super::operators::is_not_iterable;
use crate::dict::Dict;
use crate::exception::{PyResult, Raised, TYPE_ERROR, type_error, value_error};
use crate::iterator::IteratorObject;
use crate::types::{
    BYTES_ITERATOR, DICT_ITEMITERATOR, DICT_KEYITERATOR, DICT_VALUEITERATOR, LIST_ITERATOR, RANGE_ITERATOR,
    SET_ITERATOR, STR_ASCII_ITERATOR, STR_ITERATOR, TUPLE_ITERATOR,
};
use crate::value::Value;

/// An iterator over the keys, the values or the items of a dict; it raises `RuntimeError` where the dict changes its
/// size meanwhile.
pub fn dict_iterator(dict: &Rc<Dict>, part: DictPart) -> Value {
    let class = match part {
        DictPart::Keys => &DICT_KEYITERATOR,
        DictPart::Values => &DICT_VALUEITERATOR,
        DictPart::Items => &DICT_ITEMITERATOR,
    };
    IteratorObject::new(class, DictIterator { dict: Some(dict.clone()), part, index: 0, len: dict.len() })
}

fn not_an_iterator(object: &Value) -> Raised {
    type_error(format!("'{}' object is not an iterator", object.type_name().as_str()))
}

fn not_iterable(object: &Value) -> Raised {
    type_error(format!("'{}' object is not iterable", object.type_name().as_str()))
}

impl Vm {
    /// `iter(object)`
    ///
    /// # Errors
    /// `TypeError: 'int' object is not iterable`
    pub fn iter(&mut self, object: &Value) -> PyResult<Value> {
        Ok(match object {
            Value::Iterator(_) => object.clone(),
            Value::List(list) => {
                IteratorObject::new(&LIST_ITERATOR, ListIterator { list: Some(list.clone()), index: 0 })
            }
            Value::Tuple(tuple) => {
                IteratorObject::new(&TUPLE_ITERATOR, TupleIterator { tuple: tuple.clone(), index: 0 })
            }
            Value::Str(text) if text.is_ascii() => {
                IteratorObject::new(&STR_ASCII_ITERATOR, StrIterator { text: text.clone(), offset: 0 })
            }
            Value::Str(text) => IteratorObject::new(&STR_ITERATOR, StrIterator { text: text.clone(), offset: 0 }),
            Value::Bytes(bytes) => {
                IteratorObject::new(&BYTES_ITERATOR, BytesIterator { bytes: bytes.clone(), index: 0 })
            }
            Value::Dict(dict) => dict_iterator(dict, DictPart::Keys),
            Value::Set(set) => {
                let items = set.items();
                self.visit(items.len(), 16)?;
                let len = items.len();
                IteratorObject::new(
                    &SET_ITERATOR,
                    SetIterator { set: Some(set.clone()), items: items.into_iter(), len },
                )
            }
            Value::Range(range) => IteratorObject::new(&RANGE_ITERATOR, RangeIterator::new(range)),
            Value::Object(handle) => match handle.iter(self, object) {
                Some(result) => result?,
                None => return Err(not_iterable(object)),
            },
            _ => return Err(not_iterable(object)),
        })
    }

    /// The next item of an iterator that [`Vm::iter`] gave; `None` at the end (`StopIteration`).
    ///
    /// # Errors
    /// Exceptions raised while the item is produced; `TypeError` if it is not an iterator.
    pub fn next(&mut self, iterator: &Value) -> PyResult<Option<Value>> {
        match iterator {
            // Iterators nest as deep as code nests them: `x = chain(x)` in a loop.
            Value::Iterator(iterator) => self.deeper(|vm| vm.next_of(iterator)),
            Value::Object(handle) => match handle.next(self) {
                Some(item) => item,
                None => Err(not_an_iterator(iterator)),
            },
            _ => Err(not_an_iterator(iterator)),
        }
    }

    /// `iter(object)` for what words in its own way that it needs an iterable, whatever the object's own `TypeError` says.
    ///
    /// # Errors
    /// The refusal, or what else the object raises.
    pub(crate) fn iter_or(&mut self, object: &Value, refusal: impl FnOnce() -> Raised) -> PyResult<Value> {
        self.iter(object).map_err(|raised| if raised.is(&TYPE_ERROR) { refusal() } else { raised })
    }

    /// `list(object)` as a vector; pays for each item.
    ///
    /// # Errors
    /// As [`Vm::iter`] and [`Vm::next`].
    pub fn collect(&mut self, object: &Value) -> PyResult<Vec<Value>> {
        match object {
            Value::List(list) => {
                let len = list.items.borrow().len();
                self.charge_bytes(len.saturating_mul(size_of::<Value>()))?;
                self.charge(len)?;
                return Ok(list.items.borrow().clone());
            }
            Value::Tuple(tuple) => {
                self.charge(tuple.items.len())?;
                return Ok(tuple.items.clone());
            }
            _ => {}
        }
        let iterator = self.iter(object)?;
        let hint = match &iterator {
            Value::Iterator(iterator) => iterator.state.try_borrow().map_or(0, |state| state.size_hint()),
            _ => 0,
        };
        self.charge_bytes(hint.saturating_mul(size_of::<Value>()))?;
        let mut items = Vec::with_capacity(hint.min(1 << 16));
        while let Some(item) = self.next(&iterator)? {
            items.push(item);
            self.charge(1)?;
            // The limit of bytes holds for what grows item by item, too.
            if items.len().is_power_of_two() {
                self.charge_bytes(items.len().saturating_mul(size_of::<Value>()))?;
            }
        }
        Ok(items)
    }

    /// The items of an iterable that is taken apart (`a, b = iterable`), of which `count` are wanted. At most one item
    /// more is asked for.
    ///
    /// # Errors
    /// `ValueError` where there are more or fewer.
    pub(crate) fn unpack(&mut self, object: &Value, count: usize) -> PyResult<Vec<Value>> {
        let too_many = || value_error(format!("too many values to unpack (expected {count})"));
        let too_few = |got: usize| value_error(format!("not enough values to unpack (expected {count}, got {got})"));
        let plain = match object {
            Value::Tuple(tuple) => Some(tuple.items.clone()),
            Value::List(list) if list.items.borrow().len() <= count + 1 => Some(list.items.borrow().clone()),
            Value::List(_) => return Err(too_many()),
            _ => None,
        };
        let items = match plain {
            Some(items) => items,
            None => {
                let iterator = self.unpack_iter(object)?;
                let mut items = Vec::with_capacity(count.min(256));
                while items.len() < count {
                    match self.next(&iterator)? {
                        Some(item) => items.push(item),
                        None => return Err(too_few(items.len())),
                    }
                }
                if self.next(&iterator)?.is_some() {
                    return Err(too_many());
                }
                items
            }
        };
        match items.len().cmp(&count) {
            std::cmp::Ordering::Less => Err(too_few(items.len())),
            std::cmp::Ordering::Equal => Ok(items),
            std::cmp::Ordering::Greater => Err(too_many()),
        }
    }

    /// The items of an iterable for `a, *b, c = iterable`: at least `needed` of them.
    ///
    /// # Errors
    /// `ValueError` where there are fewer.
    pub(super) fn unpack_at_least(&mut self, object: &Value, needed: usize) -> PyResult<Vec<Value>> {
        let iterator = self.unpack_iter(object)?;
        let items = self.collect(&iterator)?;
        if items.len() < needed {
            return Err(value_error(format!(
                "not enough values to unpack (expected at least {needed}, got {})",
                items.len()
            )));
        }
        Ok(items)
    }

    fn unpack_iter(&mut self, object: &Value) -> PyResult<Value> {
        self.iter(object).map_err(|raised| match object {
            Value::Object(_) if !raised.0.places.borrow().is_empty() => raised,
            _ if is_not_iterable(&raised, object) => {
                type_error(format!("cannot unpack non-iterable {} object", object.type_name().as_str()))
            }
            _ => raised,
        })
    }
}
