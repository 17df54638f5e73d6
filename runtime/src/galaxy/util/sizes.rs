//! Sizes as text, and back.

use crate::galaxy::signature;
use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{PyResult, VALUE_ERROR, attribute_error, type_error, value_error};
use crate::python::number::parse;
use crate::python::value::Value;
use crate::python::vm::{BinaryOp, Vm};

const PREFIXES: [&str; 11] = ["", "K", "M", "G", "T", "P", "E", "Z", "Y", "R", "Q"];

/// The number in the largest unit that it has at least one of, and the prefix of the unit.
fn prefixed(vm: &mut Vm, number: &Value, base: &Value) -> PyResult<(Value, &'static str)> {
    let negative = vm.less(number, &Value::Int(0))?;
    let size = if negative { vm.call_method(number, "__abs__", Args::none()) } else { Ok(number.clone()) };
    let size = match size {
        Ok(size) => size,
        Err(_) => vm.binary(BinaryOp::Multiply, number, &Value::Int(-1))?,
    };
    let signed = vm.binary(BinaryOp::Multiply, &Value::Int(if negative { -1 } else { 1 }), &size)?;
    let mut power = Value::Int(1);
    let mut chosen = "";
    for (index, prefix) in PREFIXES.into_iter().enumerate() {
        chosen = prefix;
        let next = vm.binary(BinaryOp::Multiply, &power, base)?;
        if index + 1 == PREFIXES.len() || vm.less(&size, &next)? {
            break;
        }
        power = next;
    }
    Ok((vm.binary(BinaryOp::TrueDivide, &signed, &power)?, chosen))
}

/// `metric_prefix(number, base)`
pub(super) fn metric_prefix(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [number, base] = signature::bind(args, "metric_prefix", ["number", "base"], 2)?.map(Option::unwrap_or_default);
    let (number, prefix) = prefixed(vm, &number, &base)?;
    Ok(Value::tuple(vec![number, Value::str(prefix)]))
}

/// `shorten_with_metric_prefix(amount)`: with a prefix where that is not longer.
pub(super) fn shorten_with_metric_prefix(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [amount] = signature::bind(args, "shorten_with_metric_prefix", ["amount"], 1)?.map(Option::unwrap_or_default);
    let (number, prefix) = prefixed(vm, &amount, &Value::Int(1000))?;
    let number = convert::real(vm, &number)?;
    let digits = if number.fract() == 0.0 { format!("{number:.0}") } else { format!("{number:.1}") };
    let short = format!("{digits}{prefix}");
    let whole = vm.str(&amount)?;
    Ok(if short.len() <= whole.len() { Value::str(short) } else { Value::Str(whole) })
}

/// `nice_size(size, binary=False)`
pub(super) fn nice_size(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [size, binary] = signature::bind(args, "nice_size", ["size", "binary"], 1)?.map(Option::unwrap_or_default);
    let float = Value::Type((&crate::python::types::FLOAT).into());
    let size = match vm.call(&float, Args::one(size)) {
        Err(raised) if raised.is(&VALUE_ERROR) => return Ok(Value::str("??? bytes")),
        size => size?,
    };
    let binary = vm.truthy(&binary)?;
    let (size, prefix) = prefixed(vm, &size, &Value::Int(if binary { 1024 } else { 1000 }))?;
    if prefix.is_empty() {
        let whole = convert::float_to_int(convert::real(vm, &size)?)?;
        return Ok(Value::str(format!("{} bytes", vm.str(&whole)?.as_str())));
    }
    let size = vm.format(&size, ".1f")?;
    Ok(Value::str(format!("{} {prefix}{}", size.as_str(), if binary { "iB" } else { "B" })))
}

/// The power of the base that a unit stands for, and whether it is one of base 1024 whatever was asked for.
fn unit(text: &str) -> Option<(i32, bool)> {
    const UNITS: [(&str, &str, &str); 6] = [
        ("k", "kibibyte", "kilobyte"),
        ("m", "mebibyte", "megabyte"),
        ("g", "gibibyte", "gigabyte"),
        ("t", "tebibyte", "terabyte"),
        ("p", "pebibyte", "petabyte"),
        ("e", "exbibyte", "exabyte"),
    ];
    if matches!(text, "" | "b" | "byte" | "bytes") {
        return Some((0, false));
    }
    let singular = text.strip_suffix('s').unwrap_or(text);
    UNITS.iter().zip(1..).find_map(|((letter, binary, decimal), power)| {
        let rest = text.strip_prefix(letter)?;
        let is_binary = rest == "ib" || singular == *binary;
        let is_decimal = matches!(rest, "" | "b") || singular == *decimal;
        (is_binary || is_decimal).then_some((power, is_binary))
    })
}

/// Where the number at the start of a text ends: digits with a point, and an exponent.
fn number_end(text: &str) -> Option<usize> {
    let digits = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        rest.chars().take_while(|char| crate::python::unicode::is_decimal(*char)).map(char::len_utf8).sum::<usize>()
    };
    let starts = |at: usize, chars: &[char]| text.get(at..).is_some_and(|rest| rest.starts_with(chars));
    let whole = digits(0);
    let mut end = whole;
    if starts(end, &['.']) {
        let fraction = digits(end + 1);
        if whole == 0 && fraction == 0 {
            return None;
        }
        end += 1 + fraction;
    } else if whole == 0 {
        return None;
    }
    if starts(end, &['e']) {
        let sign = usize::from(starts(end + 1, &['+', '-']));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    Some(end)
}

/// `size_to_bytes(size, binary=False)`
pub(super) fn size_to_bytes(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [size, binary] = signature::bind(args, "size_to_bytes", ["size", "binary"], 1)?.map(Option::unwrap_or_default);
    let Value::Str(text) = &size else {
        return Err(attribute_error(format!("'{}' object has no attribute 'lower'", size.type_name().as_str())));
    };
    vm.charge(text.len() / 16)?;
    let unparsed = || value_error(format!("Could not parse string '{}'", text.as_str()));
    let lower = text.to_lowercase();
    // As `$` of a regular expression does, the end may be before a line break.
    let lower = lower.strip_suffix('\n').unwrap_or(&lower);
    let end = number_end(lower).ok_or_else(unparsed)?;
    let (number, rest) = lower.split_at_checked(end).ok_or_else(unparsed)?;
    let (power, always_binary) =
        unit(rest.trim_start_matches(crate::python::unicode::is_space)).ok_or_else(unparsed)?;
    let number = parse::float(number).ok_or_else(unparsed)?;
    let base: f64 = if always_binary || vm.truthy(&binary)? { 1024.0 } else { 1000.0 };
    // Both bases to the sixth are exact.
    convert::float_to_int(if power == 0 { number } else { number * base.powi(power) })
}

/// `commaify(amount)`: commas between groups of three digits of the number that a text begins with.
pub(super) fn commaify(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [amount] = signature::bind(args, "commaify", ["amount"], 1)?.map(Option::unwrap_or_default);
    let Value::Str(text) = &amount else {
        let found = amount.type_name();
        return Err(type_error(format!("expected string or bytes-like object, got '{}'", found.as_str())));
    };
    vm.charge_bytes(text.len().saturating_mul(2))?;
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(unsigned) => ("-", unsigned),
        None => ("", text.as_str()),
    };
    let is_digit = |char: &char| crate::python::unicode::is_decimal(*char);
    let digits: Vec<char> = unsigned.chars().take_while(is_digit).collect();
    let mut out = sign.to_owned();
    for (index, digit) in digits.iter().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(*digit);
    }
    out.extend(unsigned.chars().skip(digits.len()));
    Ok(Value::str(out))
}
