//! `math`'s functions of floats.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use crate::args::Args;
use crate::builtins::convert;
use crate::exception::{PyResult, Raised, overflow_error, type_error, value_error};
use crate::value::Value;
use crate::vm::Vm;

fn domain_error() -> Raised {
    value_error("math domain error")
}

fn range_error() -> Raised {
    overflow_error("math range error")
}

/// A function of one float as CPython's `math_1` wraps it: NaN out of a number is a domain error; an infinity out of a
/// finite number is one too where the function has a pole there, else a range error.
pub(super) fn checked(vm: &mut Vm, args: Args, name: &str, f: fn(f64) -> f64) -> PyResult<Value> {
    let [x] = args.exactly(name)?;
    let x = convert::real(vm, &x)?;
    let result = f(x);
    if result.is_nan() && !x.is_nan() {
        return Err(domain_error());
    }
    if result.is_infinite() && x.is_finite() {
        // The functions that can overflow; what else gives an infinity has a pole there.
        let overflows = matches!(name, "math.exp" | "math.expm1");
        return Err(if overflows { range_error() } else { domain_error() });
    }
    Ok(Value::Float(result))
}

/// A function of one float that has no errors.
pub(super) fn plain(vm: &mut Vm, args: Args, name: &str, f: fn(f64) -> f64) -> PyResult<Value> {
    let [x] = args.exactly(name)?;
    Ok(Value::Float(f(convert::real(vm, &x)?)))
}

/// A test of one float.
pub(super) fn test(vm: &mut Vm, args: Args, name: &str, f: fn(f64) -> bool) -> PyResult<Value> {
    let [x] = args.exactly(name)?;
    Ok(Value::Bool(f(convert::real(vm, &x)?)))
}

fn two(vm: &mut Vm, args: Args, name: &str) -> PyResult<(f64, f64)> {
    let [x, y] = args.between(name, 2)?.map(Option::unwrap_or_default);
    Ok((convert::real(vm, &x)?, convert::real(vm, &y)?))
}

/// A function of two floats, wrapped as `math_2` does.
pub(super) fn checked2(vm: &mut Vm, args: Args, name: &str, f: fn(f64, f64) -> f64) -> PyResult<Value> {
    let (x, y) = two(vm, args, name)?;
    let result = f(x, y);
    if result.is_nan() && !x.is_nan() && !y.is_nan() {
        return Err(domain_error());
    }
    if result.is_infinite() && x.is_finite() && y.is_finite() {
        return Err(range_error());
    }
    Ok(Value::Float(result))
}

/// `math.pow`, with the special cases of C99 that CPython keeps.
pub(super) fn pow(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let (x, y) = two(vm, args, "pow")?;
    let result = x.powf(y);
    if x.is_finite() && y.is_finite() {
        if result.is_nan() || (result.is_infinite() && x == 0.0) {
            return Err(domain_error());
        }
        if result.is_infinite() {
            return Err(range_error());
        }
    }
    Ok(Value::Float(result))
}

/// Rounds to an int: ints stay, floats by `f`, classes by their own method.
fn rounded(vm: &mut Vm, args: Args, name: &str, f: fn(f64) -> f64) -> PyResult<Value> {
    let [x] = args.exactly(name)?;
    match &x {
        Value::Int(_) | Value::BigInt(_) => Ok(x),
        Value::Bool(flag) => Ok(Value::Int(i64::from(*flag))),
        Value::Float(value) => convert::float_to_int(f(*value)),
        other if name == "math.trunc" => {
            Err(type_error(format!("type {} doesn't define __trunc__ method", other.type_name().as_str())))
        }
        other => convert::float_to_int(f(convert::real(vm, other)?)),
    }
}

/// `math.ceil`
pub(super) fn ceil(vm: &mut Vm, args: Args) -> PyResult<Value> {
    rounded(vm, args, "math.ceil", f64::ceil)
}

