//! Case, and what kind of characters a text holds.

use super::text_of;
use crate::args::Args;
use crate::exception::PyResult;
use crate::string::Str;
use crate::value::Value;
use crate::vm::Vm;
use tpv_literal::unicode;

/// Takes no arguments, pays for the text, and gives it.
fn alone<'a>(vm: &mut Vm, receiver: &'a Value, args: Args, method: &str) -> PyResult<&'a Str> {
    let text = text_of(receiver, method)?;
    let [] = args.exactly(&format!("str.{method}"))?;
    // Characters beyond ASCII are looked up in tables.
    vm.visit(text.as_str().len(), if text.is_ascii() { 8 } else { 1 })?;
    Ok(text)
}

/// Declares methods that ask something of a text.
macro_rules! predicates {
    ($($name:ident: $test:expr;)*) => {
        $(pub(super) fn $name(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
            let text = alone(vm, receiver, args, stringify!($name))?;
            let test: fn(&Str) -> bool = $test;
            Ok(Value::Bool(test(text)))
        })*
    };
}

/// Returns `true` if the text is not empty and each character passes.
fn all(text: &Str, test: fn(char) -> bool) -> bool {
    !text.as_str().is_empty() && text.as_str().chars().all(test)
}

predicates! {
    isalpha: |text| all(text, unicode::is_alpha);
    isdecimal: |text| all(text, unicode::is_decimal);
    isdigit: |text| all(text, unicode::is_digit);
    isnumeric: |text| all(text, unicode::is_numeric);
    isspace: |text| all(text, unicode::is_space);
    isalnum: |text| all(text, |char| unicode::is_alpha(char) || unicode::is_numeric(char) || unicode::is_digit(char));
    isascii: Str::is_ascii;
    isprintable: |text| text.as_str().chars().all(unicode::is_printable);
    isidentifier: |text| {
        let mut chars = text.as_str().chars();
        chars.next().is_some_and(unicode::is_id_start) && chars.all(unicode::is_id_continue)
    };
    islower: |text| {
        let chars = || text.as_str().chars();
        chars().any(unicode::is_lower) && !chars().any(|char| unicode::is_upper(char) || unicode::is_title(char))
    };
    isupper: |text| {
        let chars = || text.as_str().chars();
        chars().any(unicode::is_upper) && !chars().any(|char| unicode::is_lower(char) || unicode::is_title(char))
    };
    istitle: is_title;
}

/// Returns `true` if each word begins with a capital and has no other.
fn is_title(text: &Str) -> bool {
    let (mut any, mut in_word) = (false, false);
    for char in text.as_str().chars() {
        if unicode::is_upper(char) || unicode::is_title(char) {
            if in_word {
                return false;
            }
            (any, in_word) = (true, true);
        } else if unicode::is_lower(char) {
            if !in_word {
                return false;
            }
            (any, in_word) = (true, true);
        } else {
            in_word = false;
        }
    }
    any
}

pub(super) fn lower(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let text = alone(vm, receiver, args, "lower")?;
    if text.is_ascii() {
        return Ok(Value::str(text.as_str().to_ascii_lowercase()));
    }
    Ok(Value::str(lowered(text.as_str())))
}

fn lowered(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, char) in text.char_indices() {
        unicode::push_lower_in(text, at, char, &mut out);
    }
    out
}

pub(super) fn upper(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let text = alone(vm, receiver, args, "upper")?;
    if text.is_ascii() {
        return Ok(Value::str(text.as_str().to_ascii_uppercase()));
    }
    let mut out = String::with_capacity(text.as_str().len());
    text.as_str().chars().for_each(|char| unicode::push_upper(char, &mut out));
    Ok(Value::str(out))
}

pub(super) fn casefold(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let text = alone(vm, receiver, args, "casefold")?;
    let mut out = String::with_capacity(text.as_str().len());
    text.as_str().chars().for_each(|char| unicode::push_folded(char, &mut out));
    Ok(Value::str(out))
}

pub(super) fn swapcase(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let text = alone(vm, receiver, args, "swapcase")?.as_str();
    let mut out = String::with_capacity(text.len());
    for (at, char) in text.char_indices() {
        if unicode::is_upper(char) {
            unicode::push_lower_in(text, at, char, &mut out);
        } else if unicode::is_lower(char) {
            unicode::push_upper(char, &mut out);
        } else {
            out.push(char);
        }
    }
    Ok(Value::str(out))
}

pub(super) fn capitalize(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let text = alone(vm, receiver, args, "capitalize")?.as_str();
    let mut out = String::with_capacity(text.len());
    for (at, char) in text.char_indices() {
        if at == 0 {
            unicode::push_title(char, &mut out);
        } else {
            unicode::push_lower_in(text, at, char, &mut out);
        }
    }
    Ok(Value::str(out))
}

pub(super) fn title(vm: &mut Vm, receiver: &Value, args: Args) -> PyResult<Value> {
    let text = alone(vm, receiver, args, "title")?.as_str();
    let mut out = String::with_capacity(text.len());
    let mut in_word = false;
    for (at, char) in text.char_indices() {
        if in_word {
            unicode::push_lower_in(text, at, char, &mut out);
        } else {
            unicode::push_title(char, &mut out);
        }
        in_word = unicode::is_cased(char);
    }
    Ok(Value::str(out))
}
