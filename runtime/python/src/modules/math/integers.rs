//! `math`'s functions of ints.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::args::Args;
use crate::builtins::convert;
use crate::exception::{PyResult, overflow_error, value_error};
use crate::value::Value;
use crate::vm::Vm;

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

/// `math.lcm(*integers)`
pub(super) fn lcm(vm: &mut Vm, args: Args) -> PyResult<Value> {
    fold(vm, args, "math.lcm", 1, |a, b| if a.is_zero() || b.is_zero() { BigInt::zero() } else { a / common(a, b) * b })
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
    factorial_of(vm, &x)
}

fn factorial_of(vm: &mut Vm, x: &Value) -> PyResult<Value> {
    let x = convert::bigint(vm, x)?;
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

/// `n`, and `k` where it fits 64 bits; a `k` beyond `n` gives `None`.
fn selection(vm: &mut Vm, n: &Value, k: &Value) -> PyResult<(BigInt, Option<u64>)> {
    let (n, k) = (convert::bigint(vm, n)?, convert::bigint(vm, k)?);
    if n.is_negative() {
        return Err(value_error("n must be a non-negative integer"));
    }
    if k.is_negative() {
        return Err(value_error("k must be a non-negative integer"));
    }
    if k > n {
        return Ok((n, None));
    }
    Ok((n, k.to_u64()))
}

/// `n * (n-1) * ...` of `k` factors, over `k!` where `divided`.
fn falling(vm: &mut Vm, n: &BigInt, k: u64, divided: bool) -> PyResult<Value> {
    let mut result = BigInt::one();
    let mut factor = n.clone();
    for index in 1..=k {
        let size = usize::try_from(result.bits() / 64).unwrap_or(usize::MAX);
        vm.charge(1 + size)?;
        vm.charge_bytes(size.saturating_mul(8))?;
        result *= &factor;
        if divided {
            result /= index;
        }
        factor -= 1;
    }
    Ok(Value::from_bigint(result))
}

/// `math.comb(n, k)`
pub(super) fn comb(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [n, k] = args.between("comb", 2)?.map(Option::unwrap_or_default);
    let big_k = convert::bigint(vm, &k)?;
    let (n, k) = selection(vm, &n, &k)?;
    // The smaller of k and n - k.
    let k = match k {
        Some(k) => (&n - BigInt::from(k)).to_u64().map_or(k, |rest| rest.min(k)),
        None if big_k > n => return Ok(Value::Int(0)),
        None => match (&n - &big_k).to_u64() {
            Some(rest) => rest,
            None => {
                return Err(overflow_error(format!("min(n - k, k) must not exceed {}", i64::MAX)));
            }
        },
    };
    falling(vm, &n, k, true)
}

/// `math.perm(n, k=None)`
pub(super) fn perm(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [n, k] = args.between("perm", 1)?;
    let n = n.unwrap_or_default();
    let Some(k) = k.filter(|k| !k.is_none()) else { return factorial_of(vm, &n) };
    let big_k = convert::bigint(vm, &k)?;
    match selection(vm, &n, &k)? {
        (n, Some(k)) => falling(vm, &n, k, false),
        (n, None) if big_k > n => Ok(Value::from_bigint(BigInt::zero())),
        _ => Err(overflow_error(format!("k must not exceed {}", i64::MAX))),
    }
}
