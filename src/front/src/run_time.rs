//! Compiling while jobs are mapped: what code makes into code.

use std::sync::Arc;

use tpv_bytecode::{CodeKind, ProgramData};
use tpv_runtime::mapper::Hooks;

use super::program::ProgramBuilder;

/// The hooks of a mapper that compiles code which code makes, and has no others.
pub fn hooks() -> Hooks {
    Hooks { compile: Some(Arc::new(compile)), ..Hooks::default() }
}

/// Compiles source that code made at run time, such as `entity.mem = "cores * 4"`, for
/// [`tpv_runtime::mapper::Hooks::compile`]. The root is code 0 of the program.
///
/// # Errors
/// The name and the text of the exception that Python raises for it.
pub fn compile(source: &str, kind: CodeKind) -> Result<ProgramData, (String, String)> {
    let mut builder = ProgramBuilder::new();
    match builder.compile(source, kind) {
        Ok(_) => Ok(builder.finish()),
        Err(errors) => Err(match errors.first() {
            Some(error) => (error.kind.name().to_owned(), error.text()),
            None => ("SyntaxError".to_owned(), "invalid syntax".to_owned()),
        }),
    }
}
