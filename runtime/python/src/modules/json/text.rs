//! Strings and floats as JSON has them: what readers and writers of JSON share.

use std::fmt::Write;

use tpv_literal::float_text as python;

/// Appends a float: Python's `repr`, but for the names JavaScript has for what is not finite.
pub fn write_float(out: &mut String, value: f64) {
    if value.is_nan() {
        out.push_str("NaN");
    } else if value.is_infinite() {
        out.push_str(if value > 0.0 { "Infinity" } else { "-Infinity" });
    } else {
        python::write_repr(out, value);
    }
}

/// The length of a string as [`escape_into`] writes it.
pub fn escaped_len(text: &str) -> usize {
    let of = |char: char| match char {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        ' '..='~' => 1,
        other => 6 * other.len_utf16(),
    };
    text.chars().map(of).fold(2, usize::saturating_add)
}

/// Returns `true` if a string contains nothing to escape.
#[inline]
pub fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some(last) = bytes.last_chunk() else {
        return bytes.iter().all(|byte| matches!(byte, b' '..=b'~') & (*byte != b'"') & (*byte != b'\\'));
    };
    // Every word is looked at, so that several are at once. The last may have bytes of the one before.
    let (words, _) = bytes.as_chunks();
    words.iter().chain([last]).fold(0, |found, word| found | escaped_bytes(*word)) == 0
}

/// One bit for each of eight bytes, as [`u64::from_le_bytes`] has them.
const ONES: u64 = u64::from_ne_bytes([1; 8]);

/// The highest bit of each of eight bytes.
const HIGH: u64 = ONES << 7;

/// The lowest bit that is set of [`HIGH`]'s is that of the first byte that is below `least`; those after it may be wrong, and so may be those of
/// bytes that have it set.
const fn below(word: u64, least: u8) -> u64 {
    word.wrapping_sub(ONES * least as u64)
}

/// The same of quotes and control characters. Without its second bit, a quote comes right after the control characters, which stay what they are.
const fn quote_or_control(word: u64) -> u64 {
    below(word ^ (ONES * 2), (b'"' ^ 2) + 1)
}

/// The same of one character.
const fn is(word: u64, byte: u8) -> u64 {
    below(word ^ (ONES * byte as u64), 1)
}

/// Zero if none of the bytes is escaped in JSON.
const fn escaped_bytes(bytes: [u8; 8]) -> u64 {
    let word = u64::from_le_bytes(bytes);
    (quote_or_control(word) | is(word, b'\\') | is(word, 0x7f) | word) & HIGH
}

/// Appends a string that [`is_plain`] in double quotes.
#[inline]
pub fn quote_plain(out: &mut String, text: &str) {
    out.reserve(text.len() + 2);
    out.push('"');
    out.push_str(text);
    out.push('"');
}

/// Appends a string in double quotes, every character outside printable ASCII escaped.
#[inline]
pub fn escape_into(out: &mut String, text: &str) {
    if is_plain(text) {
        quote_plain(out, text);
    } else {
        quote(out, text, true);
    }
}

/// Appends a string in double quotes; characters beyond ASCII are escaped, or left as they are.
pub(super) fn quote(out: &mut String, text: &str, ensure_ascii: bool) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(char),
            other if ensure_ascii || other < ' ' => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    // Writing to a String never fails.
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

/// The fault of an escape in a string.
pub enum BadEscape {
    /// The text ends.
    End,
    /// It is none of JSON's.
    Unknown,
    /// `\u` without four hexadecimal digits and something after them.
    Hex,
}

/// The character that the escape stands for whose backslash is before `at`, and where the escape ends. Half of a surrogate pair is no
/// character.
///
/// # Errors
/// Says what is wrong.
pub fn unescape(bytes: &[u8], at: usize) -> Result<(Option<char>, usize), BadEscape> {
    let char = match bytes.get(at).ok_or(BadEscape::End)? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let high = hex(bytes, at + 1).ok_or(BadEscape::Hex)?;
            let follows = (0xd800..0xdc00).contains(&high) && bytes.get(at + 5..at + 7) == Some(b"\\u");
            let low = if follows { hex(bytes, at + 7) } else { None };
            return Ok(match low.filter(|low| (0xdc00..0xe000).contains(low)) {
                Some(low) => (char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)), at + 11),
                None => (char::from_u32(high), at + 5),
            });
        }
        _ => return Err(BadEscape::Unknown),
    };
    Ok((Some(char), at + 1))
}

/// The number of four hexadecimal digits. CPython wants something after them, too.
fn hex(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at + 4)?;
    bytes.get(at..at + 4)?.iter().try_fold(0, |value, digit| Some(value * 16 + char::from(*digit).to_digit(16)?))
}

/// The position of the first quote, backslash or control character from here on, or the end of the text. Reads eight
/// bytes at a time.
// Called, not copied into its callers: alone, it has all its constants in registers.
#[inline(never)]
pub fn plain_end(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(word) = text.get(at..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(*word);
        let found = (quote_or_control(word) | is(word, b'\\')) & !word & HIGH;
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    plain_end_near_end(text, at)
}

/// The same where less than eight bytes are left.
#[cold]
fn plain_end_near_end(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f)).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_is_what_is_written_as_it_is() {
        let chars = (0..=0x7f_u8).map(char::from).chain(['\u{80}', 'é', '😀']);
        for char in chars {
            for length in 0..19 {
                for place in 0..=length {
                    let mut text = "a".repeat(length);
                    text.insert(place, char);
                    let mut escaped = String::new();
                    quote(&mut escaped, &text, true);
                    assert_eq!(is_plain(&text), escaped == format!("\"{text}\""), "{text:?}");
                }
            }
        }
        assert!(is_plain(""));
    }

    #[test]
    fn a_string_ends_at_the_first_quote_backslash_or_control() {
        let ends = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1f);
        // Each byte in each place of the word, after each other byte: what borrows must not be taken for an end.
        for before in 0..=u8::MAX {
            for byte in 0..=u8::MAX {
                for place in 0..19 {
                    let mut bytes = vec![before | 0x80; 19];
                    bytes.iter_mut().skip(place).take(1).for_each(|slot| *slot = byte);
                    let expected = bytes.iter().position(ends).unwrap_or(bytes.len());
                    assert_eq!(plain_end(&bytes, 0), expected, "{bytes:?}");
                }
            }
        }
    }
}
