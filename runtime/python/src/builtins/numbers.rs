//! Builtin functions on numbers: `abs`, `bin`, `divmod`, `hex`, `oct`, `pow`, `round`.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::convert;
use crate::args::Args;
use crate::exception::{PyResult, overflow_error, type_error, value_error};
use crate::value::Value;
use crate::vm::{BinaryOp, Vm};
use tpv_literal::float_text::{self, FloatStyle};

/// `abs(x)`
pub(crate) fn abs(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [value] = args.exactly("abs")?;
    vm.charge_receiver(&value)?;
    match &value {
        Value::Int(number) => Ok(match number.checked_abs() {
            Some(number) => Value::Int(number),
            None => Value::from_bigint(BigInt::from(*number).abs()),
        }),
        Value::Bool(flag) => Ok(Value::Int(i64::from(*flag))),
        Value::Float(number) => Ok(Value::Float(number.abs())),
        Value::BigInt(number) => Ok(Value::from_bigint(number.abs())),
        other => {
            let result = match other {
                Value::Object(object) => object.unary(vm, "abs"),
                _ => None,
            };
            result.unwrap_or_else(|| {
                Err(type_error(format!("bad operand type for abs(): '{}'", value.type_name().as_str())))
            })
        }
    }
}

fn radix(vm: &mut Vm, args: Args, function: &str, radix: u32, prefix: &str) -> PyResult<Value> {
    let [value] = args.exactly(function)?;
    let number = convert::bigint(vm, &value)?;
    vm.visit(usize::try_from(number.bits()).unwrap_or(usize::MAX), 32)?;
    let sign = if number.is_negative() { "-" } else { "" };
    Ok(Value::str(format!("{sign}{prefix}{}", number.magnitude().to_str_radix(radix))))
}

/// `bin(x)`
pub(crate) fn bin(vm: &mut Vm, args: Args) -> PyResult<Value> {
    radix(vm, args, "bin", 2, "0b")
}

/// `oct(x)`
pub(crate) fn oct(vm: &mut Vm, args: Args) -> PyResult<Value> {
    radix(vm, args, "oct", 8, "0o")
}

/// `hex(x)`
pub(crate) fn hex(vm: &mut Vm, args: Args) -> PyResult<Value> {
    radix(vm, args, "hex", 16, "0x")
}

/// `divmod(a, b)`
pub(crate) fn divmod(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [a, b] = args.between("divmod", 2)?.map(Option::unwrap_or_default);
    let is_number =
        |value: &Value| matches!(value, Value::Int(_) | Value::BigInt(_) | Value::Bool(_) | Value::Float(_));
    if !(is_number(&a) && is_number(&b)) {
        if let Value::Object(object) = &a
            && let Some(result) = object.binary(vm, "divmod", &b)
        {
            return result;
        }
        return Err(type_error(format!(
            "unsupported operand type(s) for divmod(): '{}' and '{}'",
            a.type_name().as_str(),
            b.type_name().as_str()
        )));
    }
    if matches!((&a, &b), (Value::Float(_), _) | (_, Value::Float(_))) && convert::real(vm, &b)? == 0.0 {
        return Err(crate::exception::zero_division_error("float divmod()"));
    }
    let quotient = vm.binary(BinaryOp::FloorDivide, &a, &b)?;
    let remainder = vm.binary(BinaryOp::Remainder, &a, &b)?;
    Ok(Value::tuple(vec![quotient, remainder]))
}

/// `pow(base, exp, mod=None)`
pub(crate) fn pow(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [base, exponent, modulus] = args.bind("pow", ["base", "exp", "mod"], 2)?.map(Option::unwrap_or_default);
    if modulus.is_none() {
        return vm.binary(BinaryOp::Power, &base, &exponent);
    }
    let is_int = |value: &Value| matches!(value, Value::Int(_) | Value::BigInt(_) | Value::Bool(_));
    if !(is_int(&base) && is_int(&exponent) && is_int(&modulus)) {
        let is_number = |value: &Value| is_int(value) || matches!(value, Value::Float(_));
        if is_number(&base) && is_number(&exponent) && is_number(&modulus) {
            return Err(type_error("pow() 3rd argument not allowed unless all arguments are integers"));
        }
        return Err(type_error(format!(
            "unsupported operand type(s) for ** or pow(): '{}', '{}', '{}'",
            base.type_name().as_str(),
            exponent.type_name().as_str(),
            modulus.type_name().as_str()
        )));
    }
    let (mut base, mut exponent, modulus) =
        (convert::bigint(vm, &base)?, convert::bigint(vm, &exponent)?, convert::bigint(vm, &modulus)?);
    if modulus.is_zero() {
        return Err(value_error("pow() 3rd argument cannot be 0"));
    }
    let bits = |number: &BigInt| usize::try_from(number.bits()).unwrap_or(usize::MAX);
    // Each bit of the exponent squares and divides numbers of the size of the modulus.
    let words = 1 + bits(&modulus) / 64;
    vm.charge(bits(&exponent).saturating_mul(words).saturating_mul(1 + words / 32))?;
    vm.charge(words.saturating_mul(1 + bits(&base) / 512))?;
    if exponent.is_negative() {
        // A division for each bit or two, and three products.
        vm.charge(bits(&modulus).saturating_mul(1 + words / 16))?;
        base = inverse(&base, &modulus)?;
        exponent = -exponent;
    }
    Ok(Value::from_bigint(base.modpow(&exponent, &modulus)))
}

