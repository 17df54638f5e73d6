//! Truth from words, and lists from texts.

use crate::galaxy::signature;
use crate::python::args::Args;
use crate::python::exception::{PyResult, value_error};
use crate::python::unicode;
use crate::python::value::Value;
use crate::python::vm::Vm;

const TRUE_WORDS: [&str; 6] = ["true", "yes", "on", "1", "t", "y"];
const FALSE_WORDS: [&str; 6] = ["false", "no", "off", "0", "f", "n"];

/// `asbool(obj)`: the truth that a word names, or that any other value has.
pub(super) fn asbool(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [object] = signature::bind(args, "asbool", ["obj"], 1)?;
    let object = object.unwrap_or(Value::None);
    let Value::Str(text) = &object else { return vm.truthy(&object).map(Value::Bool) };
    let word = text.trim_matches(unicode::is_space).to_lowercase();
    if TRUE_WORDS.contains(&word.as_str()) {
        Ok(Value::Bool(true))
    } else if FALSE_WORDS.contains(&word.as_str()) {
        Ok(Value::Bool(false))
    } else {
        Err(value_error(format!("String is not true/false: {}", vm.repr(&Value::str(word))?)))
    }
}

/// `string_as_bool(string)`
pub(super) fn string_as_bool(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [string] = signature::bind(args, "string_as_bool", ["string"], 1)?;
    let word = vm.str(&string.unwrap_or(Value::None))?.to_lowercase();
    Ok(Value::Bool(["true", "yes", "on", "1"].contains(&word.as_str())))
}

/// `string_as_bool_or_none(string)`
pub(super) fn string_as_bool_or_none(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [string] = signature::bind(args, "string_as_bool_or_none", ["string"], 1)?;
    let word = vm.str(&string.unwrap_or(Value::None))?.to_lowercase();
    Ok(match word.as_str() {
        "none" | "null" => Value::None,
        word => Value::Bool(["true", "yes", "on"].contains(&word)),
    })
}

/// `listify(item, do_strip=False)`: a list of one item, of the parts of a text with commas, or of nothing.
pub(super) fn listify(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [item, strip] = signature::bind(args, "listify", ["item", "do_strip"], 1)?;
    let item = item.unwrap_or(Value::None);
    if !vm.truthy(&item)? {
        return Ok(Value::list(Vec::new()));
    }
    let strip = vm.truthy(&strip.unwrap_or(Value::Bool(false)))?;
    Ok(match &item {
        Value::List(_) => item,
        Value::Tuple(tuple) => Value::list(tuple.items.clone()),
        Value::Str(text) if text.contains(',') => {
            vm.charge_bytes(text.len())?;
            let part = |part: &str| Value::str(if strip { part.trim_matches(unicode::is_space) } else { part });
            Value::list(text.split(',').map(part).collect())
        }
        _ => Value::list(vec![item]),
    })
}
