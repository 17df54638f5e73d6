//! `tpvc.lock` for Python: the texts that count in place of those that URLs give now.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use tpv_config::lock::Lock;
use tpv_config::template::Remotes;
use tpv_text::diagnostic::{Diagnostic, Diagnostics, Problem};

use crate::rules::compile_error;

/// A lock: the file that `tpvc update` writes.
#[pyclass(name = "Lock", module = "tpvc", frozen)]
pub struct PyLock {
    lock: Arc<Lock>,
}

impl PyLock {
    /// The locked texts, in place of those of URLs.
    pub fn remotes(&self) -> Remotes {
        Remotes::default().locked(Some(self.lock.clone()))
    }
}

#[pymethods]
impl PyLock {
    /// Reads a lock. Raises `CompileError` if it is missing, cannot be read, or is no lock.
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let missing = || {
            let message = format!("`{}` is missing", path.display());
            Problem::from(Diagnostic::error(message).help("`tpvc_lock` names the file that `tpvc update` writes"))
        };
        match py.detach(|| Lock::read(&path)).and_then(|lock| lock.ok_or_else(missing)) {
            Ok(lock) => Ok(Self { lock: Arc::new(lock) }),
            Err(problem) => {
                let mut diagnostics = Diagnostics::new();
                diagnostics.push(*problem.diagnostic);
                Err(compile_error(py, &diagnostics, &problem.sources)?)
            }
        }
    }

    /// Returns `True` if the lock has a text for a URL.
    fn has(&self, url: &str) -> bool {
        self.lock.entry(url).is_some()
    }
}
