//! Methods of `list`.

use std::rc::Rc;

use super::sort;
use crate::args::Args;
use crate::builtins::convert;
use crate::exception::{PyResult, index_error, type_error, value_error};
use crate::value::{List, Method, Value};
use crate::vm::Vm;

/// The methods, by name.
pub static METHODS: &[Method] = &[
    Method { name: "append", call: append },
    Method { name: "clear", call: clear },
    Method { name: "copy", call: copy },
    Method { name: "count", call: count },
    Method { name: "extend", call: extend },
    Method { name: "index", call: index },
    Method { name: "insert", call: insert },
    Method { name: "pop", call: pop },
    Method { name: "remove", call: remove },
    Method { name: "reverse", call: reverse },
    Method { name: "sort", call: sort_method },
];

fn receiver(this: &Value) -> PyResult<&Rc<List>> {
    match this {
        Value::List(list) => Ok(list),
        other => Err(super::wrong_receiver("list", other)),
    }
}

/// The item at an index, as it is now: the list may change while its items are compared.
fn item_at(list: &List, index: usize) -> Option<Value> {
    list.items.borrow().get(index).cloned()
}

fn append(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [item] = args.exactly("list.append")?;
    vm.charge(1)?;
    receiver(this)?.items.borrow_mut().push(item);
    Ok(Value::None)
}

fn clear(_: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = args.exactly("list.clear")?;
    // Dropped after the borrow ends.
    let old = std::mem::take(&mut *receiver(this)?.items.borrow_mut());
    drop(old);
    Ok(Value::None)
}

fn copy(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = args.exactly("list.copy")?;
    let list = receiver(this)?;
    vm.charge(list.items.borrow().len())?;
    let items = list.items.borrow().clone();
    Ok(Value::list(items))
}

fn count(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [wanted] = args.exactly("list.count")?;
    let list = receiver(this)?;
    let (mut index, mut found) = (0, 0_usize);
    while let Some(item) = item_at(list, index) {
        vm.charge(1)?;
        if vm.equal(&item, &wanted)? {
            found += 1;
        }
        index += 1;
    }
    Ok(Value::from_usize(found))
}

fn extend(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [iterable] = args.exactly("list.extend")?;
    vm.extend_list(receiver(this)?, &iterable)?;
    Ok(Value::None)
}

fn index(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [wanted, start, stop] = args.between("index", 1)?;
    let (list, wanted) = (receiver(this)?, wanted.unwrap_or_default());
    let length = list.items.borrow().len();
    let (mut index, stop) = search_bounds(vm, start, stop, length)?;
    while index < stop {
        let Some(item) = item_at(list, index) else { break };
        vm.charge(1)?;
        if vm.equal(&item, &wanted)? {
            return Ok(Value::from_usize(index));
        }
        index += 1;
    }
    Err(value_error(format!("{} is not in list", vm.repr(&wanted)?)))
}

/// The bounds of `index(x, start, stop)`: negative ones count from the end.
///
/// # Errors
/// `TypeError` where a bound is no int.
pub fn search_bounds(
    vm: &mut Vm,
    start: Option<Value>,
    stop: Option<Value>,
    length: usize,
) -> PyResult<(usize, usize)> {
    let mut bound = |value: Option<Value>, default: usize| -> PyResult<usize> {
        let Some(value) = value else { return Ok(default) };
        let Some(index) = vm.index_of(&value)? else {
            return Err(type_error("slice indices must be integers or have an __index__ method"));
        };
        let index = convert::index_clamped(vm, &index)?;
        Ok(if index < 0 {
            length.saturating_sub(usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX))
        } else {
            usize::try_from(index).unwrap_or(usize::MAX)
        })
    };
    Ok((bound(start, 0)?, bound(stop, usize::MAX)?))
}

/// The items that are moved in about the time of a step.
const MOVED_A_STEP: usize = 16;

fn insert(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [index, item] = args.between("insert", 2)?.map(Option::unwrap_or_default);
    let index = convert::index_i64(vm, &index)?;
    let mut items = receiver(this)?.items.borrow_mut();
    let length = items.len();
    let place = if index < 0 {
        length.saturating_sub(usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX))
    } else {
        usize::try_from(index).unwrap_or(usize::MAX).min(length)
    };
    vm.charge(1 + (length - place) / MOVED_A_STEP)?;
    items.insert(place, item);
    Ok(Value::None)
}

fn pop(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [index] = args.between("pop", 0)?;
    let index = match index {
        Some(index) => convert::index_i64(vm, &index)?,
        None => -1,
    };
    let mut items = receiver(this)?.items.borrow_mut();
    if items.is_empty() {
        return Err(index_error("pop from empty list"));
    }
    match super::absolute_index(index, items.len()) {
        Some(index) => {
            vm.visit(items.len() - index, MOVED_A_STEP)?;
            Ok(items.remove(index))
        }
        None => Err(index_error("pop index out of range")),
    }
}

fn remove(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [wanted] = args.exactly("list.remove")?;
    let list = receiver(this)?;
    let mut index = 0;
    while let Some(item) = item_at(list, index) {
        vm.charge(1)?;
        if vm.equal(&item, &wanted)? {
            let mut items = list.items.borrow_mut();
            if index < items.len() {
                vm.visit(items.len() - index, MOVED_A_STEP)?;
                let removed = items.remove(index);
                drop(items);
                drop(removed);
            }
            return Ok(Value::None);
        }
        index += 1;
    }
    Err(value_error("list.remove(x): x not in list"))
}

fn reverse(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = args.exactly("list.reverse")?;
    let list = receiver(this)?;
    vm.visit(list.items.borrow().len(), 8)?;
    list.items.borrow_mut().reverse();
    Ok(Value::None)
}

fn sort_method(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let given = args.pos.len() + args.kw.len();
    if given > 2 {
        return Err(type_error(format!("sort() takes at most 2 arguments ({given} given)")));
    }
    if !args.pos.is_empty() {
        return Err(type_error("sort() takes no positional arguments"));
    }
    let list = receiver(this)?;
    let (key, reverse) = sort::options(vm, &args.kw)?;
    // The list is empty while it is sorted, as in CPython: what the key function does to it is then seen.
    let mut items = std::mem::take(&mut *list.items.borrow_mut());
    let result = sort::sort(vm, &mut items, key.as_ref(), reverse);
    let modified = std::mem::replace(&mut *list.items.borrow_mut(), items);
    result?;
    if modified.is_empty() { Ok(Value::None) } else { Err(value_error("list modified during sort")) }
}
