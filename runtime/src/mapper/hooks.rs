//! The hooks of a mapper: the compiler, the log, budgets, CPython, the store of resource pools.

use std::sync::Arc;

use crate::pools::{AllocationStore, FinishedJobs};
use tpv_bytecode::{CodeKind, ProgramData};
use tpv_jit::Mode;
use tpv_python::exception::{EXCEPTIONS, PyResult, SYNTAX_ERROR, raise};
use tpv_python::vm::{Limits, LogLevel};

use super::cpython::Cpython;

/// Compiles Python source that code made at run time. Gives the program, whose code 0 is the root, or the name and message
/// of the exception that Python raises for it.
pub type Compile = Arc<dyn Fn(&str, CodeKind) -> Result<ProgramData, (String, String)> + Send + Sync>;

/// Compiles source by a hook, with its errors as exceptions.
///
/// # Errors
/// The exception that Python raises for the source.
pub(crate) fn compile_by(compile: &Compile, source: &str, kind: CodeKind) -> PyResult<ProgramData> {
    compile(source, kind).map_err(|(class, message)| {
        let class = EXCEPTIONS.iter().find(|known| known.name == class);
        raise(class.copied().unwrap_or(&SYNTAX_ERROR), message)
    })
}

/// Takes what code logs.
pub type Log = Arc<dyn Fn(LogLevel, &str) + Send + Sync>;

/// The mapper's inputs besides the rules.
#[derive(Clone, Default)]
pub struct Hooks {
    /// The compiler, for code made at run time.
    pub compile: Option<Compile>,
    /// The reader of the log.
    pub log: Option<Log>,
    /// The least level that the reader takes.
    pub log_level: Option<LogLevel>,
    /// The budgets of one job.
    pub limits: Limits,
    /// The policy for compiling kernels to machine code.
    pub jit: Mode,
    /// CPython, for code that the native language does not cover.
    pub cpython: Option<Arc<dyn Cpython>>,
    /// A seed that makes CPython, if available, also run a random half of all other blocks, chosen by the seed and
    /// their texts: a test that the interpreters agree.
    pub force_cpython: Option<u64>,
    /// `true` if observers are told which blocks were evaluated, with [`super::explain::Step::Evaluated`].
    pub note_blocks: bool,
    /// The bytes that a thread keeps of earlier jobs before it drops all of them; 0 for the default of 48 MiB.
    pub kept_bytes: usize,
    /// The store for allocations of resource pools; without it, the mapper keeps them.
    pub pool_store: Option<Arc<dyn AllocationStore>>,
    /// Tells which jobs have ended, where there is no world.
    pub finished_jobs: Option<Arc<dyn FinishedJobs>>,
}
