//! Patterns of bytes: they run on text of the characters U+0000 to U+00FF, one a byte, as CPython reads them.

use std::borrow::Cow;

use crate::python::string::Str;
use crate::python::value::Value;

/// Bytes as the text of the characters of these numbers.
pub fn latin(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

/// A part of such a text as bytes again; of any other text itself.
pub(super) fn part(text: &str, of_bytes: bool) -> Value {
    if !of_bytes {
        return Value::str(text);
    }
    Value::bytes(text.chars().map(|char| u8::try_from(u32::from(char)).unwrap_or(b'?')).collect::<Vec<u8>>())
}

/// The text of a value of the kind that is asked for.
pub(super) fn text_of(value: &Value, of_bytes: bool) -> Option<Cow<'_, Str>> {
    match value {
        Value::Str(text) if !of_bytes => Some(Cow::Borrowed(text)),
        Value::Bytes(bytes) if of_bytes => Some(Cow::Owned(Str::from(latin(bytes)))),
        _ => None,
    }
}
