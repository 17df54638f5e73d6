//! Writing JSON byte for byte as Python's `json.dumps` does: ASCII only, `", "` and `": "` between.

use std::fmt::Write;

use super::Json;
use tpv_python::number::float_text;

/// Appends a JSON value.
pub fn write_text(out: &mut String, value: &Json) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(true) => out.push_str("true"),
        Json::Bool(false) => out.push_str("false"),
        Json::Int(value) => super::dump::integer(out, *value),
        Json::BigInt(value) => number(out, value),
        Json::Float(value) => out.push_str(&super::writer::float_text(*value)),
        Json::Str(text) => escape_into(out, text),
        Json::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                write_text(out, item);
            }
            out.push(']');
        }
        Json::Object(items) => {
            out.push('{');
            for (index, (key, value)) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                escape_into(out, key);
                out.push_str(": ");
                write_text(out, value);
            }
            out.push('}');
        }
    }
}

fn number(out: &mut String, value: &dyn std::fmt::Display) {
    // Writing to a String never fails.
    let _ = write!(out, "{value}");
}

/// The text of a float: Python's `repr`, but for the names JavaScript has for what is not finite.
pub(super) fn float_text(value: f64) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "Infinity".to_owned() } else { "-Infinity".to_owned() }
    } else {
        float_text::repr(value)
    }
}

/// The length of a string as [`escape_into`] writes it.
pub(in crate::galaxy) fn escaped_len(text: &str) -> usize {
    let of = |char: char| match char {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        ' '..='~' => 1,
        other => 6 * other.len_utf16(),
    };
    text.chars().map(of).fold(2, usize::saturating_add)
}

/// Appends a string in double quotes, every character outside printable ASCII escaped.
pub fn escape_into(out: &mut String, text: &str) {
    out.push('"');
    // Every byte is looked at, so that many are at once.
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') & (byte != b'"') & (byte != b'\\');
    if text.bytes().fold(true, |plain, byte| plain & is_plain(byte)) {
        out.push_str(text);
    } else {
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
                other => {
                    for unit in other.encode_utf16(&mut [0; 2]) {
                        let _ = write!(out, "\\u{unit:04x}");
                    }
                }
            }
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &Json) -> String {
        let mut out = String::new();
        write_text(&mut out, value);
        out
    }

    #[test]
    fn writes_as_python_does() {
        let float = |value| text(&Json::Float(value));
        assert_eq!(
            [4.0, 1e16, 0.1, -0.0, 1e-5, f64::INFINITY, f64::NEG_INFINITY].map(float),
            ["4.0", "1e+16", "0.1", "-0.0", "1e-05", "Infinity", "-Infinity"]
        );
        assert_eq!(float(f64::NAN), "NaN");
        let all = Json::Object(vec![
            ("é".into(), Json::List(vec![Json::Null, Json::Bool(true), Json::Int(-3)])),
            ("a".into(), Json::str("\u{7f}\u{2028}\u{1F600}\u{1f}\n\t\u{8}\u{c}\"\\/")),
        ]);
        let expected = r#"{"\u00e9": [null, true, -3], "a": "\u007f\u2028\ud83d\ude00\u001f\n\t\b\f\"\\/"}"#;
        assert_eq!(text(&all), expected);
        let hard = "\u{7f}\u{2028}\u{1F600}\u{1f}\n\t\u{8}\u{c}\"\\/é~ ";
        assert_eq!(escaped_len(hard), text(&Json::str(hard)).len());
    }
}
