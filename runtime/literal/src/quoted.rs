//! Text in quotes, as `repr` gives it.

use crate::unicode;

/// `repr(str)`
pub fn str_repr(text: &str) -> String {
    let quote = quote_for(text.contains('\''), text.contains('"'));
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for char in text.chars() {
        if char == quote || char == '\\' {
            out.push('\\');
            out.push(char);
        } else if unicode::is_printable(char) {
            out.push(char);
        } else {
            push_escape(char, &mut out);
        }
    }
    out.push(quote);
    out
}

/// `repr(bytes)`
pub fn bytes_repr(bytes: &[u8]) -> String {
    let quote = quote_for(bytes.contains(&b'\''), bytes.contains(&b'"'));
    let mut out = format!("b{quote}");
    for byte in bytes {
        let char = char::from(*byte);
        if char == quote || char == '\\' {
            out.push('\\');
            out.push(char);
        } else if (' '..='~').contains(&char) {
            out.push(char);
        } else {
            push_escape(char, &mut out);
        }
    }
    out.push(quote);
    out
}

/// Appends a character as `\n`, `\x..`, `\u....` or `\U........`.
pub fn push_escape(char: char, out: &mut String) {
    match char {
        '\t' => out.push_str("\\t"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        _ => match u32::from(char) {
            code @ 0..=0xff => out.push_str(&format!("\\x{code:02x}")),
            code @ 0x100..=0xffff => out.push_str(&format!("\\u{code:04x}")),
            code => out.push_str(&format!("\\U{code:08x}")),
        },
    }
}

/// The quote that `repr` puts around a text: single, unless the text holds single quotes and no double ones.
fn quote_for(single: bool, double: bool) -> char {
    if single && !double { '"' } else { '\'' }
}
