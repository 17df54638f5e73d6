//! Methods of `float`.

use crate::python::value::Method;

/// The methods, by name.
pub static METHODS: &[Method] = &[];
