//! CPython, beside machine code and the native interpreter: what the host gives where a Python is at hand.

use tpv_bytecode::CodeKind;
use tpv_python::exception::PyResult;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

use super::slots::COMPUTED_NAMES;
use crate::artifact::Rules;

/// The place of a block in the config.
#[derive(Clone, Copy)]
pub struct Origin<'a> {
    /// The rules that the block is of.
    pub rules: &'a Rules,
    /// An index of their table of sites.
    pub site: u32,
}

/// Runs in CPython what the native language does not cover.
pub trait Cpython: Send + Sync {
    /// Evaluates a block of the config in the evaluation context of `vm`, as TPV's `eval_code_block` does: in the globals of TPV's
    /// loader, updated with the context ([`Vm::context_entries`]), then with [`hiding_names`]. What the block assigns is dropped.
    ///
    /// `origin` is the block's place in the config; `None` for code that was made at run time.
    ///
    /// # Errors
    /// Exceptions raised by compiling or running the block.
    fn run(&self, vm: &mut Vm, source: &str, kind: CodeKind, origin: Option<Origin<'_>>) -> PyResult<Value>;

    /// Tells that a job ended: what crossed for it can go.
    fn end_job(&self) {}

    /// Returns `true` if Galaxy's objects are live: then blocks that import native substitutes for Galaxy's side
    /// (`galaxy.model`, `sqlalchemy`) also run in CPython.
    fn is_live(&self) -> bool;
}

/// The names that hide those of the context in a block: `helpers`, and the names that the mapper computes where the block's text
/// has them (`input_size`).
///
/// # Errors
/// Exceptions raised by computing a name: the size of the inputs asks the job for them.
pub fn hiding_names(vm: &mut Vm, source: &str) -> PyResult<Vec<(&'static str, Value)>> {
    let environment = vm.environment.clone();
    let mut names = Vec::with_capacity(1 + COMPUTED_NAMES.len());
    names.extend(environment.overriding(vm, "helpers")?.map(|helpers| ("helpers", helpers)));
    for name in COMPUTED_NAMES {
        let value = match source.contains(name) {
            true => Some(environment.computed_name(vm, name)?),
            false => environment.overriding(vm, name)?,
        };
        names.extend(value.map(|value| (*name, value)));
    }
    Ok(names)
}
