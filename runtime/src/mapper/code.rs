//! Evaluating what an entity holds: TPV's `eval_code_block` and `evaluate_complex_property`.

use crate::bytecode::{CodeKind, CodeRef};
use crate::python::dict::Dict;
use crate::python::exception::{PyResult, not_implemented_error};
use crate::python::string::Str;
use crate::python::value::Value;
use crate::python::vm::Vm;

/// Evaluates a property as a code block, an f-string or statements: TPV's `eval_code_block(str(value), context)`.
///
/// Strings of the config carry the code they were compiled to. A string that code made at run time is compiled now, unless
/// it is an f-string without fields.
///
/// # Errors
/// What the code raises, and for strings made at run time what compiling them raises.
pub fn evaluate(vm: &mut Vm, value: &Value, kind: CodeKind) -> PyResult<Value> {
    let source = match value {
        // Their text, read as Python, is the value again.
        Value::Int(_) | Value::BigInt(_) | Value::Bool(_) if kind == CodeKind::Block => return Ok(value.clone()),
        Value::Float(number) if kind == CodeKind::Block && number.is_finite() => return Ok(value.clone()),
        Value::Str(text) => text.clone(),
        other => vm.str(other)?,
    };
    let Some(program) = vm.program.clone() else {
        return Err(not_implemented_error("no program is loaded"));
    };
    match source.code() {
        Some(CodeRef { code: CodeRef::PLAIN, .. }) if kind == CodeKind::FString => return Ok(Value::Str(source)),
        Some(origin) if program.code(origin.code).is_some_and(|code| code.kind == kind) => {
            return vm.run(&program, origin.code).inspect_err(|raised| raised.passed(&program.data, origin));
        }
        _ => {}
    }
    if kind == CodeKind::FString && is_plain(&source) {
        return Ok(Value::Str(source));
    }
    let result = vm.compile(&source, kind).and_then(|program| vm.run(&program, 0));
    result.inspect_err(|raised| {
        raised.0.made.replace(Some(source));
    })
}

/// Whether an f-string of this text is the text: no fields, no escapes, no quotes that could end it, no line endings that
/// Python would change.
pub(super) fn is_plain(text: &Str) -> bool {
    CodeRef::is_plain_fstring(text)
}

/// Evaluates every string inside a property as an f-string; dicts and lists become new ones.
///
/// # Errors
/// As [`evaluate`].
pub fn evaluate_complex(vm: &mut Vm, property: &Value) -> PyResult<Value> {
    match property {
        Value::Str(_) => evaluate(vm, property, CodeKind::FString),
        Value::Dict(dict) => {
            let items: Vec<_> = dict.table.borrow().iter().map(|(k, v)| (k.clone(), v.clone())).collect();
            vm.charge(items.len())?;
            let result = Dict::new();
            for (key, value) in items {
                let value = vm.deeper(|vm| evaluate_complex(vm, &value))?;
                result.table.borrow_mut().insert(key, value);
            }
            Ok(Value::dict(result))
        }
        Value::List(list) => {
            let items = list.items.borrow().clone();
            vm.charge(items.len())?;
            let items: PyResult<Vec<Value>> =
                items.iter().map(|item| vm.deeper(|vm| evaluate_complex(vm, item))).collect();
            Ok(Value::list(items?))
        }
        other => Ok(other.clone()),
    }
}

/// Whether evaluating a property takes more than copying it, as far as that is seen among the first items.
pub(super) fn has_code(property: &Value) -> bool {
    /// How many items are looked at. Those of a config's properties are fewer; code can make any number.
    const MOST: usize = 4096;
    let mut left = MOST;
    has_code_among(property, &mut left)
}

fn has_code_among(property: &Value, left: &mut usize) -> bool {
    let Some(fewer) = left.checked_sub(1) else { return true };
    *left = fewer;
    match property {
        Value::Str(text) => match text.code() {
            Some(CodeRef { code, .. }) => code != CodeRef::PLAIN,
            None => !is_plain(text),
        },
        Value::Dict(dict) => dict.table.borrow().values().any(|item| has_code_among(item, left)),
        Value::List(list) => list.items.borrow().iter().any(|item| has_code_among(item, left)),
        _ => false,
    }
}
