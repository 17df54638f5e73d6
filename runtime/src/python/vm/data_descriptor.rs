//! What a builtin class gives for the data of its instances: `range.stop`, `int.real`.

use super::Vm;
use crate::python::exception::{self, PyResult};
use crate::python::modules::collections::DEFAULTDICT;
use crate::python::modules::datetime::{DATE, DATETIME, TIMEDELTA};
use crate::python::modules::functools::PARTIAL;
use crate::python::modules::re::{MATCH, PATTERN};
use crate::python::object::Object;
use crate::python::types::{
    BuiltinType, COMPLEX, FLOAT, GETSET_DESCRIPTOR, INT, MEMBER_DESCRIPTOR, PROPERTY, RANGE, SLICE,
};
use crate::python::value::Value;

/// The data that instances of a class have, and whether CPython reads it straight from memory.
static DATA: &[(&BuiltinType, &[&str], bool)] = &[
    (&INT, &["real", "imag", "numerator", "denominator"], false),
    (&FLOAT, &["real", "imag"], false),
    (&exception::BASE_EXCEPTION, &["args"], false),
    (&exception::ATTRIBUTE_ERROR, &["name", "obj"], true),
    (&exception::IMPORT_ERROR, &["msg", "name", "path"], true),
    (&exception::NAME_ERROR, &["name"], true),
    (&exception::OS_ERROR, &["errno", "strerror", "filename", "filename2"], true),
    (&exception::OS_ERROR, &["characters_written"], false),
    (&exception::STOP_ITERATION, &["value"], true),
    (
        &exception::SYNTAX_ERROR,
        &["msg", "filename", "lineno", "offset", "text", "end_lineno", "end_offset", "print_file_and_line"],
        true,
    ),
    (&exception::SYSTEM_EXIT, &["code"], true),
    (&exception::UNICODE_DECODE_ERROR, &["encoding", "object", "start", "end", "reason"], true),
    (&exception::UNICODE_ENCODE_ERROR, &["encoding", "object", "start", "end", "reason"], true),
    (&COMPLEX, &["real", "imag"], true),
    (&PROPERTY, &["fget", "fset", "fdel"], true),
    (&DEFAULTDICT, &["default_factory"], true),
    (&PARTIAL, &["func", "args", "keywords"], true),
    (&MATCH, &["string", "re", "pos", "endpos"], true),
    (&MATCH, &["lastindex", "lastgroup", "regs"], false),
    (&PATTERN, &["pattern", "flags", "groups"], true),
    (&PATTERN, &["groupindex"], false),
    (&RANGE, &["start", "stop", "step"], true),
    (&SLICE, &["start", "stop", "step"], true),
    (&DATE, &["year", "month", "day"], false),
    (&DATETIME, &["hour", "minute", "second", "microsecond", "tzinfo"], false),
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
        Ok(match name {
            "__name__" => Some(Value::str(self.name)),
            "__qualname__" => Some(Value::str(format!("{}.{}", self.owner.name, self.name))),
            _ => None,
        })
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
