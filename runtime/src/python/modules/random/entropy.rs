//! Bytes that the system's source of randomness would give: `os.urandom`, `uuid.uuid4`, `secrets`.

use sha2::{Digest, Sha512};

use crate::python::exception::PyResult;
use crate::python::vm::Vm;

/// So many bytes. They do not change what `random` gives next.
///
/// DIFFERENCE: they follow from the job's seed, and from how many were drawn before, so that the same job has the same
/// answer each time.
///
/// # Errors
/// `MemoryError`, `TimeoutError`
pub(in crate::python::modules) fn bytes(vm: &mut Vm, count: usize) -> PyResult<Vec<u8>> {
    vm.charge_bytes(count)?;
    // The whole state is hashed for each draw: some twenty blocks.
    vm.charge(400)?;
    let (words, index) = vm.random.state();
    let mut state = Sha512::new();
    for word in words {
        state.update(word.to_le_bytes());
    }
    state.update(index.to_le_bytes());
    let mut out = Vec::with_capacity(count);
    while out.len() < count {
        // A block, and a copy of the state.
        vm.charge(4)?;
        vm.draws += 1;
        out.extend(state.clone().chain_update(vm.draws.to_le_bytes()).finalize());
    }
    out.truncate(count);
    Ok(out)
}
