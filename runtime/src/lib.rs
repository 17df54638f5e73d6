//! Runtime.

pub mod artifact;
pub mod bytecode;
pub mod galaxy;
pub mod jit;
pub mod mapper;
pub mod patterns;
pub mod python;
pub mod stream;
mod word_hash;
