//! The arithmetic of Python on bounds.
//!
//! A bound is a double, and bounds the exact number, be it an int or a float. Floats are rounded in the same direction on both sides, so
//! that the bounds of a result are the rounded results of the bounds; ints are exact, so that if a bound is rounded it moves outwards.

use tpv_bytecode::kernel::Function;
use tpv_bytecode::{BinaryOp, UnaryOp};

use super::evaluate::Outcome;
use super::value::{Kinds, Value};

/// Up to here, doubles hold every int.
pub(super) const EXACT: f64 = 9_007_199_254_740_992.0;

/// The maximum relative error of a C library's `pow`.
const POWER_ERROR: f64 = 1e-12;

type Bounds = (f64, f64);

/// `left op right`
pub(super) fn binary(op: BinaryOp, left: &Value, right: &Value) -> Outcome {
    let mut out = Outcome { value: Value::nothing(), raises: false };
    let others = |value: &Value| value.kinds().without(Kinds::NUMBER);
    if left.kinds().has(Kinds::OTHER) || right.kinds().has(Kinds::OTHER) {
        return Outcome::unknown();
    }
    if others(left) != Kinds::NO || others(right) != Kinds::NO {
        out.raises = true;
        let text = left.kinds().or(right.kinds()).has(Kinds::TEXT);
        if text && matches!(op, BinaryOp::Add | BinaryOp::Multiply | BinaryOp::Remainder) {
            out.value = Value::of_kinds(Kinds::TEXT);
        }
    }
    let (left, right) = (left.only(Kinds::NUMBER), right.only(Kinds::NUMBER));
    if left.is_nothing() || right.is_nothing() {
        return out;
    }
    let numbers = numbers(op, &left, &right);
    Outcome { value: out.value.or(&numbers.value), raises: out.raises || numbers.raises }
}

/// `left op right` of numbers.
fn numbers(op: BinaryOp, left: &Value, right: &Value) -> Outcome {
    let floats = left.kinds().or(right.kinds()).has(Kinds::FLOAT);
    let ints = left.kinds().has(Kinds::WHOLE) && right.kinds().has(Kinds::WHOLE);
    let mut kinds = Kinds::NO;
    if floats {
        kinds = kinds.or(Kinds::FLOAT);
    }
    if ints {
        kinds = kinds.or(Kinds::INT);
    }
    if matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor) {
        return bits(op, left, right);
    }
    let nan = left.may_be_nan() || right.may_be_nan();
    let (Some(a), Some(b)) = (left.bounds(), right.bounds()) else {
        // One of them is NaN, which divided by 0 raises.
        return Outcome { value: Value::of_kinds(Kinds::FLOAT), raises: true };
    };
    // An int that no float holds cannot be computed with floats.
    let mut raises = floats && [(left, a), (right, b)].iter().any(|(value, bounds)| is_huge(value, *bounds));
    let infinite = [(left, a), (right, b)].iter().any(|(value, bounds)| may_be_infinite(value, *bounds));
    let value = match op {
        BinaryOp::Add => {
            let (low, high) = outwards(ints, a.0 + b.0, a.1 + b.1);
            Value::number(kinds, low, high, nan || infinite)
        }
        BinaryOp::Subtract => {
            let (low, high) = outwards(ints, a.0 - b.1, a.1 - b.0);
            Value::number(kinds, low, high, nan || infinite)
        }
        BinaryOp::Multiply => {
            let (low, high) = corners(a, b, |a, b| if a == 0.0 || b == 0.0 { 0.0 } else { a * b });
            let (low, high) = outwards(ints, low, high);
            Value::number(kinds, low, high, nan || infinite)
        }
        BinaryOp::TrueDivide | BinaryOp::FloorDivide | BinaryOp::Remainder => {
            raises |= has_zero(b) || is_huge(left, a) || is_huge(right, b);
            let whole = right.kinds().within(Kinds::WHOLE);
            divide(op, a, b, whole, (kinds, nan || infinite))
        }
        BinaryOp::Power => return power(a, b, kinds, nan || infinite),
        _ => return Outcome { value: Value::any(), raises: true },
    };
    Outcome { value, raises }
}

fn has_zero((low, high): Bounds) -> bool {
    low <= 0.0 && high >= 0.0
}

/// Returns `true` if an int may be too large for a float.
fn is_huge(value: &Value, (low, high): Bounds) -> bool {
    value.kinds().has(Kinds::WHOLE) && (low <= -f64::MAX || high >= f64::MAX)
}

/// Returns `true` if a float may be infinite.
fn may_be_infinite(value: &Value, (low, high): Bounds) -> bool {
    value.kinds().has(Kinds::FLOAT) && (low.is_infinite() || high.is_infinite())
}

/// Bounds that are moved outwards if ints were rounded.
fn outwards(ints: bool, low: f64, high: f64) -> Bounds {
    if low.is_nan() || high.is_nan() {
        return (f64::NEG_INFINITY, f64::INFINITY);
    }
    if ints && (low.abs() > EXACT || high.abs() > EXACT) { (low.next_down(), high.next_up()) } else { (low, high) }
}

