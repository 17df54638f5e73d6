//! The text of bytes that hold JSON: CPython finds out whether it is UTF-8, UTF-16 or UTF-32 by their first four.

use crate::codec::Encoding;
use crate::exception::{PyResult, UNICODE_DECODE_ERROR, raise_with};
use crate::lacking;
use crate::value::Value;
use crate::vm::{BYTES_A_STEP, Vm};

/// The width of a code unit in bytes, and their order.
#[derive(Clone, Copy)]
struct Units {
    name: &'static str,
    width: usize,
    is_big_endian: bool,
}

const UTF_16_BE: Units = Units { name: "utf-16-be", width: 2, is_big_endian: true };
const UTF_16_LE: Units = Units { name: "utf-16-le", width: 2, is_big_endian: false };
const UTF_32_BE: Units = Units { name: "utf-32-be", width: 4, is_big_endian: true };
const UTF_32_LE: Units = Units { name: "utf-32-le", width: 4, is_big_endian: false };

/// The text that `json.loads` reads of bytes. Lone surrogates become U+FFFD.
///
/// # Errors
/// `UnicodeDecodeError`
pub(super) fn decode(vm: &mut Vm, bytes: &[u8]) -> PyResult<String> {
    vm.charge(bytes.len() / BYTES_A_STEP)?;
    // `json.detect_encoding`; a byte order mark counts for the positions of errors, but before UTF-8.
    let (units, mark) = match bytes {
        [0, 0, 0xfe, 0xff, ..] => (UTF_32_BE, 4),
        [0xff, 0xfe, 0, 0, ..] => (UTF_32_LE, 4),
        [0xfe, 0xff, ..] => (UTF_16_BE, 2),
        [0xff, 0xfe, ..] => (UTF_16_LE, 2),
        [0xef, 0xbb, 0xbf, rest @ ..] => return utf_8(vm, rest),
        [0, 0, _, _, ..] => (UTF_32_BE, 0),
        [0, _, _, _, ..] | [0, _] => (UTF_16_BE, 0),
        [_, 0, 0, 0, ..] => (UTF_32_LE, 0),
        [_, 0, _, _, ..] | [_, 0] => (UTF_16_LE, 0),
        _ => return utf_8(vm, bytes),
    };
    units.decode(bytes, mark)
}

fn utf_8(vm: &mut Vm, bytes: &[u8]) -> PyResult<String> {
    let is_surrogate = |part: &[u8]| matches!(part, [0xed, 0xa0..=0xbf, 0x80..=0xbf]);
    if !bytes.windows(3).any(is_surrogate) {
        return Encoding::Utf8.decode(vm, bytes, "strict");
    }
    lacking::note("tpvc has no lone surrogates");
    let mut replaced = bytes.to_vec();
    let starts: Vec<usize> =
        bytes.windows(3).enumerate().filter(|(_, part)| is_surrogate(part)).map(|(at, _)| at).collect();
    for start in starts {
        if let Some(part) = replaced.get_mut(start..start + 3) {
            part.copy_from_slice("\u{fffd}".as_bytes());
        }
    }
    Encoding::Utf8.decode(vm, &replaced, "strict")
}

impl Units {
    fn decode(self, bytes: &[u8], mark: usize) -> PyResult<String> {
        let units: Vec<u32> =
            bytes.get(mark..).unwrap_or_default().chunks_exact(self.width).map(|unit| self.number(unit)).collect();
        let mut out = String::with_capacity(units.len());
        let mut at = 0;
        while let Some(unit) = units.get(at).copied() {
            let mut code = unit;
            at += 1;
            if self.width == 2
                && matches!(unit, 0xd800..=0xdbff)
                && let Some(low @ 0xdc00..=0xdfff) = units.get(at).copied()
            {
                code = 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                at += 1;
            }
            match char::from_u32(code) {
                Some(char) => out.push(char),
                None if code < 0x11_0000 => {
                    lacking::note("tpvc has no lone surrogates");
                    out.push('\u{fffd}');
                }
                None => {
                    let end = mark + at * self.width;
                    return Err(self.error(bytes, end - self.width, end, "code point not in range(0x110000)"));
                }
            }
        }
        match (bytes.len() - mark) % self.width {
            0 => Ok(out),
            more => Err(self.error(bytes, bytes.len() - more, bytes.len(), "truncated data")),
        }
    }

    fn number(self, unit: &[u8]) -> u32 {
        let add = |number: u32, byte: &u8| number << 8 | u32::from(*byte);
        if self.is_big_endian { unit.iter().fold(0, add) } else { unit.iter().rev().fold(0, add) }
    }

    fn error(self, bytes: &[u8], start: usize, end: usize, reason: &str) -> crate::exception::Raised {
        let args = vec![
            Value::str(self.name),
            Value::bytes(bytes.to_vec()),
            Value::from_usize(start),
            Value::from_usize(end),
            Value::str(reason),
        ];
        raise_with(&UNICODE_DECODE_ERROR, args)
    }
}
