//! Runtime.

pub mod galaxy;
pub mod python;
