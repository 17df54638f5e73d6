//! Bounds on what is read.

use std::time::Duration;

/// The limits on reading one source.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The size of one text, in bytes.
    pub bytes: u64,
    /// The time one transfer may take, from the name lookup to the last byte.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 64 << 20, time: Duration::from_secs(30) }
    }
}
