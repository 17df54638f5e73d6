//! The state of `random`, which a job of a job file brings: CPython's code and native code draw from one generator.
//!
//! Python's own generator is the process's. Where several threads map and CPython lets another one go on in the middle of a block, both
//! draw from it.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tpv_python::mersenne_twister::MersenneTwister;

/// The version of the state that `random.getstate` gives.
const VERSION: u32 = 3;

/// Gives Python's generator the machine's state; the result is the state that it had.
///
/// # Errors
/// What `random` raises.
pub fn lend(py: Python<'_>, generator: &mut MersenneTwister) -> PyResult<Py<PyAny>> {
    let random = py.import("random")?;
    let before = random.call_method0("getstate")?.unbind();
    let (words, index) = generator.state();
    let all = words.iter().copied().chain(u32::try_from(index)).collect::<Vec<u32>>();
    random.call_method1("setstate", ((VERSION, PyTuple::new(py, all)?, py.None()),))?;
    Ok(before)
}

/// Takes the state back into the machine, and gives Python's generator the one that it had.
///
/// # Errors
/// What `random` raises.
pub fn take_back(py: Python<'_>, generator: &mut MersenneTwister, before: Py<PyAny>) -> PyResult<()> {
    let random = py.import("random")?;
    let state = random.call_method0("getstate")?;
    let mut words: Vec<u32> = state.get_item(1)?.extract()?;
    if let Some(index) = words.pop() {
        generator.set_state(words, index as usize);
    }
    random.call_method1("setstate", (before,))?;
    Ok(())
}
