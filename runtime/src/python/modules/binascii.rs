//! `binascii`: bytes as text, and checksums. `zlib` has the checksums, too.

use super::class;
use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{EXCEPTION, PyResult, Raised, VALUE_ERROR, raise, type_error, value_error};
use crate::python::methods::bytes::bytes_argument;
use crate::python::types::BuiltinType;
use crate::python::value::Value;
use crate::python::vm::Vm;

module! {
    /// `binascii`
    MODULE = "binascii";
    functions {
        "a2b_base64" => a2b_base64,
        "a2b_hex" => |vm, args| unhexlify(vm, args, "a2b_hex"),
        "b2a_base64" => b2a_base64,
        "b2a_hex" => |vm, args| hexlify(vm, args, "b2a_hex"),
        "crc32" => |vm, args| checksum(vm, args, "crc32", 0, crc32),
        "crc_hqx" => crc_hqx,
        "hexlify" => |vm, args| hexlify(vm, args, "hexlify"),
        "unhexlify" => |vm, args| unhexlify(vm, args, "unhexlify"),
    }
    values(_vm) { "Error" => class(&ERROR), "Incomplete" => class(&INCOMPLETE) }
}

/// `zlib`: its checksums only.
pub mod zlib {
    module! {
        /// `zlib`
        MODULE = "zlib";
        functions {
            "adler32" => |vm, args| super::checksum(vm, args, "adler32", 1, super::adler32),
            "crc32" => |vm, args| super::checksum(vm, args, "crc32", 0, super::crc32),
        }
        values(_vm) {}
    }
}

/// `binascii.Error`
pub static ERROR: BuiltinType = BuiltinType {
    construct: Some(|vm, args| crate::python::builtins::construct::exception(vm, &ERROR, args)),
    ..BuiltinType::new("Error", "binascii", &VALUE_ERROR)
};

static INCOMPLETE: BuiltinType = BuiltinType {
    construct: Some(|vm, args| crate::python::builtins::construct::exception(vm, &INCOMPLETE, args)),
    ..BuiltinType::new("Incomplete", "binascii", &EXCEPTION)
};

/// Raises `binascii.Error`.
pub(super) fn error(message: impl Into<String>) -> Raised {
    raise(&ERROR, message)
}

/// Bytes, or text of ASCII characters.
fn ascii_buffer(value: &Value) -> PyResult<&[u8]> {
    match value {
        Value::Bytes(bytes) => Ok(bytes),
        Value::Str(text) if text.is_ascii() => Ok(text.as_bytes()),
        Value::Str(_) => Err(value_error("string argument should contain only ASCII characters")),
        other => {
            let found = other.type_name();
            Err(type_error(format!("argument should be bytes, buffer or ASCII string, not '{}'", found.as_str())))
        }
    }
}

/// `hexlify(data, sep=..., bytes_per_sep=1)`
fn hexlify(vm: &mut Vm, args: Args, name: &str) -> PyResult<Value> {
    let [data, separator, group] = args.bind(name, ["data", "sep", "bytes_per_sep"], 1)?;
    let data = data.unwrap_or_default();
    bytes_argument(&data)?;
    // Between bytes any byte may stand, between characters only one of ASCII.
    let byte = match &separator {
        Some(Value::Str(text)) if text.char_len() == 1 => {
            text.chars().next().and_then(|char| u8::try_from(u32::from(char)).ok())
        }
        Some(Value::Bytes(bytes)) if bytes.len() == 1 => bytes.first().copied(),
        _ => None,
    };
    let separator = if byte.is_some() { Some(Value::str("-")) } else { separator };
    let mut options = Args::positional(separator);
    options.kw.extend(group.map(|group| ("bytes_per_sep".into(), group)));
    let text = vm.call_method(&data, "hex", options)?;
    let mut digits = text.as_str().map(|text| text.as_bytes().to_vec()).unwrap_or_default();
    if let Some(byte) = byte {
        digits.iter_mut().filter(|digit| **digit == b'-').for_each(|digit| *digit = byte);
    }
    Ok(Value::bytes(digits))
}

/// `unhexlify(hexstr)`
fn unhexlify(vm: &mut Vm, args: Args, name: &str) -> PyResult<Value> {
    let [text] = args.exactly(&format!("binascii.{name}"))?;
    let text = ascii_buffer(&text)?;
    vm.charge_bytes(text.len() / 2)?;
    from_hex(text).map(Value::bytes)
}

