//! Replays what CPython answered (tests/record/record_python.py) through compiler and machine.

use crate::support::python as machine;
use serde_json::Value as Json;
use tpv_bytecode::CodeKind;
use tpv_bytecode::verify::verify;
use tpv_compiler::python::program::ProgramBuilder;

/// The machine's answer to a case.
fn answer(case: &Json) -> Result<String, (String, String)> {
    let kind = match case["kind"].as_str().unwrap() {
        "block" => CodeKind::Block,
        "fstring" => CodeKind::FString,
        _ => CodeKind::Exec,
    };
    machine::answer(case["source"].as_str().unwrap(), kind, &case["context"])
}

fn replay(area: &str) {
    replay_file(&format!("python/{area}.json"));
}

fn replay_file(path: &str) {
    let path = format!("{}/tests/{path}", env!("CARGO_MANIFEST_DIR"));
    let cases: Vec<Json> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(!cases.is_empty());
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
fn handlers() {
    replay("handlers");
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
            Ok(_) => {}
            Err(errors) => println!("{errors:?}\n{source}"),
        }
    }
    println!("{} blocks, {} codes in {:?}", blocks.len(), program.data().codes.len(), start.elapsed());
    verify(program.data()).unwrap();
}

#[test]
fn builtins() {
    replay("builtins");
}

#[test]
fn comprehensions() {
    replay("comprehensions");
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

#[test]
fn packaging() {
    replay("packaging");
}

#[test]
fn more_stdlib() {
    replay("more_stdlib");
}
