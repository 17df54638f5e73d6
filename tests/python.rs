//! Replays what CPython answered (tests/record/record_python.py) through compiler and machine.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value as Json;
use tpv_runtime::python::code::CodeKind;
use tpv_runtime::python::dict::Dict;
use tpv_runtime::python::exception::PyResult;
use tpv_runtime::python::value::Value;
use tpv_runtime::python::verify::verify;
use tpv_runtime::python::vm::{Environment, Vm};
use tpvc::python::program::ProgramBuilder;

/// The surroundings as far as messages show them: the module that the code seems to be in.
struct Loader;

impl Environment for Loader {
    fn global(&self, _: &mut Vm, name: &str) -> PyResult<Option<Value>> {
        Ok((name == "__name__").then(|| Value::str("tpv.core.loader")))
    }
}

fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::None,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => match number.as_i64() {
            Some(int) => Value::Int(int),
            None => Value::Float(number.as_f64().unwrap()),
        },
        Json::String(text) => Value::str(text.as_str()),
        Json::Array(items) => {
            let items = items.iter().map(value).collect();
            Value::list(items)
        }
        Json::Object(entries) => {
            let dict = Dict::new();
            for (key, item) in entries {
                let item = value(item);
                dict.set_str(key.as_str().into(), item);
            }
            Value::dict(dict)
        }
    }
}

/// What the machine answers for a case: `Ok(repr)`, or the exception's class and message.
fn answer(case: &Json) -> Result<String, (String, String)> {
    let source = case["source"].as_str().unwrap();
    let kind = match case["kind"].as_str().unwrap() {
        "block" => CodeKind::Block,
        "fstring" => CodeKind::FString,
        _ => CodeKind::Exec,
    };
    let mut program = ProgramBuilder::new();
    let (root, errors) = program.compile_lenient(source, kind);
    for error in &errors {
        let lines = source.split('\n').count() as u32 + 1;
        assert!(error.line >= 1 && error.column >= 1 && error.line <= lines, "{source:?}: {error:?}");
    }
    let data = program.finish();
    verify(&data).unwrap_or_else(|reason| panic!("{source:?} does not verify: {reason}"));
    let mut vm = Vm::new(Rc::new(Loader));
    let program = vm.load(Arc::new(data));
    if let Some(context) = case["context"].as_object() {
        for (name, json) in context {
            let json = value(json);
            let slot = vm.slot(name);
            vm.set_context(slot, json);
        }
    }
    let result = vm.run(&program, root).and_then(|result| vm.repr(&result));
    match result {
        Ok(text) => Ok(text.to_string()),
        Err(raised) => {
            let class = raised.class_name().to_string();
            assert!(!raised.0.places.borrow().is_empty(), "no place: {source}");
            let message = vm.str(&raised.value()).map(|text| text.to_string());
            Err((class, message.unwrap_or_else(|raised| format!("{raised:?}"))))
        }
    }
}

fn replay(area: &str) {
    replay_file(&format!("python/{area}.json"));
}

fn replay_file(path: &str) {
    let path = format!("{}/tests/{path}", env!("CARGO_MANIFEST_DIR"));
    let cases: Vec<Json> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut wrong = Vec::new();
    for case in &cases {
        let expected = match case["result"].as_str() {
            Some(result) => Ok(result.to_owned()),
            None => Err((case["error"].as_str().unwrap().to_owned(), case["message"].as_str().unwrap().to_owned())),
        };
        let actual =
            std::panic::catch_unwind(|| answer(case)).unwrap_or_else(|_| Err(("panic".to_owned(), String::new())));
        if actual != expected {
            wrong.push(format!("{}\n  CPython: {expected:?}\n  tpvc:    {actual:?}", case["source"]));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn calls() {
    replay("calls");
}

#[test]
fn classes() {
    replay("classes");
}

#[test]
fn handlers() {
    replay("handlers");
}

#[test]
fn generators() {
    replay("generators");
}

#[test]
fn expressions() {
    replay("expressions");
}

#[test]
fn fstrings() {
    replay("fstrings");
}

#[test]
fn fstrings_of_python_3_12() {
    replay_file("python_3_12/fstrings.json");
}

#[test]
fn functions() {
    replay("functions");
}

#[test]
fn regular_expressions() {
    replay("re");
}

#[test]
fn statements() {
    replay("statements");
}

#[test]
fn exceptions() {
    replay("exceptions");
}

#[test]
fn special_methods() {
    replay("special");
}

#[test]
fn syntax_errors() {
    replay("syntax_errors");
}

/// Dev-time check: prints the code blocks of a list that do not compile.
#[test]
#[ignore = "needs TPVC_BLOCKS, a JSON list of [kind, source]"]
fn blocks() {
    let Ok(path) = std::env::var("TPVC_BLOCKS") else { return };
    let blocks: Vec<(String, String)> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut program = ProgramBuilder::new();
    let start = std::time::Instant::now();
    for (kind, source) in &blocks {
        let kind = match kind.as_str() {
            "block" => CodeKind::Block,
            "fstring" => CodeKind::FString,
            _ => CodeKind::Exec,
        };
        match program.compile(source, kind) {
            Ok(root) => {
                let unsupported = &program.notes(root).unwrap().unsupported;
                if !unsupported.is_empty() {
                    println!("{unsupported:?}\n{source}");
                }
            }
            Err(errors) => println!("{errors:?}\n{source}"),
        }
    }
    println!("{} blocks, {} codes in {:?}", blocks.len(), program.data().codes.len(), start.elapsed());
    verify(program.data()).unwrap();
}

#[test]
fn matching() {
    replay("matching");
}

#[test]
fn builtins() {
    replay("builtins");
}

#[test]
fn containers() {
    replay("containers");
}

#[test]
fn math() {
    replay("math");
}

#[test]
fn json() {
    replay("json");
}

#[test]
fn random() {
    replay("random");
}

#[test]
fn collections() {
    replay("collections");
}

#[test]
fn itertools() {
    replay("itertools");
}

#[test]
fn functools() {
    replay("functools");
}

#[test]
fn stdlib() {
    replay("stdlib");
}

#[test]
fn what_the_referee_found() {
    replay("referee");
}
