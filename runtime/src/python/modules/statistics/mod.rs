//! `statistics`, for ints and floats.

mod averages;
mod relations;

use std::rc::Rc;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

use super::class;
use super::enums;
use super::signature::Signature;
use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{
    PyResult, Raised, VALUE_ERROR, attribute_error, overflow_error, raise, type_error, value_error,
};
use crate::python::methods::sort;
use crate::python::types::{BuiltinType, Class, FLOAT, INT, Type};
use crate::python::value::Value;
use crate::python::vm::members::plain;
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
}

/// What the module's `_exact_ratio` gives: a fraction, or the float that is none.
enum Exact {
    Fraction(Fraction),
    Special(f64),
}

fn exact_ratio(vm: &mut Vm, value: &Value) -> PyResult<Exact> {
    Ok(match &plain(value) {
        Value::Float(float) if float.is_finite() => Exact::Fraction(Fraction::of_float(*float)),
        Value::Float(float) => Exact::Special(*float),
        number @ (Value::Int(_) | Value::BigInt(_) | Value::Bool(_)) => {
            Exact::Fraction(Fraction { numerator: convert::bigint(vm, number)?, denominator: 1.into() })
        }
        Value::Type(class) if [&INT, &FLOAT].iter().any(|number| class.is_subclass(&Type::Builtin(number))) => {
            // CPython asks it for its ratio.
            let method = vm.get_attr(value, "as_integer_ratio")?;
            vm.call(&method, Args::none())?;
            return Err(type_error("a class has no ratio"));
        }
        _ => {
            let class = value.class().name();
            return Err(type_error(format!("can't convert type '{}' to numerator/denominator", class.as_str())));
        }
    })
}

/// A sum of exact numbers, or of the floats among them that are infinite or no number.
enum Sum {
    Exact(Fraction),
    Special(f64),
}

impl Sum {
    fn over(&self, count: usize) -> Self {
        match self {
            Self::Exact(sum) => Self::Exact(sum.over(count)),
            Self::Special(sum) => Self::Special(*sum),
        }
    }

    /// The nearest float.
    fn to_float(&self) -> f64 {
        match self {
            Self::Exact(fraction) => fraction.to_float(),
            Self::Special(float) => *float,
        }
    }

    /// `_convert`: an int where it is one and no float took part, else a float.
    fn to_value(&self, all_ints: bool) -> PyResult<Value> {
        let fraction = match self {
            Self::Special(float) => return Ok(Value::Float(*float)),
            Self::Exact(fraction) => fraction,
        };
        if all_ints && fraction.denominator == BigInt::from(1) {
            return Ok(Value::from_bigint(fraction.numerator.clone()));
        }
        let float = fraction.to_float();
        if float.is_infinite() {
            return Err(overflow_error("integer division result too large for a float"));
        }
        Ok(Value::Float(float))
    }
}

/// Values as exact numbers: the fractions, the special floats, and whether no float is among them.
struct Numbers {
    fractions: Vec<Fraction>,
    specials: Vec<f64>,
    all_ints: bool,
    /// The enumeration of the members among them, which makes the result one of its members.
    members: Option<Rc<Class>>,
}

impl Numbers {
    /// `_convert`, to the class of the data.
    fn value_of(&self, vm: &mut Vm, sum: &Sum) -> PyResult<Value> {
        match (&self.members, sum) {
            (Some(class), Sum::Exact(fraction)) if self.all_ints && fraction.denominator == BigInt::from(1) => {
                let number = Value::from_bigint(fraction.numerator.clone());
                enums::find(vm, class, &number).map_err(|raised| {
                    let class = class.qualified_name().as_str();
                    match raised.is(&VALUE_ERROR) {
                        true => value_error(format!("Fraction({}, 1) is not a valid {class}", fraction.numerator)),
                        false => raised,
                    }
                })
            }
            _ => sum.to_value(self.all_ints),
        }
    }

    /// The numbers of an iterable, each looked at as it comes.
    fn of(vm: &mut Vm, data: &Value) -> PyResult<Self> {
        let mut numbers = Self { fractions: Vec::new(), specials: Vec::new(), all_ints: true, members: None };
        let iterator = vm.iter(data)?;
        while let Some(value) = vm.next(&iterator)? {
            numbers.add(vm, &value)?;
        }
        Ok(numbers)
    }

    fn add(&mut self, vm: &mut Vm, value: &Value) -> PyResult<()> {
        vm.charge(8)?;
        self.all_ints &= !matches!(value, Value::Float(_));
        if let Value::Instance(member) = value {
            self.members = Some(member.class.clone());
        }
        match exact_ratio(vm, value)? {
            Exact::Fraction(fraction) => {
                // Sums of fractions are as wide as all their denominators.
                let bits = fraction.numerator.bits() + fraction.denominator.bits();
                vm.charge(usize::try_from(bits.saturating_mul(bits) / 1024).unwrap_or(usize::MAX))?;
                self.fractions.push(fraction);
            }
            Exact::Special(float) => self.specials.push(float),
        }
        Ok(())
    }

