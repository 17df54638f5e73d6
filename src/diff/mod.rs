//! What changes between two rule sets.

pub mod answers;
