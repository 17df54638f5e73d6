//! `format(value, spec)`

use super::Vm;
use crate::exception::{PyResult, type_error};
use crate::format;
use crate::number::Num;
use crate::string::Str;
use crate::value::Value;

impl Vm {
    /// `format(value, spec)`
    ///
    /// # Errors
    /// `ValueError` for a bad specification, `TypeError` for a type that takes none.
    pub fn format(&mut self, value: &Value, spec: &str) -> PyResult<Str> {
        match value {
            Value::Str(text) => format::format_str(self, text, spec),
            Value::Bool(_) if spec.is_empty() => self.str(value),
            Value::Float(number) => format::format_float(self, *number, spec).map(Str::from),
            Value::Bool(_) | Value::Int(_) | Value::BigInt(_) => match Num::of(value) {
                Some(number) => format::format_int(self, number, spec, value.type_name().as_str()).map(Str::from),
                None => self.str(value),
            },
            Value::Object(object) => match object.format(self, value, spec) {
                Some(text) => text.map(Str::from),
                None => self.format_plain(value, spec),
            },
            _ => self.format_plain(value, spec),
        }
    }

    /// `object.__format__`: the text, and no specification.
    fn format_plain(&mut self, value: &Value, spec: &str) -> PyResult<Str> {
        if spec.is_empty() {
            return self.str(value);
        }
        let class = value.type_name();
        Err(type_error(format!("unsupported format string passed to {}.__format__", class.as_str())))
    }
}
