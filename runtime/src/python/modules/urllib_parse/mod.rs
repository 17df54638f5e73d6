//! `urllib.parse`, for addresses as text.

mod join;
mod query;
mod quote;
mod split;

use crate::python::exception::{PyResult, not_implemented_error, type_error};
use crate::python::string::Str;
use crate::python::types::{BYTES, Type};
use crate::python::value::Value;
use crate::python::vm::attributes::no_attribute;

module! {
    /// `urllib.parse`
    MODULE = "urllib.parse";
    functions {
        "parse_qs" => query::parse_qs,
        "parse_qsl" => query::parse_qsl,
        "quote" => quote::quote,
        "quote_from_bytes" => quote::quote_from_bytes,
        "quote_plus" => quote::quote_plus,
        "unquote" => quote::unquote,
        "unquote_plus" => quote::unquote_plus,
        "unquote_to_bytes" => quote::unquote_to_bytes,
        "urldefrag" => join::urldefrag,
        "urlencode" => query::urlencode,
        "urljoin" => join::urljoin,
        "urlparse" => split::urlparse,
        "urlsplit" => split::urlsplit,
        "urlunparse" => join::urlunparse,
        "urlunsplit" => join::urlunsplit,
    }
    values(_vm) {
        "DefragResult" => split::class(split::Kind::Defrag),
        "ParseResult" => split::class(split::Kind::Parse),
        "SplitResult" => split::class(split::Kind::Split),
    }
}

/// An address or a part of one.
///
/// DIFFERENCE: addresses as bytes are refused.
fn text(value: &Value) -> PyResult<&Str> {
    match value {
        Value::Str(text) => Ok(text),
        // What is nothing counts as empty bytes.
        Value::Bytes(_) | Value::None | Value::Bool(false) | Value::Int(0) => {
            Err(not_implemented_error("addresses as bytes"))
        }
        Value::Type(class) if class.same(&Type::Builtin(&BYTES)) => {
            Err(type_error("descriptor 'decode' for 'bytes' objects doesn't apply to a 'str' object"))
        }
        other => Err(no_attribute(other, "decode")),
    }
}