/// The least and the greatest result at the corners, for operations whose extremes are there.
fn corners(a: Bounds, b: Bounds, f: impl Fn(f64, f64) -> f64) -> Bounds {
    let results = [f(a.0, b.0), f(a.0, b.1), f(a.1, b.0), f(a.1, b.1)];
    if results.iter().any(|result| result.is_nan()) {
        return (f64::NEG_INFINITY, f64::INFINITY);
    }
    (results.into_iter().fold(f64::INFINITY, f64::min), results.into_iter().fold(f64::NEG_INFINITY, f64::max))
}

/// `a / b`, `a // b` or `a % b` for a `b` that is not 0.
fn divide(op: BinaryOp, a: Bounds, b: Bounds, whole: bool, (kinds, nan): (Kinds, bool)) -> Value {
    let least = if whole { 1.0 } else { f64::from_bits(1) };
    let b = match b {
        (0.0, 0.0) => return Value::number(kinds, f64::INFINITY, f64::NEG_INFINITY, nan),
        (0.0, high) => (least, high),
        (low, 0.0) => (low, -least),
        other => other,
    };
    let crosses = has_zero(b);
    let everything = (f64::NEG_INFINITY, f64::INFINITY);
    let (low, high) = match op {
        BinaryOp::Remainder if b.0 > 0.0 => (0.0, if a.0 >= 0.0 { b.1.min(a.1) } else { b.1 }),
        BinaryOp::Remainder if b.1 < 0.0 => (b.0, 0.0),
        BinaryOp::Remainder => b,
        _ if crosses => everything,
        _ => match corners(a, b, |a, b| a / b) {
            (low, _) if low == f64::NEG_INFINITY && a.0 >= 0.0 && b.0 > 0.0 => (0.0, f64::INFINITY),
            bounds => bounds,
        },
    };
    match op {
        BinaryOp::TrueDivide => Value::number(Kinds::FLOAT, low, high, nan),
        // Python's floor of floats comes from the remainder, and may be one off the quotient's.
        BinaryOp::FloorDivide => {
            let slack = if kinds.has(Kinds::FLOAT) { 1.0 } else { 0.0 };
            let (low, high) = (low.next_down().floor() - slack, high.next_up().floor() + slack);
            Value::number(kinds, low.next_down(), high.next_up(), nan)
        }
        _ => Value::number(kinds, low, high, nan),
    }
}

/// `a ** b`, which is bounded only if neither is negative.
fn power(a: Bounds, b: Bounds, kinds: Kinds, nan: bool) -> Outcome {
    if a.0 < 0.0 || b.0 < 0.0 {
        // A negative base gives complex numbers, too.
        return Outcome { value: Value::of_kinds(Kinds::NUMBER.or(Kinds::OTHER)), raises: true };
    }
    let least = a.0.powf(b.0).min(a.0.powf(b.1));
    let most = a.1.powf(b.0).max(a.1.powf(b.1));
    let (low, high) = (least * (1.0 - POWER_ERROR), most * (1.0 + POWER_ERROR));
    Outcome { value: Value::number(kinds, low, high, nan), raises: true }
}

/// `&`, `|` and `^`.
fn bits(op: BinaryOp, left: &Value, right: &Value) -> Outcome {
    let raises = left.kinds().or(right.kinds()).has(Kinds::FLOAT);
    let (left, right) = (left.only(Kinds::WHOLE), right.only(Kinds::WHOLE));
    let (Some(a), Some(b)) = (left.bounds(), right.bounds()) else {
        return Outcome { value: Value::nothing(), raises: true };
    };
    let bools = left.kinds().has(Kinds::BOOL) && right.kinds().has(Kinds::BOOL);
    let ints = left.kinds().or(right.kinds()).has(Kinds::INT);
    let mut kinds = if bools { Kinds::BOOL } else { Kinds::NO };
    if ints {
        kinds = kinds.or(Kinds::INT);
    }
    let (low, high) = match op {
        _ if a.0 < 0.0 || b.0 < 0.0 => (f64::NEG_INFINITY, f64::INFINITY),
        BinaryOp::And => (0.0, a.1.min(b.1)),
        // No result has a bit that neither has.
        _ => (0.0, (a.1 + b.1).next_up()),
    };
    Outcome { value: Value::number(kinds, low, if ints { high } else { high.min(1.0) }, false), raises }
}

