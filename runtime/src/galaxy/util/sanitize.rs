//! Texts with the characters that Galaxy lets through, others replaced.

use crate::galaxy::signature;
use crate::python::args::Args;
use crate::python::exception::{EXCEPTION, PyResult, raise, type_error};
use crate::python::value::Value;
use crate::python::vm::Vm;

/// What stands for characters that are allowed but have a meaning elsewhere.
const MAPPED: [(char, &str); 13] = [
    ('>', "__gt__"),
    ('<', "__lt__"),
    ('\'', "__sq__"),
    ('"', "__dq__"),
    ('[', "__ob__"),
    (']', "__cb__"),
    ('{', "__oc__"),
    ('}', "__cc__"),
    ('@', "__at__"),
    ('\n', "__cn__"),
    ('\r', "__cr__"),
    ('\t', "__tc__"),
    ('#', "__pd__"),
];

/// The parameters after the first. DIFFERENCE: other sets of characters than Galaxy's cannot be given.
const PARAMETERS: [&str; 4] = ["text", "valid_characters", "character_map", "invalid_character"];

fn only(vm: &Vm, given: [Option<Value>; 4]) -> PyResult<Value> {
    let _ = vm;
    let [text, valid, map, invalid] = given;
    // Galaxy's function does not use the last one either.
    drop(invalid);
    if valid.is_some() || map.is_some() {
        return Err(crate::python::exception::not_implemented_error("other characters than the default ones"));
    }
    Ok(text.unwrap_or_default())
}

fn sanitized(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_ascii_alphanumeric() || " -=_.()/+*^,:?!".contains(char) {
            out.push(char);
        } else {
            out.push_str(MAPPED.iter().find(|(mapped, _)| *mapped == char).map_or("X", |(_, word)| word));
        }
    }
    out
}

fn sanitize(vm: &mut Vm, value: &Value) -> PyResult<Value> {
    if let Value::List(list) = value {
        let items = list.items.borrow().clone();
        let items = items.iter().map(|item| vm.deeper(|vm| sanitize(vm, item))).collect::<PyResult<Vec<_>>>()?;
        return Ok(Value::list(items));
    }
    Ok(Value::str(one(vm, value)?))
}

fn one(vm: &mut Vm, value: &Value) -> PyResult<String> {
    let text = match value {
        Value::Str(text) => {
            vm.charge_bytes(text.len().saturating_mul(6))?;
            return Ok(sanitized(text));
        }
        // Galaxy walks over the bytes that it made of it: numbers, all of them unknown characters.
        Value::Bytes(bytes) => return Ok("X".repeat(bytes.len())),
        other => vm.str(other)?,
    };
    vm.charge_bytes(text.len())?;
    Ok("X".repeat(text.len()))
}

/// `sanitize_text(text)`
pub(super) fn sanitize_text(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let given = signature::bind(args, "sanitize_text", PARAMETERS, 1)?;
    let text = only(vm, given)?;
    sanitize(vm, &text)
}

/// `sanitize_lists_to_string(values)`
pub(super) fn sanitize_lists_to_string(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [_, valid, map, invalid] = PARAMETERS;
    let given = signature::bind(args, "sanitize_lists_to_string", ["values", valid, map, invalid], 1)?;
    let values = only(vm, given)?;
    joined(vm, &values).map(Value::str)
}

fn joined(vm: &mut Vm, value: &Value) -> PyResult<String> {
    let Value::List(list) = value else { return one(vm, value) };
    let items = list.items.borrow().clone();
    let parts = items.iter().map(|item| vm.deeper(|vm| joined(vm, item))).collect::<PyResult<Vec<_>>>()?;
    Ok(parts.join(","))
}

/// `sanitize_param(value)`
pub(super) fn sanitize_param(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [_, valid, map, invalid] = PARAMETERS;
    let given = signature::bind(args, "sanitize_param", ["value", valid, map, invalid], 1)?;
    let value = only(vm, given)?;
    if matches!(value, Value::Str(_) | Value::List(_)) {
        return sanitize(vm, &value);
    }
    let class = vm.repr(&Value::Type(value.class()))?;
    Err(raise(&EXCEPTION, format!("Unknown parameter type ({class})")))
}

/// `restore_text(text)`
pub(super) fn restore_text(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [text, map] = signature::bind(args, "restore_text", ["text", "character_map"], 1)?;
    if map.is_some() {
        return Err(crate::python::exception::not_implemented_error("another map of characters than the default one"));
    }
    let text = text.unwrap_or_default();
    if !vm.truthy(&text)? {
        return Ok(text);
    }
    let Value::Str(text) = &text else {
        let found = text.type_name();
        return Err(crate::python::exception::attribute_error(format!(
            "'{}' object has no attribute 'replace'",
            found.as_str()
        )));
    };
    vm.charge(text.len())?;
    let restored = MAPPED.iter().fold(text.to_string(), |text, (char, word)| text.replace(word, &char.to_string()));
    Ok(Value::str(restored))
}

/// `sanitize_for_filename(text, default=None)`
pub(super) fn sanitize_for_filename(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [text, default] = signature::bind(args, "sanitize_for_filename", ["text", "default"], 1)?;
    let text = text.unwrap_or_default();
    let mut out = String::new();
    for part in vm.collect(&text)? {
        let single = part.as_str().and_then(|part| {
            let mut characters = part.chars();
            characters.next().filter(|_| characters.next().is_none())
        });
        let valid = single.filter(|char| char.is_ascii_alphanumeric() || matches!(char, '_' | '.'));
        out.push(valid.unwrap_or('_'));
    }
    if !matches!(out.as_str(), "" | "." | "..") {
        return Ok(Value::str(out));
    }
    match default.filter(|default| !default.is_none()) {
        Some(default) => Ok(default),
        // Galaxy takes a random id.
        None => Err(type_error("sanitize_for_filename() needs a default for this text")),
    }
}
