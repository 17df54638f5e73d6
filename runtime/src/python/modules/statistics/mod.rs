//! `statistics`, for ints and floats.

mod averages;
mod relations;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

use super::class;
use super::signature::Signature;
use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{PyResult, Raised, VALUE_ERROR, raise, type_error};
use crate::python::methods::sort;
use crate::python::types::BuiltinType;
use crate::python::value::Value;
use crate::python::vm::{BinaryOp, Vm};

/// `statistics.StatisticsError`
pub static STATISTICS_ERROR: BuiltinType = BuiltinType {
    construct: Some(|vm, args| crate::python::builtins::construct::exception(vm, &STATISTICS_ERROR, args)),
    ..BuiltinType::new("StatisticsError", "statistics", &VALUE_ERROR)
};

module! {
    /// `statistics`
    MODULE = "statistics";
    functions {
        "correlation" => relations::correlation,
        "covariance" => relations::covariance,
        "fmean" => averages::fmean,
        "geometric_mean" => averages::geometric_mean,
        "harmonic_mean" => averages::harmonic_mean,
        "linear_regression" => relations::linear_regression,
        "mean" => mean,
        "median" => |vm, args| median(vm, args, "median", Middle::Mean),
        "median_grouped" => averages::median_grouped,
        "median_high" => |vm, args| median(vm, args, "median_high", Middle::High),
        "median_low" => |vm, args| median(vm, args, "median_low", Middle::Low),
        "mode" => mode,
        "multimode" => multimode,
        "pstdev" => |vm, args| deviation(vm, args, "pstdev", 0, true),
        "pvariance" => |vm, args| deviation(vm, args, "pvariance", 0, false),
        "quantiles" => averages::quantiles,
        "stdev" => |vm, args| deviation(vm, args, "stdev", 1, true),
        "variance" => |vm, args| deviation(vm, args, "variance", 1, false),
    }
    values(_vm) { "StatisticsError" => class(&STATISTICS_ERROR) }
}

fn error(message: &str) -> Raised {
    raise(&STATISTICS_ERROR, message)
}

fn data(vm: &mut Vm, args: Args, name: &'static str) -> PyResult<Vec<Value>> {
    let [data] = Signature::function(name, ["data"], 1).bind(args)?.map(Option::unwrap_or_default);
    vm.collect(&data)
}

/// A number as an exact fraction, as `statistics` computes; the denominator is positive.
#[derive(Clone)]
struct Fraction {
    numerator: BigInt,
    denominator: BigInt,
}

impl Fraction {
    fn of(vm: &mut Vm, value: &Value) -> PyResult<Self> {
        match value {
            Value::Float(float) if float.is_finite() => Ok(Self::of_float(*float)),
            Value::Float(_) => Err(type_error("numbers that are not finite are not supported here")),
            Value::Int(_) | Value::BigInt(_) | Value::Bool(_) => {
                Ok(Self { numerator: convert::bigint(vm, value)?, denominator: 1.into() })
            }
            other => {
                Err(type_error(format!("can't convert type '{}' to numerator/denominator", other.type_name().as_str())))
            }
        }
    }

    fn of_float(float: f64) -> Self {
        let (mantissa, exponent) = libm::frexp(float);
        // 53 bits make the mantissa an int.
        let numerator: BigInt =
            num_traits::FromPrimitive::from_f64(mantissa * 9_007_199_254_740_992.0).unwrap_or_default();
        let exponent = exponent - 53;
        let power = usize::try_from(exponent.unsigned_abs()).unwrap_or_default();
        if exponent >= 0 {
            Self { numerator: numerator << power, denominator: 1.into() }
        } else {
            Self { numerator, denominator: BigInt::from(1) << power }
        }
        .reduced()
    }

    fn reduced(self) -> Self {
        let divisor = self.numerator.gcd(&self.denominator);
        if divisor.is_zero() {
            return self;
        }
        Self { numerator: self.numerator / &divisor, denominator: self.denominator / divisor }
    }

