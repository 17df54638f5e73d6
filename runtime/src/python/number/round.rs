//! `round`: half to even, on the exact value.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};

use super::{Num, convert};
use crate::python::exception::{PyResult, overflow_error};
use crate::python::value::Value;

/// `round(float)`: the nearest int, half to even.
///
/// # Errors
/// `ValueError` for NaN, `OverflowError` for infinities.
pub fn float_to_int(value: f64) -> PyResult<Value> {
    convert::float_to_int(value.round_ties_even())
}

/// `round(float, digits)`
///
/// # Errors
/// `OverflowError: rounded value too large to represent`
pub fn float(value: f64, digits: i64) -> PyResult<f64> {
    // The bounds are CPython's: beyond them the number is its own result, or zero.
    if !value.is_finite() || value == 0.0 || digits > 323 {
        return Ok(value);
    }
    if digits < -308 {
        return Ok(0.0_f64.copysign(value));
    }
    let text = match usize::try_from(digits) {
        Ok(places) => format!("{value:.places$}"),
        Err(_) => {
            let power = u32::try_from(digits.unsigned_abs()).unwrap_or(308);
            let whole = convert::float_to_big(value.abs()).unwrap_or_default();
            let unit = BigInt::from(10).pow(power);
            // What follows the point breaks a tie.
            let rounded = nearest(&whole, &unit, value.fract() != 0.0);
            format!("{}{}e{power}", if value < 0.0 { "-" } else { "" }, rounded)
        }
    };
    match text.parse::<f64>() {
        Ok(rounded) if rounded.is_finite() => Ok(rounded),
        _ => Err(overflow_error("rounded value too large to represent")),
    }
}

/// `value / unit` to the nearest int, half to even; `more` says that the value is a little larger.
fn nearest(value: &BigInt, unit: &BigInt, more: bool) -> BigInt {
    let (quotient, rest) = value.div_mod_floor(unit);
    let up = match (rest * 2_i32).cmp(unit) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Equal => more || quotient.is_odd(),
    };
    if up { quotient + 1 } else { quotient }
}

/// `round(int, digits)`
pub fn int(num: Num<'_>, digits: &BigInt) -> Value {
    if !digits.is_negative() {
        return num.to_value();
    }
    let value = num.to_big();
    // A power of ten of more digits than twice the number rounds it to zero.
    let power = u32::try_from(digits.magnitude()).unwrap_or(u32::MAX);
    if u64::from(power) > value.bits() / 3 + 2 || value.is_zero() {
        return Value::Int(0);
    }
    let unit = BigInt::from(10).pow(power);
    let magnitude = nearest(&value.abs(), &unit, false) * unit;
    Value::from_bigint(if value.is_negative() { -magnitude } else { magnitude })
}
