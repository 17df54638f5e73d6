//! `datetime.date`.

use jiff::civil;

use super::arguments::{Parameters, none, number};
use super::timedelta::{Delta, delta};
use super::{MICROSECONDS_PER_DAY, between, format, invalid_iso, now, parse, shifted};
use crate::args::Args;
use crate::builtins::convert;
use crate::exception::{PyResult, type_error, value_error};
use crate::hash::hash_bytes;
use crate::object::Object;
use crate::types::{BuiltinType, OBJECT};
use crate::value::{Builtin, Method, Value};
use crate::vm::{CompareOp, Vm};

/// `datetime.date`
pub static DATE: BuiltinType = BuiltinType {
    construct: Some(construct),
    methods: &[
        Method {
            name: "isoformat",
            call: |_, this, args| {
                none(args, "date.isoformat")?;
                Ok(Value::str(format::date(local(this)?.date())))
            },
        },
        Method {
            name: "isoweekday",
            call: |_, this, args| {
                none(args, "date.isoweekday")?;
                Ok(Value::Int(i64::from(local(this)?.weekday().to_monday_one_offset())))
            },
        },
        Method { name: "replace", call: replace },
        Method {
            name: "strftime",
            call: |vm, this, args| {
                let pattern = format::pattern(vm, args)?;
                Ok(Value::str(format::strftime(&local(this)?, None, &pattern)?))
            },
        },
        Method {
            name: "weekday",
            call: |_, this, args| {
                none(args, "date.weekday")?;
                Ok(Value::Int(i64::from(local(this)?.weekday().to_monday_zero_offset())))
            },
        },
    ],
    statics: &[
        Builtin {
            pure: false,
            owner: "date",
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
        Builtin {
            pure: false,
            owner: "date",
            name: "fromtimestamp",
            call: |vm, args| {
                let [seconds] = args.exactly("date.fromtimestamp")?;
                Ok(Value::object(Date(super::date_time::from_whole_seconds(vm, &seconds)?.date())))
            },
        },
        Builtin {
            pure: false,
            owner: "date",
            name: "today",
            call: |vm, args| {
                let [] = args.exactly("date.today")?;
                Ok(Value::object(Date(now(vm)?.date())))
            },
        },
    ],
    constant: super::constants_of_date,
    ..BuiltinType::new("date", "datetime", &OBJECT).static_in_c()
};

/// A `date`.
pub(super) struct Date(pub(super) civil::Date);

/// The date and time of a `date` (its midnight) or a `datetime`.
pub(super) fn local(this: &Value) -> PyResult<civil::DateTime> {
    if let Some(date) = this.downcast::<Date>() {
        return Ok(date.0.at(0, 0, 0, 0));
    }
    this.downcast::<super::date_time::DateTime>()
        .map(|moment| moment.local)
        .ok_or_else(|| crate::methods::wrong_receiver("datetime.date", this))
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

fn construct(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let parameters = Parameters { function: None, names: ["year", "month", "day"], required: 3, positional: 3 };
    let [year, month, day] = parameters.bind(vm, args)?.map(|part| number(part, 0));
    Ok(Value::object(Date(checked(year, month, day)?)))
}

fn replace(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let date = local(this)?.date();
    let names = ["year", "month", "day"];
    let parameters = Parameters { function: Some("replace"), names, required: 0, positional: 3 };
    let [year, month, day] = parameters.bind(vm, args)?;
    let year = number(year, i64::from(date.year()));
    let month = number(month, i64::from(date.month()));
    let day = number(day, i64::from(date.day()));
    Ok(Value::object(Date(checked(year, month, day)?)))
}

/// The bytes that CPython holds a date in, which it hashes.
pub(super) fn packed(date: civil::Date) -> [u8; 4] {
    let [high, low] = date.year().to_be_bytes();
    [high, low, date.month().cast_unsigned(), date.day().cast_unsigned()]
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
        Some(Ok(Value::Bool(op.holds(self.0.cmp(&other.0)))))
    }

    fn equals_key(&self, other: &Value) -> bool {
        other.downcast::<Self>().is_some_and(|other| self.0 == other.0)
    }

    fn hash(&self, _: &mut Vm) -> Option<PyResult<i64>> {
        Some(Ok(hash_bytes(&packed(self.0))))
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
