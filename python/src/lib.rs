//! `tpvc._native`: tpvc as a Python module.
//!
//! [`rules`] compiles configs, with a [`lock`] if there is one, [`mapper`] maps jobs, [`command`] is the command line. Between Python and the machine that runs code
//! natively, values cross by [`to_native`] and [`to_python`]: plain ones become what they are on the other side, Python's other
//! objects become a [`live`] object of the machine, and the machine's a [`proxy`] in Python; [`tags`] are TPV's on both sides.
//! [`session`] remembers what crossed for a job, [`machine`] which machine waits while Python runs. [`block`] runs a config's code in
//! CPython, within a [`time_limit`] if there is one, [`places`] has tracebacks show the config, [`galaxy`] maps for Galaxy,
//! and [`decisions`] logs what it decided; [`asked`] asks Galaxy once for what rules ask for
//! several times. [`pools`]
//! has the stores of resource pools of both sides for each other, [`maps`] what `tpvc.maps` is made of.

mod asked;
mod block;
mod classes;
mod command;
mod dates;
mod decisions;
mod depth;
mod evaluate;
mod exception;
mod galaxy;
mod helpers;
mod live;
mod lock;
mod log;
mod machine;
mod mapper;
mod maps;
mod module;
mod outside;
mod places;
mod pools;
mod proxy;
mod random;
mod rules;
mod session;
mod tags;
mod time_limit;
mod to_native;
mod to_python;
mod twin;

use pyo3::prelude::*;

/// The native half of the package `tpvc`, which has the documented names.
#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::command::{main, printable, run};
    #[pymodule_export]
    use super::decisions::{DecisionLines, LogEvents, PyDecision};
    #[pymodule_export]
    use super::evaluate::evaluate;
    #[pymodule_export]
    use super::lock::PyLock;
    #[pymodule_export]
    use super::mapper::PyMapper;
    #[pymodule_export]
    use super::maps::{AnswerLines, MapError, PyMaps};
    #[pymodule_export]
    use super::module::native_module;
    #[pymodule_export]
    use super::pools::{PyPoolStore, StoreUnavailable};
    #[pymodule_export]
    use super::proxy::{NativeFunction, NativeIterator, NativeObject};
    #[pymodule_export]
    use super::rules::{CompileError, PyDiagnostic, PyRules, compile, is_url, known_tpv, shown_url};
    #[pymodule_export]
    use super::session::{forget_after_mapping, is_mapping};
    #[pymodule_export]
    use super::tags::{call_tags, check_tags};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::classes::add_exceptions(module)?;
        module.add("ADMIT_SCRIPT", tpv_runtime::pools::valkey::SCRIPT)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
