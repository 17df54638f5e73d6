//! Methods of `float`.

use crate::args::Args;
use crate::exception::{PyResult, type_error};
use crate::value::{Method, Value};
use crate::vm::Vm;

/// The methods, by name.
pub static METHODS: &[Method] = &[Method { name: "is_integer", call: is_integer }];

fn number_of(receiver: &Value, args: Args, method: &str) -> PyResult<f64> {
    let [] = args.exactly(&format!("float.{method}"))?;
    match receiver {
        Value::Float(number) => Ok(*number),
        other => Err(type_error(format!(
            "descriptor '{method}' for 'float' objects doesn't apply to a '{}' object",
            other.type_name().as_str()
        ))),
    }
}

fn is_integer(_: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let number = number_of(receiver, args, "is_integer")?;
    Ok(Value::Bool(number.is_finite() && number.fract() == 0.0))
}
