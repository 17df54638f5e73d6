//! Runtime.

pub mod artifact;
pub mod galaxy;
pub mod mapper;
pub mod patterns;
pub mod stream;
