//! Numbers out of arguments, as CPython's functions take them.

use num_bigint::BigInt;
use num_traits::Signed;

use crate::exception::{PyResult, overflow_error, type_error};
use crate::number::convert::big_to_float;
pub use crate::number::convert::float_to_int;
use crate::number::int_ops::words;
use crate::value::Value;
use crate::vm::Vm;

/// `operator.index(value)`: an [`Value::Int`] or [`Value::BigInt`].
///
/// # Errors
/// `TypeError: 'str' object cannot be interpreted as an integer`
pub fn index(vm: &mut Vm, value: &Value) -> PyResult<Value> {
    let index = vm.index_of(value)?;
    index.ok_or_else(|| {
        type_error(format!("'{}' object cannot be interpreted as an integer", value.type_name().as_str()))
    })
}

/// An index or count that must fit 64 bits.
///
/// # Errors
/// `TypeError` as [`index`]; `OverflowError` where it is too large.
pub fn index_i64(vm: &mut Vm, value: &Value) -> PyResult<i64> {
    match index(vm, value)? {
        Value::Int(value) => Ok(value),
        _ => Err(overflow_error("Python int too large to convert to C ssize_t")),
    }
}

/// An int that fits a C `int`, as CPython's parser of arguments takes it.
///
/// # Errors
/// `TypeError` as [`index`], `OverflowError` for an int past 32 bits.
pub fn index_i32(vm: &mut Vm, value: &Value) -> PyResult<i32> {
    let number = match index(vm, value)? {
        Value::Int(number) => i32::try_from(number).ok(),
        _ => None,
    };
    number.ok_or_else(|| overflow_error("Python int too large to convert to C int"))
}

/// An index, cut to the range of 64 bits, as slice bounds are.
///
/// # Errors
/// `TypeError` as [`index`].
pub fn index_clamped(vm: &mut Vm, value: &Value) -> PyResult<i64> {
    Ok(match index(vm, value)? {
        Value::Int(value) => value,
        Value::BigInt(value) if value.is_negative() => i64::MIN,
        _ => i64::MAX,
    })
}

/// An int of any size, of an int or of an object that stands for one.
///
/// # Errors
/// `TypeError` as [`index`].
pub fn bigint(vm: &mut Vm, value: &Value) -> PyResult<BigInt> {
    Ok(match index(vm, value)? {
        Value::Int(value) => BigInt::from(value),
        Value::BigInt(value) => {
            vm.visit(words(&value), 4)?;
            (*value).clone()
        }
        _ => BigInt::default(),
    })
}

/// A real number as functions implemented in C take one.
///
/// # Errors
/// `TypeError: must be real number, not str`; `OverflowError` for an int beyond every float.
pub fn real(vm: &mut Vm, value: &Value) -> PyResult<f64> {
    match value {
        Value::Float(value) => return Ok(*value),
        Value::Int(value) => return Ok(*value as f64),
        Value::Bool(flag) => return Ok(f64::from(u8::from(*flag))),
        Value::BigInt(value) => return big_to_float(value),
        Value::Object(object) => {
            for method in ["float", "index"] {
                if let Some(result) = object.number(vm, method) {
                    let result = result?;
                    return real(vm, &result);
                }
            }
        }
        _ => {}
    }
    Err(type_error(format!("must be real number, not {}", value.type_name().as_str())))
}

/// A `str` argument.
///
/// # Errors
/// `TypeError` with this message and the type's name after it.
pub fn text<'a>(value: &'a Value, message: &str) -> PyResult<&'a crate::string::Str> {
    value.as_str().ok_or_else(|| type_error(format!("{message}{}", value.argument_class().as_str())))
}
