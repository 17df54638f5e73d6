//! The command line of tpvc.

use std::process::ExitCode;

fn main() -> ExitCode {
    tpvc::cli::run()
}
