//! Runtime.

pub mod artifact;
pub mod galaxy;
pub mod jit;
pub mod mapper;
mod nesting;
pub mod patterns;
pub mod python;
pub mod stream;
mod word_hash;
