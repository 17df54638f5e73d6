//! Python values as JSON text: what `json.dumps(value, default=repr)` gives.

use tpv_literal::int_text;
use tpv_python::exception::{PyResult, type_error, value_error};
use tpv_python::identity::{Inside, OUTER_A_STEP};
use tpv_python::modules::json::{escape_into, escaped_len, is_plain, quote_plain, write_float};
use tpv_python::value::Value;
use tpv_python::vm::Vm;

/// The bytes of text that are looked through for characters to escape, and copied, in about the time of a step.
const COPIED_A_STEP: usize = 64;

/// The bytes of text that are escaped in about the time of a step.
const ESCAPED_A_STEP: usize = 4;

/// Appends a value as JSON: tuples become lists, keys become strings, and what JSON does not know becomes its `repr`.
///
/// # Errors
/// `TypeError` for keys that cannot become strings, `ValueError` if a container holds itself, `MemoryError` and `TimeoutError`
/// if the text is too long, and what `repr` raises.
pub fn dump(vm: &mut Vm, out: &mut String, value: &Value) -> PyResult<()> {
    match value {
        Value::None => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Int(value) => int_text::write_small(out, *value),
        Value::Float(value) => write_float(out, *value),
        Value::Str(text) => return string(vm, out, text),
        other => return container(vm, out, other, &mut Inside::default()),
    }
    Ok(())
}

/// Appends a string, if there is room for it.
fn string(vm: &mut Vm, out: &mut String, text: &str) -> PyResult<()> {
    let is_plain = charge_escaping(vm, out.len(), text)?;
    if is_plain {
        quote_plain(out, text)
    } else {
        escape_into(out, text)
    }
    Ok(())
}

/// Pays for appending a text as a JSON string to `before` bytes. Gives `true` if it has nothing to escape.
///
/// # Errors
/// `MemoryError` if there is no room for it, `TimeoutError` if the budget is spent.
pub(crate) fn charge_escaping(vm: &mut Vm, before: usize, text: &str) -> PyResult<bool> {
    vm.limit_bytes(before.saturating_add(text.len()))?;
    vm.visit(text.len(), COPIED_A_STEP)?;
    if is_plain(text) {
        return Ok(true);
    }
    vm.visit(text.len(), ESCAPED_A_STEP)?;
    // Escapes are up to six times as long as what they stand for.
    if before.saturating_add(text.len().saturating_mul(6)) > vm.limits.bytes {
        vm.limit_bytes(before.saturating_add(escaped_len(text)))?;
    }
    Ok(false)
}

/// Makes a JSON string of what was appended from `start`, before which is the quote that opens it.
///
/// # Errors
/// `MemoryError` if there is no room for it, `TimeoutError` if the budget is spent.
pub fn end_string(vm: &mut Vm, out: &mut String, start: usize) -> PyResult<()> {
    if out.get(start..).is_some_and(is_plain) {
        vm.limit_bytes(out.len() + 1)?;
        out.push('"');
        return Ok(());
    }
    let text = out.split_off(start);
    out.pop();
    string(vm, out, &text)
}

fn nested(vm: &mut Vm, out: &mut String, value: &Value, inside: &mut Inside) -> PyResult<()> {
    match value {
        Value::List(_) | Value::Tuple(_) | Value::Dict(_) => container(vm, out, value, inside),
        other => dump(vm, out, other),
    }
}

fn container(vm: &mut Vm, out: &mut String, value: &Value, inside: &mut Inside) -> PyResult<()> {
    match value {
        Value::List(_) | Value::Tuple(_) | Value::Dict(_) => {}
        Value::BigInt(_) => {
            out.push_str(&vm.repr(value)?);
            return Ok(());
        }
        other => {
            let text = vm.repr(other)?;
            return string(vm, out, &text);
        }
    }
    vm.visit(inside.depth(), OUTER_A_STEP)?;
    if !inside.enter(value) {
        return Err(value_error("Circular reference detected"));
    }
    vm.deeper(|vm| match value {
        Value::List(list) => {
            let items = list.items.borrow().clone();
            list_items(vm, out, &items, inside)
        }
        Value::Tuple(tuple) => list_items(vm, out, &tuple.items, inside),
        Value::Dict(dict) => {
            let items = dict.items();
            // A key and its value.
            vm.charge(2 * items.len())?;
            out.push('{');
            for (index, (key, item)) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                vm.limit_bytes(out.len())?;
                self::key(vm, out, key)?;
                out.push_str(": ");
                nested(vm, out, item, inside)?;
            }
            out.push('}');
            Ok(())
        }
        _ => Ok(()),
    })?;
    inside.leave();
    Ok(())
}

fn list_items(vm: &mut Vm, out: &mut String, items: &[Value], inside: &mut Inside) -> PyResult<()> {
    vm.charge(items.len())?;
    out.push('[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        vm.limit_bytes(out.len())?;
        nested(vm, out, item, inside)?;
    }
    out.push(']');
    Ok(())
}

/// Appends the key of an object.
///
/// # Errors
/// `TypeError` for keys that cannot become strings.
pub fn key(vm: &mut Vm, out: &mut String, key: &Value) -> PyResult<()> {
    match key {
        Value::Str(text) => return string(vm, out, text),
        Value::None => out.push_str("\"null\""),
        Value::Bool(true) => out.push_str("\"true\""),
        Value::Bool(false) => out.push_str("\"false\""),
        Value::Int(_) | Value::BigInt(_) => {
            let text = vm.repr(key)?;
            return string(vm, out, &text);
        }
        Value::Float(float) => {
            out.push('"');
            write_float(out, *float);
            out.push('"');
        }
        other => {
            return Err(type_error(format!(
                "keys must be str, int, float, bool or None, not {}",
                other.type_name().as_str()
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::rc::Rc;

    use super::*;
    use crate::json::{Json, Reader, write_text};
    use tpv_python::vm::NoEnvironment;

    #[test]
    fn what_is_dumped_is_what_the_tree_writes() {
        let mut vm = Vm::new(Rc::new(NoEnvironment));
        let text = r#"{"a": [1, -9223372036854775808, 123456789012345678901, 1.5, "\u00e9\n"], "b": {}, "c": null, "d": [[]]}"#;
        let value = Json::read(&mut Reader::new(text)).unwrap().to_value();
        let (mut direct, mut tree) = (String::new(), String::new());
        dump(&mut vm, &mut direct, &value).ok().unwrap();
        write_text(&mut tree, &Json::from_value(&mut vm, &value).ok().unwrap());
        assert_eq!(direct, tree);
        assert_eq!(direct, text);
        let tuple = Value::tuple(vec![Value::Bool(true), Value::Ellipsis]);
        direct.clear();
        dump(&mut vm, &mut direct, &tuple).ok().unwrap();
        assert_eq!(direct, r#"[true, "Ellipsis"]"#);
    }

    #[test]
    fn a_list_that_holds_itself_is_refused() {
        let mut vm = Vm::new(Rc::new(NoEnvironment));
        let list = Value::list(Vec::new());
        if let Value::List(items) = &list {
            items.items.borrow_mut().push(list.clone());
        }
        assert!(dump(&mut vm, &mut String::new(), &list).is_err());
        if let Value::List(items) = &list {
            items.items.borrow_mut().clear();
        }
    }
}
