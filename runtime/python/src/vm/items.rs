//! Items: `object[key]`, slices and `len`.

use std::rc::Rc;

use super::Vm;
use super::slices::Span;
use crate::annotation;
use crate::dict::{Dict, Key};
use crate::exception::{
    PyResult, Raised, index_error, key_error, not_implemented_error, overflow_error, type_error, value_error,
};
use crate::number::Num;
use crate::string::Str;
use crate::types::{
    BYTES, BuiltinType, DICT_ITEMS, DICT_KEYS, DICT_VALUES, FROZENSET, Implementation, RANGE, SET, STR, TUPLE,
};
use crate::value::{List, Range, Value};

const LIST_INDICES: &str = "list indices must be integers or slices";

/// Returns `true` if a value counts as a mapping where CPython tests for subscripting (`PyMapping_Check`).
pub(crate) fn passes_for_mapping(vm: &mut Vm, value: &Value) -> bool {
    match value {
        Value::Dict(_) | Value::List(_) | Value::Tuple(_) | Value::Str(_) | Value::Bytes(_) | Value::Range(_) => true,
        Value::Object(object) => object.is_mapping(vm),
        _ => false,
    }
}

impl Vm {
    /// `object[key]`
    ///
    /// # Errors
    /// `TypeError`, `IndexError`, `KeyError`.
    pub fn get_item(&mut self, object: &Value, key: &Value) -> PyResult<Value> {
        match object {
            Value::Dict(dict) => self.dict_item(dict, key),
            Value::List(list) => match key {
                Value::Slice(slice) => {
                    let len = list.items.borrow().len();
                    let span = self.span(slice, len)?;
                    self.charge(span.count)?;
                    Ok(Value::list(span.of(&list.items.borrow())))
                }
                _ => {
                    let len = list.items.borrow().len();
                    let position = self.position(key, len, LIST_INDICES)?;
                    let item = position.and_then(|position| list.items.borrow().get(position).cloned());
                    item.ok_or_else(|| index_error("list index out of range"))
                }
            },
            Value::Tuple(tuple) => match key {
                Value::Slice(slice) => {
                    let span = self.span(slice, tuple.items.len())?;
                    self.charge(span.count)?;
                    Ok(self.tuple_of(span.of(&tuple.items)))
                }
                _ => {
                    let position = self.position(key, tuple.items.len(), "tuple indices must be integers or slices")?;
                    let item = position.and_then(|position| tuple.items.get(position).cloned());
                    item.ok_or_else(|| index_error("tuple index out of range"))
                }
            },
            Value::Str(text) => self.str_item(text, key),
            Value::Bytes(bytes) => match key {
                Value::Slice(slice) => {
                    let span = self.span(slice, bytes.len())?;
                    self.charge_bytes(span.count)?;
                    Ok(Value::bytes(span.of(bytes)))
                }
                _ => {
                    let position = self.position(key, bytes.len(), "byte indices must be integers or slices")?;
                    let item = position.and_then(|position| bytes.get(position));
                    item.map(|byte| Value::Int(i64::from(*byte))).ok_or_else(|| index_error("index out of range"))
                }
            },
            Value::Range(range) => self.range_item(range, key),
            Value::Object(object) => object.get_item(self, key),
            Value::Type(class) => Err(subscript_class(class)),
            _ => Err(not_subscriptable(object)),
        }
    }

    fn dict_item(&mut self, dict: &Dict, key: &Value) -> PyResult<Value> {
        if let Value::Str(text) = key {
            self.visit(text.as_str().len(), 256)?;
            if let Some(value) = dict.get_str(text.as_str()) {
                return Ok(value);
            }
        } else if let Some(value) = dict.get(self, key)? {
            return Ok(value);
        }
        Err(key_error(key.clone()))
    }

    fn str_item(&mut self, text: &Str, key: &Value) -> PyResult<Value> {
        if !text.is_ascii() {
            // Characters are counted from the start.
            self.visit(text.as_str().len(), 64)?;
        }
        if let Value::Slice(slice) = key {
            let span = self.span(slice, text.char_len())?;
            self.visit(span.count, 16)?;
            return Ok(Value::str(str_span(text, span)));
        }
        let position = match key {
            // An index from the start needs no length.
            Value::Int(index) if *index >= 0 => usize::try_from(*index).ok(),
            _ => self.position(key, text.char_len(), "string indices must be integers")?,
        };
        let char = position.and_then(|position| {
            if text.is_ascii() {
                text.as_bytes().get(position).map(|byte| char::from(*byte))
            } else {
                text.as_str().chars().nth(position)
            }
        });
        match char {
            Some(char) => Ok(Value::str(char.to_string())),
            None => Err(index_error("string index out of range")),
        }
    }

