//! `datetime.timedelta`.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{FromPrimitive, Signed, ToPrimitive, Zero};

use super::MICROSECONDS_PER_DAY;
use crate::args::Args;
use crate::builtins::convert;
use crate::exception::{PyResult, overflow_error, type_error, zero_division_error};
use crate::number::Num;
use crate::object::Object;
use crate::types::{BuiltinType, OBJECT};
use crate::value::{Method, Value};
use crate::vm::{CompareOp, Vm};

/// `datetime.timedelta`
pub static TIMEDELTA: BuiltinType = BuiltinType {
    construct: Some(construct),
    methods: &[Method { name: "total_seconds", call: total_seconds }],
    ..BuiltinType::new("timedelta", "datetime", &OBJECT).static_in_c()
};

/// A `timedelta`, in microseconds.
pub(super) struct Delta(pub(super) i128);

/// A `timedelta` value.
pub(super) fn delta(microseconds: i128) -> PyResult<Value> {
    let days = microseconds.div_euclid(MICROSECONDS_PER_DAY);
    if i32::try_from(days).is_err() {
        return Err(overflow_error("Python int too large to convert to C int"));
    }
    if days.abs() > 999_999_999 {
        return Err(overflow_error(format!("days={days}; must have magnitude <= 999999999")));
    }
    Ok(Value::object(Delta(microseconds)))
}

/// The units of the constructor's arguments, in microseconds.
static UNITS: [(&str, i128); 7] = [
    ("days", MICROSECONDS_PER_DAY),
    ("seconds", 1_000_000),
    ("microseconds", 1),
    ("milliseconds", 1000),
    ("minutes", 60_000_000),
    ("hours", 3_600_000_000),
    ("weeks", 7 * MICROSECONDS_PER_DAY),
];

fn construct(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let parts = args.bind("__new__", UNITS.map(|(name, _)| name), 0)?;
    let mut whole = BigInt::default();
    // Fractions of a microsecond, summed as floats and rounded once, as CPython's `accum` leaves them to the end.
    let mut fraction = 0.0;
    let mut parts = parts.into_iter().zip(UNITS).collect::<Vec<_>>();
    // CPython adds up from the smallest unit.
    parts.sort_by_key(|(_, (_, unit))| *unit);
    for (part, (name, unit)) in parts {
        match part {
            None => {}
            Some(part @ (Value::Int(_) | Value::BigInt(_) | Value::Bool(_))) => {
                whole += convert::bigint(vm, &part)? * unit;
            }
            Some(Value::Float(number)) => {
                let int = convert::float_to_int(number)?;
                whole += convert::bigint(vm, &int)? * unit;
                #[expect(clippy::cast_precision_loss, reason = "as CPython multiplies the fraction, in floats")]
                let part = number.fract() * unit as f64;
                #[expect(clippy::cast_possible_truncation, reason = "less than a week of microseconds")]
                let int_part = part.trunc() as i128;
                whole += int_part;
                fraction += part.fract();
            }
            Some(other) => {
                return Err(type_error(format!(
                    "unsupported type for timedelta {name} component: {}",
                    other.type_name().as_str()
                )));
            }
        }
    }
    let rounded = rounded(whole.is_odd(), fraction);
    delta_of(&(whole + rounded))
}

/// The fraction rounded half to even, given whether the whole it is added to is odd.
fn rounded(is_odd: bool, fraction: f64) -> i128 {
    let offset = if is_odd { 1.0 } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, reason = "a few microseconds")]
    let result = ((fraction + offset).round_ties_even() - offset) as i128;
    result
}

fn receiver(this: &Value) -> PyResult<i128> {
    this.downcast::<Delta>()
        .map(|delta| delta.0)
        .ok_or_else(|| crate::methods::wrong_receiver("datetime.timedelta", this))
}

fn total_seconds(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [] = args.exactly("timedelta.total_seconds")?;
    quotient(vm, receiver(this)?, 1_000_000)
}

/// `a / b` of ints, as Python divides.
fn quotient(vm: &mut Vm, a: i128, b: i128) -> PyResult<Value> {
    let [a, b] = [a, b].map(|number| Value::from_bigint(BigInt::from(number)));
    vm.binary(crate::vm::BinaryOp::TrueDivide, &a, &b)
}

/// `a / b` rounded half to even.
fn divided(a: &BigInt, b: &BigInt) -> BigInt {
    let (a, b) = if b.is_negative() { (-a, -b) } else { (a.clone(), b.clone()) };
    let (floor, rest) = a.div_mod_floor(&b);
    let up = match (rest * 2_u8).cmp(&b) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => floor.is_odd(),
        std::cmp::Ordering::Greater => true,
    };
    if up { floor + 1 } else { floor }
}

/// The days, seconds and microseconds that CPython stores.
fn parts(microseconds: i128) -> (i128, i128, i128) {
    let rest = microseconds.rem_euclid(MICROSECONDS_PER_DAY);
    (microseconds.div_euclid(MICROSECONDS_PER_DAY), rest / 1_000_000, rest % 1_000_000)
}

/// The hash of a `timedelta`: of the tuple of its parts.
pub(super) fn hash(vm: &mut Vm, microseconds: i128) -> PyResult<i64> {
    let (days, seconds, rest) = parts(microseconds);
    let parts = [days, seconds, rest].map(|part| Value::from_bigint(part.into()));
    crate::hash::hash(vm, &Value::tuple(parts.into()))
}