    fn add(&self, other: &Self) -> Self {
        Self {
            numerator: &self.numerator * &other.denominator + &other.numerator * &self.denominator,
            denominator: &self.denominator * &other.denominator,
        }
        .reduced()
    }

    fn minus(&self, other: &Self) -> Self {
        self.add(&Self { numerator: -&other.numerator, denominator: other.denominator.clone() })
    }

    fn square(&self) -> Self {
        Self { numerator: &self.numerator * &self.numerator, denominator: &self.denominator * &self.denominator }
    }

    fn over(&self, count: usize) -> Self {
        Self { numerator: self.numerator.clone(), denominator: &self.denominator * BigInt::from(count) }.reduced()
    }

    /// The nearest float: the quotient of the ints, correctly rounded.
    fn to_float(&self) -> f64 {
        if self.numerator.is_zero() {
            return 0.0;
        }
        // Scaled so that the quotient has 64 bits or more; what is cut off is noted in the lowest bit.
        let bits = |number: &BigInt| i64::try_from(number.bits()).unwrap_or(i64::MAX / 2);
        let shift = 66 - (bits(&self.numerator) - bits(&self.denominator));
        let amount = usize::try_from(shift.unsigned_abs()).unwrap_or_default();
        let (numerator, denominator) = if shift >= 0 {
            (self.numerator.abs() << amount, self.denominator.clone())
        } else {
            (self.numerator.abs(), &self.denominator << amount)
        };
        let (mut quotient, rest) = numerator.div_rem(&denominator);
        if !rest.is_zero() {
            quotient |= BigInt::from(1);
        }
        let float = quotient.to_f64().unwrap_or(f64::INFINITY);
        let float = libm::scalbn(float, i32::try_from(-shift).unwrap_or(0));
        if self.numerator.is_negative() { -float } else { float }
    }

    /// An int where it is one and no float took part, else a float.
    fn to_value(&self, all_ints: bool) -> Value {
        if all_ints && self.denominator == BigInt::from(1) {
            Value::from_bigint(self.numerator.clone())
        } else {
            Value::Float(self.to_float())
        }
    }
}

fn fractions(vm: &mut Vm, values: &[Value]) -> PyResult<(Vec<Fraction>, bool)> {
    let all_ints = values.iter().all(|value| !matches!(value, Value::Float(_)));
    vm.charge(values.len().saturating_mul(4))?;
    let fractions = values.iter().map(|value| Fraction::of(vm, value)).collect::<PyResult<_>>()?;
    Ok((fractions, all_ints))
}

fn total(fractions: &[Fraction]) -> Fraction {
    let zero = Fraction { numerator: 0.into(), denominator: 1.into() };
    fractions.iter().fold(zero, |sum, fraction| sum.add(fraction))
}

fn mean(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let values = data(vm, args, "mean")?;
    if values.is_empty() {
        return Err(error("mean requires at least one data point"));
    }
    if values.iter().any(|value| matches!(value, Value::Float(float) if !float.is_finite())) {
        let mut sum = 0.0;
        for value in &values {
            sum += convert::real(vm, value)?;
        }
        return Ok(Value::Float(sum));
    }
    let (fractions, all_ints) = fractions(vm, &values)?;
    Ok(total(&fractions).over(values.len()).to_value(all_ints))
}

enum Middle {
    Low,
    High,
    Mean,
}

fn median(vm: &mut Vm, args: Args, name: &'static str, middle: Middle) -> PyResult<Value> {
    let mut values = data(vm, args, name)?;
    sort::sort(vm, &mut values, None, false)?;
    let half = values.len() / 2;
    let at = |index: usize| values.get(index).cloned().unwrap_or_default();
    match (values.len(), middle) {
        (0, _) => Err(error("no median for empty data")),
        (count, Middle::Low) if count % 2 == 0 => Ok(at(half - 1)),
        (count, Middle::Mean) if count % 2 == 0 => {
            let sum = vm.binary(BinaryOp::Add, &at(half - 1), &at(half))?;
            vm.binary(BinaryOp::TrueDivide, &sum, &Value::Int(2))
        }
        _ => Ok(at(half)),
    }
}