/// `op operand`, but for `not`.
pub(super) fn unary(op: UnaryOp, operand: &Value) -> Outcome {
    if operand.kinds().has(Kinds::OTHER) {
        return Outcome::unknown();
    }
    let mut raises = operand.kinds().has(Kinds::NONE.or(Kinds::TEXT));
    let mut kinds = operand.kinds().and(Kinds::FLOAT);
    if operand.kinds().has(Kinds::WHOLE) {
        kinds = kinds.or(Kinds::INT);
    }
    let nan = operand.may_be_nan();
    let Some((low, high)) = operand.bounds() else {
        let value = if nan { Value::float(f64::NAN) } else { Value::nothing() };
        return Outcome { value, raises: true };
    };
    let value = match op {
        UnaryOp::Invert => {
            raises |= kinds.has(Kinds::FLOAT);
            let (low, high) = outwards(true, -high - 1.0, -low - 1.0);
            Value::number(kinds.and(Kinds::INT), low, high, false)
        }
        UnaryOp::Negative => Value::number(kinds, -high, -low, nan),
        UnaryOp::Positive => Value::number(kinds, low, high, nan),
        UnaryOp::Not => return Outcome::unknown(),
    };
    Outcome { value, raises }
}

/// A builtin's value.
pub(super) fn call(function: Function, arguments: &[Value]) -> Outcome {
    let Some((first, rest)) = arguments.split_first() else { return Outcome::unknown() };
    if arguments.iter().any(|argument| argument.kinds().has(Kinds::OTHER)) {
        return Outcome::unknown();
    }
    if matches!(function, Function::Min | Function::Max) {
        return extreme(function, first, rest);
    }
    let mut raises = !first.kinds().within(Kinds::NUMBER) || first.may_be_nan();
    // Of text, `int` and `float` may make any number.
    let (mut low, mut high) = first.bounds().unwrap_or((f64::INFINITY, f64::NEG_INFINITY));
    let whole = first.kinds().has(Kinds::WHOLE);
    let mut kinds = first.kinds().and(Kinds::NUMBER);
    if kinds.has(Kinds::BOOL) {
        kinds = kinds.without(Kinds::BOOL).or(Kinds::INT);
    }
    let mut nan = first.may_be_nan();
    let reads = first.kinds().has(Kinds::TEXT) && matches!(function, Function::Int | Function::Float);
    match function {
        Function::Int => {
            raises |= kinds.has(Kinds::FLOAT) && (low.is_infinite() || high.is_infinite());
            (low, high, kinds, nan) = (low.trunc(), high.trunc(), Kinds::INT, false);
        }
        Function::Float => {
            raises |= whole && (low <= -f64::MAX || high >= f64::MAX);
            kinds = Kinds::FLOAT;
        }
        Function::Abs => {
            (low, high) = match (low, high) {
                (low, high) if low >= 0.0 => (low, high),
                (low, high) if high <= 0.0 => (-high, -low),
                (low, high) => (0.0, high.max(-low)),
            };
        }
        Function::Round => match rest.first() {
            None => {
                raises |= kinds.has(Kinds::FLOAT) && (low.is_infinite() || high.is_infinite());
                (low, high, kinds, nan) = (low.round_ties_even(), high.round_ties_even(), Kinds::INT, false);
            }
            // With `None` it is `round` of one argument, with text it raises.
            Some(digits) if !digits.kinds().within(Kinds::WHOLE) => {
                return Outcome { value: Value::of_kinds(Kinds::INT.or(Kinds::FLOAT)), raises: true };
            }
            Some(digits) => {
                // To digits after the point, a float moves by less than one.
                if digits.bounds().is_none_or(|(least, _)| least < 0.0) {
                    (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
                } else if kinds.has(Kinds::FLOAT) {
                    let digits = digits.bounds().map_or(0.0, |(least, _)| least);
                    let step = 10.0_f64.powf(-digits.min(300.0));
                    (low, high) = ((low - step).next_down(), (high + step).next_up());
                }
                raises |= kinds.has(Kinds::FLOAT) && high.max(-low) >= f64::MAX;
            }
        },
        Function::Min | Function::Max => {}
    }
    let value = if low > high && !nan { Value::nothing() } else { Value::number(kinds, low, high, nan) };
    let read = match function {
        _ if !reads => Value::nothing(),
        Function::Int => Value::of_kinds(Kinds::INT),
        _ => Value::of_kinds(Kinds::FLOAT),
    };
    Outcome { value: value.or(&read), raises }
}

/// `min` and `max`: one of the arguments.
fn extreme(function: Function, first: &Value, rest: &[Value]) -> Outcome {
    let all = || std::iter::once(first).chain(rest);
    let union = all().fold(Value::nothing(), |union, value| union.or(value));
    let plain = all().all(|value| value.kinds().within(Kinds::NUMBER) && !value.may_be_nan());
    if !plain {
        // Texts compare with texts alone; NaN makes the result depend on the order.
        return Outcome { raises: !union.kinds().within(Kinds::NUMBER), value: union };
    }
    let bounds = || all().filter_map(Value::bounds);
    let pick = if function == Function::Min { f64::min } else { f64::max };
    let start = if function == Function::Min { f64::INFINITY } else { f64::NEG_INFINITY };
    let low = bounds().map(|(low, _)| low).fold(start, pick);
    let high = bounds().map(|(_, high)| high).fold(start, pick);
    Outcome { value: Value::number(union.kinds(), low, high, false), raises: false }
}
