//! The command line.

use std::ffi::OsString;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tpv_text::diagnostic::REPORT_BUG;
use tpv_text::interrupt::Interrupt;
use tpvc::cli::{Host, Printed};

use crate::block::Blocks;
use crate::mapper::forced;

/// Runs a command line of `tpvc`, of which the first argument is the program's name, and gives its exit status.
///
/// Ctrl-C ends the process, as it ends the static binary. If `why` finds its job in no log, `unlogged` is called in the place of an error, and gives the
/// exit status.
#[pyfunction]
#[pyo3(signature = (argv, *, unlogged=None))]
pub fn main(py: Python<'_>, argv: Vec<OsString>, unlogged: Option<&Bound<'_, PyAny>>) -> PyResult<u8> {
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
    let is_unlogged = Arc::new(AtomicBool::new(false));
    let host = Host { is_unlogged: unlogged.map(|_| is_unlogged.clone()), ..host(py)? };
    let status = py.detach(|| tpvc::cli::run_with(argv, host));
    match unlogged {
        Some(unlogged) if is_unlogged.load(Ordering::Relaxed) => unlogged.call0()?.extract(),
        _ => Ok(status),
    }
}

/// The stack of a run, as large as that of a main thread.
const STACK: usize = 8 << 20;

/// The time between two looks for a signal.
const LOOK: Duration = Duration::from_millis(50);

/// Runs such a command line for a program that goes on, and gives its exit status, its results and what else it prints. One runs at a time, in a thread
/// of its own, so that the program answers signals meanwhile: if a handler raises an exception, as that of Ctrl-C does, this ends
/// with it. The run itself ends with its next job, proof or file, and until then no other begins.
#[pyfunction]
pub fn run(py: Python<'_>, argv: Vec<OsString>) -> PyResult<(u8, String, String)> {
    let host = host(py)?;
    let interrupt = Interrupt::default();
    let watched = interrupt.clone();
    let (send, ended) = channel();
    let work = move || send.send(tpvc::cli::run_captured(argv, host, &watched)).unwrap_or_default();
    let thread = thread::Builder::new().stack_size(STACK).spawn(work)?;
    let ended = Mutex::new(ended);
    let Printed { status, stdout, stderr } = loop {
        match py.detach(|| ended.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK)) {
            Ok(printed) => break printed,
            Err(RecvTimeoutError::Timeout) => py.check_signals().inspect_err(|_| interrupt.set())?,
            Err(RecvTimeoutError::Disconnected) => match py.detach(|| thread.join()) {
                Err(panic) => resume_unwind(panic),
                Ok(()) => return Err(PyRuntimeError::new_err(REPORT_BUG)),
            },
        }
    };
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok((status, text(stdout), text(stderr)))
}

/// The parts of the command line that this Python provides.
fn host(py: Python<'_>) -> PyResult<Host> {
    Ok(Host {
        cpython: Some(Arc::new(Blocks::new(false))),
        force_cpython: forced()?,
        program: Some(program(py)?.into_bytes()),
        is_unlogged: None,
    })
}

/// A text within a line as it can be printed, without characters that a terminal obeys.
#[pyfunction]
pub fn printable(text: &str) -> String {
    tpv_text::printable::line(text).into_owned()
}

/// Runs the package from the folder that is its first argument, if Python does not find one: job schedulers keep no `PYTHONPATH`.
const RUN: &str = "import runpy, sys; sys.path.append(sys.argv.pop(1)); runpy.run_module(\"tpvc\", run_name=\"__main__\", alter_sys=True)";

/// A program that is `tpvc` in this Python, for maps: where they run, the package must be at the same place.
pub fn program(py: Python<'_>) -> PyResult<String> {
    let python: String = py.import("sys")?.getattr("executable")?.extract()?;
    let package: PathBuf = py.import("tpvc")?.getattr("__file__")?.extract()?;
    let folder = package.ancestors().nth(2).unwrap_or(&package).to_string_lossy();
    let words = [&python, "-c", RUN, &folder].map(tpv_text::shell::word).join(" ");
    Ok(format!("#!/bin/sh\nexec {words} \"$@\"\n"))
}
