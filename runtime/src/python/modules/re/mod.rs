//! `re`: the module's functions.
//!
//! DIFFERENCE: patterns and texts are `str` only; patterns of bytes raise `TypeError`. Flags are plain ints, so
//! `repr(re.I)` is `2`. A search that takes too many steps of backtracking raises `RuntimeError`, where CPython would run
//! on (see [`crate::python::regex`] for all differences of patterns).

mod compile;
mod errors;
mod matched;
mod pattern;

pub use errors::ERROR;
pub use matched::MATCH;
pub use pattern::PATTERN;

use crate::python::args::Args;
use crate::python::exception::{PyResult, type_error};
use crate::python::module::ModuleDef;
use crate::python::regex::ast::flag;
use crate::python::value::{Builtin, Value};
use crate::python::vm::Vm;

/// The module.
pub static RE: ModuleDef = ModuleDef {
    name: "re",
    get,
    names: &[
        "match",
        "fullmatch",
        "search",
        "sub",
        "subn",
        "split",
        "findall",
        "finditer",
        "compile",
        "purge",
        "escape",
        "error",
        "Pattern",
        "Match",
        "A",
        "I",
        "L",
        "M",
        "S",
        "X",
        "U",
        "T",
        "ASCII",
        "IGNORECASE",
        "LOCALE",
        "MULTILINE",
        "DOTALL",
        "VERBOSE",
        "UNICODE",
        "TEMPLATE",
        "DEBUG",
        "NOFLAG",
    ],
};

static FUNCTIONS: &[Builtin] = &[
    Builtin { name: "match", call: |vm, args| on_text(vm, args, "match") },
    Builtin { name: "fullmatch", call: |vm, args| on_text(vm, args, "fullmatch") },
    Builtin { name: "search", call: |vm, args| on_text(vm, args, "search") },
    Builtin { name: "findall", call: |vm, args| on_text(vm, args, "findall") },
    Builtin { name: "finditer", call: |vm, args| on_text(vm, args, "finditer") },
    Builtin { name: "sub", call: |vm, args| substitute(vm, args, "sub") },
    Builtin { name: "subn", call: |vm, args| substitute(vm, args, "subn") },
    Builtin { name: "split", call: split },
    Builtin { name: "compile", call: compile },
    Builtin { name: "purge", call: purge },
    Builtin { name: "escape", call: escape },
];

fn get(_: &mut Vm, name: &str) -> PyResult<Option<Value>> {
    if let Some(function) = FUNCTIONS.iter().find(|function| function.name == name) {
        return Ok(Some(Value::Builtin(function)));
    }
    let flag = match name {
        "error" => return Ok(Some(Value::Type((&ERROR).into()))),
        "Pattern" => return Ok(Some(Value::Type((&PATTERN).into()))),
        "Match" => return Ok(Some(Value::Type((&MATCH).into()))),
        "NOFLAG" => 0,
        "T" | "TEMPLATE" => flag::TEMPLATE,
        "I" | "IGNORECASE" => flag::IGNORECASE,
        "L" | "LOCALE" => flag::LOCALE,
        "M" | "MULTILINE" => flag::MULTILINE,
        "S" | "DOTALL" => flag::DOTALL,
        "U" | "UNICODE" => flag::UNICODE,
        "X" | "VERBOSE" => flag::VERBOSE,
        "DEBUG" => flag::DEBUG,
        "A" | "ASCII" => flag::ASCII,
        _ => return Ok(None),
    };
    Ok(Some(Value::Int(i64::from(flag))))
}

/// `re.compile(pattern, flags=0)`
fn compile(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [pattern, flags] = args.bind("compile", ["pattern", "flags"], 1)?;
    compile::pattern(vm, &pattern.unwrap_or(Value::None), flags.as_ref())
}

/// `re.match(pattern, string, flags=0)` and its like: the method of the pattern of the same name.
fn on_text(vm: &mut Vm, args: Args, method: &str) -> PyResult<Value> {
    let [pattern, text, flags] = args.bind(method, ["pattern", "string", "flags"], 2)?;
    let pattern = compile::pattern(vm, &pattern.unwrap_or(Value::None), flags.as_ref())?;
    pattern::call(vm, &pattern, method, Args::positional(text))
}

/// `re.sub(pattern, repl, string, count=0, flags=0)`
fn substitute(vm: &mut Vm, args: Args, method: &str) -> PyResult<Value> {
    let [pattern, replacement, text, count, flags] =
        args.bind(method, ["pattern", "repl", "string", "count", "flags"], 3)?;
    let pattern = compile::pattern(vm, &pattern.unwrap_or(Value::None), flags.as_ref())?;
    pattern::call(vm, &pattern, method, Args::positional([replacement, text, count].into_iter().flatten()))
}

/// `re.split(pattern, string, maxsplit=0, flags=0)`
fn split(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [pattern, text, most, flags] = args.bind("split", ["pattern", "string", "maxsplit", "flags"], 2)?;
    let pattern = compile::pattern(vm, &pattern.unwrap_or(Value::None), flags.as_ref())?;
    pattern::call(vm, &pattern, "split", Args::positional([text, most].into_iter().flatten()))
}

/// `re.purge()`
fn purge(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [] = args.exactly("purge")?;
    compile::purge();
    Ok(Value::None)
}

/// `re.escape(pattern)`
fn escape(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [pattern] = args.bind("escape", ["pattern"], 1)?;
    let Some(Value::Str(text)) = pattern else {
        let name = pattern.unwrap_or(Value::None).type_name();
        return Err(type_error(format!("decoding to str: need a bytes-like object, {} found", name.as_str())));
    };
    vm.charge_bytes(text.len())?;
    vm.charge(text.len() / 4)?;
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if "()[]{}?*+-|^$\\.&~# \t\n\r\x0b\x0c".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    Ok(Value::str(escaped))
}

/// An int argument, which may be a bool.
fn int(value: &Value) -> PyResult<i64> {
    match value {
        Value::Int(value) => Ok(*value),
        Value::Bool(value) => Ok(i64::from(*value)),
        Value::BigInt(value) => Ok(if value.sign() == num_bigint::Sign::Minus { i64::MIN } else { i64::MAX }),
        other => {
            Err(type_error(format!("'{}' object cannot be interpreted as an integer", other.type_name().as_str())))
        }
    }
}
