//! Hashing and key equality, as CPython defines them for numbers and tuples.

use super::exception::{PyResult, not_implemented_error};
use super::value::Value;
use super::vm::Vm;

/// `hash(value)`. Numbers hash as in CPython (equal numbers of different types alike); strings hash by a fixed function
/// (CPython's is random in each process).
///
/// # Errors
/// `TypeError: unhashable type: 'list'`
pub fn hash(vm: &mut Vm, value: &Value) -> PyResult<i64> {
    let _ = (vm, value);
    Err(not_implemented_error("hash"))
}

/// The hash of a string.
pub fn hash_str(text: &str) -> i64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash.cast_signed()
}

/// Whether two hashable values are equal as keys: identity or equality, which for hashable values of the runtime never fails.
pub fn keys_equal(a: &Value, b: &Value) -> bool {
    a.is(b)
}

/// A frozenset of constants.
pub fn frozenset_of_constants(items: impl Iterator<Item = Value>) -> Value {
    let _ = items;
    Value::None
}
