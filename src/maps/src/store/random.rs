//! Names that nothing else has.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::super::Error;

/// Random bytes of the system.
fn bytes<const N: usize>() -> Result<[u8; N], Error> {
    let (path, mut bytes) = (Path::new("/dev/urandom"), [0; N]);
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut bytes));
    read.map(|()| bytes).map_err(|error| Error::io("read", path, &error))
}

/// A random UUID (version 4 of RFC 9562).
pub(super) fn uuid() -> Result<String, Error> {
    let number = u128::from_be_bytes(bytes()?);
    let number = number & !(0xf << 76) & !(0x3 << 62) | 0x4 << 76 | 0x2 << 62;
    let digits = format!("{number:032x}");
    let mut text = String::with_capacity(36);
    for (at, digit) in digits.chars().enumerate() {
        if matches!(at, 8 | 12 | 16 | 20) {
            text.push('-');
        }
        text.push(digit);
    }
    Ok(text)
}

/// Returns `true` for a text that [`uuid`] can give.
pub(super) fn is_uuid(text: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            14 => byte == b'4',
            19 => matches!(byte, b'8' | b'9' | b'a' | b'b'),
            _ => is_digit(byte),
        })
}

/// A token: 16 hexadecimal digits.
///
/// # Errors
/// The system has no random bytes.
pub fn token() -> Result<String, Error> {
    number().map(|number| format!("{number:016x}"))
}

/// A random number.
///
/// # Errors
/// The system has no random bytes.
pub fn number() -> Result<u64, Error> {
    Ok(u64::from_be_bytes(bytes()?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
    use super::*;

    #[test]
    fn a_uuid_says_that_it_is_random() {
        let (one, other) = (uuid().unwrap(), uuid().unwrap());
        assert_ne!(one, other);
        assert!(is_uuid(&one) && is_uuid(&other));
        for wrong in ["", "..", "../victim", &one[1..], &one.to_uppercase(), &one.replace('-', "/"), &format!("{one} ")]
        {
            assert!(!is_uuid(wrong), "{wrong}");
        }
        let parts: Vec<_> = one.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12]);
        assert_eq!(one.as_bytes()[14], b'4');
        assert!(matches!(one.as_bytes()[19], b'8' | b'9' | b'a' | b'b'), "{one}");
    }
}
