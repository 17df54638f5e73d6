//! Methods of `int` and `bool`.

use num_bigint::{BigInt, Sign};
use num_traits::Signed;

use crate::args::Args;
use crate::builtins::convert;
use crate::exception::{PyResult, overflow_error, type_error, value_error};
use crate::number::Num;
use crate::value::{Builtin, Method, Value};
use crate::vm::Vm;
use crate::vm::unbound_method::inapplicable;

/// The methods, by name.
pub static METHODS: &[Method] =
    &[Method { name: "bit_length", call: bit_length }, Method { name: "to_bytes", call: to_bytes }];

/// The static and class methods, by name.
pub static STATICS: &[Builtin] = &[Builtin::new("int", "from_bytes", from_bytes)];

/// Those of `bool`.
pub static BOOL_STATICS: &[Builtin] = &[Builtin {
    pure: false,
    owner: "bool",
    name: "from_bytes",
    call: |vm, args| {
        let number = from_bytes(vm, args)?;
        Ok(Value::Bool(vm.truthy(&number)?))
    },
}];

fn number_of<'a>(receiver: &'a Value, method: &str) -> PyResult<Num<'a>> {
    Num::int_of(receiver).ok_or_else(|| inapplicable(method, "int", receiver))
}

fn bit_length(_: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let number = number_of(receiver, "bit_length")?;
    let [] = args.exactly("int.bit_length")?;
    Ok(Value::from_usize(usize::try_from(number.to_big().bits()).unwrap_or(usize::MAX)))
}

/// The arguments `first`, `byteorder` (true is big-endian) and `signed`, the last by name only.
fn byte_arguments(vm: &mut Vm, mut args: Args, method: &str, first: &str) -> PyResult<(Option<Value>, bool, bool)> {
    let signed = match args.kw.iter().position(|(name, _)| name.as_str() == "signed") {
        Some(index) => {
            let (_, signed) = args.kw.remove(index);
            vm.truthy(&signed)?
        }
        None => false,
    };
    let given = args.pos.len();
    if given > 2 {
        return Err(type_error(format!("{method}() takes at most 2 positional arguments ({given} given)")));
    }
    let [value, order] = args.bind(method, [first, "byteorder"], 0)?;
    let big = match &order {
        None => true,
        Some(Value::Str(order)) if order.as_str() == "big" => true,
        Some(Value::Str(order)) if order.as_str() == "little" => false,
        Some(Value::Str(_)) => return Err(value_error("byteorder must be either 'little' or 'big'")),
        Some(other) => {
            let given = other.argument_class();
            return Err(type_error(format!("{method}() argument 'byteorder' must be str, not {}", given.as_str())));
        }
    };
    Ok((value, big, signed))
}

/// `int.from_bytes`
fn from_bytes(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let (bytes, big, signed) = byte_arguments(vm, args, "from_bytes", "bytes")?;
    let Some(bytes) = bytes else {
        return Err(type_error("from_bytes() missing required argument 'bytes' (pos 1)"));
    };
    if let Value::Bytes(bytes) = &bytes {
        vm.visit(bytes.len(), 4)?;
    }
    let mut bytes = match &bytes {
        Value::Bytes(bytes) => bytes.to_vec(),
        Value::Str(_) | Value::Int(_) | Value::Bool(_) | Value::BigInt(_) | Value::Float(_) | Value::None => {
            let given = bytes.type_name();
            return Err(type_error(format!("cannot convert '{}' object to bytes", given.as_str())));
        }
        other => match crate::builtins::scalars::bytes(vm, Args::one(other.clone()))? {
            Value::Bytes(bytes) => bytes.to_vec(),
            _ => Vec::new(),
        },
    };
    if !big {
        bytes.reverse();
    }
    let number = if signed { BigInt::from_signed_bytes_be(&bytes) } else { BigInt::from_bytes_be(Sign::Plus, &bytes) };
    Ok(Value::from_bigint(number))
}

fn to_bytes(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let number = number_of(receiver, "to_bytes")?.to_big();
    let (length, big, signed) = byte_arguments(vm, args, "to_bytes", "length")?;
    let length = match length {
        Some(length) => convert::index_i64(vm, &length)?,
        None => 1,
    };
    let length = usize::try_from(length).map_err(|_| value_error("length argument must be non-negative"))?;
    if number.is_negative() && !signed {
        return Err(overflow_error("can't convert negative int to unsigned"));
    }
    vm.charge_bytes(length)?;
    vm.visit(length, 8)?;
    let mut bytes = match (&number, signed) {
        (number, _) if number.sign() == Sign::NoSign => Vec::new(),
        (number, true) => number.to_signed_bytes_le(),
        (number, false) => number.to_bytes_le().1,
    };
    if bytes.len() > length {
        return Err(overflow_error("int too big to convert"));
    }
    bytes.resize(length, if number.is_negative() { 0xff } else { 0 });
    if big {
        bytes.reverse();
    }
    Ok(Value::bytes(bytes))
}
