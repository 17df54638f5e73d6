//! Arithmetic of ints.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::{Num, convert, float_ops};
use crate::exception::{PyResult, overflow_error, value_error, zero_division_error};
use crate::value::Value;
use crate::vm::{BinaryOp, Vm};

/// `a op b` of ints; `None` for operators that ints do not have.
///
/// # Errors
/// `ZeroDivisionError`, `ValueError` for a negative shift, `MemoryError` for a result past the limit.
#[inline]
pub fn binary(vm: &mut Vm, op: BinaryOp, a: Num<'_>, b: Num<'_>) -> PyResult<Option<Value>> {
    if let (Num::Small(a), Num::Small(b)) = (a, b)
        && let Some(value) = small(op, a, b)?
    {
        return Ok(Some(value));
    }
    large(vm, op, a, b)
}

/// The operators on small ints, where the result is small too.
#[inline]
fn small(op: BinaryOp, a: i64, b: i64) -> PyResult<Option<Value>> {
    let value = match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Subtract => a.checked_sub(b),
        BinaryOp::Multiply => a.checked_mul(b),
        BinaryOp::FloorDivide if b == 0 => return Err(zero_division_error("integer division or modulo by zero")),
        BinaryOp::FloorDivide => (a != i64::MIN).then(|| Integer::div_floor(&a, &b)),
        BinaryOp::Remainder if b == 0 => return Err(zero_division_error("integer modulo by zero")),
        BinaryOp::Remainder => (a != i64::MIN).then(|| Integer::mod_floor(&a, &b)),
        BinaryOp::Power => u32::try_from(b).ok().and_then(|exponent| a.checked_pow(exponent)),
        BinaryOp::And => Some(a & b),
        BinaryOp::Or => Some(a | b),
        BinaryOp::Xor => Some(a ^ b),
        BinaryOp::RightShift if b >= 0 => Some(a >> b.min(63)),
        BinaryOp::LeftShift if (0..63).contains(&b) => {
            let shifted = a << b;
            (shifted >> b == a).then_some(shifted)
        }
        _ => None,
    };
    Ok(value.map(Value::Int))
}

fn large(vm: &mut Vm, op: BinaryOp, a: Num<'_>, b: Num<'_>) -> PyResult<Option<Value>> {
    if op == BinaryOp::TrueDivide {
        vm.charge(a.words().max(b.words()))?;
        return Ok(Some(Value::Float(convert::true_divide(a, b)?)));
    }
    let (a, b) = (a.to_big(), b.to_big());
    let bytes = |x: &BigInt| usize::try_from(x.bits() / 8).unwrap_or(usize::MAX);
    let result = match op {
        BinaryOp::Add | BinaryOp::Subtract => {
            vm.charge_bytes(bytes(&a).max(bytes(&b)))?;
            if op == BinaryOp::Add { a + b } else { a - b }
        }
        BinaryOp::Multiply => {
            charge_product(vm, &a, &b)?;
            a * b
        }
        BinaryOp::FloorDivide | BinaryOp::Remainder => {
            if b.is_zero() {
                let what = if op == BinaryOp::Remainder { "integer modulo" } else { "integer division or modulo" };
                return Err(zero_division_error(format!("{what} by zero")));
            }
            charge_division(vm, &a, &b)?;
            if op == BinaryOp::FloorDivide { a.div_floor(&b) } else { a.mod_floor(&b) }
        }
        BinaryOp::Power => return power(vm, &a, &b).map(Some),
        BinaryOp::LeftShift => return left_shift(vm, a, &b).map(Some),
        BinaryOp::RightShift => {
            vm.charge_bytes(bytes(&a))?;
            if b.is_negative() {
                return Err(value_error("negative shift count"));
            }
            match b.to_u64() {
                Some(shift) if shift < a.bits() => a >> shift,
                _ if a.is_negative() => BigInt::from(-1),
                _ => BigInt::zero(),
            }
        }
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
            vm.charge_bytes(bytes(&a).max(bytes(&b)).saturating_mul(2))?;
            match op {
                BinaryOp::And => a & b,
                BinaryOp::Or => a | b,
                _ => a ^ b,
            }
        }
        BinaryOp::TrueDivide | BinaryOp::MatMultiply => return Ok(None),
    };
    Ok(Some(Value::from_bigint(result)))
}

