//! `IsoCalendarDate`, which `isocalendar()` gives, and `date.fromisocalendar`.

use jiff::civil;

use super::arguments::Parameters;
use crate::python::args::Args;
use crate::python::exception::{OVERFLOW_ERROR, PyResult, value_error};
use crate::python::modules::named_parts::NamedParts;
use crate::python::types::{BuiltinType, TUPLE};
use crate::python::value::Value;
use crate::python::vm::Vm;

/// `datetime.IsoCalendarDate`, a subclass of `tuple`
static ISO_CALENDAR_DATE: BuiltinType =
    BuiltinType { methods: &[], statics: &[], ..BuiltinType::new("IsoCalendarDate", "datetime", &TUPLE) };

/// `date.isocalendar()`
pub(super) fn of(date: civil::Date) -> Value {
    let week = date.iso_week_date();
    let numbers = [i64::from(week.year()), i64::from(week.week()), i64::from(week.weekday().to_monday_one_offset())];
    Value::object(NamedParts {
        class: &ISO_CALENDAR_DATE,
        fields: &["year", "week", "weekday"],
        parts: numbers.map(Value::Int).into(),
        hidden: Vec::new(),
    })
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
