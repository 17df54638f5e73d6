//! Runs that another thread can end: Ctrl-C in a program that tpvc is a part of.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Ends a run: it reads, makes and maps no further job, gives up what it proves, and puts no new file in place. Compiling goes on to its end.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

/// The interrupt of the run that this process does for a program; `None` if it does none.
static PRESENT: Mutex<Option<Interrupt>> = Mutex::new(None);

impl Interrupt {
    /// The interrupt of the present run, or one that nobody sets.
    pub fn present() -> Self {
        PRESENT.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default()
    }

    /// Makes it that of the present run; `None` after its end.
    pub fn watch(interrupt: Option<&Self>) {
        *PRESENT.lock().unwrap_or_else(PoisonError::into_inner) = interrupt.cloned();
    }

    /// Ends the run.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns `true` if the run is to end.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Refuses to go on with a run that is to end.
    ///
    /// # Errors
    /// It is to end.
    pub fn check(&self) -> io::Result<()> {
        if self.is_set() { Err(io::Error::other("interrupted")) } else { Ok(()) }
    }
}
