//! `time`: the time that the world tells. Its zone is UTC.

mod calendar;
pub mod struct_time;

use super::class;
use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::exception::{PyResult, host_unavailable, overflow_error, value_error};
use crate::python::value::Value;
use crate::python::vm::Vm;

module! {
    /// `time`
    MODULE = "time";
    functions {
        "asctime" => calendar::asctime,
        "ctime" => calendar::ctime,
        "gmtime" => |vm, args| calendar::parts(vm, args, "gmtime", "GMT"),
        "localtime" => |vm, args| calendar::parts(vm, args, "localtime", "UTC"),
        "mktime" => calendar::mktime,
        "monotonic" => |vm, args| seconds(vm, args, "time.monotonic"),
        "monotonic_ns" => |vm, args| nanoseconds(vm, args, "time.monotonic_ns"),
        "perf_counter" => |vm, args| seconds(vm, args, "time.perf_counter"),
        "perf_counter_ns" => |vm, args| nanoseconds(vm, args, "time.perf_counter_ns"),
        "process_time" => |vm, args| seconds(vm, args, "time.process_time"),
        "process_time_ns" => |vm, args| nanoseconds(vm, args, "time.process_time_ns"),
        // DIFFERENCE: sleeping takes no time; a mapping waits for nothing.
        "sleep" => |vm, args| {
            // It takes no time: see `docs/differences.md`.
            let [given] = args.exactly("time.sleep")?;
            let seconds = match &given {
                Value::Float(seconds) => *seconds,
                #[expect(clippy::cast_precision_loss, reason = "only its sign and size are looked at")]
                other => convert::index_clamped(vm, other)? as f64,
            };
            if seconds.is_nan() {
                return Err(value_error("Invalid value NaN (not a number)"));
            }
            if seconds < 0.0 {
                return Err(value_error("sleep length must be non-negative"));
            }
            if seconds >= 9_223_372_036_854_775_808.0 && matches!(given, Value::Float(_)) {
                return Err(overflow_error("timestamp out of range for platform time_t"));
            }
            if seconds >= 9_223_372_036.854_776 {
                return Err(overflow_error("timestamp too large to convert to C _PyTime_t"));
            }
            Ok(Value::None)
        },
        "strftime" => calendar::strftime,
        "strptime" => calendar::strptime,
        "time" => |vm, args| seconds(vm, args, "time.time"),
        "time_ns" => |vm, args| nanoseconds(vm, args, "time.time_ns"),
    }
    values(_vm) {
        "altzone" => Value::Int(0),
        "daylight" => Value::Int(0),
        "struct_time" => class(&struct_time::STRUCT_TIME),
        "timezone" => Value::Int(0),
        "tzname" => Value::tuple(vec![Value::str("UTC"), Value::str("UTC")]),
    }
}

/// Microseconds since 1970 UTC.
///
/// # Errors
/// `HostUnavailable` where the world does not tell the time.
pub fn now(vm: &Vm) -> PyResult<i64> {
    vm.environment.now().ok_or_else(|| host_unavailable("the world does not tell the time: it has no `now`"))
}

fn seconds(vm: &mut Vm, args: Args, function: &str) -> PyResult<Value> {
    let [] = args.exactly(function)?;
    #[expect(clippy::cast_precision_loss, reason = "microseconds since 1970 are exact in a float until the year 2255")]
    let seconds = now(vm)? as f64 / 1e6;
    Ok(Value::Float(seconds))
}

fn nanoseconds(vm: &mut Vm, args: Args, function: &str) -> PyResult<Value> {
    let [] = args.exactly(function)?;
    let nanoseconds = i128::from(now(vm)?) * 1000;
    Ok(Value::from_bigint(nanoseconds.into()))
}
