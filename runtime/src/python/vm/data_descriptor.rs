//! What a builtin class gives for the data of its instances: `range.stop`, `int.real`.

use super::Vm;
use crate::python::exception::PyResult;
use crate::python::modules::datetime::{DATE, DATETIME, TIME, TIMEDELTA};
use crate::python::object::Object;
use crate::python::types::{BuiltinType, FLOAT, GETSET_DESCRIPTOR, INT, MEMBER_DESCRIPTOR, RANGE, SLICE};
use crate::python::value::Value;

/// The data that instances of a class have, and whether CPython reads it straight from memory.
static DATA: &[(&BuiltinType, &[&str], bool)] = &[
    (&INT, &["real", "imag", "numerator", "denominator"], false),
    (&FLOAT, &["real", "imag"], false),
    (&crate::python::exception::BASE_EXCEPTION, &["args"], false),
    (&RANGE, &["start", "stop", "step"], true),
    (&SLICE, &["start", "stop", "step"], true),
    (&DATE, &["year", "month", "day"], false),
    (&DATETIME, &["hour", "minute", "second", "microsecond", "tzinfo", "fold"], false),
    (&TIME, &["hour", "minute", "second", "microsecond", "tzinfo", "fold"], false),
    (&TIMEDELTA, &["days", "seconds", "microseconds"], true),
];

struct DataDescriptor {
    owner: &'static BuiltinType,
    name: &'static str,
    member: bool,
}

impl Object for DataDescriptor {
    fn class(&self) -> &'static BuiltinType {
        if self.member { &MEMBER_DESCRIPTOR } else { &GETSET_DESCRIPTOR }
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok((name == "__name__").then(|| Value::str(self.name)))
    }

    fn repr(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        let kind = if self.member { "member" } else { "attribute" };
        Ok(format!("<{kind} '{}' of '{}' objects>", self.name, self.owner.shown_name().as_str()))
    }
}

/// The descriptor that a class has, or inherits, under this name.
pub(super) fn of(class: &'static BuiltinType, name: &str) -> Option<Value> {
    DATA.iter().filter(|(owner, ..)| class.is_subclass(owner)).find_map(|(owner, names, member)| {
        let name = names.iter().find(|known| **known == name)?;
        Some(Value::object(DataDescriptor { owner, name, member: *member }))
    })
}
