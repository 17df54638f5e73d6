//! Fields of the job file by the kinds of their values.

use super::raw::RawJson;
use crate::galaxy::json::{Fault, Kind, Reader};
use tpv_python::value::Value;

pub(super) fn expect(reader: &mut Reader<'_>, kind: Kind, message: &str) -> Result<(), Fault> {
    if reader.kind()? == kind { Ok(()) } else { Err(Fault::new(message, reader.offset())) }
}

pub(super) fn text(reader: &mut Reader<'_>) -> Result<Box<str>, Fault> {
    Ok(reader.string()?.into())
}

pub(in crate::galaxy) fn text_or_null(reader: &mut Reader<'_>) -> Result<Option<Box<str>>, Fault> {
    match reader.kind()? {
        Kind::Null => reader.null().map(|_| None),
        Kind::String => text(reader).map(Some),
        _ => Err(Fault::new("must be a string or null", reader.offset())),
    }
}

pub(super) fn int(reader: &mut Reader<'_>) -> Result<i64, Fault> {
    let at = reader.offset();
    match reader.integer()? {
        Value::Int(value) => Ok(value),
        _ => Err(Fault::new("must be an integer of at most 64 bits", at)),
    }
}

/// Reads `null` as nothing, and anything else with `read`.
pub(super) fn or_null<T>(
    reader: &mut Reader<'_>,
    read: impl FnOnce(&mut Reader<'_>) -> Result<T, Fault>,
) -> Result<Option<T>, Fault> {
    if reader.null()? { Ok(None) } else { read(reader).map(Some) }
}

pub(super) fn object_or_null(reader: &mut Reader<'_>) -> Result<Option<RawJson>, Fault> {
    match reader.kind()? {
        Kind::Null => reader.null().map(|_| None),
        Kind::Object => RawJson::read(reader).map(Some),
        _ => Err(Fault::new("must be an object or null", reader.offset())),
    }
}

pub(super) fn missing(field: &str) -> Fault {
    Fault::new("missing", 0).under(field)
}

pub(super) fn expect_object_or_null(reader: &mut Reader<'_>) -> Result<(), Fault> {
    match reader.kind()? {
        Kind::Null | Kind::Object => Ok(()),
        _ => Err(Fault::new("must be an object or null", reader.offset())),
    }
}
