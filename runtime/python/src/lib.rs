//! Python: values, the bytecode interpreter, builtins, methods and modules.

pub mod args;
pub mod builtins;
pub mod codec;
mod collisions;
pub mod dict;
pub mod exception;
pub mod format;
pub mod function;
pub mod hash;
pub mod identity;
pub mod iterator;
pub mod methods;
pub mod module;
pub mod modules;
pub mod native_code;
pub mod number;
pub mod object;
pub mod program;
pub mod regex;
mod release;
pub mod set;
pub mod string;
pub mod types;
pub mod unicode;
pub mod value;
pub mod vm;
pub mod word_hash;
