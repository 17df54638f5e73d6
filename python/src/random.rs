//! The state of `random`, which a job of a job file brings: CPython's code and native code draw from one generator.
//!
//! Python's own generator is the process's. While a block draws from it, other threads wait with theirs.

use std::cell::Cell;
use std::sync::{Condvar, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tpv_python::mersenne_twister::MersenneTwister;

/// The version of the state that `random.getstate` gives.
const VERSION: u32 = 3;

/// The process in which some thread has Python's generator: a forked child has the parent's memory, but not the thread that would
/// give the generator back.
static LENT_IN: Mutex<Option<u32>> = Mutex::new(None);
/// Tells that it has it no more.
static RETURNED: Condvar = Condvar::new();

thread_local! {
    /// `true` while this thread holds it: a block can map another job.
    static IS_MINE: Cell<bool> = const { Cell::new(false) };
}

/// Python's generator in the hands of this thread.
struct Turn {
    is_nested: bool,
}

impl Turn {
    /// Waits for the generator. Other threads may run Python meanwhile, since one of them has it.
    fn wait(py: Python<'_>) -> Self {
        let is_nested = IS_MINE.replace(true);
        if !is_nested {
            py.detach(|| {
                let process = Some(std::process::id());
                let mut lent_in = LENT_IN.lock().unwrap_or_else(PoisonError::into_inner);
                while *lent_in == process {
                    lent_in = RETURNED.wait(lent_in).unwrap_or_else(PoisonError::into_inner);
                }
                *lent_in = process;
            });
        }
        Self { is_nested }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if !self.is_nested {
            IS_MINE.set(false);
            *LENT_IN.lock().unwrap_or_else(PoisonError::into_inner) = None;
            RETURNED.notify_one();
        }
    }
}

/// The state of Python's generator before it received the machine's.
pub struct Lent {
    before: Py<PyAny>,
    _turn: Turn,
}

/// Gives Python's generator the machine's state, until [`Lent::take_back`].
///
/// # Errors
/// Exceptions raised by `random`.
pub fn lend(py: Python<'_>, generator: &mut MersenneTwister) -> PyResult<Lent> {
    let turn = Turn::wait(py);
    let random = py.import("random")?;
    let before = random.call_method0("getstate")?.unbind();
    let (words, index) = generator.state();
    let all = words.iter().copied().chain(u32::try_from(index)).collect::<Vec<u32>>();
    random.call_method1("setstate", ((VERSION, PyTuple::new(py, all)?, py.None()),))?;
    Ok(Lent { before, _turn: turn })
}

impl Lent {
    /// Takes the state back into the machine, and gives Python's generator the one that it had.
    ///
    /// # Errors
    /// Exceptions raised by `random`.
    pub fn take_back(self, py: Python<'_>, generator: &mut MersenneTwister) -> PyResult<()> {
        let random = py.import("random")?;
        let state = random.call_method0("getstate")?;
        let mut words: Vec<u32> = state.get_item(1)?.extract()?;
        if let Some(index) = words.pop() {
            generator.set_state(words, index as usize);
        }
        random.call_method1("setstate", (self.before.bind(py),))?;
        Ok(())
    }
}
