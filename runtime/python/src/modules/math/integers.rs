//! `math`'s functions of ints, and `prod`.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::args::Args;
use crate::builtins::convert;
use crate::exception::{PyResult, overflow_error, value_error};
use crate::value::Value;
use crate::vm::{BinaryOp, Vm};

fn fold(vm: &mut Vm, args: Args, name: &str, start: i64, f: impl Fn(&BigInt, &BigInt) -> BigInt) -> PyResult<Value> {
    args.no_keywords(name)?;
    let mut result = BigInt::from(start);
    for value in &args.pos {
        let value = convert::bigint(vm, value)?;
        let words = |value: &BigInt| usize::try_from(value.bits() / 64).unwrap_or(usize::MAX);
        let (small, large) = (words(&value).min(words(&result)), words(&value).max(words(&result)));
        vm.charge(
            (1 + large.saturating_mul(1 + small) / 4).saturating_add(small.saturating_mul(small).saturating_mul(4)),
        )?;
        result = f(&result, &value);
    }
    Ok(Value::from_bigint(result.abs()))
}

/// The greatest common divisor. The library's algorithm takes as many rounds as the larger number has bits: it gets the
/// remainder.
fn common(a: &BigInt, b: &BigInt) -> BigInt {
    let (small, large) = if a.magnitude() < b.magnitude() { (a, b) } else { (b, a) };
    if small.is_zero() { large.abs() } else { (large % small).gcd(small) }
}

/// `math.gcd(*integers)`
pub(super) fn gcd(vm: &mut Vm, args: Args) -> PyResult<Value> {
    fold(vm, args, "math.gcd", 0, common)
}

/// The product of the ints from `low` to `high`, by halves so that the factors stay of like size.
fn product(vm: &mut Vm, low: u64, high: u64) -> PyResult<BigUint> {
    if low > high {
        return Ok(BigUint::one());
    }
    if high - low < 16 {
        vm.charge(16)?;
        return Ok((low..=high).fold(BigUint::one(), |product, factor| product * factor));
    }
    let middle = low + (high - low) / 2;
    let (left, right) = (product(vm, low, middle)?, product(vm, middle + 1, high)?);
    let size = |number: &BigUint| usize::try_from(number.bits() / 8).unwrap_or(usize::MAX);
    vm.charge_bytes(size(&left).saturating_add(size(&right)))?;
    vm.charge((size(&left) / 8).saturating_mul(1 + size(&right) / 512))?;
    Ok(left * right)
}

/// `math.factorial(x)`
pub(super) fn factorial(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [x] = args.exactly("math.factorial")?;
    let x = convert::bigint(vm, &x)?;
    if x.is_negative() {
        return Err(value_error("factorial() not defined for negative values"));
    }
    let Some(x) = x.to_i64() else {
        return Err(overflow_error(format!("factorial() argument should not exceed {}", i64::MAX)));
    };
    // Each factor has at least one bit: an absurd result is refused at once.
    vm.charge_bytes(usize::try_from(x).unwrap_or(usize::MAX))?;
    Ok(Value::from_bigint(product(vm, 2, x.unsigned_abs())?.into()))
}

/// `math.isqrt(n)`
pub(super) fn isqrt(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [n] = args.exactly("math.isqrt")?;
    let n = convert::bigint(vm, &n)?;
    if n.is_negative() {
        return Err(value_error("isqrt() argument must be nonnegative"));
    }
    // Newton's steps divide numbers of this size.
    let words = usize::try_from(n.bits() / 64).unwrap_or(usize::MAX);
    vm.charge(words.saturating_mul(1 + words / 2))?;
    Ok(Value::from_bigint(n.sqrt()))
}

/// `math.prod(iterable, *, start=1)`
pub(super) fn prod(vm: &mut Vm, mut args: Args) -> PyResult<Value> {
    let mut product = Value::Int(1);
    if let Some(position) = args.kw.iter().position(|(name, _)| name.as_str() == "start") {
        product = args.kw.remove(position).1;
    }
    let [iterable] = args.exactly("math.prod")?;
    let iterator = vm.iter(&iterable)?;
    while let Some(item) = vm.next(&iterator)? {
        vm.charge(1)?;
        product = vm.binary(BinaryOp::Multiply, &product, &item)?;
    }
    Ok(product)
}
