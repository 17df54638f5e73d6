//! `json`: JSON as CPython reads and writes it.

mod decode;
mod encode;
mod text;

pub use decode::read_checked;
pub use text::{BadEscape, escape_into, escaped_len, is_plain, plain_end, quote_plain, unescape, write_float};

use super::signature::Signature;
use crate::args::Args;
use crate::exception::{ExceptionObject, PyResult, Raised, VALUE_ERROR, not_implemented_error, type_error};
use crate::types::BuiltinType;
use crate::value::Value;
use crate::vm::{BinaryOp, Vm};

module! {
    /// `json`
    MODULE = "json";
    functions { "dumps" => dumps, "load" => load, "loads" => loads }
    values(_vm) { "JSONDecodeError" => Value::Type(&JSON_DECODE_ERROR) }
}

/// `json.JSONDecodeError`
static JSON_DECODE_ERROR: BuiltinType = BuiltinType::new("JSONDecodeError", "json.decoder", &VALUE_ERROR);

/// `JSONDecodeError(message, doc, pos)`, its position given in bytes.
fn decode_error(message: &str, doc: &str, byte: usize) -> Raised {
    let before = doc.get(..byte).unwrap_or(doc);
    let position = before.chars().count();
    let line = before.matches('\n').count() + 1;
    let column = match before.rfind('\n') {
        Some(newline) => before.get(newline..).unwrap_or_default().chars().count(),
        None => position + 1,
    };
    let text = format!("{message}: line {line} column {column} (char {position})");
    let object = ExceptionObject::new(&JSON_DECODE_ERROR, vec![Value::str(text)]);
    let attributes = [
        ("msg", Value::str(message)),
        ("doc", Value::str(doc)),
        ("pos", Value::from_usize(position)),
        ("lineno", Value::from_usize(line)),
        ("colno", Value::from_usize(column)),
    ];
    object.attributes.borrow_mut().extend(attributes.map(|(name, value)| (name.to_owned(), value)));
    Raised(object)
}

/// The options of CPython's `json.loads` that are not there.
pub const LEFT_OUT_OF_LOADS: [&str; 7] =
    ["cls", "object_hook", "object_pairs_hook", "parse_constant", "parse_float", "parse_int", "strict"];

/// The options of CPython's `json.dumps` that are not there.
pub const LEFT_OUT_OF_DUMPS: [&str; 4] = ["allow_nan", "check_circular", "cls", "skipkeys"];

/// `json.loads(s)`
///
/// DIFFERENCE: CPython also reads bytes, and has hooks and other options.
fn loads(vm: &mut Vm, args: Args) -> PyResult<Value> {
    if let Some((name, _)) = args.kw.iter().find(|(name, _)| LEFT_OUT_OF_LOADS.contains(&name.as_str())) {
        return Err(not_there("loads", name));
    }
    if let Some((name, _)) = args.kw.iter().find(|(name, _)| name.as_str() != "s") {
        let name = name.as_str();
        return Err(type_error(format!("JSONDecoder.__init__() got an unexpected keyword argument '{name}'")));
    }
    let [text] = Signature::function("loads", ["s"], 1).bind(args)?.map(Option::unwrap_or_default);
    match &text {
        Value::Str(text) => decode::loads(vm, text),
        Value::Bytes(_) => Err(not_implemented_error("tpvc's `json.loads` reads text only, not bytes")),
        other => {
            Err(type_error(format!("the JSON object must be str, bytes or bytearray, not {}", other.class_name())))
        }
    }
}

/// `json.load(fp)`: what is read of a response, for example.
fn load(vm: &mut Vm, mut args: Args) -> PyResult<Value> {
    let Some(file) = args.pos.first_mut() else {
        return Err(type_error("load() missing 1 required positional argument: 'fp'"));
    };
    *file = vm.call_method(file, "read", Args::none())?;
    loads(vm, args)
}

fn not_there(function: &str, option: &str) -> Raised {
    not_implemented_error(format!("tpvc's `json.{function}` has no `{option}`"))
}

/// `json.dumps(obj, *, ensure_ascii=True, indent=None, separators=None, default=None, sort_keys=False)`
///
/// DIFFERENCE: CPython has more options.
fn dumps(vm: &mut Vm, mut args: Args) -> PyResult<Value> {
    let obj = args.kw.iter().position(|(name, _)| name.as_str() == "obj").map(|at| args.kw.remove(at));
    let keywords = std::mem::replace(&mut args.kw, obj.into_iter().collect());
    let [value] = Signature::function("dumps", ["obj"], 1).bind(args)?.map(Option::unwrap_or_default);
    let mut options = encode::Options::default();
    let (mut indent, mut separators) = (Value::None, None);
    for (name, value) in keywords {
        match name.as_str() {
            "ensure_ascii" => options.ensure_ascii = vm.truthy(&value)?,
            "sort_keys" => options.sort_keys = vm.truthy(&value)?,
            "indent" => indent = value,
            "separators" => separators = Some(value).filter(|value| !value.is_none()),
            "default" => options.default = Some(value).filter(|value| !value.is_none()),
            option if LEFT_OUT_OF_DUMPS.contains(&option) => return Err(not_there("dumps", &name)),
            other => {
                return Err(type_error(format!("JSONEncoder.__init__() got an unexpected keyword argument '{other}'")));
            }
        }
    }
    let separators = separators.map(|separators| vm.unpack(&separators, 2)).transpose()?;
    if let Value::Str(_) = &value {
        // CPython looks at neither indentation nor separators then.
        return Ok(Value::str(encode::dumps(vm, &value, &options)?));
    }
    if !indent.is_none() {
        let repeated =
            if indent.as_str().is_some() { indent } else { vm.binary(BinaryOp::Multiply, &Value::str(" "), &indent)? };
        options.indent = repeated.as_str().map(|indent| indent.to_string());
        options.item_separator = ",".to_owned();
    }
    if let Some(parts) = separators {
        for (part, place, separator) in [(1, 5, &mut options.key_separator), (0, 6, &mut options.item_separator)] {
            match parts.get(part) {
                Some(Value::Str(text)) => *separator = text.to_string(),
                other => {
                    let given = other.cloned().unwrap_or_default().argument_class();
                    let given = given.as_str();
                    return Err(type_error(format!("make_encoder() argument {place} must be str, not {given}")));
                }
            }
        }
    }
    Ok(Value::str(encode::dumps(vm, &value, &options)?))
}
