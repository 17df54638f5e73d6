//! `time.struct_time`: a time in parts, a tuple whose items have names.

use jiff::civil;

use crate::python::args::Args;
use crate::python::exception::{PyResult, type_error};
use crate::python::modules::datetime::arguments::c_int;
use crate::python::modules::named_parts::NamedParts;
use crate::python::string::Str;
use crate::python::types::{BuiltinType, TUPLE};
use crate::python::value::Value;
use crate::python::vm::Vm;

/// `time.struct_time`
pub(super) static STRUCT_TIME: BuiltinType = BuiltinType {
    construct: Some(construct),
    methods: &[],
    statics: &[],
    ..BuiltinType::new("struct_time", "time", &TUPLE)
};

const FIELDS: [&str; 9] =
    ["tm_year", "tm_mon", "tm_mday", "tm_hour", "tm_min", "tm_sec", "tm_wday", "tm_yday", "tm_isdst"];

/// The parts of a reading, with what is known of daylight saving (-1: nothing) and of the zone.
pub(in crate::python::modules) fn of_date_time(
    local: &civil::DateTime,
    daylight: i64,
    zone: Option<&'static str>,
) -> Value {
    let numbers = [
        i64::from(local.year()),
        i64::from(local.month()),
        i64::from(local.day()),
        i64::from(local.hour()),
        i64::from(local.minute()),
        i64::from(local.second()),
        i64::from(local.weekday().to_monday_zero_offset()),
        i64::from(local.day_of_year()),
        daylight,
    ];
    of_parts(numbers, zone)
}

/// A time of these parts.
pub(super) fn of_parts(parts: [i64; 9], zone: Option<&'static str>) -> Value {
    of_values(parts.map(Value::Int).into(), zone)
}

fn of_values(parts: Vec<Value>, zone: Option<&'static str>) -> Value {
    let hidden = vec![
        ("tm_zone", zone.map_or(Value::None, Value::str)),
        ("tm_gmtoff", zone.map_or(Value::None, |_| Value::Int(0))),
        ("n_fields", Value::Int(11)),
        ("n_sequence_fields", Value::Int(9)),
        ("n_unnamed_fields", Value::Int(0)),
    ];
    Value::object(NamedParts { class: &STRUCT_TIME, fields: &FIELDS, parts, hidden })
}

/// The `struct_time` that a value is.
pub(super) fn parts_of(value: &Value) -> Option<&NamedParts> {
    value.downcast::<NamedParts>().filter(|parts| std::ptr::eq(parts.class, &STRUCT_TIME))
}

/// `struct_time(iterable)`
fn construct(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [parts] = args.bind("structseq", ["sequence"], 1)?.map(Option::unwrap_or_default);
    let parts = match vm.collect(&parts) {
        Ok(parts) => parts,
        Err(raised) if raised.is(&crate::python::exception::TYPE_ERROR) => {
            return Err(type_error("constructor requires a sequence"));
        }
        Err(raised) => return Err(raised),
    };
    let count = parts.len();
    if count > FIELDS.len() + 2 {
        return Err(type_error(format!("time.struct_time() takes an at most 11-sequence ({count}-sequence given)")));
    }
    let parts: Vec<Value> = parts.into_iter().take(FIELDS.len()).collect();
    if parts.len() < FIELDS.len() {
        return Err(type_error(format!("time.struct_time() takes an at least 9-sequence ({count}-sequence given)")));
    }
    Ok(of_values(parts, None))
}

/// The name of the zone that a `struct_time` tells.
pub(super) fn zone(value: &Value) -> Option<&str> {
    let (_, zone) = parts_of(value)?.hidden.iter().find(|(name, _)| *name == "tm_zone")?;
    zone.as_str().map(Str::as_str)
}

/// The nine numbers of a tuple or a `struct_time`.
///
/// # Errors
/// `TypeError` where it is neither, or has another length.
pub(super) fn numbers(vm: &mut Vm, value: &Value, function: &str) -> PyResult<[i64; 9]> {
    let items = match (value, parts_of(value)) {
        (_, Some(time)) => time.parts.clone(),
        (Value::Tuple(tuple), None) => tuple.items.clone(),
        _ => return Err(type_error("Tuple or struct_time argument required")),
    };
    if items.len() != FIELDS.len() {
        return Err(type_error(format!("{function}(): illegal time tuple argument")));
    }
    let mut numbers = [0; 9];
    for (number, item) in numbers.iter_mut().zip(&items) {
        *number = c_int(vm, item)?;
    }
    Ok(numbers)
}
