//! Methods of `slice`.

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{PyResult, type_error, value_error};
use crate::python::value::{Method, Slice, Value};
use crate::python::vm::Vm;

/// The methods, by name.
pub static METHODS: &[Method] = &[Method { name: "indices", call: indices_method }];

/// Start, stop and step of a slice for a sequence of this length, as `PySlice_AdjustIndices` gives them: the start and stop
/// are places within the sequence, -1 standing before the first where the step is negative.
///
/// # Errors
/// `TypeError` where a part is neither an int nor `None`; `ValueError` for a step of zero.
pub fn indices(vm: &mut Vm, slice: &Slice, length: usize) -> PyResult<(i64, i64, i64)> {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let step = part(vm, &slice.step)?.unwrap_or(1).max(-i64::MAX);
    if step == 0 {
        return Err(value_error("slice step cannot be zero"));
    }
    let (lowest, highest) = if step < 0 { (-1, length - 1) } else { (0, length) };
    let clamp = |index: i64| if index < 0 { (index.saturating_add(length)).max(lowest) } else { index.min(highest) };
    let start = part(vm, &slice.start)?.map(clamp).unwrap_or(if step < 0 { highest } else { lowest });
    let stop = part(vm, &slice.stop)?.map(clamp).unwrap_or(if step < 0 { lowest } else { highest });
    Ok((start, stop, step))
}

fn part(vm: &mut Vm, value: &Value) -> PyResult<Option<i64>> {
    match value {
        Value::None => Ok(None),
        Value::Int(index) => Ok(Some(*index)),
        Value::Bool(_) | Value::BigInt(_) | Value::Object(_) => convert::index_clamped(vm, value).map(Some),
        _ => Err(type_error("slice indices must be integers or None or have an __index__ method")),
    }
}

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

/// [`indices`] for lengths of any size.
///
/// # Errors
/// As [`indices`].
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
