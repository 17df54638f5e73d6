//! Python source through the compiler and the machine, against what CPython answered (`tests/python/record.py`).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use tpv_runtime::python::code::CodeKind;
use tpv_runtime::python::verify::verify;
use tpv_runtime::python::vm::{NoEnvironment, Vm};
use tpvc::python::program::ProgramBuilder;

/// What the machine answers for a block, in the form of the recorded answers.
fn answer(source: &str) -> String {
    let mut builder = ProgramBuilder::new();
    let root = match builder.compile(source, CodeKind::Block) {
        Ok(root) => root,
        Err(errors) => return format!("does not compile: {errors:?}"),
    };
    let data = builder.finish();
    if let Err(reason) = verify(&data) {
        return format!("does not verify: {reason}");
    }
    let mut vm = Vm::new(Rc::new(NoEnvironment));
    let program = vm.load(Arc::new(data));
    vm.program = Some(program.clone());
    let text = match vm.run(&program, root) {
        Ok(value) => vm.repr(&value).unwrap_or_else(|raised| format!("repr failed: {raised:?}")),
        Err(raised) => {
            assert!(!raised.0.places.borrow().is_empty(), "no place: {source}");
            let message = vm.str(&raised.value()).map(|text| text.to_string());
            format!("{}: {}", raised.class_name().as_str(), message.unwrap_or_default())
        }
    };
    text.replace('\\', "\\\\").replace('\n', "\\n")
}

#[track_caller]
fn check(file: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python");
    let cases = std::fs::read_to_string(folder.join(format!("{file}.py"))).unwrap();
    let expected = std::fs::read_to_string(folder.join(format!("{file}.txt"))).unwrap();
    let mut wrong = Vec::new();
    for (case, expected) in cases.split("#: ").skip(1).zip(expected.lines()) {
        let (title, source) = case.split_once('\n').unwrap();
        let (recorded, expected) = expected.split_once('\t').unwrap();
        assert_eq!(title, recorded, "the answers are not those of these cases: record them again");
        let found = answer(source);
        if found != expected {
            wrong.push(format!("{title}\n   expected {expected}\n      found {found}"));
        }
    }
    assert_eq!(cases.split("#: ").skip(1).count(), expected.lines().count());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn calls() {
    check("calls");
}

#[test]
fn classes() {
    check("classes");
}

#[test]
fn exceptions() {
    check("exceptions");
}

#[test]
fn generators() {
    check("generators");
}
