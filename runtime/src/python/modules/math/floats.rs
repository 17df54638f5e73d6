//! `math`'s functions of floats.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{PyResult, Raised, overflow_error, type_error, value_error};
use crate::python::value::Value;
use crate::python::vm::Vm;

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
        let overflows = match name {
            "math.cosh" | "math.exp" | "math.exp2" | "math.expm1" | "math.sinh" => true,
            "math.gamma" => x > 0.0 || (x < 0.0 && x.floor() < x),
            "math.lgamma" => x > 0.0,
            _ => false,
        };
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

/// A function of two floats that has no errors.
pub(super) fn plain2(vm: &mut Vm, args: Args, name: &str, f: fn(f64, f64) -> f64) -> PyResult<Value> {
    let (x, y) = two(vm, args, name)?;
    Ok(Value::Float(f(x, y)))
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
fn rounded(vm: &mut Vm, args: Args, name: &str, special: &str, f: fn(f64) -> f64) -> PyResult<Value> {
    let [x] = args.exactly(name)?;
    match &x {
        Value::Int(_) | Value::BigInt(_) => Ok(x),
        Value::Bool(flag) => Ok(Value::Int(i64::from(*flag))),
        Value::Float(value) => convert::float_to_int(f(*value)),
        other => match convert::call_special(vm, other, special, Args::none())? {
            Some(result) => Ok(result),
            None if name == "math.trunc" => {
                Err(type_error(format!("type {} doesn't define __trunc__ method", other.type_name().as_str())))
            }
            None => convert::float_to_int(f(convert::real(vm, other)?)),
        },
    }
}

/// `math.ceil`
pub(super) fn ceil(vm: &mut Vm, args: Args) -> PyResult<Value> {
    rounded(vm, args, "math.ceil", "__ceil__", f64::ceil)
}

/// `math.floor`
pub(super) fn floor(vm: &mut Vm, args: Args) -> PyResult<Value> {
    rounded(vm, args, "math.floor", "__floor__", f64::floor)
}

/// `math.trunc`
pub(super) fn trunc(vm: &mut Vm, args: Args) -> PyResult<Value> {
    rounded(vm, args, "math.trunc", "__trunc__", f64::trunc)
}

/// A logarithm of a float, or of an int of any size.
fn log_of(vm: &mut Vm, x: &Value, f: fn(f64) -> f64) -> PyResult<f64> {
    if let Value::BigInt(big) = x {
        if !big.is_positive() {
            return Err(domain_error());
        }
        vm.charge(usize::try_from(big.bits() / 64).unwrap_or(usize::MAX))?;
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
                return Err(crate::python::exception::zero_division_error("float division by zero"));
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

/// Mantissa in [0.5, 1) and exponent.
fn split(x: f64) -> (f64, i32) {
    libm::frexp(x)
}

/// `math.frexp(x)`
pub(super) fn frexp(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [x] = args.exactly("math.frexp")?;
    let x = convert::real(vm, &x)?;
    let (mantissa, exponent) = if x == 0.0 || !x.is_finite() { (x, 0) } else { split(x) };
    Ok(Value::tuple(vec![Value::Float(mantissa), Value::Int(i64::from(exponent))]))
}

/// `math.ldexp(x, i)`
pub(super) fn ldexp(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [x, exponent] = args.between("ldexp", 2)?.map(Option::unwrap_or_default);
    let x = convert::real(vm, &x)?;
    if !matches!(exponent, Value::Int(_) | Value::BigInt(_) | Value::Bool(_)) {
        return Err(type_error("Expected an int as second argument to ldexp."));
    }
    let exponent = convert::index_clamped(vm, &exponent)?;
    if x == 0.0 || !x.is_finite() {
        return Ok(Value::Float(x));
    }
    let exponent = i32::try_from(exponent.clamp(-5000, 5000)).unwrap_or(0);
    let result = libm::ldexp(x, exponent);
    if result.is_infinite() { Err(range_error()) } else { Ok(Value::Float(result)) }
}

/// `math.modf(x)`
pub(super) fn modf(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [x] = args.exactly("math.modf")?;
    let x = convert::real(vm, &x)?;
    let fraction = if x.is_infinite() { 0.0_f64.copysign(x) } else { x.fract().copysign(x) };
    Ok(Value::tuple(vec![Value::Float(fraction), Value::Float(x.trunc())]))
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

/// `math.nextafter(x, y)`
pub(super) fn next_after(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        f64::NAN
    } else if y > x {
        x.next_up()
    } else if y < x {
        x.next_down()
    } else {
        y
    }
}

/// `math.ulp(x)`
pub(super) fn ulp(x: f64) -> f64 {
    let x = x.abs();
    if !x.is_finite() {
        return x;
    }
    let above = x.next_up();
    if above.is_infinite() { x - x.next_down() } else { above - x }
}

/// IEEE 754 `remainder`: the quotient is rounded to the nearest, ties to even.
pub(super) fn ieee_remainder(x: f64, y: f64) -> f64 {
    if y.is_infinite() && x.is_finite() {
        return x;
    }
    if y == 0.0 || x.is_infinite() {
        return f64::NAN;
    }
    let (size, divisor) = (x.abs(), y.abs());
    let rest = size % divisor;
    let complement = divisor - rest;
    let result = if rest < complement {
        rest
    } else if rest > complement {
        -complement
    } else {
        rest - 2.0 * ((0.5 * (size - rest)) % divisor)
    };
    1.0_f64.copysign(x) * result
}

// The Lanczos approximation of CPython's `Modules/mathmodule.c`: g and the coefficients of its rational function.
#[expect(clippy::excessive_precision, reason = "the digits of the source")]
const LANCZOS_G: f64 = 6.024_680_040_776_729_583_740_234_375;
#[expect(clippy::excessive_precision, reason = "the digits of the source")]
const LANCZOS_G_MINUS_HALF: f64 = 5.524_680_040_776_729_583_740_234_375;
#[expect(clippy::excessive_precision, reason = "the digits of the source")]
const LANCZOS_NUMERATOR: [f64; 13] = [
    23_531_376_880.410_759_688_572_007_674_451_636_754_734_846_804_940,
    42_919_803_642.649_098_768_957_899_047_001_988_850_926_355_848_959,
    35_711_959_237.355_668_049_440_185_451_547_166_705_960_488_635_843,
    17_921_034_426.037_209_699_919_755_754_458_931_112_671_403_265_390,
    6_039_542_586.352_028_005_064_291_644_307_297_921_069_930_846_278_8,
    1_439_720_407.311_721_673_663_223_072_794_912_393_971_676_086_348_8,
    248_874_557.862_054_156_511_460_381_468_834_556_313_046_382_381_26,
    31_426_415.585_400_194_380_614_231_628_318_205_362_874_684_987_640,
    2_876_370.628_935_372_441_225_409_051_620_849_613_599_112_453_752_9,
    186_056.265_395_223_495_040_291_498_971_604_569_928_220_784_236_328,
    8_071.672_002_365_816_210_638_002_902_272_250_613_822_178_535_050,
    210.824_277_751_579_345_877_250_973_392_071_336_271_166_969_580_29,
    2.506_628_274_631_000_270_164_908_177_133_837_338_626_431_079_388_6,
];
const LANCZOS_DENOMINATOR: [f64; 13] = [
    0.0,
    39_916_800.0,
    120_543_840.0,
    150_917_976.0,
    105_258_076.0,
    45_995_730.0,
    13_339_535.0,
    2_637_558.0,
    357_423.0,
    32_670.0,
    1_925.0,
    66.0,
    1.0,
];

fn lanczos_sum(x: f64) -> f64 {
    let (mut numerator, mut denominator) = (0.0, 0.0);
    let coefficients = LANCZOS_NUMERATOR.into_iter().zip(LANCZOS_DENOMINATOR);
    if x < 5.0 {
        for (n, d) in coefficients.rev() {
            numerator = numerator * x + n;
            denominator = denominator * x + d;
        }
    } else {
        for (n, d) in coefficients {
            numerator = numerator / x + n;
            denominator = denominator / x + d;
        }
    }
    numerator / denominator
}

/// `sin(pi * x)`, accurate near ints.
fn sin_pi(x: f64) -> f64 {
    use std::f64::consts::PI;
    let y = x.abs() % 2.0;
    #[expect(clippy::cast_possible_truncation, reason = "between 0 and 4")]
    let result = match (2.0 * y).round() as i32 {
        0 => (PI * y).sin(),
        1 => (PI * (y - 0.5)).cos(),
        2 => (PI * (1.0 - y)).sin(),
        3 => -(PI * (y - 1.5)).cos(),
        _ => (PI * (y - 2.0)).sin(),
    };
    1.0_f64.copysign(x) * result
}

/// `m_tgamma` of CPython: poles give an infinity or NaN.
pub(super) fn gamma(x: f64) -> f64 {
    const MAX_INT: f64 = 23.0;
    if !x.is_finite() {
        return if x.is_nan() || x > 0.0 { x } else { f64::NAN };
    }
    if x == 0.0 {
        return f64::INFINITY.copysign(x);
    }
    #[expect(clippy::float_cmp, reason = "a test for an int")]
    if x == x.floor() {
        if x < 0.0 {
            return f64::NAN;
        }
        if x <= MAX_INT {
            let mut product = 1.0;
            let mut factor = 2.0;
            while factor < x {
                product *= factor;
                factor += 1.0;
            }
            return product;
        }
    }
    let size = x.abs();
    if size < 1e-20 {
        return 1.0 / x;
    }
    if size > 200.0 {
        return if x < 0.0 { 0.0 / sin_pi(x) } else { f64::INFINITY };
    }
    let y = size + LANCZOS_G_MINUS_HALF;
    let z = if size > LANCZOS_G_MINUS_HALF {
        let q = y - size;
        q - LANCZOS_G_MINUS_HALF
    } else {
        let q = y - LANCZOS_G_MINUS_HALF;
        q - size
    };
    let z = z * LANCZOS_G / y;
    if x < 0.0 {
        let mut r = -std::f64::consts::PI / sin_pi(size) / size * y.exp() / lanczos_sum(size);
        r -= z * r;
        if size < 140.0 {
            r / y.powf(size - 0.5)
        } else {
            let root = y.powf(size / 2.0 - 0.25);
            r / root / root
        }
    } else {
        let mut r = lanczos_sum(size) / y.exp();
        r += z * r;
        if size < 140.0 {
            r * y.powf(size - 0.5)
        } else {
            let root = y.powf(size / 2.0 - 0.25);
            r * root * root
        }
    }
}

/// `m_lgamma` of CPython.
pub(super) fn lgamma(x: f64) -> f64 {
    if !x.is_finite() {
        return if x.is_nan() { x } else { f64::INFINITY };
    }
    #[expect(clippy::float_cmp, reason = "a test for an int")]
    if x == x.floor() && x <= 2.0 {
        return if x <= 0.0 { f64::INFINITY } else { 0.0 };
    }
    let size = x.abs();
    if size < 1e-20 {
        return -size.ln();
    }
    let mut r = lanczos_sum(size).ln() - LANCZOS_G;
    r += (size - 0.5) * ((size + LANCZOS_G - 0.5).ln() - 1.0);
    if x < 0.0 {
        r = std::f64::consts::PI.ln() - sin_pi(size).abs().ln() - size.ln() - r;
    }
    r
}
