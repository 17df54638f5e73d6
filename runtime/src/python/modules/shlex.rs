//! `shlex`: words as a shell reads them.

use super::signature::Signature;
use crate::python::args::Args;
use crate::python::exception::{PyResult, attribute_error, type_error, value_error};
use crate::python::value::Value;
use crate::python::vm::Vm;

module! {
    /// `shlex`
    MODULE = "shlex";
    functions { "join" => join, "quote" => quote, "split" => split }
    values(_vm) {}
}

fn quoted(text: &str) -> String {
    let safe = |char: char| char.is_ascii_alphanumeric() || "_@%+=:,./-".contains(char);
    if text.is_empty() {
        "''".to_owned()
    } else if text.chars().all(safe) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\"'\"'"))
    }
}

/// `quote(s)`
fn quote(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [text] = Signature::function("quote", ["s"], 1).bind(args)?.map(Option::unwrap_or_default);
    match &text {
        Value::Str(text) => {
            vm.charge_bytes(text.len().saturating_mul(5))?;
            Ok(Value::str(quoted(text)))
        }
        other if !vm.truthy(other)? => Ok(Value::str("''")),
        other => {
            let found = other.type_name();
            Err(type_error(format!("expected string or bytes-like object, got '{}'", found.as_str())))
        }
    }
}

/// `join(split_command)`
fn join(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [words] = Signature::function("join", ["split_command"], 1).bind(args)?.map(Option::unwrap_or_default);
    let mut out = Vec::new();
    for word in vm.collect(&words)? {
        let quoted = quote(vm, Args::one(word))?;
        out.push(quoted.as_str().map(|word| word.to_string()).unwrap_or_default());
    }
    Ok(Value::str(out.join(" ")))
}

/// `split(s, comments=False, posix=True)`
fn split(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [text, comments, posix] = Signature::function("split", ["s", "comments", "posix"], 1).bind(args)?;
    let text = text.unwrap_or_default();
    let Value::Str(text) = &text else {
        return Err(match text {
            Value::None => value_error("s argument must not be None"),
            other => attribute_error(format!("'{}' object has no attribute 'read'", other.type_name().as_str())),
        });
    };
    if !vm.truthy(&posix.unwrap_or(Value::Bool(true)))? {
        return Err(crate::python::exception::not_implemented_error("shlex.split(posix=False)"));
    }
    let comments = vm.truthy(&comments.unwrap_or_default())?;
    vm.charge_bytes(text.len())?;
    vm.charge(text.len() / 4)?;
    let mut words: Vec<Value> = Vec::new();
    // `None` between words: an empty word in quotes is one, too.
    let mut word: Option<String> = None;
    let mut characters = text.chars();
    while let Some(char) = characters.next() {
        if word.is_none() {
            vm.charge(1)?;
        }
        match char {
            ' ' | '\t' | '\r' | '\n' => words.extend(word.take().map(Value::str)),
            '#' if comments => {
                // The rest of the line; a word that was begun goes on to its end.
                words.extend(word.take().map(Value::str));
                characters.by_ref().find(|char| *char == '\n');
            }
            '\\' => {
                let escaped = characters.next().ok_or_else(|| value_error("No escaped character"))?;
                word.get_or_insert_default().push(escaped);
            }
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next().ok_or_else(|| value_error("No closing quotation"))? {
                        end if end == char => break,
                        '\\' if char == '"' => {
                            let next = characters.next().ok_or_else(|| value_error("No escaped character"))?;
                            // Within double quotes only a quote and a backslash are escaped.
                            if !matches!(next, '"' | '\\') {
                                word.push('\\');
                            }
                            word.push(next);
                        }
                        other => word.push(other),
                    }
                }
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word.map(Value::str));
    Ok(Value::list(words))
}