/// The inverse of `base` modulo `modulus`.
fn inverse(base: &BigInt, modulus: &BigInt) -> PyResult<BigInt> {
    let modulus = modulus.abs();
    let found = base.mod_floor(&modulus).extended_gcd(&modulus);
    if found.gcd.is_one() || modulus.is_one() {
        Ok(found.x.mod_floor(&modulus))
    } else {
        Err(value_error("base is not invertible for the given modulus"))
    }
}

/// `round(number, ndigits=None)`: half to even.
pub(crate) fn round(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let given = args.pos.len() + args.kw.len();
    if given > 2 {
        return Err(type_error(format!("round() takes at most 2 arguments ({given} given)")));
    }
    let [number, digits] = args.bind("round", ["number", "ndigits"], 1)?.map(Option::unwrap_or_default);
    match &number {
        Value::Float(float) if digits.is_none() => convert::float_to_int(float.round_ties_even()),
        Value::Float(float) => {
            let digits = convert::index_clamped(vm, &digits)?;
            let places = usize::try_from(digits).unwrap_or(0).min(323);
            vm.charge(float_text::cost(*float, FloatStyle::Fixed, places))?;
            Ok(Value::Float(round_float(*float, digits)?))
        }
        Value::Int(_) | Value::BigInt(_) | Value::Bool(_) => {
            let int = convert::index(vm, &number)?;
            if digits.is_none() {
                return Ok(int);
            }
            let digits = convert::index_clamped(vm, &digits)?;
            if digits >= 0 { Ok(int) } else { round_int(vm, &number, digits.unsigned_abs()) }
        }
        other => Err(type_error(format!("type {} doesn't define __round__ method", other.type_name().as_str()))),
    }
}

fn round_int(vm: &mut Vm, number: &Value, digits: u64) -> PyResult<Value> {
    let number = convert::bigint(vm, number)?;
    // A power of ten beyond twice the number rounds it to zero.
    if digits > number.bits() / 3 + 2 {
        return Ok(Value::Int(0));
    }
    let words = usize::try_from(number.bits() / 64).unwrap_or(usize::MAX);
    vm.charge(words.saturating_mul(1 + words / 16))?;
    let unit = BigInt::from(10).pow(u32::try_from(digits).unwrap_or(u32::MAX));
    Ok(Value::from_bigint(round_to_multiple(&number, &unit, false)))
}

/// The multiple of `unit` nearest to `number`, ties to the even one; `more` tells that the exact number is a little
/// farther from zero than `number`.
fn round_to_multiple(number: &BigInt, unit: &BigInt, more: bool) -> BigInt {
    let (quotient, remainder) = number.magnitude().div_rem(unit.magnitude());
    let twice = &remainder * 2u32;
    let up = match twice.cmp(unit.magnitude()) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => more || quotient.is_odd(),
        std::cmp::Ordering::Greater => true,
    };
    let quotient = if up { quotient + 1u32 } else { quotient };
    let rounded = BigInt::from(quotient) * unit;
    if number.is_negative() { -rounded } else { rounded }
}

/// `float.__round__(digits)`, correctly rounded as CPython's is.
///
/// # Errors
/// `OverflowError` where the rounded value is beyond every float.
pub fn round_float(number: f64, digits: i64) -> PyResult<f64> {
    // Bounds as in CPython's float___round___impl: beyond them nothing, or everything, is cut off.
    if !number.is_finite() || number == 0.0 || digits > 323 {
        return Ok(number);
    }
    if digits < -308 {
        return Ok(0.0_f64.copysign(number));
    }
    let rounded = match usize::try_from(digits) {
        Ok(digits) => format!("{number:.digits$}").parse().unwrap_or(number),
        Err(_) => {
            let unit = BigInt::from(10).pow(u32::try_from(-digits).unwrap_or(0));
            let whole: BigInt = num_traits::FromPrimitive::from_f64(number.trunc()).unwrap_or_default();
            let rounded = round_to_multiple(&whole, &unit, number.fract() != 0.0);
            rounded.to_f64().unwrap_or(f64::INFINITY).abs().copysign(number)
        }
    };
    if rounded.is_infinite() {
        return Err(overflow_error("rounded value too large to represent"));
    }
    Ok(rounded)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

    use super::*;

    #[test]
    fn floats_round_half_to_even_on_their_exact_value() {
        for (number, digits, expected) in [
            (2.675, 2, 2.67),
            (0.5, 0, 0.0),
            (1.5, 0, 2.0),
            (25.0, -1, 20.0),
            (35.0, -1, 40.0),
            (25.5, -1, 30.0),
            (-25.0, -1, -20.0),
            (1e22, -25, 0.0),
            (1.2345, 400, 1.2345),
        ] {
            assert_eq!(round_float(number, digits).unwrap().to_bits(), f64::to_bits(expected), "{number} {digits}");
        }
        assert!(round_float(1.7e308, -308).is_err());
    }

    #[test]
    fn inverses() {
        assert_eq!(inverse(&BigInt::from(2), &BigInt::from(5)).unwrap(), BigInt::from(3));
        assert!(inverse(&BigInt::from(2), &BigInt::from(4)).is_err());
    }
}
