//! `IsoCalendarDate`, which `isocalendar()` gives, and `date.fromisocalendar`.

use jiff::civil;

use super::arguments::Parameters;
use crate::python::args::Args;
use crate::python::exception::{OVERFLOW_ERROR, PyResult, value_error};
use crate::python::hash;
use crate::python::iterator::{Items, IteratorObject};
use crate::python::object::Object;
use crate::python::types::{BuiltinType, TUPLE, TUPLE_ITERATOR};
use crate::python::value::Value;
use crate::python::vm::{CompareOp, Vm};

/// `datetime.IsoCalendarDate`, a subclass of `tuple`
static ISO_CALENDAR_DATE: BuiltinType = BuiltinType::new("IsoCalendarDate", "datetime", &TUPLE);

/// A year, week and weekday: a tuple whose items have names.
struct IsoCalendarDate([i64; 3]);

/// `date.isocalendar()`
pub(super) fn of(date: civil::Date) -> Value {
    let week = date.iso_week_date();
    let numbers = [i64::from(week.year()), i64::from(week.week()), i64::from(week.weekday().to_monday_one_offset())];
    Value::object(IsoCalendarDate(numbers))
}

/// The date that the arguments of `fromisocalendar(year, week, day)` name.
pub(super) fn date(vm: &mut Vm, args: Args) -> PyResult<civil::Date> {
    let names = ["year", "week", "day"];
    let parameters = Parameters { function: Some("fromisocalendar"), names, required: 3, positional: 3 };
    let numbers = parameters.bind(vm, args).map_err(|raised| {
        let too_large = raised.is(&OVERFLOW_ERROR);
        if too_large { value_error("ISO calendar component out of range") } else { raised }
    })?;
    let [year, week, day] = numbers.map(|part| super::arguments::number(part, 0));
    if !(1..=9999).contains(&year) {
        return Err(value_error(format!("Year is out of range: {year}")));
    }
    let small = |number: i64| i8::try_from(number).unwrap_or_default();
    let in_week = |week: i64, day: civil::Weekday| {
        civil::ISOWeekDate::new(i16::try_from(year).unwrap_or_default(), small(week), day)
    };
    if !(1..=53).contains(&week) || in_week(week, civil::Weekday::Thursday).is_err() {
        return Err(value_error(format!("Invalid week: {week}")));
    }
    let weekday = (1..=7).contains(&day).then(|| civil::Weekday::from_monday_one_offset(small(day)).ok()).flatten();
    let Some(weekday) = weekday else {
        return Err(value_error(format!("Invalid day: {day} (range is [1, 7])")));
    };
    let date = in_week(week, weekday).map(civil::ISOWeekDate::date);
    match date {
        Ok(date) if (1..=9999).contains(&date.year()) => Ok(date),
        // The last week of the year 9999 ends in the next.
        Ok(_) | Err(_) => Err(value_error("year 10000 is out of range")),
    }
}

impl IsoCalendarDate {
    fn tuple(&self) -> Value {
        Value::tuple(self.0.map(Value::Int).into())
    }
}

impl Object for IsoCalendarDate {
    fn class(&self) -> &'static BuiltinType {
        &ISO_CALENDAR_DATE
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        let [year, week, weekday] = self.0;
        Ok(match name {
            "year" => Some(Value::Int(year)),
            "week" => Some(Value::Int(week)),
            "weekday" => Some(Value::Int(weekday)),
            _ => None,
        })
    }

    fn call_method(&self, vm: &mut Vm, _: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        let method = TUPLE.method(name)?;
        Some((method.call)(vm, &self.tuple(), std::mem::take(args)))
    }

    fn get_item(&self, vm: &mut Vm, key: &Value) -> PyResult<Value> {
        vm.get_item(&self.tuple(), key)
    }

    fn iter(&self, _: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        let items: Vec<Value> = self.0.map(Value::Int).into();
        Some(Ok(IteratorObject::new(&TUPLE_ITERATOR, Items(items.into_iter()))))
    }

    fn len(&self, _: &mut Vm) -> Option<PyResult<usize>> {
        Some(Ok(self.0.len()))
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = other.downcast::<Self>().map_or_else(|| other.clone(), Self::tuple);
        matches!(other, Value::Tuple(_)).then(|| vm.compare(op, &self.tuple(), &other))
    }

    fn hash(&self, vm: &mut Vm) -> Option<PyResult<i64>> {
        Some(hash::hash(vm, &self.tuple()))
    }

    fn repr(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        let [year, week, weekday] = self.0;
        Ok(format!("datetime.IsoCalendarDate(year={year}, week={week}, weekday={weekday})"))
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        let op = match method {
            "add" => crate::python::vm::BinaryOp::Add,
            "mul" => crate::python::vm::BinaryOp::Multiply,
            _ => return None,
        };
        Some(vm.binary(op, &self.tuple(), other))
    }
}
