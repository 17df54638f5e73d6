//! `datetime`

mod arguments;
mod calendar;
mod date;
mod date_time;
mod exact;
mod format;
mod parse;
mod timedelta;
mod timezone;

use jiff::{SignedDuration, Span, civil};

pub use date::DATE;
pub use date_time::DATETIME;
pub use exact::{Exact, ExactZone};
pub use timedelta::TIMEDELTA;
pub use timezone::TIMEZONE;

use crate::exception::{PyResult, Raised, overflow_error};
use crate::value::Value;
use crate::vm::Vm;

module! {
    /// `datetime`
    MODULE = "datetime";
    functions {}
    values(_vm) {
        "UTC" => timezone::utc(),
        "date" => Value::Type(&DATE),
        "datetime" => Value::Type(&DATETIME),
        "timedelta" => Value::Type(&TIMEDELTA),
        "timezone" => Value::Type(&TIMEZONE),
    }
}

const FIRST: civil::DateTime = civil::date(1, 1, 1).at(0, 0, 0, 0);
const LAST: civil::DateTime = civil::date(9999, 12, 31).at(23, 59, 59, 999_999_000);
pub(super) const EPOCH: civil::DateTime = civil::date(1970, 1, 1).at(0, 0, 0, 0);
const MICROSECONDS_PER_DAY: i128 = 86_400_000_000;

/// A `datetime.date`; a day that does not exist is 1 January of the year 1.
pub fn date(year: i16, month: u8, day: u8) -> Value {
    let date = civil::Date::new(year, month.cast_signed(), day.cast_signed()).unwrap_or(civil::date(1, 1, 1));
    Value::object(date::Date(date))
}

/// A `datetime.datetime`: microseconds since 1970 of the local reading, and the offset from UTC in seconds if it has one.
pub fn datetime(microseconds: i64, offset: Option<i32>) -> Value {
    let local = EPOCH.checked_add(SignedDuration::from_micros(microseconds)).unwrap_or(EPOCH);
    Value::object(date_time::DateTime { local, zone: offset.map(timezone::Zone::of_seconds) })
}

/// A text in ISO 8601 as a `datetime.datetime` without zone, in UTC; `None` where it is none.
pub fn naive_utc(text: &str) -> Option<Value> {
    let (local, zone) = parse::date_time(text)?;
    let offset = zone.map_or(0, |zone| zone.microseconds());
    shifted(local, -offset).ok().map(naive)
}

/// `date.min` and `date.max`.
fn constants_of_date(name: &str) -> Option<Value> {
    match name {
        "min" => Some(date(1, 1, 1)),
        "max" => Some(date(9999, 12, 31)),
        _ => None,
    }
}

/// `datetime.min` and `datetime.max`.
fn constants_of_datetime(name: &str) -> Option<Value> {
    match name {
        "min" => Some(naive(FIRST)),
        "max" => Some(naive(LAST)),
        _ => None,
    }
}

fn naive(local: civil::DateTime) -> Value {
    Value::object(date_time::DateTime { local, zone: None })
}

/// The date and time some microseconds after another.
fn shifted(from: civil::DateTime, microseconds: i128) -> PyResult<civil::DateTime> {
    let out_of_range = || overflow_error("date value out of range");
    // In days and a time of day: jiff's durations of nanoseconds do not span all years.
    let of_day = between(from.date().at(0, 0, 0, 0), from).saturating_add(microseconds);
    let days = i64::try_from(of_day.div_euclid(MICROSECONDS_PER_DAY)).map_err(|_| out_of_range())?;
    let days = Span::new().try_days(days).map_err(|_| out_of_range())?;
    let date = from.date().checked_add(days).map_err(|_| out_of_range())?;
    let rest = i64::try_from(of_day.rem_euclid(MICROSECONDS_PER_DAY)).unwrap_or_default();
    let moved = date.at(0, 0, 0, 0).checked_add(SignedDuration::from_micros(rest)).map_err(|_| out_of_range())?;
    if (1..=9999).contains(&moved.year()) { Ok(moved) } else { Err(out_of_range()) }
}

/// The microseconds from one date and time to another.
fn between(from: civil::DateTime, to: civil::DateTime) -> i128 {
    to.duration_since(from).as_micros()
}

/// The date and time of the world, UTC.
fn now(vm: &Vm) -> PyResult<civil::DateTime> {
    shifted(EPOCH, i128::from(super::time::now(vm)?))
}

fn invalid_iso(vm: &mut Vm, text: &Value) -> PyResult<Raised> {
    // Of a text that is well formed, the numbers are at fault.
    let parts = text.as_str().and_then(|text| text.as_str().get(..10)).unwrap_or_default();
    let numbers: Vec<i64> = parts.split('-').filter_map(|part| part.parse().ok()).collect();
    if let [year, month, day] = numbers.as_slice()
        && parts.len() == 10
        && parts.bytes().enumerate().all(|(index, byte)| byte.is_ascii_digit() != matches!(index, 4 | 7))
        && let Err(raised) = date::checked(*year, *month, *day)
    {
        return Ok(raised);
    }
    crate::lacking::note("tpvc does not read rare forms of ISO dates");
    Ok(crate::exception::value_error(format!("Invalid isoformat string: {}", vm.repr(text)?)))
}
