//! `json`

use super::class;
use super::signature::Signature;
use crate::python::args::Args;
use crate::python::builtins::convert;
use crate::python::codec::Encoding;
use crate::python::exception::{PyResult, type_error, value_error};
use crate::python::json::decode::{self, Hooks};
use crate::python::json::{JSON_DECODE_ERROR, Options, encode};
use crate::python::value::Value;
use crate::python::vm::Vm;

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
        *hook = Some(value).filter(|value| !value.is_none());
    }
    args.kw = kept;
    let [text] = Signature::function("loads", ["s"], 1).bind(args)?.map(Option::unwrap_or_default);
    match &text {
        Value::Str(text) => decode::loads_with(vm, text, &hooks),
        Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => decode::loads_with(vm, text.strip_prefix('\u{feff}').unwrap_or(text), &hooks),
            // DIFFERENCE: CPython also detects UTF-16 and UTF-32.
            Err(_) => {
                Encoding::named("utf-8")?.decode(bytes, "strict")?;
                Err(value_error("the JSON document is not UTF-8"))
            }
        },
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
    let mut options = Options::default();
    let mut kept = Vec::new();
    let mut separators = None;
    for (name, value) in std::mem::take(&mut args.kw) {
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
                    other => {
                        let width = usize::try_from(convert::index_i64(vm, other)?).unwrap_or(0);
                        vm.charge_bytes(width)?;
                        Some(" ".repeat(width))
                    }
                }
            }
            "separators" => separators = Some(value).filter(|value| !value.is_none()),
            "default" => options.default = Some(value).filter(|value| !value.is_none()),
            "obj" => kept.push((name, value)),
            other => {
                return Err(type_error(format!("JSONEncoder.__init__() got an unexpected keyword argument '{other}'")));
            }
        }
    }
    if options.indent.is_some() {
        options.item_separator = ",".to_owned();
    }
    if let Some(separators) = separators {
        match vm.collect(&separators)?.as_slice() {
            [Value::Str(item), Value::Str(key)] => {
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
            _ => return Err(type_error("separators must be strings")),
        }
    }
    args.kw = kept;
    let [value] = Signature::function("dumps", ["obj"], 1).bind(args)?.map(Option::unwrap_or_default);
    Ok(Value::str(encode::dumps(vm, &value, &options)?))
}
