//! Writing JSON byte for byte as Python's `json.dumps` does: ASCII only, `", "` and `": "` between.

use std::fmt::Write;

use super::Json;
use tpv_literal::int_text;
use tpv_python::modules::json::{escape_into, write_float};

/// The text of a value, as [`write_text`] writes it.
pub fn text_of(value: &Json) -> String {
    let mut out = String::new();
    write_text(&mut out, value);
    out
}

/// Appends a JSON value.
pub fn write_text(out: &mut String, value: &Json) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(true) => out.push_str("true"),
        Json::Bool(false) => out.push_str("false"),
        Json::Int(value) => int_text::write_small(out, *value),
        Json::BigInt(value) => number(out, value),
        Json::Float(value) => write_float(out, *value),
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

#[cfg(test)]
mod tests {
    use super::*;
    use tpv_python::modules::json::escaped_len;

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
