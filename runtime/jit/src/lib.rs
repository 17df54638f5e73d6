#![doc = include_str!("../README.md")]
//!
//! # Ways through the crate
//!
//! [`tpv_bytecode::kernel`] defines kernels. This crate compiles them with Cranelift: [`kinds`] infers the kinds of
//! each node from those of the inputs, [`emit`] writes the instructions, [`machine`] owns the memory
//! that they run in, [`host`] has the runtime functions that machine code calls, [`mod@run`] is the interpreter's entry point.
//!
//! Machine code is specialized for the kinds of a block's inputs and contains no checks of them; each run selects the
//! version for its kinds. All threads of a mapper share the code, which is freed with the mapper. On an unsupported architecture, as without the
//! feature, [`Jit::new`] returns `None`.

#[cfg(feature = "cranelift")]
mod emit;
#[cfg(feature = "cranelift")]
mod host;
#[cfg(feature = "cranelift")]
mod kinds;
#[cfg(feature = "cranelift")]
mod machine;
#[cfg(feature = "cranelift")]
mod run;

use std::sync::Arc;

use tpv_bytecode::ProgramData;
use tpv_python::native_code::NativeCode;

/// The policy for compiling kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Never.
    Off,
    /// After about as many runs as machine code takes to save the time of compiling it.
    #[default]
    Lazy,
    /// The first time that a kernel runs.
    Eager,
}

/// The machine code of a program's kernels, compiled on demand.
pub struct Jit {
    #[cfg(feature = "cranelift")]
    shared: machine::Shared,
}

impl Jit {
    /// A compiler for the kernels of a program. `None` if this build or this architecture has none.
    pub fn new(program: &Arc<ProgramData>) -> Option<Arc<Self>> {
        #[cfg(feature = "cranelift")]
        {
            machine::Shared::new(program).map(|shared| Arc::new(Self { shared }))
        }
        #[cfg(not(feature = "cranelift"))]
        {
            let _ = program;
            None
        }
    }

    /// Returns `true` if this is the machine code of that program.
    pub(crate) fn is_for(&self, program: &Arc<ProgramData>) -> bool {
        #[cfg(feature = "cranelift")]
        {
            self.shared.is_for(program)
        }
        #[cfg(not(feature = "cranelift"))]
        {
            let _ = program;
            false
        }
    }

    /// The number of compiled kernel versions.
    pub fn compiled(&self) -> usize {
        #[cfg(feature = "cranelift")]
        {
            self.shared.compiled()
        }
        #[cfg(not(feature = "cranelift"))]
        {
            0
        }
    }
}

/// Machine code for the kernels of a program and the policy for compiling more. All threads that run the program share it.
#[derive(Clone)]
pub struct Native {
    /// The machine code.
    pub jit: Arc<Jit>,
    /// The policy for compiling more.
    pub mode: Mode,
}

impl Native {
    /// Machine code in this mode. `None` for [`Mode::Off`], or if [`Jit::new`] returns `None`.
    pub fn new(program: &Arc<ProgramData>, mode: Mode) -> Option<Self> {
        if mode == Mode::Off {
            return None;
        }
        Some(Self { jit: Jit::new(program)?, mode })
    }

    /// One thread's view of the code, for the interpreter.
    pub fn view(&self) -> Box<dyn NativeCode> {
        #[cfg(feature = "cranelift")]
        {
            Box::new(run::View::new(self.clone()))
        }
        #[cfg(not(feature = "cranelift"))]
        {
            Box::new(NoNativeCode)
        }
    }
}

/// The substitute in builds without machine code.
#[cfg(not(feature = "cranelift"))]
struct NoNativeCode;

#[cfg(not(feature = "cranelift"))]
impl NativeCode for NoNativeCode {
    fn is_for(&self, _: &Arc<ProgramData>) -> bool {
        false
    }

    fn run(
        &self,
        _: &mut tpv_python::vm::Vm,
        _: &tpv_python::program::Program,
        _: u32,
        _: &[tpv_python::value::Value],
        _: &mut String,
    ) -> Option<tpv_python::native_code::Computed> {
        None
    }

    fn runs(&self) -> u64 {
        0
    }
}
