//! Methods of `float`.

use crate::args::Args;
use crate::exception::PyResult;
use crate::value::{Method, Value};
use crate::vm::Vm;
use crate::vm::unbound_method::inapplicable;

/// The methods, by name.
pub static METHODS: &[Method] = &[Method { name: "is_integer", call: is_integer }];

fn number_of(receiver: &Value, args: Args, method: &str) -> PyResult<f64> {
    let [] = args.exactly(&format!("float.{method}"))?;
    match receiver {
        Value::Float(number) => Ok(*number),
        other => Err(inapplicable(method, "float", other)),
    }
}

fn is_integer(_: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let number = number_of(receiver, args, "is_integer")?;
    Ok(Value::Bool(number.is_finite() && number.fract() == 0.0))
}
