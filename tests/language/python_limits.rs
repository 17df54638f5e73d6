//! Source that nests or grows without end is refused or compiled, never a crash.

use tpv_bytecode::CodeKind;
use tpv_bytecode::verify::verify;
use tpv_compiler::python::error::ErrorKind;
use tpv_compiler::python::program::ProgramBuilder;

fn compile(source: &str) -> Result<u32, ErrorKind> {
    let mut program = ProgramBuilder::new();
    let result = program.compile(source, CodeKind::Block).map_err(|errors| errors[0].kind);
    verify(program.data()).unwrap();
    result
}

#[test]
fn brackets_nest_up_to_a_limit() {
    let nested = |depth: usize| format!("{}{}", "(".repeat(depth), ")".repeat(depth));
    assert!(compile(&nested(150)).is_ok());
    assert_eq!(compile(&nested(5_000)), Err(ErrorKind::SyntaxError));
    assert_eq!(compile(&"[".repeat(100_000)), Err(ErrorKind::SyntaxError));
}

#[test]
fn chains_of_operators_end_in_an_exception() {
    assert!(compile(&format!("x{}", " + x".repeat(1_000))).is_ok());
    assert_eq!(compile(&format!("x{}", " + x".repeat(10_000))), Err(ErrorKind::RecursionError));
    assert_eq!(compile(&format!("{}x", "not ".repeat(100_000))), Err(ErrorKind::RecursionError));
    assert_eq!(compile(&format!("{}x", "-".repeat(100_000))), Err(ErrorKind::RecursionError));
    assert_eq!(compile(&format!("x{}", ".a".repeat(50_000))), Err(ErrorKind::RecursionError));
    assert_eq!(compile(&format!("{}1", "lambda: ".repeat(20_000))), Err(ErrorKind::RecursionError));
    assert_eq!(compile(&format!("{}1", "x if x else ".repeat(20_000))), Err(ErrorKind::RecursionError));
}

#[test]
fn long_displays_and_flat_chains_compile() {
    assert!(compile(&format!("[{}]", "x, ".repeat(20_000))).is_ok());
    assert!(compile(&format!("x{}", " and x".repeat(20_000))).is_ok());
    assert!(compile(&format!("x{}", " < x".repeat(20_000))).is_ok());
    assert!(compile(&format!("{}1", "x = 1\n".repeat(20_000))).is_ok());
    assert!(compile(&format!("'{}'", "a".repeat(500_000))).is_ok());
}

#[test]
fn copies_of_finally_bodies_are_bounded() {
    let mut source = String::from("def f():\n");
    for depth in 0..19 {
        let indent = " ".repeat(depth + 1);
        source.push_str(&format!("{indent}try:\n{indent} pass\n{indent}finally:\n"));
    }
    source.push_str(&format!("{}pass\n1", " ".repeat(20)));
    match compile(&source) {
        Ok(_) | Err(ErrorKind::MemoryError | ErrorKind::SyntaxError) => {}
        other => panic!("{other:?}"),
    }
}

#[test]
fn long_elif_chains_end_in_an_exception() {
    let chain = |length: usize| format!("if x: y = 1\n{}y", "elif x: y = 1\n".repeat(length));
    assert!(compile(&chain(500)).is_ok());
    assert_eq!(compile(&chain(20_000)), Err(ErrorKind::RecursionError));
}
