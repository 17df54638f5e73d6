//! Methods of `slice`.

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use crate::args::Args;
use crate::builtins::convert;
use crate::exception::{PyResult, type_error, value_error};
use crate::value::{Method, Slice, Value};
use crate::vm::Vm;

/// The methods, by name.
pub static METHODS: &[Method] = &[Method { name: "indices", call: indices_method }];

fn indices_method(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [length] = args.exactly("slice.indices")?;
    let Value::Slice(slice) = this else { return Err(super::wrong_receiver("slice", this)) };
    let length = convert::bigint(vm, &length)?;
    if length.is_negative() {
        return Err(value_error("length should not be negative"));
    }
    let (start, stop, step) = big_indices(vm, slice, &length)?;
    Ok(Value::tuple([start, stop, step].map(Value::from_bigint).into()))
}

/// Start, stop and step of a slice for a sequence of this length: the start and stop are places within the sequence, -1 standing
/// before the first where the step is negative.
///
/// # Errors
/// `TypeError` where a part is neither an int nor `None`; `ValueError` for a step of zero.
pub fn big_indices(vm: &mut Vm, slice: &Slice, length: &BigInt) -> PyResult<(BigInt, BigInt, BigInt)> {
    let mut part = |value: &Value| match value {
        Value::None => Ok(None),
        value => match vm.index_of(value)? {
            Some(index) => convert::bigint(vm, &index).map(Some),
            None => Err(type_error("slice indices must be integers or None or have an __index__ method")),
        },
    };
    let step = part(&slice.step)?.unwrap_or_else(|| 1.into());
    if step.is_zero() {
        return Err(value_error("slice step cannot be zero"));
    }
    let down = step.is_negative();
    let (lowest, highest) = if down { ((-1).into(), length - 1) } else { (BigInt::default(), length.clone()) };
    let clamp = |index: BigInt| {
        let index = if index.is_negative() { index + length } else { index };
        index.max(lowest.clone()).min(highest.clone())
    };
    let start = part(&slice.start)?.map_or_else(|| if down { highest.clone() } else { lowest.clone() }, clamp);
    let stop = part(&slice.stop)?.map_or_else(|| if down { lowest.clone() } else { highest.clone() }, clamp);
    Ok((start, stop, step))
}
