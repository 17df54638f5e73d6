//! Methods of `float`.

use crate::args::Args;
use crate::exception::{PyResult, type_error};
use crate::number::{convert, float_hex};
use crate::value::{Builtin, Method, Value};
use crate::vm::Vm;

/// The methods, by name.
pub static METHODS: &[Method] = &[
    Method { name: "as_integer_ratio", call: as_integer_ratio },
    Method { name: "conjugate", call: conjugate },
    Method { name: "hex", call: hex },
    Method { name: "is_integer", call: is_integer },
];

/// The static and class methods, by name.
pub static STATICS: &[Builtin] = &[Builtin::new("float", "fromhex", fromhex)];

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

fn as_integer_ratio(_: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let (numerator, denominator) = convert::integer_ratio(number_of(receiver, args, "as_integer_ratio")?)?;
    Ok(Value::tuple(vec![Value::from_bigint(numerator), Value::from_bigint(denominator)]))
}

fn conjugate(_: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    number_of(receiver, args, "conjugate").map(Value::Float)
}

/// `float.fromhex`
fn fromhex(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [text] = args.exactly("float.fromhex")?;
    match &text {
        Value::Str(text) => float_hex::from_hex(text.as_str()).map(Value::Float),
        _ => Err(type_error("bad argument type for built-in operation")),
    }
}

fn hex(_: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    Ok(Value::str(float_hex::hex(number_of(receiver, args, "hex")?)))
}

fn is_integer(_: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let number = number_of(receiver, args, "is_integer")?;
    Ok(Value::Bool(number.is_finite() && number.fract() == 0.0))
}