    fn range_item(&mut self, range: &Range, key: &Value) -> PyResult<Value> {
        let item = |index: i64| i128::from(range.start) + i128::from(index) * i128::from(range.step);
        // DIFFERENCE: CPython's ranges have no bounds.
        let too_large = || not_implemented_error("tpvc has no ranges beyond 64 bits");
        let is_long = i64::try_from(range.len()).is_err();
        if let Value::Slice(slice) = key {
            if is_long || matches!(slice.step, Value::BigInt(_)) {
                return Err(too_large());
            }
            let span = self.span(slice, range.len())?;
            let step = i128::from(range.step) * i128::from(span.step);
            let parts = (i64::try_from(item(span.start)), i64::try_from(item(span.stop)), i64::try_from(step));
            return match parts {
                (Ok(start), Ok(stop), Ok(step)) => Ok(Value::Range(Rc::new(Range { start, stop, step }))),
                _ => Err(too_large()),
            };
        }
        let out_of_range = || index_error("range object index out of range");
        if matches!(key, Value::BigInt(_)) {
            return Err(if is_long { too_large() } else { out_of_range() });
        }
        let position = self.position(key, range.len(), "range indices must be integers or slices")?;
        let item = position.and_then(|position| i64::try_from(position).ok()).map(item);
        match item.and_then(|item| i64::try_from(item).ok()) {
            Some(item) => Ok(Value::Int(item)),
            None => Err(out_of_range()),
        }
    }

    /// `object[key] = value`
    ///
    /// # Errors
    /// `TypeError`, `IndexError`, `ValueError`.
    pub fn set_item(&mut self, object: &Value, key: &Value, value: Value) -> PyResult<()> {
        match object {
            Value::Dict(dict) => match key {
                Value::Str(text) => {
                    dict.set_str(text.clone(), value);
                    Ok(())
                }
                _ => dict.set(self, key.clone(), value),
            },
            Value::List(list) => match key {
                Value::Slice(slice) => {
                    let len = list.items.borrow().len();
                    let span = self.span(slice, len)?;
                    self.assign_slice(list, span, &value)
                }
                _ => {
                    let len = list.items.borrow().len();
                    let position = self.position(key, len, LIST_INDICES)?;
                    let mut items = list.items.borrow_mut();
                    match position.and_then(|position| items.get_mut(position)) {
                        Some(slot) => {
                            *slot = value;
                            Ok(())
                        }
                        None => Err(index_error("list assignment index out of range")),
                    }
                }
            },
            Value::Object(object) => object.set_item(self, key, value),
            _ => Err(match (object, key) {
                (Value::Str(_) | Value::Bytes(_) | Value::Tuple(_) | Value::Range(_), Value::BigInt(_)) => {
                    index_error("cannot fit 'int' into an index-sized integer")
                }
                _ => type_error(format!("'{}' object does not support item assignment", object.type_name().as_str())),
            }),
        }
    }

    fn assign_slice(&mut self, list: &Rc<List>, span: Span, value: &Value) -> PyResult<()> {
        let new = match value {
            Value::List(other) => other.items.borrow().clone(),
            Value::Tuple(other) => other.items.clone(),
            other => {
                let refusal = match span.step {
                    1 => "can only assign an iterable",
                    _ => "must assign iterable to extended slice",
                };
                let iterator = self.iter_or(other, || type_error(refusal))?;
                self.collect(&iterator)?
            }
        };
        let all = list.items.borrow().len().saturating_add(new.len());
        self.limit_bytes(all.saturating_mul(size_of::<Value>()))?;
        self.charge(new.len() + all / 16)?;
        let mut items = list.items.borrow_mut();
        if span.step == 1 {
            // Collecting may have changed the list.
            let len = items.len();
            let (start, stop) = span.bounds();
            items.splice(start.min(len)..stop.min(len).max(start.min(len)), new);
            return Ok(());
        }
        if new.len() != span.count {
            return Err(value_error(format!(
                "attempt to assign sequence of size {} to extended slice of size {}",
                new.len(),
                span.count
            )));
        }
        for (index, item) in span.indices().zip(new) {
            if let Some(slot) = items.get_mut(index) {
                *slot = item;
            }
        }
        Ok(())
    }

