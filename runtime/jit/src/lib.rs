//! Kernels to machine code.
//!
//! [`tpv_bytecode::kernel`] says what a kernel is. Here one becomes machine code by Cranelift: [`kinds`] works out what
//! each node can be once the kinds of the inputs are known, [`emit`] writes the instructions, [`machine`] owns the memory
//! that they run in, [`host`] is what they ask of the runtime, [`mod@run`] calls them from the interpreter's door.
//!
//! Machine code is made for the kinds of inputs that a block has met, so that it tests no types; the kinds of a run choose
//! the code. It is shared by all threads of one mapper and goes with it.
//!
//! Without the feature `jit`, and where Cranelift has no back end for the machine, there is no [`Jit`] and everything is
//! interpreted, with the same answers.

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

/// When kernels become machine code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Never.
    Off,
    /// When the runs so far have cost about what compiling costs.
    #[default]
    Lazy,
    /// The first time that a kernel runs.
    Eager,
}

/// The machine code of a program's kernels, made as it is asked for.
pub struct Jit {
    #[cfg(feature = "cranelift")]
    shared: machine::Shared,
}

impl Jit {
    /// A compiler for the kernels of a program; `None` where this build or this machine has none.
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

    /// The number of pieces of machine code that there are.
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

/// Machine code for the kernels of a program, with when more of it is made. All threads that run the program share it.
#[derive(Clone)]
pub struct Native {
    /// The machine code.
    pub jit: Arc<Jit>,
    /// When more is made.
    pub mode: Mode,
}

impl Native {
    /// Machine code in this mode; `None` for [`Mode::Off`] and where there is none.
    pub fn new(program: &Arc<ProgramData>, mode: Mode) -> Option<Self> {
        if mode == Mode::Off {
            return None;
        }
        Some(Self { jit: Jit::new(program)?, mode })
    }

    /// One thread's view of it, for the machine.
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
