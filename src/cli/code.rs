//! The flags that say how the code of rules runs: those of every verb that maps many jobs.

use clap::{Args, ValueEnum};
use tpv_jit::Mode;
use tpv_python::vm::Limits;

/// The flags.
#[derive(Args)]
pub(super) struct Code {
    /// The policy for compiling numeric code to machine code; the answers are the same
    #[arg(long, value_name = "WHEN", default_value = "lazy")]
    pub(super) jit: JitMode,
    /// Steps of Python that a job may take; after that its code gets `TimeoutError`
    #[arg(long, value_name = "STEPS", default_value_t = Limits::default().steps, help_heading = "Budgets of the code")]
    max_steps: u64,
    /// MiB that one value of a job's code may take; larger ones are `MemoryError`
    #[arg(long, value_name = "MIB", default_value_t = Limits::default().bytes >> 20, help_heading = "Budgets of the code")]
    max_memory: usize,
    /// Nested calls of a job's code; deeper ones are `RecursionError`
    #[arg(long, value_name = "CALLS", default_value_t = Limits::default().depth, help_heading = "Budgets of the code")]
    max_depth: usize,
}

impl Code {
    /// The budgets of a job.
    pub(super) fn limits(&self) -> Limits {
        Limits { steps: self.max_steps, bytes: self.max_memory.saturating_mul(1 << 20), depth: self.max_depth }
    }
}

/// The policy for compiling numeric code to machine code.
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum JitMode {
    /// Never: everything is interpreted
    Off,
    /// After enough runs to pay off
    Lazy,
    /// The first time that it runs
    Eager,
}

impl From<JitMode> for Mode {
    fn from(mode: JitMode) -> Self {
        match mode {
            JitMode::Off => Self::Off,
            JitMode::Lazy => Self::Lazy,
            JitMode::Eager => Self::Eager,
        }
    }
}