    /// `del object[key]`
    ///
    /// # Errors
    /// `TypeError`, `IndexError`, `KeyError`.
    pub fn del_item(&mut self, object: &Value, key: &Value) -> PyResult<()> {
        match object {
            Value::Dict(dict) => {
                let table_key = Key::new(self, key.clone())?;
                self.charge_removal(dict, &table_key)?;
                let removed = dict.table.borrow_mut().shift_remove(&table_key);
                match removed {
                    Some(_) => Ok(()),
                    None => Err(key_error(key.clone())),
                }
            }
            Value::List(list) => match key {
                Value::Slice(slice) => {
                    let len = list.items.borrow().len();
                    let span = self.span(slice, len)?;
                    self.visit(len, 16)?;
                    delete_slice(list, span);
                    Ok(())
                }
                _ => {
                    let len = list.items.borrow().len();
                    match self.position(key, len, LIST_INDICES)? {
                        Some(position) => {
                            self.visit(len - position, 16)?;
                            list.items.borrow_mut().remove(position);
                            Ok(())
                        }
                        None => Err(index_error("list assignment index out of range")),
                    }
                }
            },
            Value::Object(object) => object.del_item(self, key),
            _ => Err(not_deletable(object.class(), key)),
        }
    }

    /// `len(object)`
    ///
    /// # Errors
    /// `TypeError` where it has no length.
    pub fn len(&mut self, object: &Value) -> PyResult<usize> {
        let len = match object {
            Value::Str(text) => {
                if !text.is_ascii() {
                    self.visit(text.as_str().len(), 64)?;
                }
                text.char_len()
            }
            Value::List(list) => list.items.borrow().len(),
            Value::Dict(dict) => dict.len(),
            Value::Tuple(tuple) => tuple.items.len(),
            Value::Set(set) => set.table.borrow().len(),
            Value::Bytes(bytes) => bytes.len(),
            Value::Range(range) if i64::try_from(range.len()).is_err() => {
                return Err(overflow_error("Python int too large to convert to C ssize_t"));
            }
            Value::Range(range) => range.len(),
            Value::Object(inner) => return inner.len(self).unwrap_or_else(|| Err(no_len(object))),
            _ => return Err(no_len(object)),
        };
        Ok(len)
    }
}

/// `list[int]`
fn subscript_class(class: &'static BuiltinType) -> Raised {
    if class.generic {
        return annotation::only_annotates();
    }
    type_error(format!("type '{}' is not subscriptable", class.shown_name().as_str()))
}

fn not_subscriptable(object: &Value) -> Raised {
    type_error(format!("'{}' object is not subscriptable", object.type_name().as_str()))
}

/// The error of `del object[key]`. CPython words it differently for classes with any slot of the sequence protocol, which all heap types
/// have, where the key is an int.
pub(crate) fn not_deletable(class: &'static BuiltinType, key: &Value) -> Raised {
    const SEQUENCES: [&BuiltinType; 9] =
        [&STR, &TUPLE, &BYTES, &RANGE, &SET, &FROZENSET, &DICT_KEYS, &DICT_VALUES, &DICT_ITEMS];
    let sequence =
        class.implementation != Implementation::Static || SEQUENCES.iter().any(|sequence| class.is_subclass(sequence));
    if sequence && matches!(key, Value::BigInt(_)) {
        return index_error("cannot fit 'int' into an index-sized integer");
    }
    let not = if sequence && Num::int_of(key).is_some() { "doesn't" } else { "does not" };
    type_error(format!("'{}' object {not} support item deletion", class.shown_name().as_str()))
}

fn no_len(object: &Value) -> Raised {
    type_error(format!("object of type '{}' has no len()", object.type_name().as_str()))
}

/// The characters of a slice.
pub(crate) fn str_span(text: &Str, span: Span) -> String {
    if text.is_ascii() {
        if span.step == 1 {
            let (start, stop) = span.bounds();
            return text.as_str().get(start..stop).unwrap_or_default().to_owned();
        }
        let bytes = text.as_bytes();
        return span.indices().filter_map(|index| bytes.get(index)).map(|byte| char::from(*byte)).collect();
    }
    if span.step == 1 {
        let (start, _) = span.bounds();
        return text.as_str().chars().skip(start).take(span.count).collect();
    }
    let chars: Vec<char> = text.as_str().chars().collect();
    span.indices().filter_map(|index| chars.get(index)).collect()
}

fn delete_slice(list: &List, span: Span) {
    let mut items = list.items.borrow_mut();
    if span.step == 1 {
        let (start, stop) = span.bounds();
        items.drain(start..stop);
        return;
    }
    let mut doomed: Vec<usize> = span.indices().collect();
    doomed.sort_unstable();
    let mut doomed = doomed.into_iter().peekable();
    let mut index = 0;
    items.retain(|_| {
        let keep = doomed.next_if_eq(&index).is_none();
        index += 1;
        keep
    });
}
