//! `time`: the time that the world tells.

use crate::python::exception::{PyResult, host_unavailable};
use crate::python::value::Value;
use crate::python::vm::Vm;

module! {
    /// `time`
    MODULE = "time";
    functions {
        "monotonic" => |vm, args| {
            let [] = args.exactly("time.monotonic")?;
            seconds(vm)
        },
        "perf_counter" => |vm, args| {
            let [] = args.exactly("time.perf_counter")?;
            seconds(vm)
        },
        // DIFFERENCE: sleeping takes no time; a mapping waits for nothing.
        "sleep" => |_, args| {
            let [_] = args.exactly("time.sleep")?;
            Ok(Value::None)
        },
        "time" => |vm, args| {
            let [] = args.exactly("time.time")?;
            seconds(vm)
        },
        "time_ns" => |vm, args| {
            let [] = args.exactly("time.time_ns")?;
            let nanoseconds = i128::from(now(vm)?) * 1000;
            Ok(Value::from_bigint(nanoseconds.into()))
        },
    }
    values(_vm) {
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

fn seconds(vm: &Vm) -> PyResult<Value> {
    #[expect(clippy::cast_precision_loss, reason = "microseconds since 1970 are exact in a float until the year 2255")]
    let seconds = now(vm)? as f64 / 1e6;
    Ok(Value::Float(seconds))
}