/// The bytes that hexadecimal digits in pairs stand for.
///
/// # Errors
/// `binascii.Error`
pub(super) fn from_hex(text: &[u8]) -> PyResult<Vec<u8>> {
    let (pairs, []) = text.as_chunks::<2>() else { return Err(error("Odd-length string")) };
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let bytes: Option<Vec<u8>> = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect();
    bytes.ok_or_else(|| error("Non-hexadecimal digit found"))
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn b2a_base64(vm: &mut Vm, mut args: Args) -> PyResult<Value> {
    let newline = match args.kw.iter().position(|(name, _)| name.as_str() == "newline") {
        Some(index) => convert::index_i32(vm, &args.kw.remove(index).1)? != 0,
        None => true,
    };
    let [data] = args.exactly("binascii.b2a_base64")?;
    let data = bytes_argument(&data)?;
    vm.charge_bytes(data.len() / 3 * 4)?;
    let mut out = to_base64(data);
    if newline {
        out.push(b'\n');
    }
    Ok(Value::bytes(out))
}

/// Base64 with padding, on one line.
pub(super) fn to_base64(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len().div_ceil(3) * 4);
    for chunk in data.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4_u32 {
            let index = (word >> (18 - 6 * place)) & 63;
            let there = place as usize <= chunk.len();
            let digit = ALPHABET.get(index as usize).copied().unwrap_or(b'=');
            out.push(if there { digit } else { b'=' });
        }
    }
    out
}

fn a2b_base64(vm: &mut Vm, mut args: Args) -> PyResult<Value> {
    let strict = match args.kw.iter().position(|(name, _)| name.as_str() == "strict_mode") {
        Some(index) => vm.truthy(&args.kw.remove(index).1)?,
        None => false,
    };
    let [data] = args.exactly("binascii.a2b_base64")?;
    let data = ascii_buffer(&data)?;
    vm.charge_bytes(data.len())?;
    from_base64(data, strict).map(Value::bytes)
}

fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

/// Reads base64. What is no digit of it is passed over, unless `strict`.
///
/// # Errors
/// `binascii.Error`
pub(super) fn from_base64(data: &[u8], strict: bool) -> PyResult<Vec<u8>> {
    if strict && data.first() == Some(&b'=') {
        return Err(error("Leading padding not allowed"));
    }
    let mut out = Vec::with_capacity(data.len() / 4 * 3);
    // The digits of the group of four that was begun, the bits that are left of them, and the padding after them.
    let (mut place, mut left, mut pads) = (0_u8, 0_u8, 0_u8);
    let mut padding = false;
    for (index, byte) in data.iter().enumerate() {
        if *byte == b'=' {
            padding = true;
            if place >= 2 {
                pads += 1;
                if place + pads >= 4 {
                    return if strict && index + 1 < data.len() {
                        Err(error("Excess data after padding"))
                    } else {
                        Ok(out)
                    };
                }
            }
            continue;
        }
        let Some(digit) = sextet(*byte) else {
            if strict {
                return Err(error("Only base64 data is allowed"));
            }
            continue;
        };
        if strict && padding {
            return Err(error("Discontinuous padding not allowed"));
        }
        pads = 0;
        match place {
            0 => {}
            1 => out.push(left << 2 | digit >> 4),
            2 => out.push((left & 15) << 4 | digit >> 2),
            _ => out.push((left & 3) << 6 | digit),
        }
        left = digit;
        place = (place + 1) % 4;
    }
    match place {
        0 => Ok(out),
        1 => Err(error(format!(
            "Invalid base64-encoded string: number of data characters ({}) cannot be 1 more than a multiple of 4",
            out.len() / 3 * 4 + 1
        ))),
        _ => Err(error("Incorrect padding")),
    }
}

/// A checksum that another can be begun with: `crc32(data, value=0)`. The start is taken modulo 2**32.
fn checksum(vm: &mut Vm, args: Args, name: &str, start: u32, sum: fn(u32, &[u8]) -> u32) -> PyResult<Value> {
    let [data, value] = args.between(name, 1)?;
    let data = data.unwrap_or_default();
    let bytes = bytes_argument(&data)?;
    let start = match value {
        Some(value) => low_bits(vm, &value)?,
        None => start,
    };
    vm.charge(bytes.len() / 64)?;
    Ok(Value::Int(sum(start, bytes).into()))
}

/// The low 32 bits of an int of any size.
fn low_bits(vm: &mut Vm, value: &Value) -> PyResult<u32> {
    let number = convert::bigint(vm, value)? & num_bigint::BigInt::from(u32::MAX);
    Ok(u32::try_from(&number).unwrap_or_default())
}

fn crc32(start: u32, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(start);
    hasher.update(bytes);
    hasher.finalize()
}

fn adler32(start: u32, bytes: &[u8]) -> u32 {
    const MODULUS: u32 = 65_521;
    let (mut a, mut b) = ((start & 0xffff) % MODULUS, (start >> 16) % MODULUS);
    for byte in bytes {
        a = (a + u32::from(*byte)) % MODULUS;
        b = (b + a) % MODULUS;
    }
    b << 16 | a
}

/// `crc_hqx(data, crc)`: the CRC of BinHex, with the polynomial 0x1021.
fn crc_hqx(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [data, crc] = args.exactly("crc_hqx")?;
    let bytes = bytes_argument(&data)?;
    let crc = low_bits(vm, &crc)? & 0xffff;
    vm.charge(bytes.len() / 8)?;
    let sum = bytes.iter().fold(crc, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte) << 8, |crc, _| {
            let shifted = crc << 1;
            (if crc & 0x8000 == 0 { shifted } else { shifted ^ 0x1021 }) & 0xffff
        })
    });
    Ok(Value::Int(sum.into()))
}
