//! UTF-16 and UTF-32, with and without a mark of the order of bytes.

use super::Encoding;
use crate::python::exception::PyResult;

/// The order of the bytes of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As a mark at the start says; little-endian without one, and for writing.
    Marked,
    /// Little-endian
    Little,
    /// Big-endian
    Big,
}

const MARK: char = '\u{feff}';

/// The text in units of two or four bytes.
pub(super) fn encode(text: &str, width: usize, order: Order) -> Vec<u8> {
    let mut out = Vec::with_capacity((text.len() + 1) * width);
    let mut push = |unit: u32| {
        let bytes = if order == Order::Big { unit.to_be_bytes() } else { unit.to_le_bytes() };
        let (skipped, taken) = if order == Order::Big { (4 - width, width) } else { (0, width) };
        out.extend(bytes.iter().skip(skipped).take(taken));
    };
    if order == Order::Marked {
        push(u32::from(MARK));
    }
    for char in text.chars() {
        if width == 4 {
            push(u32::from(char));
        } else {
            char.encode_utf16(&mut [0; 2]).iter().for_each(|unit| push(u32::from(*unit)));
        }
    }
    out
}

/// The text of units of two or four bytes.
///
/// # Errors
/// `UnicodeDecodeError`, or `LookupError` for an unknown way to handle errors.
pub(super) fn decode(bytes: &[u8], width: usize, order: Order, errors: &str) -> PyResult<String> {
    let (little, big): (&[u8], &[u8]) =
        if width == 4 { (&[0xff, 0xfe, 0, 0], &[0, 0, 0xfe, 0xff]) } else { (&[0xff, 0xfe], &[0xfe, 0xff]) };
    let (order, mut at) = match order {
        Order::Marked if bytes.starts_with(little) => (Order::Little, width),
        Order::Marked if bytes.starts_with(big) => (Order::Big, width),
        Order::Marked => (Order::Little, 0),
        order => (order, 0),
    };
    let encoding = if width == 4 { Encoding::Utf32(order) } else { Encoding::Utf16(order) };
    let unit = |at: usize| {
        let bytes = bytes.get(at..at + width)?;
        let push = |unit: u32, byte: &u8| unit << 8 | u32::from(*byte);
        Some(match order {
            Order::Big => bytes.iter().fold(0, push),
            _ => bytes.iter().rev().fold(0, push),
        })
    };
    let mut out = String::with_capacity(bytes.len() / width);
    let bad = |start: usize, end: usize, reason: &str, out: &mut String| {
        encoding.bad_bytes(bytes, start, end.min(bytes.len()), reason, errors, out)
    };
    while at < bytes.len() {
        let Some(first) = unit(at) else {
            bad(at, bytes.len(), "truncated data", &mut out)?;
            break;
        };
        if let Some(char) = char::from_u32(first) {
            out.push(char);
            at += width;
            continue;
        }
        if width == 4 {
            let reason = if first < 0x11_0000 {
                "code point in surrogate code point range(0xd800, 0xe000)"
            } else {
                "code point not in range(0x110000)"
            };
            bad(at, at + width, reason, &mut out)?;
            at += width;
            continue;
        }
        // A high surrogate, which a low one must follow, or a low one alone.
        match unit(at + width) {
            Some(second) if first < 0xdc00 && (0xdc00..0xe000).contains(&second) => {
                out.extend(char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)));
                at += 2 * width;
            }
            None if first < 0xdc00 => {
                bad(at, bytes.len(), "unexpected end of data", &mut out)?;
                break;
            }
            _ => {
                let reason = if first < 0xdc00 { "illegal UTF-16 surrogate" } else { "illegal encoding" };
                bad(at, at + width, reason, &mut out)?;
                at += width;
            }
        }
    }
    Ok(out)
}
