//! `!!binary`: decodes the text and encodes the bytes as Python's `base64.encodebytes` does.
//!
//! The package `data-encoding` does not fit: Python ignores invalid characters and checks padding last, which is most of this file.

/// The digits in the order of their values.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// The bytes of a line of 76 digits.
const LINE: usize = 57;

/// The same bytes in lines of 76 digits, each with its line end; `None` where the digits do not make whole bytes.
pub(super) fn rewritten(text: &str) -> Option<String> {
    let bytes = decode(text)?;
    let mut out = String::new();
    for line in bytes.chunks(LINE) {
        for part in line.chunks(3) {
            let at = |index: usize| u32::from(part.get(index).copied().unwrap_or(0));
            let bits = at(0) << 16 | at(1) << 8 | at(2);
            for index in 0..4 {
                let digit = DIGITS.get((bits >> (18 - 6 * index) & 63) as usize).copied().unwrap_or(b'=');
                out.push(if index as usize > part.len() { '=' } else { char::from(digit) });
            }
        }
        out.push('\n');
    }
    Some(out)
}

/// The bytes; characters that are not digits are skipped, as in Python.
fn decode(text: &str) -> Option<Vec<u8>> {
    let (mut out, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for byte in text.bytes() {
        if byte == b'=' && count >= 2 {
            // The end of the data, once the last digits are whole.
            break;
        }
        let Some(value) = DIGITS.iter().position(|digit| *digit == byte) else { continue };
        bits = bits << 6 | u32::try_from(value).ok()?;
        count += 1;
        if count == 4 {
            out.extend(bits.to_be_bytes().get(1..)?);
            (bits, count) = (0, 0);
        }
    }
    let padding = text.bytes().filter(|byte| *byte == b'=').count();
    match count {
        0 => {}
        2 if padding >= 2 => out.push(u8::try_from(bits >> 4 & 0xff).ok()?),
        3 if padding >= 1 => out.extend(u16::try_from(bits >> 2 & 0xffff).ok()?.to_be_bytes()),
        _ => return None,
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::rewritten;

    #[test]
    fn bytes_are_written_as_python_writes_them() {
        for text in ["", "YQ==\n", "YWI=\n", "aGVsbG8=\n"] {
            assert_eq!(rewritten(text).unwrap(), text);
        }
        assert_eq!(rewritten("aGV sbG8\n=").unwrap(), "aGVsbG8=\n");
        let long = rewritten(&"QUJD".repeat(20)).unwrap();
        assert_eq!(long, format!("{}\n{}\n", "QUJD".repeat(19), "QUJD"));
        assert!(rewritten("YQ").is_none() && rewritten("Y").is_none());
    }
}
