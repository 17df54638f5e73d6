//! Tuples of ints whose items have names: `time.struct_time`, which `timetuple()` gives, and what `isocalendar()` gives.

use jiff::civil;

use crate::python::exception::PyResult;
use crate::python::iterator::{Items, IteratorObject};
use crate::python::object::Object;
use crate::python::types::{BuiltinType, OBJECT, TUPLE_ITERATOR};
use crate::python::value::Value;
use crate::python::vm::{CompareOp, Vm};

/// `time.struct_time`
static STRUCT_TIME: BuiltinType = BuiltinType::new("struct_time", "time", &OBJECT);
/// `datetime.IsoCalendarDate`
static ISO_CALENDAR_DATE: BuiltinType = BuiltinType::new("IsoCalendarDate", "datetime", &OBJECT);

const FIELDS: [&str; 9] =
    ["tm_year", "tm_mon", "tm_mday", "tm_hour", "tm_min", "tm_sec", "tm_wday", "tm_yday", "tm_isdst"];

/// A tuple whose items have names.
struct Named {
    class: &'static BuiltinType,
    fields: &'static [&'static str],
    numbers: Vec<i64>,
}

/// What `isocalendar()` gives: year, week and weekday.
pub(super) fn iso_calendar_date(numbers: [i64; 3]) -> Value {
    Value::object(Named { class: &ISO_CALENDAR_DATE, fields: &["year", "week", "weekday"], numbers: numbers.into() })
}

/// The parts of a local reading, whose daylight saving is unknown.
pub(super) fn struct_time(local: civil::DateTime) -> Value {
    let numbers = [
        i64::from(local.year()),
        i64::from(local.month()),
        i64::from(local.day()),
        i64::from(local.hour()),
        i64::from(local.minute()),
        i64::from(local.second()),
        i64::from(local.weekday().to_monday_zero_offset()),
        i64::from(local.day_of_year()),
        -1,
    ];
    Value::object(Named { class: &STRUCT_TIME, fields: &FIELDS, numbers: numbers.into() })
}

impl Named {
    fn tuple(&self) -> Value {
        Value::tuple(self.numbers.iter().copied().map(Value::Int).collect())
    }
}

impl Object for Named {
    fn class(&self) -> &'static BuiltinType {
        self.class
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        let named = self.fields.iter().zip(&self.numbers).find(|(field, _)| **field == name);
        Ok(named.map(|(_, number)| Value::Int(*number)))
    }

    fn get_item(&self, vm: &mut Vm, key: &Value) -> PyResult<Value> {
        vm.get_item(&self.tuple(), key)
    }

    fn iter(&self, _: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        let items: Vec<Value> = self.numbers.iter().copied().map(Value::Int).collect();
        Some(Ok(IteratorObject::new(&TUPLE_ITERATOR, Items(items.into_iter()))))
    }

    fn len(&self, _: &mut Vm) -> Option<PyResult<usize>> {
        Some(Ok(self.fields.len()))
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = other.downcast::<Self>().map_or_else(|| other.clone(), Self::tuple);
        Some(vm.compare(op, &self.tuple(), &other))
    }

    fn repr(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        let fields: Vec<String> =
            self.fields.iter().zip(&self.numbers).map(|(field, number)| format!("{field}={number}")).collect();
        Ok(format!("{}.{}({})", self.class.module, self.class.name, fields.join(", ")))
    }
}
