//! `time`: the time that the world tells. Its zone is UTC.

use crate::args::Args;
use crate::builtins::convert;
use crate::exception::{PyResult, host_unavailable, overflow_error, value_error};
use crate::value::Value;
use crate::vm::Vm;

module! {
    /// `time`
    MODULE = "time";
    functions {
        "monotonic" => |vm, args| seconds(vm, args, "time.monotonic"),
        "perf_counter" => |vm, args| seconds(vm, args, "time.perf_counter"),
        "sleep" => sleep,
        "time" => |vm, args| seconds(vm, args, "time.time"),
    }
    values(_vm) {}
}

/// Microseconds since 1970 UTC.
///
/// # Errors
/// `HostUnavailable` where the world does not tell the time.
pub fn now(vm: &Vm) -> PyResult<i64> {
    vm.environment.now().ok_or_else(|| host_unavailable("the world has no time: add `now`"))
}

fn seconds(vm: &mut Vm, args: Args, function: &str) -> PyResult<Value> {
    let [] = args.exactly(function)?;
    #[expect(clippy::cast_precision_loss, reason = "microseconds since 1970 are exact in a float until the year 2255")]
    let seconds = now(vm)? as f64 / 1e6;
    Ok(Value::Float(seconds))
}

/// `sleep(secs)`
///
/// DIFFERENCE: sleeping takes no time; a mapping waits for nothing.
fn sleep(vm: &mut Vm, args: Args) -> PyResult<Value> {
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
    // The most that CPython's time in nanoseconds holds.
    if seconds >= 9_223_372_036.854_776 {
        return Err(overflow_error("timestamp too large to convert to C _PyTime_t"));
    }
    Ok(Value::None)
}
