//! Sorting, as `list.sort` and `sorted` do it: stable, asking only `a < b`.
//!
//! Lists below 64 items are compared in CPython's own order (a run at the start, then binary insertion), so that even
//! items without a total order, NaN for one, end where CPython puts them. Longer ones are merged from such stretches.

use crate::args::Args;
use crate::builtins::convert;
use crate::exception::{PyResult, type_error};
use crate::string::Str;
use crate::value::Value;
use crate::vm::Vm;

/// The keyword arguments of a sort: the key function, and whether to reverse.
///
/// # Errors
/// `TypeError` for any other keyword.
pub fn options(vm: &mut Vm, keywords: &[(Str, Value)]) -> PyResult<(Option<Value>, bool)> {
    let (mut key, mut reverse) = (None, false);
    for (name, value) in keywords {
        match name.as_str() {
            "key" => key = Some(value.clone()).filter(|key| !key.is_none()),
            "reverse" => {
                reverse = match value {
                    Value::Bool(flag) => *flag,
                    other => convert::index_i32(vm, other)? != 0,
                }
            }
            other => return Err(type_error(format!("'{other}' is an invalid keyword argument for sort()"))),
        }
    }
    Ok((key, reverse))
}

/// An item with the key it is sorted by.
struct Entry {
    key: Value,
    item: Value,
}

/// Sorts in place. Where a comparison raises, the items keep the order they had.
///
/// # Errors
/// Exceptions raised by the key function or a comparison.
pub fn sort(vm: &mut Vm, items: &mut Vec<Value>, key: Option<&Value>, reverse: bool) -> PyResult<()> {
    // The entries take their memory at once, even where the first call of the key function raises.
    vm.charge(items.len())?;
    let mut entries = Vec::with_capacity(items.len());
    for item in items.iter() {
        let key = match key {
            Some(function) => vm.call(function, Args::one(item.clone()))?,
            None => item.clone(),
        };
        entries.push(Entry { key, item: item.clone() });
    }
    // Reversing before and after keeps equal items in their order.
    if reverse {
        entries.reverse();
    }
    let mut entries = sort_entries(vm, entries)?;
    if reverse {
        entries.reverse();
    }
    items.clear();
    items.extend(entries.into_iter().map(|entry| entry.item));
    Ok(())
}

const SMALL: usize = 64;

fn sort_entries(vm: &mut Vm, mut entries: Vec<Entry>) -> PyResult<Vec<Entry>> {
    vm.charge(entries.len())?;
    if entries.len() < SMALL {
        sort_stretch(vm, &mut entries)?;
        return Ok(entries);
    }
    let right = entries.split_off(entries.len() / 2);
    let left = sort_entries(vm, entries)?;
    let right = sort_entries(vm, right)?;
    merge(vm, left, right)
}

fn merge(vm: &mut Vm, left: Vec<Entry>, right: Vec<Entry>) -> PyResult<Vec<Entry>> {
    let in_order = match (left.last(), right.first()) {
        (Some(last), Some(first)) => !vm.less(&first.key, &last.key)?,
        _ => true,
    };
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    if !in_order {
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            vm.charge(1)?;
            let take_right = vm.less(&b.key, &a.key)?;
            merged.extend(if take_right { right.next() } else { left.next() });
        }
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}

/// `binarysort` of CPython's `Objects/listobject.c`, after its `count_run`.
fn sort_stretch(vm: &mut Vm, entries: &mut [Entry]) -> PyResult<()> {
    let sorted = leading_run(vm, entries)?;
    for start in sorted..entries.len() {
        let (mut low, mut high) = (0, start);
        while low < high {
            vm.charge(1)?;
            let middle = low + (high - low) / 2;
            let (Some(pivot), Some(other)) = (entries.get(start), entries.get(middle)) else { break };
            if vm.less(&pivot.key, &other.key)? {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        if let Some(stretch) = entries.get_mut(low..=start) {
            stretch.rotate_right(1);
        }
    }
    Ok(())
}

/// The length of the ascending run at the start; a strictly descending run is reversed first.
fn leading_run(vm: &mut Vm, entries: &mut [Entry]) -> PyResult<usize> {
    let [first, second, ..] = &*entries else { return Ok(entries.len()) };
    let descending = vm.less(&second.key, &first.key)?;
    let mut length = 2;
    for pair in entries.windows(2).skip(1) {
        let [before, after] = pair else { break };
        if vm.less(&after.key, &before.key)? != descending {
            break;
        }
        length += 1;
    }
    if descending && let Some(run) = entries.get_mut(..length) {
        run.reverse();
    }
    Ok(length)
}
