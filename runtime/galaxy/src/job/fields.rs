//! Fields of the job file by the kinds of their values.

use super::raw::RawJson;
use crate::json::{Fault, Reader};
use tpv_python::value::Value;

pub(super) fn int(reader: &mut Reader<'_>) -> Result<i64, Fault> {
    if let Some(small) = reader.small_int() {
        return Ok(small);
    }
    let at = reader.offset();
    match reader.integer()? {
        Value::Int(value) => Ok(value),
        _ => Err(Fault::new("must be an integer of at most 64 bits", at)),
    }
}

/// Reads an object with `read`, and `null` as nothing.
#[inline]
pub(super) fn object_or_null<T>(
    reader: &mut Reader<'_>,
    read: impl FnOnce(&mut Reader<'_>) -> Result<T, Fault>,
) -> Result<Option<T>, Fault> {
    if reader.is_at(b'{') {
        return read(reader).map(Some);
    }
    if reader.null()? { Ok(None) } else { Err(Fault::new("must be an object or null", reader.offset())) }
}

/// Reads the text of an object.
pub(super) fn raw_object(reader: &mut Reader<'_>) -> Result<RawJson, Fault> {
    if reader.is_at(b'{') { RawJson::read(reader) } else { Err(reader.unexpected("must be an object")) }
}

/// Reads the text of a string, with its quotes and escapes.
pub(super) fn raw_string(reader: &mut Reader<'_>) -> Result<RawJson, Fault> {
    if reader.is_at(b'"') { RawJson::read(reader) } else { Err(reader.unexpected("must be a string")) }
}

#[cold]
pub(super) fn missing(field: &str) -> Fault {
    Fault::new("missing", 0).under(field)
}
