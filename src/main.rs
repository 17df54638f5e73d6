//! The command line of tpvc.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Jobs allocate and free many small objects; ARCHITECTURE.md has the gain over the system's allocator.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    tpvc::cli::run()
}
