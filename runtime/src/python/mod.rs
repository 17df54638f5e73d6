//! Python: values, the bytecode interpreter, builtins, methods and modules.

pub mod args;
pub mod builtins;
pub mod code;
pub mod codec;
pub mod dict;
pub mod exception;
pub mod format;
pub mod function;
pub mod hash;
pub mod iterator;
pub mod json;
pub mod kernel;
pub mod listing;
pub mod methods;
pub mod module;
pub mod modules;
pub mod number;
pub mod object;
pub mod regex;
mod release;
pub mod set;
pub mod string;
pub mod types;
pub mod unicode;
pub mod value;
pub mod verify;
pub mod vm;
