//! Numbers out of arguments, as CPython's functions take them.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use crate::exception::{PyResult, overflow_error, raise, type_error};
use crate::number::int_ops::words;
use crate::value::Value;
use crate::vm::Vm;

/// `operator.index(value)`: an [`Value::Int`] or [`Value::BigInt`].
///
/// # Errors
/// `TypeError: 'str' object cannot be interpreted as an integer`
pub fn index(vm: &mut Vm, value: &Value) -> PyResult<Value> {
    match value {
        Value::Int(_) | Value::BigInt(_) => return Ok(value.clone()),
        Value::Bool(flag) => return Ok(Value::Int(i64::from(*flag))),
        Value::Object(object) => {
            if let Some(result) = object.number(vm, "index") {
                return result;
            }
        }
        _ => {}
    }
    Err(type_error(format!("'{}' object cannot be interpreted as an integer", value.type_name().as_str())))
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
            vm.charge(words(&value) / 4)?;
            (*value).clone()
        }
        _ => BigInt::default(),
    })
}

/// An int's value as a float, rounded to the nearest.
///
/// # Errors
/// `OverflowError: int too large to convert to float`
pub fn bigint_to_f64(value: &BigInt) -> PyResult<f64> {
    match value.to_f64() {
        Some(float) if float.is_finite() => Ok(float),
        _ => Err(overflow_error("int too large to convert to float")),
    }
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
        Value::BigInt(value) => return bigint_to_f64(value),
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

/// The int of a float that has no fraction or whose fraction is cut off.
///
/// # Errors
/// `ValueError` for NaN, `OverflowError` for an infinity.
pub fn float_to_int(value: f64) -> PyResult<Value> {
    if value.is_nan() {
        return Err(raise(&crate::exception::VALUE_ERROR, "cannot convert float NaN to integer"));
    }
    if value.is_infinite() {
        return Err(overflow_error("cannot convert float infinity to integer"));
    }
    let value = value.trunc();
    // Both bounds are exact floats: -2**63 fits, 2**63 does not.
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&value) {
        #[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
        return Ok(Value::Int(value as i64));
    }
    Ok(num_traits::FromPrimitive::from_f64(value).map_or(Value::Int(0), Value::from_bigint))
}

/// A `str` argument.
///
/// # Errors
/// `TypeError` with this message and the type's name after it.
pub fn text<'a>(value: &'a Value, message: &str) -> PyResult<&'a crate::string::Str> {
    value.as_str().ok_or_else(|| type_error(format!("{message}{}", value.argument_class().as_str())))
}
