//! The command line of tpvc.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Jobs make and drop many small objects: docs/performance.md says what this allocator gives.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    tpvc::cli::run()
}