    fn count(&self) -> usize {
        self.fractions.len() + self.specials.len()
    }

    fn sum(&self) -> Sum {
        match self.special() {
            Some(special) => Sum::Special(special),
            None => Sum::Exact(total(&self.fractions)),
        }
    }

    /// The sum of the floats that are no fractions, where there are any.
    fn special(&self) -> Option<f64> {
        (!self.specials.is_empty()).then(|| self.specials.iter().sum())
    }
}

fn total(fractions: &[Fraction]) -> Fraction {
    let zero = Fraction { numerator: 0.into(), denominator: 1.into() };
    fractions.iter().fold(zero, |sum, fraction| sum.add(fraction))
}

fn mean(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [data] = Signature::function("mean", ["data"], 1).bind(args)?.map(Option::unwrap_or_default);
    let numbers = Numbers::of(vm, &data)?;
    if numbers.count() == 0 {
        return Err(error("mean requires at least one data point"));
    }
    let mean = numbers.sum().over(numbers.count());
    numbers.value_of(vm, &mean)
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

/// The values that the one argument gives with their counts, in the order of first meeting.
fn counts(vm: &mut Vm, args: Args, name: &'static str) -> PyResult<Vec<(Value, usize)>> {
    let [data] = Signature::function(name, ["data"], 1).bind(args)?.map(Option::unwrap_or_default);
    let values = vm.iter(&data)?;
    let mut table = indexmap::IndexMap::new();
    while let Some(value) = vm.next(&values)? {
        // A place in the table, which moves as it grows.
        vm.charge(4)?;
        *table.entry(crate::python::dict::Key::new(vm, value)?).or_insert(0_usize) += 1;
    }
    Ok(table.into_iter().map(|(key, count)| (key.value.clone(), count)).collect())
}

fn mode(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let counts = counts(vm, args, "mode")?;
    let most = counts.iter().map(|(_, count)| *count).max();
    let first = counts.into_iter().find(|(_, count)| Some(*count) == most);
    first.map(|(value, _)| value).ok_or_else(|| error("no mode for empty data"))
}

fn multimode(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let counts = counts(vm, args, "multimode")?;
    let most = counts.iter().map(|(_, count)| *count).max();
    let modes = counts.into_iter().filter(|(_, count)| Some(*count) == most);
    Ok(Value::list(modes.map(|(value, _)| value).collect()))
}

/// The variance, over the number of values less `correction`; its root where `root`.
fn deviation(vm: &mut Vm, args: Args, name: &'static str, correction: usize, root: bool) -> PyResult<Value> {
    let centre_name = if correction == 0 { "mu" } else { "xbar" };
    let [data, centre] = Signature::function(name, ["data", centre_name], 1).bind(args)?;
    let data = data.unwrap_or_default();
    let (numbers, squares) = match centre.filter(|centre| !centre.is_none()) {
        // The deviations from a centre that is given are taken by the operators, and squared so.
        Some(centre) => {
            let mut squares = Numbers { fractions: Vec::new(), specials: Vec::new(), all_ints: true, members: None };
            let iterator = vm.iter(&data)?;
            while let Some(value) = vm.next(&iterator)? {
                let deviation = vm.binary(BinaryOp::Subtract, &value, &centre)?;
                let square = vm.binary(BinaryOp::Multiply, &deviation, &deviation)?;
                squares.add(vm, &square)?;
            }
            let sum = squares.sum();
            (squares, sum)
        }
        None => {
            let numbers = Numbers::of(vm, &data)?;
            let sum = match numbers.special() {
                Some(special) => Sum::Special(special),
                None if numbers.count() == 0 => Sum::Exact(total(&[])),
                None => {
                    // A difference and a square each, of twice as many digits.
                    vm.charge(numbers.count().saturating_mul(16))?;
                    let centre = total(&numbers.fractions).over(numbers.count());
                    let squares: Vec<_> =
                        numbers.fractions.iter().map(|fraction| fraction.minus(&centre).square()).collect();
                    Sum::Exact(total(&squares))
                }
            };
            (numbers, sum)
        }
    };
    if numbers.count() <= correction {
        let needed = if correction == 0 { "one data point" } else { "two data points" };
        return Err(error(&format!("{name} requires at least {needed}")));
    }
    let variance = squares.over(numbers.count() - correction);
    match (&variance, root) {
        (variance, false) => numbers.value_of(vm, variance),
        (Sum::Exact(variance), true) => Ok(Value::Float(root_of(variance))),
        // The module takes the root of a fraction, which such a float is not.
        (Sum::Special(_), true) => Err(attribute_error("'float' object has no attribute 'numerator'")),
    }
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
