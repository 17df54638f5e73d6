//! Filling containers from others: what methods, operators, displays and constructors share.

use super::Vm;
use crate::args::Args;
use crate::dict::{Dict, Key};
use crate::exception::{PyResult, TYPE_ERROR, type_error, value_error};
use crate::set::SetTable;
use crate::value::{List, Value};

impl Vm {
    /// Appends the items of an iterable: `list.extend` and `list += iterable`.
    ///
    /// # Errors
    /// As [`Vm::collect`]. What came before an error stays in the list.
    pub(crate) fn extend_list(&mut self, list: &List, iterable: &Value) -> PyResult<()> {
        let size = size_of::<Value>();
        if !matches!(iterable, Value::Iterator(_) | Value::Object(_)) {
            let items = match iterable {
                // A copy, since `a += a` is fine.
                Value::List(other) => other.items.borrow().clone(),
                Value::Tuple(other) => other.items.clone(),
                other => self.collect(other)?,
            };
            // Only what is added is paid for: a list that grows item by item costs its length.
            self.charge(items.len())?;
            self.limit_bytes((list.items.borrow().len() + items.len()).saturating_mul(size))?;
            list.items.borrow_mut().extend(items);
            return Ok(());
        }
        // Code runs between the items, which may see the list as it is by then: the iterator may be over the list itself.
        let iterator = self.iter(iterable)?;
        while let Some(item) = self.next(&iterator)? {
            self.charge(2)?;
            let length = {
                let mut items = list.items.borrow_mut();
                items.push(item);
                items.len()
            };
            self.limit_bytes(length.saturating_mul(size))?;
        }
        Ok(())
    }

    /// Updates a dict from a mapping or from an iterable of pairs.
    ///
    /// # Errors
    /// `TypeError` or `ValueError` as CPython words them where the source is neither.
    pub fn update_dict(&mut self, dict: &Dict, source: &Value) -> PyResult<()> {
        if let Value::Dict(other) = source {
            self.charge(other.len().saturating_mul(3))?;
            let entries: Vec<_> =
                other.table.borrow().iter().map(|(key, value)| (key.clone(), value.clone())).collect();
            dict.table.borrow_mut().extend(entries);
            return self.charge_comparisons();
        }
        if matches!(source, Value::Object(_) | Value::Type(_))
            && let Some(keys) = self.find_attr(source, "keys")?
        {
            let keys = self.call(&keys, Args::none())?;
            for key in self.collect(&keys)? {
                let value = self.get_item(source, &key)?;
                dict.set(self, key, value)?;
            }
            return Ok(());
        }
        let iterator = self.iter(source)?;
        let mut index = 0_usize;
        while let Some(pair) = self.next(&iterator)? {
            self.charge(3)?;
            let (key, value) = take_pair(self, &pair, index)?;
            dict.set(self, key, value)?;
            index += 1;
        }
        Ok(())
    }

    /// The set table of an iterable's items.
    ///
    /// # Errors
    /// `TypeError` where it is not iterable or an item is not hashable.
    pub(crate) fn set_table(&mut self, iterable: &Value) -> PyResult<SetTable> {
        let mut table = SetTable::default();
        self.add_to_set(&mut table, iterable)?;
        Ok(table)
    }

    /// Adds an iterable's items to a table, in CPython's way, which decides the order of iteration.
    ///
    /// # Errors
    /// As [`Vm::set_table`].
    pub(crate) fn add_to_set(&mut self, table: &mut SetTable, iterable: &Value) -> PyResult<()> {
        match iterable {
            Value::Set(set) => {
                let other = set.table.borrow();
                self.charge(other.len())?;
                table.merge(&other);
                self.charge_comparisons()?;
            }
            Value::Dict(dict) => {
                self.charge(dict.len())?;
                table.make_room(dict.len());
                for key in dict.table.borrow().keys() {
                    table.insert(key.clone());
                }
            }
            other => {
                let iterator = self.iter(other)?;
                while let Some(item) = self.next(&iterator)? {
                    self.charge(4)?;
                    table.insert(Key::new(self, item)?);
                }
            }
        }
        Ok(())
    }

    /// Pays for removing a key: the entries after it move up.
    pub(crate) fn charge_removal(&mut self, dict: &Dict, key: &Key) -> PyResult<()> {
        let after = {
            let table = dict.table.borrow();
            table.get_index_of(key).map_or(0, |index| table.len() - index)
        };
        self.visit(after, 4)
    }
}

fn take_pair(vm: &mut Vm, pair: &Value, index: usize) -> PyResult<(Value, Value)> {
    if let Value::Tuple(tuple) = pair
        && let [key, value] = tuple.items.as_slice()
    {
        return Ok((key.clone(), value.clone()));
    }
    let items = match vm.collect(pair) {
        Ok(items) => items,
        Err(raised) if raised.is(&TYPE_ERROR) => {
            return Err(type_error(format!(
                "cannot convert dictionary update sequence element #{index} to a sequence"
            )));
        }
        Err(raised) => return Err(raised),
    };
    let length = items.len();
    <[Value; 2]>::try_from(items).map(|[key, value]| (key, value)).map_err(|_| {
        value_error(format!("dictionary update sequence element #{index} has length {length}; 2 is required"))
    })
}
