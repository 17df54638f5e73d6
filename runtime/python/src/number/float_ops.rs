//! Arithmetic of floats.

use crate::exception::{OVERFLOW_ERROR, PyResult, Raised, not_implemented_error, raise_with, zero_division_error};
use crate::value::Value;
use crate::vm::BinaryOp;

/// `OverflowError: (34, 'Numerical result out of range')`, what C's errno gives.
pub fn range_error() -> Raised {
    raise_with(&OVERFLOW_ERROR, vec![Value::Int(34), Value::str("Numerical result out of range")])
}

/// `a op b`; `None` for operators that floats do not have.
///
/// # Errors
/// `ZeroDivisionError`, `OverflowError` of a power.
#[inline]
pub fn binary(op: BinaryOp, a: f64, b: f64) -> PyResult<Option<f64>> {
    Ok(Some(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => a * b,
        BinaryOp::TrueDivide if b == 0.0 => return Err(zero_division_error("float division by zero")),
        BinaryOp::TrueDivide => a / b,
        BinaryOp::FloorDivide if b == 0.0 => return Err(zero_division_error("float floor division by zero")),
        BinaryOp::FloorDivide => div_mod(a, b).0,
        BinaryOp::Remainder if b == 0.0 => return Err(zero_division_error("float modulo")),
        BinaryOp::Remainder => div_mod(a, b).1,
        BinaryOp::Power => power(a, b)?,
        _ => return Ok(None),
    }))
}

/// Floor and remainder (with the sign of `b`, which is not zero), as `_float_div_mod` of CPython computes them.
pub fn div_mod(a: f64, b: f64) -> (f64, f64) {
    let mut rest = a % b;
    let mut quotient = (a - rest) / b;
    if rest == 0.0 {
        rest = 0.0_f64.copysign(b);
    } else if (b < 0.0) != (rest < 0.0) {
        rest += b;
        quotient -= 1.0;
    }
    let floor = if quotient == 0.0 {
        0.0_f64.copysign(a / b)
    } else {
        let floor = quotient.floor();
        if quotient - floor > 0.5 { floor + 1.0 } else { floor }
    };
    (floor, rest)
}

/// `a ** b`
///
/// # Errors
/// `ZeroDivisionError` for a negative power of zero, `OverflowError`; `NotImplementedError` where CPython's result would
/// be complex.
pub fn power(a: f64, b: f64) -> PyResult<f64> {
    if b == 0.0 || a == 1.0 {
        return Ok(1.0);
    }
    if a.is_nan() || b.is_nan() {
        return Ok(f64::NAN);
    }
    if a == 0.0 && b < 0.0 && b.is_finite() {
        return Err(zero_division_error("0.0 cannot be raised to a negative power"));
    }
    if a == 0.0 && b == f64::NEG_INFINITY {
        return Ok(f64::INFINITY);
    }
    if a == -1.0 && b.is_infinite() {
        return Ok(1.0);
    }
    if a < 0.0 && a.is_finite() && b.is_finite() && b.fract() != 0.0 {
        // DIFFERENCE: CPython gives a complex number, which no resource of a job can be.
        return Err(not_implemented_error("complex numbers: a fractional power of a negative number"));
    }
    let result = a.powf(b);
    if result.is_infinite() && a.is_finite() && b.is_finite() {
        return Err(range_error());
    }
    Ok(result)
}
