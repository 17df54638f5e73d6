//! Constructors of `object`, `type`, numbers, text and `slice`.

use std::rc::Rc;

use crate::args::Args;
use crate::codec::Encoding;
use crate::exception::{PyResult, not_implemented_error, overflow_error, type_error, value_error};
use crate::number::{Num, convert, parse};
use crate::object::Object;
use crate::string::Str;
use crate::types::{BuiltinType, OBJECT};
use crate::value::{Slice, Value};
use crate::vm::Vm;
use tpv_literal::quoted::{bytes_repr, str_repr};

/// `object()`: a thing with nothing but its identity.
struct Plain;

impl Object for Plain {
    fn class(&self) -> &'static BuiltinType {
        &OBJECT
    }
}

/// `object(...)`
pub(crate) fn object(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let _ = vm;
    if !args.pos.is_empty() || !args.kw.is_empty() {
        return Err(type_error("object() takes no arguments"));
    }
    Ok(Value::object(Plain))
}

/// `type(object)`
pub(crate) fn type_(_: &mut Vm, args: Args) -> PyResult<Value> {
    match args.pos.as_slice() {
        [value] if args.kw.is_empty() => Ok(match value {
            Value::Object(handle) => handle.type_object().unwrap_or(Value::Type(handle.class())),
            value => Value::Type(value.class()),
        }),
        [_, _, _] => Err(not_implemented_error("tpvc does not make classes")),
        _ => Err(type_error("type() takes 1 or 3 arguments")),
    }
}

/// `int(number)`, `int(text, base)`
pub(crate) fn int(vm: &mut Vm, args: Args) -> PyResult<Value> {
    if args.kw.is_empty()
        && let [value] = args.pos.as_slice()
    {
        return int_from(vm, value);
    }
    let [value, base] = args.bind("int", ["", "base"], 0)?;
    let Some(base) = base else {
        return match value {
            Some(value) => int_from(vm, &value),
            None => Ok(Value::Int(0)),
        };
    };
    let Some(value) = value else { return Err(type_error("int() missing string argument")) };
    let Some(base) = vm.index_of(&base)? else {
        let given = base.type_name();
        return Err(type_error(format!("'{}' object cannot be interpreted as an integer", given.as_str())));
    };
    let base = match base {
        Value::Int(base) => u32::try_from(base).ok().filter(|base| matches!(base, 0 | 2..=36)),
        _ => None,
    };
    let Some(base) = base else { return Err(value_error("int() base must be >= 2 and <= 36, or 0")) };
    match text_of(&value) {
        Some(text) => int_from_text(vm, &value, &text, base),
        None => Err(type_error("int() can't convert non-string with explicit base")),
    }
}

fn int_from(vm: &mut Vm, value: &Value) -> PyResult<Value> {
    match value {
        Value::Int(_) | Value::BigInt(_) => return Ok(value.clone()),
        Value::Bool(truth) => return Ok(Value::Int(i64::from(*truth))),
        Value::Float(number) => return convert::float_to_int(*number),
        _ => {}
    }
    if let Some(text) = text_of(value) {
        return int_from_text(vm, value, &text, 10);
    }
    for method in ["int", "index"] {
        match number_of(vm, value, method)? {
            Some(number @ (Value::Int(_) | Value::BigInt(_))) => return Ok(number),
            Some(Value::Bool(truth)) => return Ok(Value::Int(i64::from(truth))),
            Some(other) => {
                let given = other.type_name();
                return Err(type_error(format!("__{method}__ returned non-int (type {})", given.as_str())));
            }
            None => {}
        }
    }
    Err(type_error(format!(
        "int() argument must be a string, a bytes-like object or a real number, not '{}'",
        value.type_name().as_str()
    )))
}

fn int_from_text(vm: &mut Vm, value: &Value, text: &str, base: u32) -> PyResult<Value> {
    vm.visit(text.len(), 4)?;
    let repr = match value {
        Value::Bytes(bytes) => bytes_repr(bytes),
        _ => String::new(),
    };
    parse::int_or_raise(text, base, || if repr.is_empty() { str_repr(text) } else { repr })
}

