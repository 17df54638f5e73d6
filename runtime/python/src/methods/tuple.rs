//! Methods of `tuple`.

use super::list::search_bounds;
use crate::args::Args;
use crate::exception::{PyResult, value_error};
use crate::value::{Method, Value};
use crate::vm::Vm;

/// The methods, by name.
pub static METHODS: &[Method] = &[Method { name: "count", call: count }, Method { name: "index", call: index }];

fn items(this: &Value) -> PyResult<&[Value]> {
    match this {
        Value::Tuple(tuple) => Ok(&tuple.items),
        other => Err(super::wrong_receiver("tuple", other)),
    }
}

fn count(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [wanted] = args.exactly("tuple.count")?;
    let mut found = 0_usize;
    for item in items(this)? {
        vm.charge(1)?;
        if vm.equal(item, &wanted)? {
            found += 1;
        }
    }
    Ok(Value::from_usize(found))
}

fn index(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [wanted, start, stop] = args.between("index", 1)?;
    let (items, wanted) = (items(this)?, wanted.unwrap_or_default());
    let (start, stop) = search_bounds(vm, start, stop, items.len())?;
    for (index, item) in items.iter().enumerate().take(stop).skip(start) {
        vm.charge(1)?;
        if vm.equal(item, &wanted)? {
            return Ok(Value::from_usize(index));
        }
    }
    Err(value_error("tuple.index(x): x not in tuple"))
}