/// A `timedelta` of a number of microseconds that may be beyond all bounds.
fn delta_of(microseconds: &BigInt) -> PyResult<Value> {
    match microseconds.to_i128() {
        Some(microseconds) => delta(microseconds),
        None => Err(overflow_error("Python int too large to convert to C int")),
    }
}

impl Object for Delta {
    fn class(&self) -> &'static BuiltinType {
        &TIMEDELTA
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        let (days, seconds, microseconds) = parts(self.0);
        let number = match name {
            "days" => days,
            "seconds" => seconds,
            "microseconds" => microseconds,
            _ => return Ok(None),
        };
        Ok(Some(Value::from_bigint(number.into())))
    }

    fn truthy(&self, _: &mut Vm) -> PyResult<bool> {
        Ok(self.0 != 0)
    }

    fn repr(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        let (days, seconds, microseconds) = parts(self.0);
        let named = [("days", days), ("seconds", seconds), ("microseconds", microseconds)];
        let shown: Vec<String> =
            named.iter().filter(|(_, number)| *number != 0).map(|(name, number)| format!("{name}={number}")).collect();
        let shown = if shown.is_empty() { "0".to_owned() } else { shown.join(", ") };
        Ok(format!("datetime.timedelta({shown})"))
    }

    fn str(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        let (days, seconds, microseconds) = parts(self.0);
        let mut text = String::new();
        if days != 0 {
            let plural = if days.abs() == 1 { "" } else { "s" };
            text = format!("{days} day{plural}, ");
        }
        text.push_str(&format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60));
        if microseconds != 0 {
            text.push_str(&format!(".{microseconds:06}"));
        }
        Ok(text)
    }

    fn compare(&self, _: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = other.downcast::<Self>()?;
        Some(Ok(Value::Bool(op.holds(self.0.cmp(&other.0)))))
    }

    fn equals_key(&self, other: &Value) -> bool {
        other.downcast::<Self>().is_some_and(|other| self.0 == other.0)
    }

    fn hash(&self, vm: &mut Vm) -> Option<PyResult<i64>> {
        Some(hash(vm, self.0))
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        if let Some(other) = other.downcast::<Self>() {
            let zero = || zero_division_error("integer division or modulo by zero");
            // Floored, as Python's `//` and `%` are.
            let floor = |a: i128, b: i128| a / b - i128::from(a % b != 0 && (a < 0) != (b < 0));
            return Some(match method {
                "add" => delta(self.0 + other.0),
                "sub" => delta(self.0 - other.0),
                "truediv" if other.0 == 0 => Err(zero_division_error("division by zero")),
                "truediv" => quotient(vm, self.0, other.0),
                "mod" if other.0 == 0 => Err(zero_division_error("integer modulo by zero")),
                "floordiv" | "divmod" if other.0 == 0 => Err(zero()),
                "floordiv" => Ok(Value::from_bigint(floor(self.0, other.0).into())),
                "mod" => delta(self.0 - floor(self.0, other.0) * other.0),
                "divmod" => {
                    let times = floor(self.0, other.0);
                    delta(self.0 - times * other.0)
                        .map(|rest| Value::tuple(vec![Value::from_bigint(times.into()), rest]))
                }
                _ => return None,
            });
        }
        if let Value::Float(factor) = other {
            return match method {
                "mul" | "rmul" | "truediv" => Some(scaled(self.0, *factor, method == "truediv")),
                _ => None,
            };
        }
        Num::int_of(other)?;
        // Computed with numbers that are made for it.
        if let Err(raised) = vm.charge(4) {
            return Some(Err(raised));
        }
        let number = match convert::bigint(vm, other) {
            Ok(number) => number,
            Err(raised) => return Some(Err(raised)),
        };
        match method {
            "mul" | "rmul" => Some(delta_of(&(number * self.0))),
            "truediv" | "floordiv" if number.is_zero() => {
                Some(Err(zero_division_error("integer division or modulo by zero")))
            }
            "truediv" => Some(delta_of(&divided(&self.0.into(), &number))),
            "floordiv" => Some(delta_of(&BigInt::from(self.0).div_floor(&number))),
            _ => None,
        }
    }

    fn unary(&self, _: &mut Vm, method: &str) -> Option<PyResult<Value>> {
        match method {
            "neg" => Some(delta(-self.0)),
            "pos" => Some(delta(self.0)),
            "abs" => Some(delta(self.0.abs())),
            _ => None,
        }
    }
}

/// A delta times a float, or divided by one: the float counts as the exact fraction it is.
fn scaled(microseconds: i128, factor: f64, divide: bool) -> PyResult<Value> {
    if divide && factor == 0.0 {
        return Err(zero_division_error("integer division or modulo by zero"));
    }
    if !factor.is_finite() {
        return Err(if factor.is_nan() {
            crate::exception::value_error("cannot convert NaN to integer ratio")
        } else {
            overflow_error("cannot convert Infinity to integer ratio")
        });
    }
    let (mantissa, exponent) = libm::frexp(factor);
    let mut numerator = BigInt::from_f64(mantissa * 9_007_199_254_740_992.0).unwrap_or_default();
    let mut denominator: BigInt = BigInt::from(1);
    let exponent = exponent - 53;
    let shift = usize::try_from(exponent.unsigned_abs()).unwrap_or_default();
    if exponent >= 0 {
        numerator <<= shift;
    } else {
        denominator <<= shift;
    }
    if divide {
        std::mem::swap(&mut numerator, &mut denominator);
    }
    delta_of(&divided(&(BigInt::from(microseconds) * numerator), &denominator))
}
