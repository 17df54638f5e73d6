//! Values as YAML on one line.

use tpv_galaxy::json::{Json, write_text};
use tpv_text::printable::is_odd;

/// A mapping on one line.
pub(super) fn flow(fields: &[(&str, Json)]) -> String {
    let items: Vec<String> = fields.iter().map(|(key, value)| format!("{key}: {}", scalar(value))).collect();
    format!("{{{}}}", items.join(", "))
}

/// A value as YAML on one line.
pub(super) fn scalar(value: &Json) -> String {
    match value {
        Json::Str(text) => quoted(text),
        Json::List(items) => format!("[{}]", items.iter().map(scalar).collect::<Vec<_>>().join(", ")),
        Json::Object(items) => {
            let items: Vec<String> =
                items.iter().map(|(key, value)| format!("{}: {}", quoted(key), scalar(value))).collect();
            format!("{{{}}}", items.join(", "))
        }
        Json::Float(number) if number.is_nan() => ".nan".to_owned(),
        Json::Float(number) if number.is_infinite() => if *number > 0.0 { ".inf" } else { "-.inf" }.to_owned(),
        other => {
            let mut text = String::new();
            write_text(&mut text, other);
            text
        }
    }
}

/// A text, in quotes where YAML would read it otherwise.
pub(super) fn quoted(text: &str) -> String {
    const WORDS: [&str; 8] = ["true", "false", "null", "yes", "no", "on", "off", "y"];
    let starts_plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '/');
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@');
    if starts_plain && text.chars().all(is_plain) && !WORDS.contains(&text.to_ascii_lowercase().as_str()) {
        return text.to_owned();
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            // `##[error]` is a command of a CI server, wherever it is printed.
            '#' if out.ends_with('#') => out.push_str("\\x23"),
            c if is_odd(c) && u32::from(c) > 0xffff => out.push_str(&format!("\\U{:08x}", u32::from(c))),
            c if is_odd(c) => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
