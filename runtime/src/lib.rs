//! Runtime.

pub mod patterns;
pub mod python;
