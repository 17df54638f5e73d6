//! `time.struct_time`: a time in parts, a tuple whose items have names.

use jiff::civil;

use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{PyResult, type_error};
use crate::python::hash;
use crate::python::iterator::{Items, IteratorObject};
use crate::python::object::Object;
use crate::python::types::{BuiltinType, TUPLE, TUPLE_ITERATOR};
use crate::python::value::Value;
use crate::python::vm::{BinaryOp, CompareOp, Vm};

/// `time.struct_time`
pub(super) static STRUCT_TIME: BuiltinType = BuiltinType {
    construct: Some(construct),
    methods: &[],
    statics: &[],
    ..BuiltinType::new("struct_time", "time", &TUPLE)
};

const FIELDS: [&str; 9] =
    ["tm_year", "tm_mon", "tm_mday", "tm_hour", "tm_min", "tm_sec", "tm_wday", "tm_yday", "tm_isdst"];

/// A time in parts.
pub(super) struct StructTime {
    parts: [Value; 9],
    /// `tm_zone`; `None` where it is not known.
    zone: Option<&'static str>,
}

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
    Value::object(StructTime { parts: parts.map(Value::Int), zone })
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
    match <[Value; 9]>::try_from(parts) {
        Ok(parts) => Ok(Value::object(StructTime { parts, zone: None })),
        Err(_) => Err(type_error(format!("time.struct_time() takes an at least 9-sequence ({count}-sequence given)"))),
    }
}

/// The name of the zone that a `struct_time` tells.
pub(super) fn zone(value: &Value) -> Option<&'static str> {
    value.downcast::<StructTime>()?.zone
}

/// The nine numbers of a tuple or a `struct_time`.
///
/// # Errors
/// `TypeError` where it is neither, or has another length.
pub(super) fn numbers(vm: &mut Vm, value: &Value, function: &str) -> PyResult<[i64; 9]> {
    let items = match (value, value.downcast::<StructTime>()) {
        (_, Some(time)) => time.parts.to_vec(),
        (Value::Tuple(tuple), None) => tuple.items.clone(),
        _ => return Err(type_error("Tuple or struct_time argument required")),
    };
    if items.len() != FIELDS.len() {
        return Err(type_error(format!("{function}(): illegal time tuple argument")));
    }
    let mut numbers = [0; 9];
    for (number, item) in numbers.iter_mut().zip(&items) {
        *number = convert::index_i64(vm, item)?;
    }
    Ok(numbers)
}

impl StructTime {
    fn tuple(&self) -> Value {
        Value::tuple(self.parts.to_vec())
    }
}

impl Object for StructTime {
    fn class(&self) -> &'static BuiltinType {
        &STRUCT_TIME
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        let named = FIELDS.iter().zip(&self.parts).find(|(field, _)| **field == name);
        Ok(match name {
            "tm_zone" => Some(self.zone.map_or(Value::None, Value::str)),
            "tm_gmtoff" => Some(self.zone.map_or(Value::None, |_| Value::Int(0))),
            "n_fields" => Some(Value::Int(11)),
            "n_sequence_fields" => Some(Value::Int(9)),
            "n_unnamed_fields" => Some(Value::Int(0)),
            _ => named.map(|(_, number)| number.clone()),
        })
    }

    fn call_method(&self, vm: &mut Vm, _: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        self.class().method(name)?;
        Some(vm.call_method(&self.tuple(), name, std::mem::take(args)))
    }

    fn get_item(&self, vm: &mut Vm, key: &Value) -> PyResult<Value> {
        vm.get_item(&self.tuple(), key)
    }

    fn iter(&self, _: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        let items: Vec<Value> = self.parts.to_vec();
        Some(Ok(IteratorObject::new(&TUPLE_ITERATOR, Items(items.into_iter()))))
    }

    fn len(&self, _: &mut Vm) -> Option<PyResult<usize>> {
        Some(Ok(FIELDS.len()))
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = other.downcast::<Self>().map_or_else(|| other.clone(), Self::tuple);
        Some(vm.compare(op, &self.tuple(), &other))
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        let other = other.downcast::<Self>().map_or_else(|| other.clone(), Self::tuple);
        match method {
            "add" => Some(vm.binary(BinaryOp::Add, &self.tuple(), &other)),
            "radd" => Some(vm.binary(BinaryOp::Add, &other, &self.tuple())),
            _ => None,
        }
    }

    fn hash(&self, vm: &mut Vm) -> Option<PyResult<i64>> {
        Some(hash::hash(vm, &self.tuple()))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        let mut fields = Vec::with_capacity(FIELDS.len());
        for (field, part) in FIELDS.iter().zip(&self.parts) {
            fields.push(format!("{field}={}", vm.repr(part)?));
        }
        Ok(format!("time.struct_time({})", fields.join(", ")))
    }

    fn attributes(&self) -> &'static [&'static str] {
        &FIELDS
    }
}
