//! Methods of the builtin types: one table a type.

pub mod bytes;
pub mod dict;
pub mod exception;
pub mod float;
pub mod generator;
pub mod int;
pub mod list;
pub mod range;
pub mod set;
pub mod slice;
pub mod str;
pub mod tuple;