/// Converts an object to a number by [`Object::number`]: to an int (`"int"`), a float or an index.
fn number_of(vm: &mut Vm, value: &Value, method: &str) -> PyResult<Option<Value>> {
    match value {
        Value::Object(object) => object.number(vm, method).transpose(),
        _ => Ok(None),
    }
}

/// The text of a `str`, or of `bytes` (each byte a character).
fn text_of(value: &Value) -> Option<std::borrow::Cow<'_, str>> {
    match value {
        Value::Str(text) => Some(text.as_str().into()),
        // Bytes above ASCII are no digits in any encoding, nor are the separators of ASCII white space: U+FFFD stands for them.
        Value::Bytes(bytes) => {
            let char = |byte: &u8| match byte {
                0x1c..=0x1f | 0x80.. => char::REPLACEMENT_CHARACTER,
                byte => char::from(*byte),
            };
            Some(bytes.iter().map(char).collect::<String>().into())
        }
        _ => None,
    }
}

/// `bool(...)`
pub(crate) fn bool_(vm: &mut Vm, args: Args) -> PyResult<Value> {
    match args.between("bool", 0)? {
        [Some(value)] => Ok(Value::Bool(vm.truthy(&value)?)),
        [None] => Ok(Value::Bool(false)),
    }
}

/// `float(...)`
pub fn float(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [value] = args.between("float", 0)?;
    let Some(value) = value else { return Ok(Value::Float(0.0)) };
    if let Some(number) = Num::of(&value) {
        return Ok(Value::Float(convert::to_float(number)?));
    }
    if let Some(text) = text_of(&value) {
        vm.visit(text.len(), 128)?;
        return match tpv_literal::parse::float(&text) {
            Some(number) if number.is_nan() => Ok(Value::Float(another_nan(vm, number))),
            Some(number) => Ok(Value::Float(number)),
            None => Err(value_error(format!("could not convert string to float: {}", vm.repr(&value)?))),
        };
    }
    match number_of(vm, &value, "float")? {
        Some(number @ Value::Float(_)) => return Ok(number),
        Some(other) => {
            let (class, given) = (value.type_name(), other.type_name());
            return Err(type_error(format!(
                "{}.__float__ returned non-float (type {})",
                class.as_str(),
                given.as_str()
            )));
        }
        None => {}
    }
    if let Some(index) = vm.index_of(&value)?
        && let Some(number) = Num::int_of(&index)
    {
        return Ok(Value::Float(convert::to_float(number)?));
    }
    Err(type_error(format!("float() argument must be a string or a real number, not '{}'", value.type_name().as_str())))
}

/// A NaN that is another object than all before it: two of them are the same only where one is a copy of the other, which
/// containers ask before they compare. Its bits tell it from the others.
fn another_nan(vm: &mut Vm, nan: f64) -> f64 {
    const FREE_BITS: u64 = (1 << 51) - 1;
    vm.nans += 1;
    f64::from_bits(nan.to_bits() | vm.nans & FREE_BITS)
}

/// `str(object)`, `str(bytes, encoding, errors)`
pub(crate) fn str_(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [value, encoding, errors] = args.bind("str", ["object", "encoding", "errors"], 0)?;
    let Some(value) = value else { return Ok(Value::str("")) };
    vm.charge(1)?;
    if encoding.is_none() && errors.is_none() {
        return vm.str(&value).map(Value::Str);
    }
    let (encoding, errors) = codec_texts("str", encoding, errors)?;
    match &value {
        // CPython does not even look for the encoding.
        Value::Bytes(bytes) if bytes.is_empty() => Ok(Value::str("")),
        Value::Bytes(bytes) => {
            let encoding = Encoding::named(encoding.as_str())?;
            Ok(Value::str(encoding.decode(vm, bytes, errors.as_str())?))
        }
        text if text.as_str().is_some() => Err(type_error("decoding str is not supported")),
        other => {
            Err(type_error(format!("decoding to str: need a bytes-like object, {} found", other.type_name().as_str())))
        }
    }
}

