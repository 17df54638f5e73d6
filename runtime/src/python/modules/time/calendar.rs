//! Times in parts and as text.

use jiff::civil;

use super::super::datetime::format::{Shown, pay};
use super::super::datetime::moment::from_timestamp;
use super::super::datetime::{EPOCH, strptime};
use super::super::signature::Signature;
use super::{now, struct_time};
use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{OVERFLOW_ERROR, PyResult, overflow_error, type_error, value_error};
use crate::python::value::Value;
use crate::python::vm::Vm;

/// Takes from `least` to `N` arguments by position, with the messages of CPython's older C functions.
fn optional<const N: usize>(args: Args, function: &str, least: usize) -> PyResult<[Option<Value>; N]> {
    args.no_keywords(&format!("time.{function}"))?;
    let given = args.pos.len();
    if given < least || given > N {
        let (bound, count) = if given < least { ("least", least) } else { ("most", N) };
        let plural = if count == 1 { "" } else { "s" };
        return Err(type_error(format!("{function}() takes at {bound} {count} argument{plural} ({given} given)")));
    }
    args.between(function, least)
}

/// The reading of UTC at a number of seconds, now where there is none.
fn reading(vm: &mut Vm, seconds: Option<Value>) -> PyResult<civil::DateTime> {
    let out_of_range = || overflow_error("timestamp out of range for platform time_t");
    let seconds = match seconds.filter(|seconds| !seconds.is_none()) {
        Some(Value::Float(seconds)) if seconds.is_nan() => return Err(value_error("Invalid value NaN (not a number)")),
        // Fractions of a second are cut off, downwards.
        Some(Value::Float(seconds)) if seconds.is_infinite() => return Err(out_of_range()),
        Some(Value::Float(seconds)) => convert::float_to_int(seconds.floor())?,
        Some(seconds) => convert::index(vm, &seconds)?,
        None => Value::Int(now(vm)?.div_euclid(1_000_000)),
    };
    if !matches!(seconds, Value::Int(_)) {
        return Err(out_of_range());
    }
    from_timestamp(vm, &seconds).map_err(|raised| if raised.is(&OVERFLOW_ERROR) { out_of_range() } else { raised })
}

/// `gmtime(seconds=None)`, `localtime(seconds=None)`
pub(super) fn parts(vm: &mut Vm, args: Args, function: &str, zone: &'static str) -> PyResult<Value> {
    let [seconds] = optional(args, function, 0)?;
    Ok(struct_time::of_date_time(&reading(vm, seconds)?, 0, Some(zone)))
}

/// The time of a tuple, checked as `strftime` does. A month or day of zero counts as the first.
fn checked<'a>(vm: &mut Vm, tuple: &'a Value, function: &str) -> PyResult<Shown<'a>> {
    let [year, month, day, hour, minute, second, weekday, day_of_year, _] = struct_time::numbers(vm, tuple, function)?;
    let (month, day, day_of_year) = (month.max(i64::from(month == 0)), if day == 0 { 1 } else { day }, day_of_year);
    let day_of_year = if day_of_year == 0 { 1 } else { day_of_year };
    let within = |number: i64, least: i64, most: i64, what: &str| match i8::try_from(number) {
        Ok(small) if (least..=most).contains(&number) => Ok(small),
        _ => Err(value_error(format!("{what} out of range"))),
    };
    let month = within(month, 1, 12, "month")?;
    let day = within(day, 1, 31, "day of month")?;
    let hour = within(hour, 0, 23, "hour")?;
    let minute = within(minute, 0, 59, "minute")?;
    let second = within(second, 0, 61, "seconds")?;
    if weekday < -1 {
        return Err(value_error("day of week out of range"));
    }
    if !(1..=366).contains(&day_of_year) {
        return Err(value_error("day of year out of range"));
    }
    let out_of_range = |_| value_error("day of month out of range");
    let year = i16::try_from(year).map_err(|_| overflow_error("year out of range"))?;
    let date = civil::Date::new(year, month, day).map_err(out_of_range)?;
    let time = civil::Time::new(hour, minute, second.min(59), 0).map_err(out_of_range)?;
    Ok(Shown {
        at: date.to_datetime(time),
        weekday: i8::try_from(weekday.rem_euclid(7)).unwrap_or_default(),
        day_of_year: i16::try_from(day_of_year).unwrap_or_default(),
        zone: ("+0000", struct_time::zone(tuple).unwrap_or("UTC")),
        microseconds: false,
    })
}

