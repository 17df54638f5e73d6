//! The iterators of the builtin containers.

use std::rc::Rc;

use super::Vm;
use crate::dict::Dict;
use crate::exception::{PyResult, runtime_error};
use crate::iterator::PyIterator;
use crate::set::SetObject;
use crate::string::Str;
use crate::value::{List, Range, Tuple, Value};

/// Over a list as it is when each item is asked for: items appended meanwhile are seen.
pub(super) struct ListIterator {
    /// The list, until the end was reached.
    pub(super) list: Option<Rc<List>>,
    pub(super) index: usize,
}

impl PyIterator for ListIterator {
    fn next(&mut self, _: &mut Vm) -> PyResult<Option<Value>> {
        let item = self.list.as_ref().and_then(|list| list.items.borrow().get(self.index).cloned());
        match &item {
            Some(_) => self.index += 1,
            None => self.list = None,
        }
        Ok(item)
    }

    fn size_hint(&self) -> usize {
        self.list.as_ref().map_or(0, |list| list.items.borrow().len().saturating_sub(self.index))
    }
}

/// Over a tuple.
pub(super) struct TupleIterator {
    pub(super) tuple: Rc<Tuple>,
    pub(super) index: usize,
}

impl PyIterator for TupleIterator {
    fn next(&mut self, _: &mut Vm) -> PyResult<Option<Value>> {
        let item = self.tuple.items.get(self.index).cloned();
        self.index += usize::from(item.is_some());
        Ok(item)
    }

    fn size_hint(&self) -> usize {
        self.tuple.items.len().saturating_sub(self.index)
    }
}

/// Over the characters of a string.
pub(super) struct StrIterator {
    pub(super) text: Str,
    /// Byte offset of the next character.
    pub(super) offset: usize,
}

impl PyIterator for StrIterator {
    fn next(&mut self, _: &mut Vm) -> PyResult<Option<Value>> {
        let rest = self.text.get(self.offset..).unwrap_or_default();
        let Some(character) = rest.chars().next() else { return Ok(None) };
        self.offset += character.len_utf8();
        let mut buffer = [0; 4];
        Ok(Some(Value::str(&*character.encode_utf8(&mut buffer))))
    }

    fn size_hint(&self) -> usize {
        // An iterator is asked before it begins; counting costs no more than what it serves.
        self.text.get(self.offset..).map_or(0, |rest| rest.chars().count())
    }
}

/// Over bytes, as ints.
pub(super) struct BytesIterator {
    pub(super) bytes: Rc<Vec<u8>>,
    pub(super) index: usize,
}

impl PyIterator for BytesIterator {
    fn next(&mut self, _: &mut Vm) -> PyResult<Option<Value>> {
        let byte = self.bytes.get(self.index).copied();
        self.index += usize::from(byte.is_some());
        Ok(byte.map(|byte| Value::Int(i64::from(byte))))
    }

    fn size_hint(&self) -> usize {
        self.bytes.len().saturating_sub(self.index)
    }
}

/// Over a range.
pub(super) struct RangeIterator {
    next: i64,
    step: i64,
    left: usize,
}

impl RangeIterator {
    pub(super) fn new(range: &Range) -> Self {
        Self { next: range.start, step: range.step, left: range.len() }
    }
}

impl PyIterator for RangeIterator {
    fn next(&mut self, _: &mut Vm) -> PyResult<Option<Value>> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        let item = self.next;
        // The value after the last item may lie outside of `i64`; it is never asked for.
        self.next = item.wrapping_add(self.step);
        Ok(Some(Value::Int(item)))
    }

    fn size_hint(&self) -> usize {
        self.left
    }
}

/// The items of an iterator over a dict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DictPart {
    /// Its keys.
    Keys,
    /// Its values.
    Values,
    /// Pairs of both.
    Items,
}

/// Over a dict, which must keep its size meanwhile.
pub(super) struct DictIterator {
    pub(super) dict: Option<Rc<Dict>>,
    pub(super) part: DictPart,
    pub(super) index: usize,
    pub(super) len: usize,
}

impl PyIterator for DictIterator {
    fn next(&mut self, _: &mut Vm) -> PyResult<Option<Value>> {
        let Some(dict) = &self.dict else { return Ok(None) };
        let item = {
            let table = dict.table.borrow();
            if table.len() != self.len {
                // As in CPython the error stays: the size is never right again.
                self.len = usize::MAX;
                return Err(runtime_error("dictionary changed size during iteration"));
            }
            table.get_index(self.index).map(|(key, value)| match self.part {
                DictPart::Keys => key.value.clone(),
                DictPart::Values => value.clone(),
                DictPart::Items => Value::tuple(vec![key.value.clone(), value.clone()]),
            })
        };
        match &item {
            Some(_) => self.index += 1,
            None => self.dict = None,
        }
        Ok(item)
    }

    fn size_hint(&self) -> usize {
        self.len.saturating_sub(self.index)
    }
}

/// Over a set, which must keep its size meanwhile.
pub(super) struct SetIterator {
    /// The set, until the end was reached.
    pub(super) set: Option<Rc<SetObject>>,
    pub(super) items: std::vec::IntoIter<Value>,
    pub(super) len: usize,
}

impl PyIterator for SetIterator {
    fn next(&mut self, _: &mut Vm) -> PyResult<Option<Value>> {
        let Some(set) = &self.set else { return Ok(None) };
        if set.table.borrow().len() != self.len {
            self.len = usize::MAX;
            return Err(runtime_error("Set changed size during iteration"));
        }
        let item = self.items.next();
        if item.is_none() {
            self.set = None;
        }
        Ok(item)
    }

    fn size_hint(&self) -> usize {
        self.items.len()
    }
}
