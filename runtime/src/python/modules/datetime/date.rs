//! `datetime.date`.

use jiff::civil;

use super::timedelta::{Delta, delta};
use super::{
    EPOCH, MICROSECONDS_PER_DAY, between, decide, format, invalid_iso, iso_calendar_date, now, parse, shifted,
};
use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{PyResult, type_error, value_error};
use crate::python::modules::signature::Signature;
use crate::python::object::Object;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::value::{Builtin, Method, Value};
use crate::python::vm::{CompareOp, Vm};

/// `datetime.date`
pub static DATE: BuiltinType = BuiltinType {
    construct: Some(construct),
    methods: &[
        Method {
            name: "ctime",
            call: |_, this, _| Ok(Value::str(format::strftime(&local(this)?, None, "%a %b %e %H:%M:%S %Y")?)),
        },
        Method {
            name: "isocalendar",
            call: |_, this, _| {
                let week = local(this)?.date().iso_week_date();
                Ok(iso_calendar_date::value([
                    i64::from(week.year()),
                    i64::from(week.week()),
                    i64::from(week.weekday().to_monday_one_offset()),
                ]))
            },
        },
        Method { name: "isoformat", call: |_, this, _| Ok(Value::str(format::date(local(this)?.date()))) },
        Method {
            name: "isoweekday",
            call: |_, this, _| Ok(Value::Int(i64::from(local(this)?.weekday().to_monday_one_offset()))),
        },
        Method { name: "replace", call: replace },
        Method {
            name: "strftime",
            call: |vm, this, args| {
                let [pattern] = args.exactly("date.strftime")?;
                let pattern = convert::text(&pattern, "strftime() argument 1 must be str, not ")?.clone();
                format::pay(vm, &pattern)?;
                Ok(Value::str(format::strftime(&local(this)?, None, &pattern)?))
            },
        },
        Method {
            name: "timetuple",
            call: |_, this, _| Ok(super::super::time::struct_time::of_date_time(&local(this)?, -1, None)),
        },
        Method { name: "toordinal", call: |_, this, _| Ok(Value::Int(ordinal(local(this)?.date()))) },
        Method {
            name: "weekday",
            call: |_, this, _| Ok(Value::Int(i64::from(local(this)?.weekday().to_monday_zero_offset()))),
        },
    ],
    statics: &[
        Builtin {
            name: "fromisoformat",
            call: |vm, args| {
                let [text] = args.exactly("date.fromisoformat")?;
                let parsed = convert::text(&text, "")
                    .map_err(|_| type_error("fromisoformat: argument must be str"))
                    .map(|text| parse::date(text))?;
                match parsed {
                    Some(date) => Ok(Value::object(Date(date))),
                    None => Err(invalid_iso(vm, &text)?),
                }
            },
        },
        Builtin { name: "fromisocalendar", call: |vm, args| Ok(Value::object(Date(from_iso_calendar(vm, args)?))) },
        Builtin { name: "fromordinal", call: |vm, args| Ok(Value::object(Date(from_ordinal(vm, args)?))) },
        Builtin {
            name: "fromtimestamp",
            call: |vm, args| {
                let [seconds] = args.exactly("date.fromtimestamp")?;
                Ok(Value::object(Date(super::moment::from_timestamp(vm, &seconds)?.date())))
            },
        },
        Builtin {
            name: "today",
            call: |vm, args| {
                let [] = args.exactly("date.today")?;
                Ok(Value::object(Date(now(vm)?.date())))
            },
        },
    ],
    ..BuiltinType::new("date", "datetime", &OBJECT)
};

/// A `date`.
pub(super) struct Date(pub(super) civil::Date);

/// The date and time of a `date` (its midnight) or a `datetime`.
pub(super) fn local(this: &Value) -> PyResult<civil::DateTime> {
    if let Some(date) = this.downcast::<Date>() {
        return Ok(date.0.at(0, 0, 0, 0));
    }
    this.downcast::<super::moment::Moment>()
        .map(|moment| moment.local)
        .ok_or_else(|| crate::python::methods::wrong_receiver("datetime.date", this))
}

/// Days since 31 December of the year before the year 1.
pub(super) fn ordinal(date: civil::Date) -> i64 {
    let days = between(civil::date(1, 1, 1).at(0, 0, 0, 0), date.at(0, 0, 0, 0)) / MICROSECONDS_PER_DAY;
    i64::try_from(days).unwrap_or_default() + 1
}

/// A date of numbers, checked as CPython checks them.
pub(super) fn checked(year: i64, month: i64, day: i64) -> PyResult<civil::Date> {
    if !(1..=9999).contains(&year) {
        return Err(value_error(format!("year {year} is out of range")));
    }
    if !(1..=12).contains(&month) {
        return Err(value_error("month must be in 1..12"));
    }
    let numbers = (i16::try_from(year).ok(), i8::try_from(month).ok(), i8::try_from(day).ok());
    let (Some(year), Some(month), Some(day)) = numbers else {
        return Err(value_error("day is out of range for month"));
    };
    civil::Date::new(year, month, day).map_err(|_| value_error("day is out of range for month"))
}

/// The date of `fromordinal`.
pub(super) fn from_ordinal(vm: &mut Vm, args: Args) -> PyResult<civil::Date> {
    let [number] = args.exactly("date.fromordinal")?;
    let number = convert::index_i64(vm, &number)?;
    if number < 1 {
        return Err(value_error("ordinal must be >= 1"));
    }
    let days = i128::from(number) - i128::from(ordinal(EPOCH.date()));
    let at = shifted(EPOCH, days * MICROSECONDS_PER_DAY).map_err(|_| value_error("year is out of range"))?;
    Ok(at.date())
}

