//! `base64`

mod base32;
mod base85;

use super::binascii::{self, from_base64, from_hex, to_base64};
use super::signature::Signature;
use crate::python::args::Args;
use crate::python::exception::{ASSERTION_ERROR, PyResult, raise, type_error, value_error};
use crate::python::methods::bytes::bytes_argument;
use crate::python::value::Value;
use crate::python::vm::Vm;

/// Pays for making so many bytes: each takes some work, which copying bytes does not.
fn charge_coding(vm: &mut Vm, bytes: usize) -> PyResult<()> {
    vm.charge_bytes(bytes)?;
    vm.charge(bytes / 16)
}

module! {
    /// `base64`
    MODULE = "base64";
    functions {
        "a85decode" => base85::a85decode,
        "a85encode" => base85::a85encode,
        "b16decode" => b16decode,
        "b16encode" => b16encode,
        "b32decode" => |vm, args| base32::decode(vm, args, "b32decode", base32::ALPHABET),
        "b32encode" => |vm, args| base32::encode(vm, args, "b32encode", base32::ALPHABET),
        "b32hexdecode" => |vm, args| base32::decode(vm, args, "b32hexdecode", base32::HEX_ALPHABET),
        "b32hexencode" => |vm, args| base32::encode(vm, args, "b32hexencode", base32::HEX_ALPHABET),
        "b64decode" => b64decode,
        "b64encode" => b64encode,
        "b85decode" => base85::b85decode,
        "b85encode" => base85::b85encode,
        "decodebytes" => decodebytes,
        "encodebytes" => encodebytes,
        "standard_b64decode" => |vm, args| simple_decode(vm, args, "standard_b64decode", b"+/"),
        "standard_b64encode" => |vm, args| simple_encode(vm, args, "standard_b64encode", b"+/"),
        "urlsafe_b64decode" => |vm, args| simple_decode(vm, args, "urlsafe_b64decode", b"-_"),
        "urlsafe_b64encode" => |vm, args| simple_encode(vm, args, "urlsafe_b64encode", b"-_"),
    }
    values(_vm) {}
}

/// Bytes to decode, which may be given as text.
fn decodable(value: &Value) -> PyResult<&[u8]> {
    match value {
        Value::Bytes(bytes) => Ok(bytes),
        Value::Str(text) if text.is_ascii() => Ok(text.as_bytes()),
        Value::Str(_) => Err(value_error("string argument should contain only ASCII characters")),
        other => {
            let found = other.class().name();
            Err(type_error(format!("argument should be a bytes-like object or ASCII string, not '{}'", found.as_str())))
        }
    }
}

/// Bytes to encode, of functions that CPython writes in Python.
fn viewed(value: &Value) -> PyResult<&[u8]> {
    match value {
        Value::Bytes(bytes) => Ok(bytes),
        other => {
            let found = other.type_name();
            Err(type_error(format!("memoryview: a bytes-like object is required, not '{}'", found.as_str())))
        }
    }
}

/// Replaces bytes of one list by those of the other.
fn translate(bytes: &mut [u8], from: &[u8], to: &[u8]) {
    for byte in bytes {
        // As in a table that is filled from front to back, the last one counts.
        if let Some(index) = from.iter().rposition(|known| known == byte) {
            *byte = to.get(index).copied().unwrap_or(*byte);
        }
    }
}

/// Refuses other than two characters, as CPython's `assert` does.
fn two<'a>(vm: &mut Vm, characters: &'a [u8]) -> PyResult<&'a [u8]> {
    if characters.len() == 2 {
        return Ok(characters);
    }
    let shown = vm.repr(&Value::bytes(characters.to_vec()))?;
    Err(raise(&ASSERTION_ERROR, shown))
}

