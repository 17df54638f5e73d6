//! Runs within another program, which gets what they print as texts in the place of a terminal.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use tpv_runtime::mapper::Mapper;
use tpv_text::interrupt::Interrupt;

/// The result of a run, with all that it printed.
#[derive(Debug, Default)]
pub struct Printed {
    /// The exit status.
    pub status: u8,
    /// The results.
    pub stdout: Vec<u8>,
    /// Everything else.
    pub stderr: Vec<u8>,
}

/// The texts of the run that is captured; `None` if what is printed goes to the process's own streams.
static PRINTED: Mutex<Option<Printed>> = Mutex::new(None);

/// One run at a time is captured.
static RUN: Mutex<()> = Mutex::new(());

/// Does a run, which gives its exit status, and keeps what it prints. Other calls wait until it ends. Nothing is done if it is interrupted before.
pub(super) fn capture(interrupt: &Interrupt, run: impl FnOnce() -> u8) -> Printed {
    let _alone = RUN.lock().unwrap_or_else(PoisonError::into_inner);
    if interrupt.is_set() {
        return Printed::default();
    }
    Interrupt::watch(Some(interrupt));
    Mapper::process_goes_on();
    let capture = Capture::begin();
    let status = run();
    Printed { status, ..capture.end() }
}

/// A run that is captured, until it is dropped: also where a run panics.
struct Capture;

impl Capture {
    fn begin() -> Self {
        *PRINTED.lock().unwrap_or_else(PoisonError::into_inner) = Some(Printed::default());
        Self
    }

    fn end(&self) -> Printed {
        PRINTED.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        self.end();
        Interrupt::watch(None);
    }
}

/// Returns `true` if the present run is captured: it then shows no progress.
pub(super) fn is_captured() -> bool {
    PRINTED.lock().unwrap_or_else(PoisonError::into_inner).is_some()
}

/// A stream of the process, or the text that takes its place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(printed) = &mut *PRINTED.lock().unwrap_or_else(PoisonError::into_inner) {
            return match self {
                Self::Stdout => printed.stdout.write(bytes),
                Self::Stderr => printed.stderr.write(bytes),
            };
        }
        // Not under the lock: a pager that waits does not hold up messages.
        match self {
            Self::Stdout => io::stdout().write(bytes),
            Self::Stderr => io::stderr().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout => io::stdout().flush(),
            Self::Stderr => io::stderr().flush(),
        }
    }
}
