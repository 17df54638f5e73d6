//! Methods of `bytes`.

use crate::args::Args;
use crate::builtins::convert;
use crate::builtins::scalars::codec_arguments;
use crate::exception::{PyResult, type_error, value_error};
use crate::value::{Builtin, Method, Value};
use crate::vm::Vm;
use crate::vm::unbound_method::inapplicable;

/// The methods, by name.
pub static METHODS: &[Method] = &[Method { name: "decode", call: decode }, Method { name: "hex", call: hex }];

/// The static and class methods, by name.
pub static STATICS: &[Builtin] = &[Builtin::new("bytes", "fromhex", fromhex)];

/// The bytes of the receiver.
fn bytes_of<'a>(receiver: &'a Value, method: &str) -> PyResult<&'a [u8]> {
    match receiver {
        Value::Bytes(bytes) => Ok(bytes),
        other => Err(inapplicable(method, "bytes", other)),
    }
}

fn decode(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let bytes = bytes_of(receiver, "decode")?;
    let [encoding, errors] = args.bind("decode", ["encoding", "errors"], 0)?;
    let named = |value: &Option<Value>| value.as_ref().is_none_or(|value| value.as_str().is_some());
    if bytes.is_empty() && named(&encoding) && named(&errors) {
        // CPython does not even look for the encoding.
        return Ok(Value::str(""));
    }
    let (encoding, errors) = codec_arguments("decode", encoding, errors)?;
    encoding.decode(vm, bytes, errors.as_str()).map(Value::str)
}

/// `bytes.fromhex`
fn fromhex(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [text] = args.exactly("bytes.fromhex")?;
    let Value::Str(text) = &text else {
        let given = text.argument_class();
        return Err(type_error(format!("fromhex() argument must be str, not {}", given.as_str())));
    };
    let bad = |at: usize| value_error(format!("non-hexadecimal number found in fromhex() arg at position {at}"));
    vm.visit(text.as_str().len(), 4)?;
    if let Some(at) = text.as_str().chars().position(|char| !char.is_ascii()) {
        return Err(bad(at));
    }
    let mut out = Vec::new();
    let mut chars = text.as_str().chars().enumerate();
    while let Some((at, char)) = chars.next() {
        if char.is_ascii_whitespace() || char == '\x0b' {
            continue;
        }
        let high = char.to_digit(16).ok_or_else(|| bad(at))?;
        let low = chars.next().and_then(|(_, char)| char.to_digit(16)).ok_or_else(|| bad(at + 1))?;
        out.push(u8::try_from(high << 4 | low).unwrap_or(0));
    }
    Ok(Value::bytes(out))
}

fn hex(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let bytes = bytes_of(receiver, "hex")?;
    let [separator, group] = args.bind("hex", ["sep", "bytes_per_sep"], 0)?;
    vm.charge_bytes(bytes.len().saturating_mul(2))?;
    vm.charge(bytes.len())?;
    let group = match &group {
        None => 1,
        Some(group) => i64::from(convert::index_i32(vm, group)?),
    };
    let separator = match &separator {
        None => None,
        Some(separator) if vm.len(separator)? != 1 => return Err(value_error("sep must be length 1.")),
        Some(Value::Str(text)) if text.is_ascii() => Some(text.to_string()),
        Some(Value::Bytes(bytes)) if bytes.is_ascii() => Some(bytes.iter().map(|byte| char::from(*byte)).collect()),
        Some(Value::Str(_) | Value::Bytes(_)) => return Err(value_error("sep must be ASCII.")),
        Some(_) => return Err(type_error("sep must be str or bytes.")),
    };
    let size = usize::try_from(group.unsigned_abs()).unwrap_or(usize::MAX);
    let mut out = String::with_capacity(bytes.len() * 2);
    for (index, byte) in bytes.iter().enumerate() {
        // Positive sizes count groups from the right.
        let distance = if group > 0 { bytes.len() - index } else { index };
        if let Some(separator) = &separator
            && index > 0
            && size > 0
            && distance % size == 0
        {
            out.push_str(separator);
        }
        out.push_str(&format!("{byte:02x}"));
    }
    Ok(Value::str(out))
}