fn tuple_or_now(vm: &mut Vm, tuple: Option<Value>) -> PyResult<Value> {
    match tuple {
        Some(tuple) => Ok(tuple),
        None => Ok(struct_time::of_date_time(&reading(vm, None)?, 0, Some("UTC"))),
    }
}

/// `strftime(format, tuple=localtime())`
pub(super) fn strftime(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [pattern, tuple] = optional(args, "strftime", 1)?;
    let pattern = pattern.unwrap_or_default();
    let pattern = convert::text(&pattern, "strftime() argument 1 must be str, not ")?;
    let tuple = tuple_or_now(vm, tuple)?;
    let shown = checked(vm, &tuple, "strftime")?;
    if pattern.contains('\0') {
        return Err(value_error("embedded null character"));
    }
    pay(vm, pattern)?;
    Ok(Value::str(shown.strftime(pattern)))
}

const ASCTIME: &str = "%a %b %e %H:%M:%S %Y";

/// `asctime(tuple=localtime())`
pub(super) fn asctime(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [tuple] = args.between("asctime", 0)?;
    let tuple = tuple_or_now(vm, tuple)?;
    Ok(Value::str(checked(vm, &tuple, "asctime")?.strftime(ASCTIME)))
}

/// `ctime(seconds=None)`
pub(super) fn ctime(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [seconds] = optional(args, "ctime", 0)?;
    let tuple = struct_time::of_date_time(&reading(vm, seconds)?, 0, None);
    Ok(Value::str(checked(vm, &tuple, "ctime")?.strftime(ASCTIME)))
}

/// `mktime(tuple)`: the seconds since 1970. Parts out of their range count on.
pub(super) fn mktime(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [tuple] = args.exactly("time.mktime")?;
    if !matches!(tuple, Value::Tuple(_)) && struct_time::parts_of(&tuple).is_none() {
        return Err(type_error("Tuple or struct_time argument required"));
    }
    let [year, month, day, hour, minute, second, _, _, summer] =
        struct_time::numbers(vm, &tuple, "mktime")?.map(i128::from);
    // There is no summer time, but who says that it is one means an hour less.
    let hour = hour - i128::from(summer > 0);
    let out_of_range = || overflow_error("mktime argument out of range");
    let months = year * 12 + month - 1;
    let year = i16::try_from(months.div_euclid(12)).map_err(|_| out_of_range())?;
    let month = i8::try_from(months.rem_euclid(12) + 1).map_err(|_| out_of_range())?;
    let start = civil::Date::new(year, month, 1).map_err(|_| out_of_range())?.at(0, 0, 0, 0);
    let seconds = start.duration_since(EPOCH).as_secs();
    let total = i128::from(seconds) + (((day - 1) * 24 + hour) * 60 + minute) * 60 + second;
    #[expect(clippy::cast_precision_loss, reason = "CPython gives a float, too")]
    Ok(Value::Float(total as f64))
}

/// `strptime(text, format="%a %b %d %H:%M:%S %Y")`
pub(super) fn strptime(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [text, pattern] = Signature::function("_strptime_time", ["data_string", "format"], 1).bind(args)?;
    let text = text.unwrap_or_default();
    let pattern = pattern.unwrap_or_else(|| Value::str("%a %b %d %H:%M:%S %Y"));
    for (index, value) in [&text, &pattern].into_iter().enumerate() {
        if value.as_str().is_none() {
            let class = value.class();
            let shown = vm.repr(&Value::Type(class))?;
            return Err(type_error(format!("strptime() argument {index} must be str, not {shown}")));
        }
    }
    let (Value::Str(text), Value::Str(pattern)) = (&text, &pattern) else { return Ok(Value::None) };
    vm.charge(text.len() + pattern.len())?;
    let read = strptime::strptime(vm, text, pattern)?;
    let ([year, month, day], [hour, minute, second]) = (read.date, read.time);
    let parts = [year, month, day, hour, minute, second, read.weekday, read.day_of_year, read.daylight];
    Ok(struct_time::of_parts(parts, None))
}
