//! Python's own modules: one table.

pub mod collections;
pub mod random;
pub mod re;

use super::module::ModuleDef;

/// The modules of Python's standard library that the runtime has, by dotted name.
pub static MODULES: &[&ModuleDef] = &[&re::RE];
