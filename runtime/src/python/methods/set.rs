//! Methods of `set`.

use crate::python::value::Method;

/// The methods, by name.
pub static METHODS: &[Method] = &[];

/// The methods of `frozenset`.
pub static FROZEN_METHODS: &[Method] = &[];