fn b64encode(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [data, characters] = Signature::function("b64encode", ["s", "altchars"], 1).bind(args)?;
    let data = data.unwrap_or_default();
    let data = bytes_argument(&data)?;
    charge_coding(vm, data.len() / 3 * 4)?;
    let mut encoded = to_base64(data);
    if let Some(characters) = characters.filter(|characters| !characters.is_none()) {
        // CPython looks at their length first, of whatever it is.
        if vm.len(&characters)? != 2 {
            let shown = vm.repr(&characters)?;
            return Err(raise(&ASSERTION_ERROR, shown));
        }
        let characters = two(vm, bytes_argument(&characters)?)?;
        translate(&mut encoded, b"+/", characters);
    }
    Ok(Value::bytes(encoded))
}

fn b64decode(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [data, characters, validate] = Signature::function("b64decode", ["s", "altchars", "validate"], 1).bind(args)?;
    let data = data.unwrap_or_default();
    let mut data = decodable(&data)?.to_vec();
    charge_coding(vm, data.len())?;
    if let Some(characters) = characters.filter(|characters| !characters.is_none()) {
        let characters = two(vm, decodable(&characters)?)?;
        translate(&mut data, characters, b"+/");
    }
    let strict = match validate {
        Some(validate) => vm.truthy(&validate)?,
        None => false,
    };
    from_base64(&data, strict).map(Value::bytes)
}

fn one(args: Args, name: &'static str) -> PyResult<Value> {
    let [data] = Signature::function(name, ["s"], 1).bind(args)?;
    Ok(data.unwrap_or_default())
}

fn simple_encode(vm: &mut Vm, args: Args, name: &'static str, characters: &[u8]) -> PyResult<Value> {
    let data = one(args, name)?;
    let data = bytes_argument(&data)?;
    charge_coding(vm, data.len() / 3 * 4)?;
    let mut encoded = to_base64(data);
    translate(&mut encoded, b"+/", characters);
    Ok(Value::bytes(encoded))
}

fn simple_decode(vm: &mut Vm, args: Args, name: &'static str, characters: &[u8]) -> PyResult<Value> {
    let data = one(args, name)?;
    let mut data = decodable(&data)?.to_vec();
    charge_coding(vm, data.len())?;
    translate(&mut data, characters, b"+/");
    from_base64(&data, false).map(Value::bytes)
}

fn b16encode(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let data = one(args, "b16encode")?;
    let data = bytes_argument(&data)?;
    charge_coding(vm, data.len() * 2)?;
    Ok(Value::bytes(super::hashlib::hex(data).to_ascii_uppercase().into_bytes()))
}

fn b16decode(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [data, casefold] = Signature::function("b16decode", ["s", "casefold"], 1).bind(args)?;
    let data = data.unwrap_or_default();
    let mut data = decodable(&data)?.to_vec();
    charge_coding(vm, data.len())?;
    if vm.truthy(&casefold.unwrap_or_default())? {
        data.make_ascii_uppercase();
    }
    if !data.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F')) {
        return Err(binascii::error("Non-base16 digit found"));
    }
    from_hex(&data).map(Value::bytes)
}

/// The bytes of a line of `encodebytes`, which makes 76 characters.
const LINE: usize = 57;

fn plain(value: &Value) -> PyResult<&[u8]> {
    match value {
        Value::Bytes(bytes) => Ok(bytes),
        other => Err(type_error(format!("expected bytes-like object, not {}", other.class().name().as_str()))),
    }
}

fn encodebytes(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let data = one(args, "encodebytes")?;
    let data = plain(&data)?;
    charge_coding(vm, data.len() / 3 * 4)?;
    let mut out = Vec::new();
    for line in data.chunks(LINE) {
        out.extend(to_base64(line));
        out.push(b'\n');
    }
    Ok(Value::bytes(out))
}

fn decodebytes(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let data = one(args, "decodebytes")?;
    let data = plain(&data)?;
    charge_coding(vm, data.len())?;
    from_base64(data, false).map(Value::bytes)
}
