//! `tpvc._native`: tpvc as a Python module.
//!
//! [`rules`] compiles configs, [`mapper`] maps jobs, [`command`] is the command line.

mod command;
mod mapper;
mod rules;

use pyo3::prelude::*;

/// The native half of the package `tpvc`, which has the documented names.
#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::command::main;
    #[pymodule_export]
    use super::mapper::PyMapper;
    #[pymodule_export]
    use super::rules::{CompileError, PyDiagnostic, PyRules, compile};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