/// The encoding and the way to handle errors that `str`, `bytes`, `encode` and `decode` take.
///
/// # Errors
/// `TypeError` where one is no string, `LookupError` for an unknown encoding.
pub(crate) fn codec_arguments(
    function: &str,
    encoding: Option<Value>,
    errors: Option<Value>,
) -> PyResult<(Encoding, Str)> {
    let (encoding, errors) = codec_texts(function, encoding, errors)?;
    Ok((Encoding::named(encoding.as_str())?, errors))
}

/// The same, the encoding by its name still.
fn codec_texts(function: &str, encoding: Option<Value>, errors: Option<Value>) -> PyResult<(Str, Str)> {
    let text = |value: Option<Value>, name: &str, default: &str| match value {
        None => Ok(Str::from(default)),
        Some(Value::Str(text)) if text.contains('\0') => Err(value_error("embedded null character")),
        Some(Value::Str(text)) => Ok(text),
        Some(Value::None) => Err(type_error(format!("{function}() argument '{name}' must be str, not None"))),
        Some(other) => {
            Err(type_error(format!("{function}() argument '{name}' must be str, not {}", other.type_name().as_str())))
        }
    };
    Ok((text(encoding, "encoding", "utf-8")?, text(errors, "errors", "strict")?))
}

/// `bytes(...)`
pub(crate) fn bytes(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [source, encoding, errors] = args.bind("bytes", ["source", "encoding", "errors"], 0)?;
    let has_codec = encoding.is_some() || errors.is_some();
    let no_text = if encoding.is_some() { "encoding" } else { "errors" };
    let Some(source) = source else {
        if has_codec {
            return Err(type_error(format!("{no_text} without a string argument")));
        }
        return Ok(Value::bytes(Vec::new()));
    };
    if let Value::Str(text) = &source {
        if encoding.is_none() {
            return Err(type_error("string argument without an encoding"));
        }
        let (encoding, errors) = codec_arguments("bytes", encoding, errors)?;
        return Ok(Value::bytes(encoding.encode(vm, text, errors.as_str())?));
    }
    if has_codec {
        codec_texts("bytes", encoding, errors)?;
        return Err(type_error(format!("{no_text} without a string argument")));
    }
    if let Value::Bytes(_) = source {
        return Ok(source);
    }
    if let Some(count) = vm.index_of(&source)? {
        let Value::Int(count) = count else {
            let class = source.type_name();
            return Err(overflow_error(format!("cannot fit '{}' into an index-sized integer", class.as_str())));
        };
        let count = usize::try_from(count).map_err(|_| value_error("negative count"))?;
        vm.charge_bytes(count)?;
        return Ok(Value::bytes(vec![0; count]));
    }
    let refusal = || type_error(format!("cannot convert '{}' object to bytes", source.type_name().as_str()));
    let iterator = vm.iter_or(&source, refusal)?;
    let mut out = Vec::new();
    while let Some(item) = vm.next(&iterator)? {
        vm.charge(1)?;
        let Value::Int(byte) = crate::builtins::convert::index(vm, &item)? else {
            return Err(value_error("bytes must be in range(0, 256)"));
        };
        out.push(u8::try_from(byte).map_err(|_| value_error("bytes must be in range(0, 256)"))?);
    }
    Ok(Value::bytes(out))
}

/// `slice(...)`
pub(crate) fn slice(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let _ = vm;
    let slice = match args.between("slice", 1)? {
        [Some(stop), None, None] => Slice { start: Value::None, stop, step: Value::None },
        [start, stop, step] => {
            let or_none = |part: Option<Value>| part.unwrap_or(Value::None);
            Slice { start: or_none(start), stop: or_none(stop), step: or_none(step) }
        }
    };
    Ok(Value::Slice(Rc::new(slice)))
}
