//! A decision for the log of the package.

use pyo3::prelude::*;
use tpv_runtime::decision::{Decision, Outcome};
use tpv_runtime::first_line::first_line;

/// The mapper's decision about a job, for a line of the log of decisions. Its head has what the mapper knows: the seed, the size of the inputs.
#[pyclass(name = "Decision", module = "tpvc", frozen)]
pub struct PyDecision {
    pub decision: Decision,
}

#[pymethods]
impl PyDecision {
    /// The decision about a job that could not be mapped, because there are no rules.
    #[staticmethod]
    fn failed(kind: String, message: &str) -> Self {
        let message = first_line(message, 400);
        Self { decision: Decision { outcome: Outcome::Error { kind, message, at: None }, ..Decision::default() } }
    }

    /// The name of the destination; `None` if the mapping ended in an exception.
    #[getter]
    fn destination(&self) -> Option<&str> {
        self.decision.outcome.destination()
    }

    /// The class of the exception that the mapping ended in; `None` if there is none.
    #[getter]
    fn error(&self) -> Option<&str> {
        self.decision.outcome.error()
    }

    /// The share of the mapping that CPython had: `native`, `mixed` or `cpython`.
    #[getter]
    fn tier(&self) -> &'static str {
        self.decision.tier()
    }
}
