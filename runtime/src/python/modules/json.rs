//! `json`

use super::class;
use super::signature::Signature;
use crate::python::args::Args;
use crate::python::codec::Encoding;
use crate::python::exception::{PyResult, type_error, value_error};
use crate::python::json::decode::{self, Hooks};
use crate::python::json::{JSON_DECODE_ERROR, Options, encode};
use crate::python::value::Value;
use crate::python::vm::members::plain;
use crate::python::vm::operators::is_not_iterable;
use crate::python::vm::{BinaryOp, Vm};

module! {
    /// `json`
    MODULE = "json";
    functions { "dumps" => dumps, "load" => load, "loads" => loads }
    values(_vm) { "JSONDecodeError" => class(&JSON_DECODE_ERROR) }
}

fn loads(vm: &mut Vm, mut args: Args) -> PyResult<Value> {
    let mut hooks = Hooks::default();
    let mut kept = Vec::new();
    for (name, value) in std::mem::take(&mut args.kw) {
        let hook = match name.as_str() {
            "object_hook" => &mut hooks.object,
            "object_pairs_hook" => &mut hooks.pairs,
            "parse_float" => &mut hooks.float,
            "parse_int" => &mut hooks.int,
            "parse_constant" => &mut hooks.constant,
            "strict" => {
                hooks.lenient = !vm.truthy(&value)?;
                continue;
            }
            "cls" => continue,
            "s" => {
                kept.push((name, value));
                continue;
            }
            other => {
                return Err(type_error(format!("JSONDecoder.__init__() got an unexpected keyword argument '{other}'")));
            }
        };
        // Those of numbers are not asked for where they are false.
        let is_given = match name.as_str() {
            "parse_float" | "parse_int" | "parse_constant" => vm.truthy(&value)?,
            _ => !value.is_none(),
        };
        *hook = Some(value).filter(|_| is_given);
    }
    args.kw = kept;
    let [text] = Signature::function("loads", ["s"], 1).bind(args)?.map(Option::unwrap_or_default);
    match &text {
        Value::Str(text) => decode::loads_with(vm, text, &hooks),
        Value::Bytes(bytes) => {
            vm.charge(bytes.len() / 8)?;
            let text = Encoding::of_json(bytes).decode(vm, bytes, "strict")?;
            decode::loads_with(vm, &text, &hooks)
        }
        other => Err(type_error(format!(
            "the JSON object must be str, bytes or bytearray, not {}",
            other.class().name().as_str()
        ))),
    }
}

fn load(vm: &mut Vm, mut args: Args) -> PyResult<Value> {
    let Some(file) = args.pos.first_mut() else {
        return Err(type_error("load() missing 1 required positional argument: 'fp'"));
    };
    *file = vm.call_method(file, "read", Args::none())?;
    loads(vm, args)
}

fn dumps(vm: &mut Vm, mut args: Args) -> PyResult<Value> {
    let obj = args.kw.iter().position(|(name, _)| name.as_str() == "obj").map(|at| args.kw.remove(at));
    let keywords = std::mem::replace(&mut args.kw, obj.into_iter().collect());
    let [value] = Signature::function("dumps", ["obj"], 1).bind(args)?.map(Option::unwrap_or_default);
    let value_is_text = value.as_str().is_some();
    let mut options = Options::default();
    let mut separators = None;
    for (name, value) in keywords {
        match name.as_str() {
            "skipkeys" => options.skip_keys = vm.truthy(&value)?,
            "ensure_ascii" => options.ensure_ascii = vm.truthy(&value)?,
            "allow_nan" => options.allow_nan = vm.truthy(&value)?,
            "sort_keys" => options.sort_keys = vm.truthy(&value)?,
            "check_circular" | "cls" => {}
            "indent" => {
                options.indent = match &value {
                    Value::None => None,
                    Value::Str(text) => Some(text.to_string()),
                    // A text alone is written before the indent is looked at.
                    _ if value_is_text => None,
                    other => {
                        let indent = vm.binary(BinaryOp::Multiply, &Value::str(" "), other)?;
                        indent.as_str().map(|indent| indent.to_string())
                    }
                }
            }
            "separators" => separators = Some(value).filter(|value| !value.is_none()),
            "default" => options.default = Some(value).filter(|value| !value.is_none()),
            other => {
                return Err(type_error(format!("JSONEncoder.__init__() got an unexpected keyword argument '{other}'")));
            }
        }
    }
    if options.indent.is_some() {
        options.item_separator = ",".to_owned();
    }
    if let Some(separators) = separators {
        let parts = vm.collect(&separators).map_err(|raised| {
            if is_not_iterable(&raised, &separators) {
                let class = separators.type_name();
                return type_error(format!("cannot unpack non-iterable {} object", class.as_str()));
            }
            raised
        })?;
        match parts.as_slice() {
            [item, key] if let (Value::Str(item), Value::Str(key)) = (plain(item), plain(key)) => {
                options.item_separator = item.to_string();
                options.key_separator = key.to_string();
            }
            parts if parts.len() != 2 => {
                let problem = if parts.len() < 2 {
                    format!("not enough values to unpack (expected 2, got {})", parts.len())
                } else {
                    "too many values to unpack (expected 2)".to_owned()
                };
                return Err(value_error(problem));
            }
            // A text alone is written without an encoder.
            _ if value_is_text => {}
            [item, key] => {
                let (place, wrong) = if plain(key).as_str().is_none() { (5, key) } else { (6, item) };
                let given = wrong.argument_class();
                return Err(type_error(format!("make_encoder() argument {place} must be str, not {}", given.as_str())));
            }
            _ => {}
        }
    }
    Ok(Value::str(encode::dumps(vm, &value, &options)?))
}
