//! The interface through which the interpreter calls machine code.

use std::sync::Arc;

use tpv_bytecode::ProgramData;

use super::program::Program;
use super::value::Value;
use super::vm::Vm;

/// The result of a block.
pub enum Computed {
    /// This value.
    Value(Value),
    /// A text, which was appended to one that the caller gave.
    Text,
}

/// Machine code for the kernels of one program, as one thread sees it.
///
/// A kernel says what the instructions of its block say. An implementation may leave any run of it, as long as nothing that code
/// could see has changed by then: the machine interprets the block from its start.
pub trait NativeCode {
    /// Returns `true` if this is machine code of that program.
    fn is_for(&self, program: &Arc<ProgramData>) -> bool;

    /// Computes root code `code`, which has a kernel, in the present context; `None` where the kernel is left. `computed` are
    /// the values of the code's [computed names](tpv_bytecode::Code::computed). The text of an f-string is appended to `text`; nothing
    /// is where the kernel is left.
    fn run(&self, vm: &mut Vm, program: &Program, code: u32, computed: &[Value], text: &mut String)
    -> Option<Computed>;

    /// The number of blocks computed.
    fn runs(&self) -> u64;
}
