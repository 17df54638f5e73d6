//! Evaluating what an entity holds: TPV's `eval_code_block` and `evaluate_complex_property`.

use tpv_bytecode::{CodeKind, CodeRef, ProgramData};
use tpv_python::dict::Dict;
use tpv_python::exception::{PyResult, not_implemented_error};
use tpv_python::lacking;
use tpv_python::native_code::Computed;
use tpv_python::string::Str;
use tpv_python::value::Value;
use tpv_python::vm::{BYTES_A_STEP, Vm};

use super::interpreters::Interpreters;

/// Evaluates a property as a code block, an f-string or statements: TPV's `eval_code_block(str(value), context)`.
///
/// Strings of the config carry the code they were compiled to. A string that code made at run time is compiled now, unless
/// it is an f-string without fields.
///
/// # Errors
/// Exceptions raised by the code, and for strings created at run time by compiling them.
pub(super) fn evaluate(
    vm: &mut Vm,
    interpreters: Option<&Interpreters>,
    value: &Value,
    kind: CodeKind,
) -> PyResult<Value> {
    let source = match value {
        // Their text, read as Python, is the value again.
        Value::Int(_) | Value::BigInt(_) | Value::Bool(_) if kind == CodeKind::Block => return Ok(value.clone()),
        Value::Float(number) if kind == CodeKind::Block && number.is_finite() => return Ok(value.clone()),
        Value::Str(text) => text.clone(),
        other => vm.str(other)?,
    };
    match interpreters {
        None => evaluate_natively(vm, &source, kind),
        Some(interpreters) => interpreters.evaluate(vm, &source, kind),
    }
}

/// Evaluates a source in the machine.
///
/// # Errors
/// As [`evaluate`].
pub(super) fn evaluate_natively(vm: &mut Vm, source: &Str, kind: CodeKind) -> PyResult<Value> {
    let Some(program) = vm.program.clone() else {
        return Err(not_implemented_error("no program is loaded"));
    };
    match source.code() {
        Some(CodeRef { code: CodeRef::PLAIN, .. }) if kind == CodeKind::FString => {
            return Ok(Value::Str(source.clone()));
        }
        Some(origin) if program.code(origin.code).is_some_and(|code| code.kind == kind) => {
            lacking::take_refusal();
            let result = unhidden(vm.run(&program, origin.code), &program.data, Some(origin));
            return result.inspect_err(|raised| raised.passed(&program.data, origin));
        }
        _ => {}
    }
    if kind == CodeKind::FString {
        vm.visit(source.len(), BYTES_A_STEP)?;
        if is_plain(source) {
            return Ok(Value::Str(source.clone()));
        }
    }
    lacking::take_refusal();
    let result = vm.compile(source, kind).and_then(|program| vm.run(&program, 0));
    unhidden(result, &program.data, None).inspect_err(|raised| {
        raised.0.made.replace(Some(source.clone()));
    })
}

/// Ends a block in what native code refused even if the code caught that: its answer is not CPython's. Of a block that is marked for
/// CPython, compiling has reported it.
fn unhidden<T>(result: PyResult<T>, data: &ProgramData, origin: Option<CodeRef>) -> PyResult<T> {
    let is_marked = |origin: CodeRef| data.cpython(origin.code).is_some_and(|(_, only_live)| !only_live);
    let refusal = lacking::take_refusal();
    match refusal.filter(|_| result.is_ok() && !origin.is_some_and(is_marked)) {
        Some(raised) => Err(raised),
        None => result,
    }
}

/// Evaluates a source of the config; the text of an f-string is appended to `text` where no value need be made of it.
///
/// # Errors
/// As [`evaluate`].
pub(super) fn evaluate_into(
    vm: &mut Vm,
    interpreters: Option<&Interpreters>,
    source: &Value,
    kind: CodeKind,
    text: &mut String,
) -> PyResult<Computed> {
    if let (None, Value::Str(source), Some(program)) = (interpreters, source, vm.program.clone())
        && let Some(origin) = source.code()
        && program.code(origin.code).is_some_and(|code| code.kind == kind)
    {
        lacking::take_refusal();
        let result = unhidden(vm.run_into(&program, origin.code, text), &program.data, Some(origin));
        return result.inspect_err(|raised| raised.passed(&program.data, origin));
    }
    evaluate(vm, interpreters, source, kind).map(Computed::Value)
}

/// Returns `true` if an f-string of this text evaluates to the text itself: no fields, no escapes, no quotes that could
/// end it, no line endings that Python would change.
pub(super) fn is_plain(text: &Str) -> bool {
    CodeRef::is_plain_fstring(text)
}

/// Evaluates every string inside a property as an f-string; dicts and lists become new ones.
///
/// # Errors
/// As [`evaluate`].
pub(super) fn evaluate_complex(vm: &mut Vm, interpreters: Option<&Interpreters>, property: &Value) -> PyResult<Value> {
    match property {
        Value::Str(_) => evaluate(vm, interpreters, property, CodeKind::FString),
        Value::Dict(dict) => {
            let mut table = dict.table.borrow().clone();
            vm.charge(table.len())?;
            for value in table.values_mut() {
                *value = vm.deeper(|vm| evaluate_complex(vm, interpreters, value))?;
            }
            Ok(Value::dict(Dict::from_table(table)))
        }
        Value::List(list) => {
            let items = list.items.borrow().clone();
            vm.charge(items.len())?;
            let items: PyResult<Vec<Value>> =
                items.iter().map(|item| vm.deeper(|vm| evaluate_complex(vm, interpreters, item))).collect();
            Ok(Value::list(items?))
        }
        other => Ok(other.clone()),
    }
}