/// The values with their counts, in the order of first meeting.
fn counts(vm: &mut Vm, values: Vec<Value>) -> PyResult<Vec<(Value, usize)>> {
    let mut table = indexmap::IndexMap::new();
    for value in values {
        vm.charge(1)?;
        *table.entry(crate::python::dict::Key::new(vm, value)?).or_insert(0_usize) += 1;
    }
    Ok(table.into_iter().map(|(key, count)| (key.value.clone(), count)).collect())
}

fn mode(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let values = data(vm, args, "mode")?;
    let counts = counts(vm, values)?;
    let most = counts.iter().map(|(_, count)| *count).max();
    let first = counts.into_iter().find(|(_, count)| Some(*count) == most);
    first.map(|(value, _)| value).ok_or_else(|| error("no mode for empty data"))
}

fn multimode(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let values = data(vm, args, "multimode")?;
    let counts = counts(vm, values)?;
    let most = counts.iter().map(|(_, count)| *count).max();
    let modes = counts.into_iter().filter(|(_, count)| Some(*count) == most);
    Ok(Value::list(modes.map(|(value, _)| value).collect()))
}

/// The variance, over the number of values less `correction`; its root where `root`.
fn deviation(vm: &mut Vm, args: Args, name: &'static str, correction: usize, root: bool) -> PyResult<Value> {
    let centre_name = if correction == 0 { "mu" } else { "xbar" };
    let [data, centre] = Signature::function(name, ["data", centre_name], 1).bind(args)?;
    let values = vm.collect(&data.unwrap_or_default())?;
    if values.len() <= correction {
        let needed = if correction == 0 { "one data point" } else { "two data points" };
        return Err(error(&format!("{name} requires at least {needed}")));
    }
    let (fractions, all_ints) = fractions(vm, &values)?;
    let centre = match centre.filter(|centre| !centre.is_none()) {
        Some(centre) => Fraction::of(vm, &centre)?,
        None => total(&fractions).over(fractions.len()),
    };
    vm.charge(fractions.len().saturating_mul(4))?;
    let squares: Vec<Fraction> = fractions.iter().map(|fraction| fraction.minus(&centre).square()).collect();
    let variance = total(&squares).over(values.len() - correction);
    if root {
        return Ok(Value::Float(root_of(&variance)));
    }
    Ok(variance.to_value(all_ints))
}

/// The square root of a fraction, correctly rounded: an integer root of 110 bits or more, with what is cut off in the
/// lowest bit, as CPython's `_float_sqrt_of_frac` takes it.
fn root_of(fraction: &Fraction) -> f64 {
    if fraction.numerator.is_zero() {
        return 0.0;
    }
    let bits = |number: &BigInt| i64::try_from(number.bits()).unwrap_or(i64::MAX / 2);
    let mut shift = 130 - (bits(&fraction.numerator) - bits(&fraction.denominator));
    shift += shift.rem_euclid(2);
    let amount = usize::try_from(shift.unsigned_abs()).unwrap_or_default();
    let (numerator, denominator) = if shift >= 0 {
        (&fraction.numerator << amount, fraction.denominator.clone())
    } else {
        (fraction.numerator.clone(), &fraction.denominator << amount)
    };
    let quotient = &numerator / &denominator;
    let mut root = quotient.sqrt();
    if &root * &root * &denominator != numerator {
        root |= BigInt::from(1);
    }
    libm::scalbn(root.to_f64().unwrap_or(f64::INFINITY), i32::try_from(-shift / 2).unwrap_or(0))
}
