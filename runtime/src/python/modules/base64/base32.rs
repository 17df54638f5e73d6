//! Base32, in its two alphabets.

use super::super::binascii::error;
use super::super::signature::Signature;
use super::{decodable, translate, viewed};
use crate::python::args::Args;
use crate::python::exception::{ASSERTION_ERROR, PyResult, raise};
use crate::python::value::Value;
use crate::python::vm::Vm;

/// The usual alphabet.
pub(super) const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/// The alphabet that keeps the order of what it encodes.
pub(super) const HEX_ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHIJKLMNOPQRSTUV";

pub(super) fn encode(vm: &mut Vm, args: Args, name: &'static str, alphabet: &[u8; 32]) -> PyResult<Value> {
    let data = super::one(args, name)?;
    let data = viewed(&data)?;
    vm.charge_bytes(data.len() / 5 * 8)?;
    let mut out = Vec::with_capacity(data.len().div_ceil(5) * 8);
    for chunk in data.chunks(5) {
        let word = (0..5).fold(0_u64, |word, index| word << 8 | u64::from(chunk.get(index).copied().unwrap_or(0)));
        let digits = (chunk.len() * 8).div_ceil(5);
        for place in 0..8 {
            let index = word >> (35 - 5 * place) & 31;
            let digit = usize::try_from(index).ok().and_then(|index| alphabet.get(index)).copied();
            out.push(if place < digits { digit.unwrap_or(b'=') } else { b'=' });
        }
    }
    Ok(Value::bytes(out))
}

pub(super) fn decode(vm: &mut Vm, args: Args, name: &'static str, alphabet: &[u8; 32]) -> PyResult<Value> {
    let (data, casefold, map) = if alphabet == ALPHABET {
        let [data, casefold, map] = Signature::function(name, ["s", "casefold", "map01"], 1).bind(args)?;
        (data, casefold, map)
    } else {
        let [data, casefold] = Signature::function(name, ["s", "casefold"], 1).bind(args)?;
        (data, casefold, None)
    };
    let data = data.unwrap_or_default();
    let mut data = decodable(&data)?.to_vec();
    vm.charge_bytes(data.len())?;
    if data.len() % 8 != 0 {
        return Err(error("Incorrect padding"));
    }
    if let Some(map) = map.filter(|map| !map.is_none()) {
        let [letter] = decodable(&map)? else {
            let shown = vm.repr(&Value::bytes(decodable(&map)?.to_vec()))?;
            return Err(raise(&ASSERTION_ERROR, shown));
        };
        translate(&mut data, b"01", &[b'O', *letter]);
    }
    if vm.truthy(&casefold.unwrap_or_default())? {
        data.make_ascii_uppercase();
    }
    let whole = data.len();
    while data.last() == Some(&b'=') {
        data.pop();
    }
    let padding = whole - data.len();
    let mut out = Vec::with_capacity(whole / 8 * 5);
    for chunk in data.chunks(8) {
        let mut word = 0_u64;
        for byte in chunk {
            let digit = alphabet.iter().position(|known| known == byte);
            word = word << 5 | digit.ok_or_else(|| error("Non-base32 digit found"))? as u64;
        }
        word <<= 5 * (8 - chunk.len());
        out.extend(word.to_be_bytes().into_iter().skip(3));
    }
    // How many digits are padding says how many bytes they lack.
    let lacking = match padding {
        0 => 0,
        1 => 1,
        3 => 2,
        4 => 3,
        6 => 4,
        _ => return Err(error("Incorrect padding")),
    };
    out.truncate(out.len().saturating_sub(lacking));
    Ok(Value::bytes(out))
}
