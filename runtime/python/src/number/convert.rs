//! Between `int` and `float`, and the correctly rounded quotient of two ints.

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{Signed, Zero};

use super::Num;
use crate::exception::{PyResult, overflow_error, value_error, zero_division_error};
use crate::value::Value;

/// The integer part of a finite float; `None` for infinities and NaN.
pub fn float_to_big(value: f64) -> Option<BigInt> {
    if !value.is_finite() {
        return None;
    }
    let whole = value.trunc();
    if whole.abs() < 9.0e18 {
        return Some(BigInt::from(whole as i64));
    }
    let (mantissa, exponent) = decompose(whole.abs());
    let magnitude = BigUint::from(mantissa) << exponent.max(0).unsigned_abs();
    let sign = if value < 0.0 { Sign::Minus } else { Sign::Plus };
    Some(BigInt::from_biguint(sign, magnitude))
}

/// A finite, non-negative float as `mantissa * 2**exponent`.
pub fn decompose(value: f64) -> (u64, i32) {
    let bits = value.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    match i32::try_from(bits >> 52 & 0x7ff).unwrap_or_default() {
        0 => (fraction, -1074),
        exponent => (fraction | 1 << 52, exponent - 1075),
    }
}

/// `mantissa * 2**exponent` rounded once, half to even; `None` where it is too large. The lowest bit of a mantissa of 60
/// bits or more may stand for all lower ones.
pub fn compose(mantissa: u64, exponent: i64) -> Option<f64> {
    if mantissa == 0 {
        return Some(0.0);
    }
    let bits = i64::from(64 - mantissa.leading_zeros());
    // How many low bits do not fit: 53 bits are kept, fewer for subnormals.
    let drop = (bits - 53).max(-1074 - exponent);
    let (kept, exponent) = if drop <= 0 {
        (mantissa, exponent)
    } else if drop > 64 {
        (0, exponent)
    } else {
        let wide = u128::from(mantissa);
        let (kept, rest, half) = (wide >> drop, wide & ((1 << drop) - 1), 1_u128 << (drop - 1));
        let up = rest > half || (rest == half && kept & 1 == 1);
        (u64::try_from(kept + u128::from(up)).unwrap_or(u64::MAX), exponent + drop)
    };
    // `kept` has at most 54 significant bits (a power of two then), so that each step is exact.
    let mut value = kept as f64;
    let mut exponent = exponent;
    while exponent > 0 && value.is_finite() && value != 0.0 {
        let step = exponent.min(1000);
        value *= 2_f64.powi(i32::try_from(step).unwrap_or(1000));
        exponent -= step;
    }
    while exponent < 0 && value != 0.0 {
        let step = (-exponent).min(1000);
        value /= 2_f64.powi(i32::try_from(step).unwrap_or(1000));
        exponent += step;
    }
    value.is_finite().then_some(value)
}

/// The highest bits of a number and the exponent they stand at; bits below are gathered in the lowest.
fn head(value: &BigUint) -> (u64, i64) {
    let bits = value.bits();
    if bits <= 64 {
        return (value.iter_u64_digits().next().unwrap_or(0), 0);
    }
    let shift = bits - 64;
    let top = (value >> shift).iter_u64_digits().next().unwrap_or(0);
    let sticky = value.trailing_zeros().is_some_and(|zeros| zeros < shift);
    (top | u64::from(sticky), i64::try_from(shift).unwrap_or(i64::MAX))
}

/// `float(int)`
///
/// # Errors
/// `OverflowError: int too large to convert to float`
pub fn big_to_float(value: &BigInt) -> PyResult<f64> {
    // No digit of an int above all floats needs to be looked at.
    let float = if value.bits() > 1024 { None } else { Some(head(value.magnitude())) };
    match float.and_then(|(mantissa, exponent)| compose(mantissa, exponent)) {
        Some(float) if value.is_negative() => Ok(-float),
        Some(float) => Ok(float),
        None => Err(overflow_error("int too large to convert to float")),
    }
}

/// The number as a `float`.
///
/// # Errors
/// `OverflowError` where an int is too large.
#[inline]
pub fn to_float(num: Num<'_>) -> PyResult<f64> {
    match num {
        Num::Small(value) => Ok(value as f64),
        Num::Float(value) => Ok(value),
        Num::Big(value) => big_to_float(value),
    }
}

/// `int(float)`
///
/// # Errors
/// `ValueError` for NaN, `OverflowError` for infinities.
pub fn float_to_int(value: f64) -> PyResult<Value> {
    if value.abs() < 9.0e18 {
        return Ok(Value::Int(value as i64));
    }
    match float_to_big(value) {
        Some(whole) => Ok(Value::from_bigint(whole)),
        None if value.is_nan() => Err(value_error("cannot convert float NaN to integer")),
        None => Err(overflow_error("cannot convert float infinity to integer")),
    }
}

/// `a / b` of ints: the float nearest to the exact quotient.
///
/// # Errors
/// `ZeroDivisionError`, or `OverflowError` where the quotient is too large.
pub fn true_divide(a: Num<'_>, b: Num<'_>) -> PyResult<f64> {
    if b.is_zero() {
        return Err(zero_division_error("division by zero"));
    }
    if let (Num::Small(a), Num::Small(b)) = (a, b) {
        let exact = 1 << 53;
        if a.unsigned_abs() <= exact && b.unsigned_abs() <= exact {
            return Ok(a as f64 / b as f64);
        }
    }
    let (a, b) = (a.to_big(), b.to_big());
    if a.is_zero() {
        return Ok(if b.is_negative() { -0.0 } else { 0.0 });
    }
    let negative = a.is_negative() != b.is_negative();
    let (a, b) = (a.into_parts().1, b.into_parts().1);
    // A shift that leaves a quotient of 62 or 63 bits.
    let signed = |bits: u64| i64::try_from(bits).unwrap_or(i64::MAX);
    let shift = signed(b.bits()) - signed(a.bits()) + 62;
    if shift < -1100 {
        return Err(overflow_error("integer division result too large for a float"));
    }
    let (quotient, rest) =
        if shift >= 0 { (a << shift.unsigned_abs()).div_rem(&b) } else { a.div_rem(&(b << shift.unsigned_abs())) };
    let quotient = quotient.iter_u64_digits().next().unwrap_or(0) | u64::from(!rest.is_zero());
    match compose(quotient, -shift) {
        Some(value) if negative => Ok(-value),
        Some(value) => Ok(value),
        None => Err(overflow_error("integer division result too large for a float")),
    }
}
