//! Characters as `%xx`, and back.

use crate::python::args::Args;
use crate::python::builtins::construct;
use crate::python::exception::{PyResult, type_error};
use crate::python::modules::signature::Signature;
use crate::python::string::Str;
use crate::python::value::Value;
use crate::python::vm::attributes::no_attribute;
use crate::python::vm::{BinaryOp, Vm};

const PARAMETERS: [&str; 4] = ["string", "safe", "encoding", "errors"];

fn always_safe(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'~')
}

/// The ASCII characters of `safe`.
fn safe_bytes(vm: &mut Vm, safe: &Value) -> PyResult<Vec<u8>> {
    Ok(match safe {
        Value::Str(safe) => safe.bytes().filter(u8::is_ascii).collect(),
        Value::Bytes(safe) => safe.iter().copied().filter(u8::is_ascii).collect(),
        other => {
            let mut kept = Vec::new();
            for item in vm.collect(other)? {
                if vm.less(&item, &Value::Int(128))? {
                    kept.push(item);
                }
            }
            match construct::bytes(vm, Args::one(Value::list(kept)))? {
                Value::Bytes(bytes) => bytes.to_vec(),
                _ => Vec::new(),
            }
        }
    })
}

fn quoted(vm: &mut Vm, bytes: &[u8], safe: &Value) -> PyResult<Value> {
    use std::fmt::Write;
    if bytes.is_empty() {
        return Ok(Value::str(""));
    }
    let safe = safe_bytes(vm, safe)?;
    vm.charge_bytes(bytes.len().saturating_mul(3))?;
    let mut out = String::with_capacity(bytes.len());
    for byte in bytes {
        if always_safe(*byte) || safe.contains(byte) {
            out.push(char::from(*byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    Ok(Value::str(out))
}

/// `quote_from_bytes(bs, safe="/")`
pub(super) fn quote_from_bytes(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [bytes, safe] = Signature::function("quote_from_bytes", ["bs", "safe"], 1).bind(args)?;
    let Some(Value::Bytes(bytes)) = bytes else { return Err(type_error("quote_from_bytes() expected bytes")) };
    quoted(vm, &bytes, &safe.unwrap_or_else(|| Value::str("/")))
}

/// `quote(string, safe="/", encoding=None, errors=None)`
pub(super) fn quote(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [string, safe, encoding, errors] = Signature::function("quote", PARAMETERS, 1).bind(args)?;
    let safe = safe.unwrap_or_else(|| Value::str("/"));
    quote_value(vm, &string.unwrap_or_default(), &safe, encoding, errors)
}

fn quote_value(
    vm: &mut Vm,
    string: &Value,
    safe: &Value,
    encoding: Option<Value>,
    errors: Option<Value>,
) -> PyResult<Value> {
    let given = |value: Option<Value>| value.filter(|value| !value.is_none());
    let (encoding, errors) = (given(encoding), given(errors));
    let bytes = match string {
        Value::Str(text) if text.is_empty() => return Ok(string.clone()),
        Value::Str(_) => {
            let encoding = encoding.unwrap_or_else(|| Value::str("utf-8"));
            let errors = errors.unwrap_or_else(|| Value::str("strict"));
            vm.call_method(string, "encode", Args::positional([encoding, errors]))?
        }
        _ if encoding.is_some() => return Err(type_error("quote() doesn't support 'encoding' for bytes")),
        _ if errors.is_some() => return Err(type_error("quote() doesn't support 'errors' for bytes")),
        other => other.clone(),
    };
    match &bytes {
        Value::Bytes(bytes) => quoted(vm, bytes, safe),
        _ => Err(type_error("quote_from_bytes() expected bytes")),
    }
}

/// `quote_plus(string, safe="", encoding=None, errors=None)`
pub(super) fn quote_plus(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [string, safe, encoding, errors] = Signature::function("quote_plus", PARAMETERS, 1).bind(args)?;
    let safe = safe.unwrap_or_else(|| Value::str(""));
    plus(vm, &string.unwrap_or_default(), &safe, encoding, errors)
}

/// As `quote_plus`.
pub(super) fn plus(
    vm: &mut Vm,
    string: &Value,
    safe: &Value,
    encoding: Option<Value>,
    errors: Option<Value>,
) -> PyResult<Value> {
    let without_space = match string {
        Value::Str(text) => !text.contains(' '),
        Value::Bytes(bytes) => !bytes.contains(&b' '),
        _ => false,
    };
    if without_space {
        return quote_value(vm, string, safe, encoding, errors);
    }
    let space = if matches!(safe, Value::Str(_)) { Value::str(" ") } else { Value::bytes(vec![b' ']) };
    let safe = vm.binary(BinaryOp::Add, safe, &space)?;
    let text = quote_value(vm, string, &safe, encoding, errors)?;
    Ok(Value::str(text.as_str().map(|text| text.replace(' ', "+")).unwrap_or_default()))
}

fn unquoted(bytes: &[u8]) -> Vec<u8> {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        let pair = digit(after.first()).zip(digit(after.get(1)));
        match pair.and_then(|(high, low)| u8::try_from(high << 4 | low).ok()) {
            Some(byte) if *first == b'%' => {
                out.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                out.push(*first);
                rest = after;
            }
        }
    }
    out
}

/// `unquote_to_bytes(string)`
pub(super) fn unquote_to_bytes(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [string] = Signature::function("unquote_to_bytes", ["string"], 1).bind(args)?.map(Option::unwrap_or_default);
    let bytes: &[u8] = match &string {
        Value::Str(text) => text.as_bytes(),
        Value::Bytes(bytes) => bytes,
        other => {
            let parts = vm.call_method(other, "split", Args::one(Value::bytes(b"%".to_vec())))?;
            return if vm.len(&parts)? == 1 { Ok(string.clone()) } else { Err(no_attribute(other, "split")) };
        }
    };
    vm.charge_bytes(bytes.len())?;
    Ok(Value::bytes(unquoted(bytes)))
}

/// `unquote(string, encoding="utf-8", errors="replace")`
pub(super) fn unquote(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [string, encoding, errors] = Signature::function("unquote", ["string", "encoding", "errors"], 1).bind(args)?;
    unquote_value(vm, &string.unwrap_or_default(), encoding, errors)
}

/// As `unquote`.
pub(super) fn unquote_value(
    vm: &mut Vm,
    string: &Value,
    encoding: Option<Value>,
    errors: Option<Value>,
) -> PyResult<Value> {
    // What is `None` is the default, for texts only.
    let given = |value: Option<Value>, default: &str| match value {
        Some(value) if !value.is_none() || matches!(string, Value::Bytes(_)) => value,
        _ => Value::str(default),
    };
    if let Value::Str(text) = string {
        vm.charge_bytes(text.len())?;
    }
    let options = [given(encoding, "utf-8"), given(errors, "replace")];
    let text = match string {
        Value::Bytes(bytes) => {
            vm.charge_bytes(bytes.len())?;
            let bytes = Value::bytes(unquoted(bytes));
            return vm.call_method(&bytes, "decode", Args::positional(options));
        }
        Value::Str(text) if !text.contains('%') => return Ok(string.clone()),
        Value::Str(text) => text,
        Value::None => return Err(type_error("argument of type 'NoneType' is not iterable")),
        other => {
            // What CPython asks of any argument.
            if !vm.contains(other, &Value::str("%"))? {
                vm.get_attr(other, "split")?;
                return Ok(other.clone());
            }
            let found = other.type_name();
            return Err(type_error(format!("expected string or bytes-like object, got '{}'", found.as_str())));
        }
    };
    vm.charge_bytes(text.len())?;
    let mut out = String::with_capacity(text.len());
    // Only runs of ASCII characters are decoded: other characters are none that were quoted.
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let end = rest.find(|char: char| !char.is_ascii()).unwrap_or(rest.len());
        let (ascii, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        if !ascii.is_empty() {
            let bytes = Value::bytes(unquoted(ascii.as_bytes()));
            let decoded = vm.call_method(&bytes, "decode", Args::positional(options.clone()))?;
            out.push_str(decoded.as_str().map_or("", Str::as_str));
        }
        let other = after.find(|char: char| char.is_ascii()).unwrap_or(after.len());
        let (others, next) = after.split_at_checked(other).unwrap_or((after, ""));
        out.push_str(others);
        rest = next;
    }
    Ok(Value::str(out))
}

/// `unquote_plus(string, encoding="utf-8", errors="replace")`
pub(super) fn unquote_plus(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [string, encoding, errors] =
        Signature::function("unquote_plus", ["string", "encoding", "errors"], 1).bind(args)?;
    let string = string.unwrap_or_default();
    let spaced = vm.call_method(&string, "replace", Args::positional([Value::str("+"), Value::str(" ")]))?;
    unquote_value(vm, &spaced, encoding, errors)
}
