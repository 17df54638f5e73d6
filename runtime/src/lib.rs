//! Runtime.

pub mod python;
