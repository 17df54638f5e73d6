//! `re`: the module's functions.
//!
//! DIFFERENCE: a search that takes too many steps of backtracking raises `RuntimeError`, where CPython would run on (see
//! [`crate::regex`] for all differences of patterns).

mod compile;
mod errors;
mod flags;
mod matched;
mod pattern;

pub use errors::ERROR;
pub use flags::REGEX_FLAG;
pub use matched::MATCH;
pub use pattern::PATTERN;

use crate::args::Args;
use crate::exception::{PyResult, Raised, not_implemented_error, overflow_error, type_error};
use crate::module::ModuleDef;
use crate::modules::signature::Signature;
use crate::string::Str;
use crate::value::{Builtin, Value};
use crate::vm::Vm;

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
        "RegexFlag",
    ],
};

static FUNCTIONS: &[Builtin] = &[
    Builtin::new("re", "match", |vm, args| on_text(vm, args, "match")),
    Builtin::new("re", "fullmatch", |vm, args| on_text(vm, args, "fullmatch")),
    Builtin::new("re", "search", |vm, args| on_text(vm, args, "search")),
    Builtin::new("re", "findall", |vm, args| on_text(vm, args, "findall")),
    Builtin::new("re", "finditer", |vm, args| on_text(vm, args, "finditer")),
    Builtin::new("re", "sub", |vm, args| substitute(vm, args, "sub")),
    Builtin::new("re", "subn", |vm, args| substitute(vm, args, "subn")),
    Builtin::new("re", "split", split),
    Builtin::new("re", "compile", compile),
    Builtin::new("re", "escape", escape),
];

fn get(_: &mut Vm, name: &str) -> PyResult<Option<Value>> {
    if let Some(function) = FUNCTIONS.iter().find(|function| function.name == name) {
        return Ok(Some(Value::Builtin(function)));
    }
    Ok(match name {
        "error" => Some(Value::Type(&ERROR)),
        "Pattern" => Some(Value::Type(&PATTERN)),
        "Match" => Some(Value::Type(&MATCH)),
        "RegexFlag" => Some(Value::Type(&REGEX_FLAG)),
        name => flags::member(name),
    })
}

/// `re.compile(pattern, flags=0)`
fn compile(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [pattern, flags] = Signature::function("compile", ["pattern", "flags"], 1).bind(args)?;
    compile::pattern(vm, &pattern.unwrap_or(Value::None), flags.as_ref())
}

/// `re.match(pattern, string, flags=0)` and its like: the method of the pattern of the same name.
fn on_text(vm: &mut Vm, args: Args, method: &'static str) -> PyResult<Value> {
    let [pattern, text, flags] = Signature::function(method, ["pattern", "string", "flags"], 2).bind(args)?;
    let pattern = compile::pattern(vm, &pattern.unwrap_or(Value::None), flags.as_ref())?;
    pattern::call(vm, &pattern, method, Args::positional(text))
}

/// `re.sub(pattern, repl, string, count=0, flags=0)`
fn substitute(vm: &mut Vm, args: Args, method: &'static str) -> PyResult<Value> {
    let names = ["pattern", "repl", "string", "count", "flags"];
    let [pattern, replacement, text, count, flags] = Signature::function(method, names, 3).bind(args)?;
    let pattern = compile::pattern(vm, &pattern.unwrap_or(Value::None), flags.as_ref())?;
    pattern::call(vm, &pattern, method, Args::positional([replacement, text, count].into_iter().flatten()))
}

/// `re.split(pattern, string, maxsplit=0, flags=0)`
fn split(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let names = ["pattern", "string", "maxsplit", "flags"];
    let [pattern, text, most, flags] = Signature::function("split", names, 2).bind(args)?;
    let pattern = compile::pattern(vm, &pattern.unwrap_or(Value::None), flags.as_ref())?;
    pattern::call(vm, &pattern, "split", Args::positional([text, most].into_iter().flatten()))
}

/// `re.escape(pattern)`
fn escape(vm: &mut Vm, args: Args) -> PyResult<Value> {
    let [pattern] = Signature::function("escape", ["pattern"], 1).bind(args)?;
    match pattern.unwrap_or_default() {
        Value::Str(text) => {
            vm.charge_bytes(text.len())?;
            vm.visit(text.len(), 4)?;
            let mut escaped = String::with_capacity(text.len());
            for c in text.chars() {
                if SPECIAL.contains(c) {
                    escaped.push('\\');
                }
                escaped.push(c);
            }
            Ok(Value::str(escaped))
        }
        Value::Bytes(_) => Err(text_only()),
        other => {
            let name = other.type_name();
            Err(type_error(format!("decoding to str: need a bytes-like object, {} found", name.as_str())))
        }
    }
}

/// The characters that `re.escape` escapes with a backslash.
const SPECIAL: &str = "()[]{}?*+-|^$\\.&~# \t\n\r\x0b\x0c";

/// The error where CPython takes bytes.
///
/// DIFFERENCE: patterns are text.
fn text_only() -> Raised {
    not_implemented_error("tpvc's `re` has patterns of text only, not of bytes")
}

/// The text that a pattern is matched with.
///
/// # Errors
/// `TypeError` where it is none.
pub fn text_of(value: &Value) -> PyResult<Str> {
    match value.clone() {
        Value::Str(text) => Ok(text),
        Value::Bytes(_) => Err(type_error("cannot use a string pattern on a bytes-like object")),
        _ => Err(type_error(format!("expected string or bytes-like object, got '{}'", value.type_name().as_str()))),
    }
}

/// An int argument, which may be a bool.
fn int(value: &Value) -> PyResult<i64> {
    match value {
        Value::Int(value) => Ok(*value),
        Value::Bool(value) => Ok(i64::from(*value)),
        Value::BigInt(_) => Err(overflow_error("Python int too large to convert to C ssize_t")),
        other => {
            Err(type_error(format!("'{}' object cannot be interpreted as an integer", other.type_name().as_str())))
        }
    }
}
