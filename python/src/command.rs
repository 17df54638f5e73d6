//! The command line.

use std::ffi::OsString;
use std::sync::Arc;

use pyo3::prelude::*;
use tpvc::cli::Host;

use crate::block::Blocks;
use crate::mapper::forced;

/// Runs a command line of `tpvc`, of which the first argument is the program's name, and gives its exit status.
///
/// Ctrl-C ends the process, as it ends the static binary.
#[pyfunction]
pub fn main(py: Python<'_>, argv: Vec<OsString>) -> PyResult<u8> {
    // Python's own handler only notes the signal, for an interpreter that does not run meanwhile.
    let signal = py.import("signal")?;
    let interrupt = signal.getattr("SIGINT")?;
    let own = signal.getattr("default_int_handler")?;
    let is_main = py
        .import("threading")?
        .call_method0("main_thread")?
        .is(py.import("threading")?.call_method0("current_thread")?);
    if is_main && signal.call_method1("getsignal", (&interrupt,))?.is(&own) {
        signal.call_method1("signal", (&interrupt, signal.getattr("SIG_DFL")?))?;
    }
    let host = Host {
        cpython: Some(Arc::new(Blocks::new(false))),
        force_cpython: forced()?,
        program: Some(program(py)?.into_bytes()),
    };
    Ok(py.detach(|| tpvc::cli::run_with(argv, host)))
}

/// A text within a line as it can be printed, without characters that a terminal obeys.
#[pyfunction]
pub fn printable(text: &str) -> String {
    tpv_text::printable::line(text).into_owned()
}

/// A program that is `tpvc` in this Python, for maps: where they run, the package must be at the same place.
pub fn program(py: Python<'_>) -> PyResult<String> {
    let python: String = py.import("sys")?.getattr("executable")?.extract()?;
    let quoted = python.replace('\'', "'\\''");
    Ok(format!("#!/bin/sh\nexec '{quoted}' -m tpvc \"$@\"\n"))
}
