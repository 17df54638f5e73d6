//! Strings and floats as JSON has them.

use std::fmt::Write;

use crate::number::float_text as python;

/// The text of a float: Python's `repr`, but for the names JavaScript has for what is not finite.
pub fn float_text(value: f64) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "Infinity".to_owned() } else { "-Infinity".to_owned() }
    } else {
        python::repr(value)
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

/// Appends a string in double quotes, every character outside printable ASCII escaped.
pub fn escape_into(out: &mut String, text: &str) {
    // Every byte is looked at, so that many are at once.
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') & (byte != b'"') & (byte != b'\\');
    if text.bytes().fold(true, |plain, byte| plain & is_plain(byte)) {
        out.push('"');
        out.push_str(text);
        out.push('"');
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
