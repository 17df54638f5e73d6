//! A bound on how deeply nested the data of an artifact may be, so that reading one made to crash its reader fails instead.

use std::cell::Cell;

use bincode::error::DecodeError;

/// The maximum nesting of values: far more than a config has.
const LIMIT: u32 = 200;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Runs a decoder one level deeper.
pub fn nested<T>(decode: impl FnOnce() -> Result<T, DecodeError>) -> Result<T, DecodeError> {
    let depth = DEPTH.get();
    if depth >= LIMIT {
        return Err(DecodeError::OtherString(format!("values nest more than {LIMIT} deep")));
    }
    DEPTH.set(depth + 1);
    let result = decode();
    DEPTH.set(depth);
    result
}
