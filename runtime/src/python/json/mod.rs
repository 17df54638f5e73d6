//! JSON as Python's `json` reads and writes it.

pub mod decode;
pub mod encode;

pub use decode::loads;
pub use encode::{Options, dumps};

use super::exception::{ExceptionObject, Raised, VALUE_ERROR};
use super::types::BuiltinType;
use super::value::Value;

/// `json.JSONDecodeError`
pub static JSON_DECODE_ERROR: BuiltinType = BuiltinType {
    construct: Some(|_, args| {
        let [message, doc, position] =
            super::modules::signature::Signature::method("JSONDecodeError.__init__", ["msg", "doc", "pos"], 3)
                .bind(args)?
                .map(Option::unwrap_or_default);
        match (&message, &doc, &position) {
            (Value::Str(message), Value::Str(doc), Value::Int(position)) => {
                let position = usize::try_from(*position).unwrap_or_default();
                let byte = doc.char_indices().nth(position).map_or(doc.len(), |(byte, _)| byte);
                Ok(decode_error(message, doc, byte).value())
            }
            _ => Err(super::exception::type_error("JSONDecodeError takes a str, a str and an int")),
        }
    }),
    ..BuiltinType::new("JSONDecodeError", "json.decoder", &VALUE_ERROR)
};

/// `JSONDecodeError(message, doc, pos)`, its position given in bytes.
pub(crate) fn decode_error(message: &str, doc: &str, byte: usize) -> Raised {
    let before = doc.get(..byte).unwrap_or(doc);
    let position = before.chars().count();
    let line = before.matches('\n').count() + 1;
    let column = match before.rfind('\n') {
        Some(newline) => before.get(newline..).unwrap_or_default().chars().count(),
        None => position + 1,
    };
    let text = format!("{message}: line {line} column {column} (char {position})");
    let object = ExceptionObject::new(&JSON_DECODE_ERROR, vec![Value::str(text)]);
    let attributes = [
        ("msg", Value::str(message)),
        ("doc", Value::str(doc)),
        ("pos", Value::from_usize(position)),
        ("lineno", Value::from_usize(line)),
        ("colno", Value::from_usize(column)),
    ];
    object.attributes.borrow_mut().extend(attributes.map(|(name, value)| (name.to_owned(), value)));
    Raised(object)
}
