//! Base85, as Adobe's Ascii85 and as Mercurial and Git write it.

use super::super::signature::Signature;
use super::charge_coding;
use super::{decodable, viewed};
use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{PyResult, value_error};
use crate::python::value::Value;
use crate::python::vm::{CompareOp, Vm};

const ALPHABET: &[u8; 85] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

fn ascii85_digit(index: u8) -> u8 {
    b'!' + index
}

fn alphabet_digit(index: u8) -> u8 {
    ALPHABET.get(usize::from(index)).copied().unwrap_or(b'~')
}

/// The digits of each four bytes; `short` gives the single letter that stands for some words.
fn encode(data: &[u8], digit: fn(u8) -> u8, pad: bool, short: impl Fn(u32) -> Option<u8>) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len().div_ceil(4) * 5);
    for chunk in data.chunks(4) {
        let word = (0..4).fold(0_u32, |word, index| word << 8 | u32::from(chunk.get(index).copied().unwrap_or(0)));
        let whole = chunk.len() == 4 || pad;
        if let Some(letter) = short(word).filter(|_| whole) {
            out.push(letter);
            continue;
        }
        let mut rest = word;
        let mut digits = [0; 5];
        for place in digits.iter_mut().rev() {
            *place = digit(u8::try_from(rest % 85).unwrap_or(0));
            rest /= 85;
        }
        out.extend(digits.iter().take(if whole { 5 } else { chunk.len() + 1 }));
    }
    out
}

pub(super) fn b85encode(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [data, pad] = Signature::function("b85encode", ["b", "pad"], 1).bind(args)?.map(Option::unwrap_or_default);
    let data = viewed(&data)?;
    charge_coding(vm, data.len() / 4 * 5)?;
    let pad = vm.truthy(&pad)?;
    Ok(Value::bytes(encode(data, alphabet_digit, pad, |_| None)))
}

pub(super) fn b85decode(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [data] = Signature::function("b85decode", ["b"], 1).bind(args)?.map(Option::unwrap_or_default);
    let data = decodable(&data)?;
    charge_coding(vm, data.len())?;
    let mut out = Vec::with_capacity(data.len().div_ceil(5) * 4);
    for (number, chunk) in data.chunks(5).enumerate() {
        let start = number * 5;
        let mut word = 0_u64;
        for place in 0..5 {
            // The last digits that are not there count as the highest.
            let byte = chunk.get(place).copied().unwrap_or(b'~');
            let digit = ALPHABET.iter().position(|known| *known == byte);
            let bad = || value_error(format!("bad base85 character at position {}", start + place));
            word = word * 85 + digit.ok_or_else(bad)? as u64;
        }
        let overflow = |_| value_error(format!("base85 overflow in hunk starting at byte {start}"));
        let word = u32::try_from(word).map_err(overflow)?;
        out.extend(word.to_be_bytes());
    }
    out.truncate(out.len().saturating_sub((5 - data.len() % 5) % 5));
    Ok(Value::bytes(out))
}

pub(super) fn a85encode(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let signature = Signature {
        name: "a85encode",
        parameters: ["b", "foldspaces", "wrapcol", "pad", "adobe"],
        positional: 1,
        required: 1,
        method: false,
    };
    let [data, spaces, column, pad, adobe] = signature.bind(args)?.map(Option::unwrap_or_default);
    let data = viewed(&data)?;
    charge_coding(vm, data.len() / 4 * 5)?;
    let (spaces, pad, adobe) = (vm.truthy(&spaces)?, vm.truthy(&pad)?, vm.truthy(&adobe)?);
    let mut out = encode(data, ascii85_digit, pad, |word| match word {
        0 => Some(b'z'),
        0x2020_2020 if spaces => Some(b'y'),
        _ => None,
    });
    if adobe {
        out.splice(0..0, *b"<~");
    }
    if vm.truthy(&column)? {
        let least = if adobe { 2 } else { 1 };
        // `max(least, wrapcol)`
        let above = vm.compare(CompareOp::Gt, &column, &Value::from_usize(least))?;
        let column = match vm.truthy(&above)? {
            true => usize::try_from(convert::index_clamped(vm, &column)?).unwrap_or(0).max(least),
            false => least,
        };
        let mut lines: Vec<&[u8]> = out.chunks(column).collect();
        if adobe && lines.last().is_some_and(|last| last.len() + 2 > column) {
            lines.push(b"");
        }
        out = lines.join(&b'\n');
    }
    if adobe {
        out.extend(b"~>");
    }
    Ok(Value::bytes(out))
}

pub(super) fn a85decode(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let signature = Signature {
        name: "a85decode",
        parameters: ["b", "foldspaces", "adobe", "ignorechars"],
        positional: 1,
        required: 1,
        method: false,
    };
    let [data, spaces, adobe, ignored] = signature.bind(args)?;
    let data = data.unwrap_or_default();
    let mut data = decodable(&data)?;
    charge_coding(vm, data.len())?;
    let spaces = vm.truthy(&spaces.unwrap_or_default())?;
    let ignored = ignored.unwrap_or_else(|| Value::bytes(b" \t\n\r\x0b".to_vec()));
    let ignored = viewed(&ignored)?;
    if vm.truthy(&adobe.unwrap_or_default())? {
        let Some(inside) = data.strip_suffix(b"~>") else {
            return Err(value_error("Ascii85 encoded byte sequences must end with b'~>'"));
        };
        data = inside.strip_prefix(b"<~").unwrap_or(inside);
    }
    let mut out = Vec::with_capacity(data.len() / 5 * 4);
    let (mut word, mut digits) = (0_u64, 0_usize);
    for byte in data.iter().chain(b"uuuu") {
        match byte {
            b'!'..=b'u' => {
                word = word * 85 + u64::from(byte - b'!');
                digits += 1;
                if digits == 5 {
                    let whole = u32::try_from(word).map_err(|_| value_error("Ascii85 overflow"))?;
                    out.extend(whole.to_be_bytes());
                    (word, digits) = (0, 0);
                }
            }
            b'z' if digits > 0 => return Err(value_error("z inside Ascii85 5-tuple")),
            b'z' => out.extend([0; 4]),
            b'y' if spaces && digits > 0 => return Err(value_error("y inside Ascii85 5-tuple")),
            b'y' if spaces => out.extend(b"    "),
            other if ignored.contains(other) => {}
            other => return Err(value_error(format!("Non-Ascii85 digit found: {}", char::from(*other)))),
        }
    }
    // Four digits were added; those that were not needed to complete the last word are what is left.
    out.truncate(out.len().saturating_sub(4 - digits));
    Ok(Value::bytes(out))
}
