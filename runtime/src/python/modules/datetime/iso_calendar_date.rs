//! `datetime.IsoCalendarDate`: what `date.isocalendar()` gives.

use crate::python::modules::named_parts::NamedParts;
use crate::python::types::{BuiltinType, TUPLE};
use crate::python::value::Value;

/// `datetime.IsoCalendarDate`
static ISO_CALENDAR_DATE: BuiltinType =
    BuiltinType { methods: &[], statics: &[], ..BuiltinType::new("IsoCalendarDate", "datetime", &TUPLE) };

/// Year, week and weekday, by their names.
pub(super) fn value(numbers: [i64; 3]) -> Value {
    Value::object(NamedParts {
        class: &ISO_CALENDAR_DATE,
        fields: &["year", "week", "weekday"],
        parts: numbers.map(Value::Int).into(),
        hidden: Vec::new(),
    })
}