/// Pays for a product: its size, and its work, which grows faster than its size.
pub(crate) fn charge_product(vm: &mut Vm, a: &BigInt, b: &BigInt) -> PyResult<()> {
    let (short, long) = limbs(a, b);
    vm.limit_bytes((short + long).saturating_mul(8))?;
    vm.visit(short + long, 32)?;
    vm.visit(long.saturating_mul(short.isqrt()), if short < 64 { 16 } else { 1 })
}

/// Pays for a division, whose work grows with the product of the divisor's size and the quotient's.
pub(crate) fn charge_division(vm: &mut Vm, a: &BigInt, b: &BigInt) -> PyResult<()> {
    let (dividend, divisor) = (words(a), words(b));
    vm.visit((2 * dividend).saturating_add(dividend.saturating_sub(divisor).saturating_mul(divisor)), 8)
}

/// The full words of an int.
pub(crate) fn words(int: &BigInt) -> usize {
    usize::try_from(int.bits() / 64).unwrap_or(usize::MAX / 4)
}

fn limbs(a: &BigInt, b: &BigInt) -> (usize, usize) {
    let (a, b) = (words(a), words(b));
    (a.min(b), a.max(b))
}

fn left_shift(vm: &mut Vm, a: BigInt, b: &BigInt) -> PyResult<Value> {
    if b.is_negative() {
        return Err(value_error("negative shift count"));
    }
    if a.is_zero() {
        return Ok(Value::Int(0));
    }
    let Some(shift) = b.to_u64().filter(|shift| *shift < 1 << 62) else {
        return Err(overflow_error("too many digits in integer"));
    };
    vm.charge_bytes(usize::try_from((a.bits() + shift) / 8).unwrap_or(usize::MAX))?;
    Ok(Value::from_bigint(a << shift))
}

/// `a ** b`; a negative exponent gives a float.
///
/// # Errors
/// `MemoryError` where the power is past the limit, `ZeroDivisionError`, `OverflowError` of the float.
pub fn power(vm: &mut Vm, a: &BigInt, b: &BigInt) -> PyResult<Value> {
    if b.is_negative() {
        let (a, b) = (convert::big_to_float(a)?, convert::big_to_float(b)?);
        return Ok(Value::Float(float_ops::power(a, b)?));
    }
    if b.is_zero() || a.is_one() {
        return Ok(Value::Int(1));
    }
    if a.is_zero() {
        return Ok(Value::Int(0));
    }
    if a.magnitude().is_one() {
        return Ok(Value::Int(if b.is_odd() { -1 } else { 1 }));
    }
    let bits = b.to_u64().and_then(|exponent| (a.bits() - 1).max(1).checked_mul(exponent)).unwrap_or(u64::MAX);
    let bytes = usize::try_from(bits / 8).unwrap_or(usize::MAX);
    vm.charge_bytes(bytes)?;
    let words = bytes / 8;
    vm.visit(words.saturating_mul(words.isqrt()), 4)?;
    let exponent = b.to_u32().unwrap_or(u32::MAX);
    Ok(Value::from_bigint(a.pow(exponent)))
}

/// `-a`
pub fn negative(a: Num<'_>) -> Value {
    match a {
        Num::Small(value) => match value.checked_neg() {
            Some(value) => Value::Int(value),
            None => Value::from_bigint(-BigInt::from(value)),
        },
        Num::Big(value) => Value::from_bigint(-value),
        Num::Float(value) => Value::Float(-value),
    }
}