/// The date of `fromisocalendar`.
pub(super) fn from_iso_calendar(vm: &mut Vm, args: Args) -> PyResult<civil::Date> {
    let [year, week, day] = args.bind("fromisocalendar", ["year", "week", "day"], 3)?.map(Option::unwrap_or_default);
    let mut part = |value: &Value| -> PyResult<i32> {
        let value = convert::index(vm, value)?;
        let small = if let Value::Int(int) = value { i32::try_from(int).ok() } else { None };
        small.ok_or_else(|| value_error("ISO calendar component out of range"))
    };
    let (year, week, day) = (part(&year)?, part(&week)?, part(&day)?);
    let Some(short) = i16::try_from(year).ok().filter(|year| (1..=9999).contains(year)) else {
        return Err(value_error(format!("Year is out of range: {year}")));
    };
    let weekday = i8::try_from(day).ok().and_then(|day| civil::Weekday::from_monday_one_offset(day).ok());
    let first =
        i8::try_from(week).ok().and_then(|week| civil::ISOWeekDate::new(short, week, civil::Weekday::Monday).ok());
    let Some(first) = first else { return Err(value_error(format!("Invalid week: {week}"))) };
    let Some(weekday) = weekday else {
        return Err(value_error(format!("Invalid day: {day} (range is [1, 7])")));
    };
    let days = i128::from(weekday.to_monday_zero_offset());
    Ok(shifted(first.date().at(0, 0, 0, 0), days * MICROSECONDS_PER_DAY)?.date())
}

/// An int argument that was given, or what stands for it.
pub(super) fn number(vm: &mut Vm, value: Option<Value>, default: i64) -> PyResult<i64> {
    match value {
        Some(value) => convert::index_i64(vm, &value),
        None => Ok(default),
    }
}

fn construct(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let given = args.pos.len() + args.kw.len();
    if given > 3 {
        return Err(type_error(format!("function takes at most 3 arguments ({given} given)")));
    }
    for value in args.pos.iter().take(3) {
        // CPython's parser of arguments looks at each before it misses the next.
        number(vm, Some(value.clone()), 0)?;
    }
    let [year, month, day] = args.bind("function", ["year", "month", "day"], 3)?;
    let (year, month, day) = (number(vm, year, 0)?, number(vm, month, 0)?, number(vm, day, 0)?);
    Ok(Value::object(Date(checked(year, month, day)?)))
}

fn replace(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let date = local(this)?.date();
    let [year, month, day] = Signature::function("replace", ["year", "month", "day"], 0).bind(args)?;
    let year = number(vm, year, i64::from(date.year()))?;
    let month = number(vm, month, i64::from(date.month()))?;
    let day = number(vm, day, i64::from(date.day()))?;
    Ok(Value::object(Date(checked(year, month, day)?)))
}

/// The whole days that a timedelta has, as `date` arithmetic takes them.
fn days(value: &Value) -> Option<i128> {
    value.downcast::<Delta>().map(|delta| delta.0.div_euclid(MICROSECONDS_PER_DAY))
}

impl Object for Date {
    fn class(&self) -> &'static BuiltinType {
        &DATE
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        let number = match name {
            "year" => i64::from(self.0.year()),
            "month" => i64::from(self.0.month()),
            "day" => i64::from(self.0.day()),
            "min" | "max" => return Ok(class_limit(name)),
            _ => return Ok(None),
        };
        Ok(Some(Value::Int(number)))
    }

    fn repr(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(format!("datetime.date({}, {}, {})", self.0.year(), self.0.month(), self.0.day()))
    }

    fn str(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(format::date(self.0))
    }

    fn format(&self, vm: &mut Vm, _: &Value, spec: &str) -> Option<PyResult<String>> {
        Some(if spec.is_empty() {
            Ok(format::date(self.0))
        } else {
            format::pay(vm, spec).and_then(|()| format::strftime(&self.0.at(0, 0, 0, 0), None, spec))
        })
    }

    fn compare(&self, _: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = other.downcast::<Self>()?;
        Some(Ok(decide(op, self.0.cmp(&other.0))))
    }

    fn equals_key(&self, other: &Value) -> bool {
        other.downcast::<Self>().is_some_and(|other| self.0 == other.0)
    }

    fn hash(&self, _: &mut Vm) -> Option<PyResult<i64>> {
        Some(Ok(ordinal(self.0)))
    }

    fn binary(&self, _: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        let midnight = self.0.at(0, 0, 0, 0);
        if let ("sub", Some(other)) = (method, other.downcast::<Self>()) {
            return Some(delta(between(other.0.at(0, 0, 0, 0), midnight)));
        }
        let days = match method {
            "add" | "radd" => days(other)?,
            "sub" => -days(other)?,
            _ => return None,
        };
        let moved = shifted(midnight, days * MICROSECONDS_PER_DAY);
        Some(moved.map(|moved| Value::object(Self(moved.date()))))
    }
}

/// `date.min`, `date.max`
fn class_limit(name: &str) -> Option<Value> {
    let date = match name {
        "min" => civil::date(1, 1, 1),
        _ => civil::date(9999, 12, 31),
    };
    Some(Value::object(Date(date)))
}
