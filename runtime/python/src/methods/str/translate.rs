//! Replacing characters by a table.

use super::{between, text_of};
use crate::args::Args;
use crate::dict::{Dict, Key, Table};
use crate::exception::{LOOKUP_ERROR, PyResult, type_error, value_error};
use crate::string::Str;
use crate::value::Value;
use crate::vm::{BYTES_A_STEP, Vm};

/// `str.maketrans`
pub(super) fn maketrans(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [from, to, gone] = between(args, "maketrans", 1)?;
    let from = from.unwrap_or(Value::None);
    let Some(to) = to else { return from_dict(vm, &from) };
    let code = |char: char| Value::Int(i64::from(u32::from(char)));
    let wrong = |position: u8, value: &Value| {
        type_error(format!("maketrans() argument {position} must be str, not {}", value.argument_class().as_str()))
    };
    // The others are looked at before the first.
    for (position, other) in [(2, Some(&to)), (3, gone.as_ref())] {
        if let Some(other) = other.filter(|other| other.as_str().is_none()) {
            return Err(wrong(position, other));
        }
    }
    let Value::Str(from) = &from else {
        return Err(type_error("first maketrans argument must be a string if there is a second argument"));
    };
    let Value::Str(to) = &to else { return Err(wrong(2, &to)) };
    vm.visit(from.len().saturating_add(to.len()), BYTES_A_STEP)?;
    if from.char_len() != to.char_len() {
        return Err(value_error("the first two maketrans arguments must have equal length"));
    }
    vm.charge(from.as_str().len())?;
    let mut table = Table::default();
    for (from, to) in from.as_str().chars().zip(to.as_str().chars()) {
        table.insert(Key::new(vm, code(from))?, code(to));
    }
    match &gone {
        None => {}
        Some(Value::Str(gone)) => {
            for char in gone.as_str().chars() {
                table.insert(Key::new(vm, code(char))?, Value::None);
            }
        }
        Some(other) => return Err(wrong(3, other)),
    }
    Ok(Value::dict(Dict::from_table(table)))
}

/// The table with characters as keys turned to their codes.
fn from_dict(vm: &mut Vm, value: &Value) -> PyResult<Value> {
    let Value::Dict(dict) = value else {
        return Err(type_error("if you give only one argument to maketrans it must be a dict"));
    };
    vm.charge(dict.len())?;
    let mut table = Table::default();
    for (key, value) in dict.items() {
        let key = match &key {
            Value::Str(text) => {
                let mut chars = text.as_str().chars();
                match (chars.next(), chars.next()) {
                    (Some(char), None) => Value::Int(i64::from(u32::from(char))),
                    _ => return Err(value_error("string keys in translate table must be of length 1")),
                }
            }
            Value::Int(_) | Value::BigInt(_) | Value::Bool(_) => key,
            _ => return Err(type_error("keys in translate table must be strings or integers")),
        };
        table.insert(Key::new(vm, key)?, value);
    }
    Ok(Value::dict(Dict::from_table(table)))
}

pub(super) fn translate(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let text = text_of(receiver, "translate")?;
    let [table] = args.exactly("str.translate")?;
    let mut out = String::with_capacity(text.as_str().len());
    for char in text.as_str().chars() {
        // A character that the table has not costs an exception.
        vm.charge(3)?;
        match vm.get_item(&table, &Value::Int(i64::from(u32::from(char)))) {
            Err(raised) if raised.is(&LOOKUP_ERROR) => out.push(char),
            Err(raised) => return Err(raised),
            Ok(Value::None) => {}
            Ok(Value::Str(new)) => {
                vm.charge_bytes(new.len())?;
                out.push_str(new.as_str());
            }
            Ok(Value::Bool(code)) => out.push(if code { '\u{1}' } else { '\0' }),
            Ok(Value::BigInt(_)) => return Err(value_error("character mapping must be in range(0x110000)")),
            Ok(Value::Int(code)) => match u32::try_from(code).ok().and_then(char::from_u32) {
                Some(char) => out.push(char),
                None => return Err(value_error("character mapping must be in range(0x110000)")),
            },
            Ok(_) => return Err(type_error("character mapping must return integer, None or str")),
        }
        if out.len() > vm.limits.bytes {
            vm.charge_bytes(out.len())?;
        }
    }
    Ok(Value::Str(Str::from(out)))
}