/// `math.floor`
pub(super) fn floor(vm: &mut Vm, args: Args) -> PyResult<Value> {
    rounded(vm, args, "math.floor", f64::floor)
}

/// `math.trunc`
pub(super) fn trunc(vm: &mut Vm, args: Args) -> PyResult<Value> {
    rounded(vm, args, "math.trunc", f64::trunc)
}

/// A logarithm of a float, or of an int of any size.
fn log_of(vm: &mut Vm, x: &Value, f: fn(f64) -> f64) -> PyResult<f64> {
    if let Value::BigInt(big) = x {
        if !big.is_positive() {
            return Err(domain_error());
        }
        vm.visit(usize::try_from(big.bits()).unwrap_or(usize::MAX), 64)?;
        let value = big.to_f64().unwrap_or(f64::INFINITY);
        if value.is_finite() {
            return Ok(f(value));
        }
        // As `loghelper`: x is m * 2**e with m in [0.5, 1).
        let exponent = big.bits();
        let mantissa = BigInt::from(big.magnitude() >> (exponent - 64)).to_f64().unwrap_or(0.0) * 2.0_f64.powi(-64);
        #[expect(clippy::cast_precision_loss, reason = "no int in memory has 2**53 bits")]
        return Ok(f(mantissa) + f(2.0) * exponent as f64);
    }
    let x = convert::real(vm, x)?;
    if x <= 0.0 {
        return Err(domain_error());
    }
    Ok(f(x))
}

/// `math.log2`, `math.log10`
pub(super) fn logarithm(vm: &mut Vm, args: Args, name: &str, f: fn(f64) -> f64) -> PyResult<Value> {
    let [x] = args.exactly(name)?;
    Ok(Value::Float(log_of(vm, &x, f)?))
}

/// `math.log(x[, base])`
pub(super) fn log(vm: &mut Vm, args: Args) -> PyResult<Value> {
    args.no_keywords("math.log")?;
    match args.pos.as_slice() {
        [x] => Ok(Value::Float(log_of(vm, x, f64::ln)?)),
        [x, base] => {
            let numerator = log_of(vm, x, f64::ln)?;
            let denominator = log_of(vm, base, f64::ln)?;
            if denominator == 0.0 {
                return Err(crate::exception::zero_division_error("float division by zero"));
            }
            Ok(Value::Float(numerator / denominator))
        }
        _ => Err(type_error("math.log requires 1 to 2 arguments")),
    }
}

/// `math.log1p`: the sign of zero is kept.
pub(super) fn log1p(x: f64) -> f64 {
    if x == 0.0 { x } else { x.ln_1p() }
}

/// `math.isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0)`
pub(super) fn isclose(vm: &mut Vm, args: Args) -> PyResult<Value> {
    if args.pos.len() > 2 {
        return Err(type_error(format!("isclose() takes exactly 2 positional arguments ({} given)", args.pos.len())));
    }
    let [a, b, relative, absolute] = args.bind("isclose", ["a", "b", "rel_tol", "abs_tol"], 2)?;
    let a = convert::real(vm, &a.unwrap_or_default())?;
    let b = convert::real(vm, &b.unwrap_or_default())?;
    let relative = convert::real(vm, &relative.unwrap_or(Value::Float(1e-9)))?;
    let absolute = convert::real(vm, &absolute.unwrap_or(Value::Float(0.0)))?;
    if relative < 0.0 || absolute < 0.0 {
        return Err(value_error("tolerances must be non-negative"));
    }
    #[expect(clippy::float_cmp, reason = "equal values are close, infinities included")]
    if a == b {
        return Ok(Value::Bool(true));
    }
    if a.is_infinite() || b.is_infinite() {
        return Ok(Value::Bool(false));
    }
    let difference = (b - a).abs();
    let close = difference <= (relative * b).abs() || difference <= (relative * a).abs() || difference <= absolute;
    Ok(Value::Bool(close))
}
