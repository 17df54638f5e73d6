//! Evaluates Python programs for the referee (`tests/referee/`): a line of JSON in, a line of JSON out.
//!
//! A line in is `{"source": ..., "kind": "block" | "fstring" | "exec"}`. A line out is `{"value": repr, "type": class}`,
//! `{"exception": class, "message": text}`, or `{"panic": text}`, which is a fault of tpvc whatever the program. Every
//! program gets an empty machine. With `"lacking": reason` beside them the program asked for what the native language lacks, so that
//! CPython would answer, where it is at hand. What has a kernel runs as machine code, too, and must answer the same.
//!
//! With `"findings": true` beside the source the line out is `{"findings": [text, ...]}`: what compiling tells of the program that
//! only CPython can run (T112, T130, T131).

use std::error::Error;
use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value as Json, json};
use tpv_bytecode::verify::verify;
use tpv_bytecode::{CodeKind, ProgramData};
use tpv_compiler::python::program::ProgramBuilder;
use tpv_jit::{Mode, Native};
use tpv_python::exception::{IMPORT_ERROR, PyResult, raise};
use tpv_python::lacking;
use tpv_python::module::ModuleDef;
use tpv_python::native_code::NativeCode;
use tpv_python::value::Value;
use tpv_python::vm::{Environment, Limits, Vm};
use tpv_text::code::Code;

/// The surroundings as far as messages show them: the module that the code seems to be in.
struct Loader;

impl Environment for Loader {
    fn modules(&self) -> &'static [&'static ModuleDef] {
        tpv_runtime::mapper::modules()
    }

    fn global(&self, _: &mut Vm, name: &str) -> PyResult<Option<Value>> {
        Ok((name == "__name__").then(|| Value::str("tpv.core.loader")))
    }

    // As CPython tells it at the same moment.
    fn now(&self) -> Option<i64> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        i64::try_from(since.as_micros()).ok()
    }

    fn compile(&self, source: &str, kind: CodeKind) -> Option<PyResult<ProgramData>> {
        let compiled = tpv_compiler::python::run_time::compile(source, kind);
        Some(compiled.map_err(|(_, text)| raise(&tpv_python::exception::SYNTAX_ERROR, text)))
    }
}

fn evaluate(vm: &mut Vm, source: &str, kind: CodeKind) -> Json {
    let mut program = ProgramBuilder::new();
    let (root, _) = program.compile_lenient(source, kind);
    let data = program.finish();
    if let Err(reason) = verify(&data) {
        return json!({ "panic": format!("does not verify: {reason}") });
    }
    let data = Arc::new(data);
    let answer = run(vm, &data, root, None);
    if data.codes.iter().any(|code| code.kernel.is_some()) {
        let native = Native::new(&data, Mode::Eager).map(|native| native.view());
        vm.reset();
        let by_machine_code = run(vm, &data, root, native);
        if by_machine_code != answer {
            return json!({ "panic": format!("machine code answers otherwise: {by_machine_code}") });
        }
    }
    answer
}

fn run(vm: &mut Vm, data: &Arc<ProgramData>, root: u32, native: Option<Box<dyn NativeCode>>) -> Json {
    let program = vm.load_native(data.clone(), native);
    lacking::take_refusal();
    let result = vm.run(&program, root);
    // As the mapper: what native code refuses, no handler hides. Blocks with imports are marked when compiling.
    let refused = lacking::take_refusal().filter(|raised| !raised.is(&IMPORT_ERROR));
    let result = result.and_then(|value| refused.map_or(Ok(value), Err)).and_then(|value| {
        let repr = vm.repr(&value)?;
        Ok(json!({ "value": repr.as_str(), "type": value.class().name }))
    });
    result.unwrap_or_else(|raised| {
        let message = vm.str(&raised.value()).map_or_else(|_| "?".to_owned(), |text| text.to_string());
        json!({ "exception": raised.class_name(), "message": message })
    })
}

/// The compile-time findings for a program that works under TPV inside Galaxy but not in compiled rules.
fn findings(source: &str, kind: CodeKind) -> Result<Json, Box<dyn Error>> {
    // A JSON string is a string of YAML.
    let source = json!(source);
    let field = match kind {
        CodeKind::FString => format!("params: {{value: {source}}}"),
        CodeKind::Exec => format!("rules: [{{if: true, execute: {source}}}]"),
        CodeKind::Block | CodeKind::Function => format!("rules: [{{if: {source}}}]"),
    };
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("config.yml");
    std::fs::write(&path, format!("destinations:\n  d: {{runner: local}}\ntools:\n  t: {{{field}}}\n"))?;
    let name = path.to_str().ok_or("no name of a file")?.to_owned();
    let compiled = tpv_compiler::compile(&[name], &tpv_compiler::CompileOptions::default());
    let limits = compiled.diagnostics.iter().filter(|one| one.code.is_some_and(|code| Code::LIMITS.contains(&code)));
    let messages: Vec<&str> = limits.map(|one| one.message.as_str()).collect();
    Ok(json!({ "findings": messages }))
}

fn answer(line: &str) -> Result<Json, Box<dyn Error>> {
    let case: Json = serde_json::from_str(line)?;
    let source = case.get("source").and_then(Json::as_str).ok_or("no source")?;
    let kind = match case.get("kind").and_then(Json::as_str) {
        Some("fstring") => CodeKind::FString,
        Some("exec") => CodeKind::Exec,
        _ => CodeKind::Block,
    };
    if case.get("findings").is_some() {
        return findings(source, kind);
    }
    let answer = catch_unwind(AssertUnwindSafe(|| {
        let mut vm = Vm::new(Rc::new(Loader));
        // The referee's programs are short: one that goes on is stopped, and shows as a difference.
        vm.limits = Limits { steps: 3_000_000, ..Limits::default() };
        vm.reset();
        lacking::take();
        let mut answer = evaluate(&mut vm, source, kind);
        if let (Some(reason), Some(answer)) = (lacking::take(), answer.as_object_mut()) {
            answer.insert("lacking".to_owned(), json!(reason));
        }
        vm.reset();
        answer
    }));
    Ok(answer.unwrap_or_else(|cause| {
        let text = cause.downcast_ref::<String>().cloned();
        let text = text.or_else(|| cause.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        json!({ "panic": text.unwrap_or_default() })
    }))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let answer = answer(&line?)?;
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}
