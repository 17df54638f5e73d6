//! A decision for the log of the package.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tpv_galaxy::json::{Json, Reader};
use tpv_runtime::decision::{Decision, Head, Outcome, Wait};
use tpv_runtime::first_line::first_line;

/// The mapper's decision about a job, for a line of the log of decisions.
#[pyclass(name = "Decision", module = "tpvc", frozen)]
pub struct PyDecision(Decision);

impl PyDecision {
    /// A decision whose head has what the mapper knows: the seed, the size of the inputs.
    pub fn new(decision: Decision) -> Self {
        Self(decision)
    }
}

#[pymethods]
impl PyDecision {
    /// The decision about a job that could not be mapped, because there are no rules.
    #[staticmethod]
    fn failed(kind: String, message: &str) -> Self {
        let message = first_line(message, 400);
        Self(Decision { outcome: Outcome::Error { kind, message, at: None }, ..Decision::default() })
    }

    /// The name of the destination; `None` if the mapping ended in an exception.
    #[getter]
    fn destination(&self) -> Option<&str> {
        self.0.outcome.destination()
    }

    /// The class of the exception that the mapping ended in; `None` if there is none.
    #[getter]
    fn error(&self) -> Option<&str> {
        self.0.outcome.error()
    }

    /// The line of the log, with its line feed: JSON of at most 4,096 bytes. `read` is the JSON text of an object. `wait` is `"begins"`, or the
    /// number of mappings that were not ready with the time of the first. `is_open` leaves out the end of this mapping: of a job about which
    /// nobody asks any more.
    #[pyo3(signature = (
        *, time, job, tool, dispatcher = None, attempt = 1, again = 0, rules = None, version = None, user = None, read = None, ms = None,
        begins = false, waited = None, dropped = 0, is_open = false
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are the fields of a line")]
    fn line(
        &self,
        time: String,
        job: Option<i64>,
        tool: String,
        dispatcher: Option<String>,
        attempt: i64,
        again: i64,
        rules: Option<String>,
        version: Option<String>,
        user: Option<i64>,
        read: Option<&str>,
        ms: Option<f64>,
        begins: bool,
        waited: Option<(i64, String)>,
        dropped: i64,
        is_open: bool,
    ) -> PyResult<String> {
        let read = match read.map(|text| Json::read(&mut Reader::new(text))) {
            None => Vec::new(),
            Some(Ok(Json::Object(items))) => items.into_iter().map(|(key, value)| (key.into(), value)).collect(),
            Some(_) => return Err(PyValueError::new_err("`read` is the JSON text of an object")),
        };
        let wait = match waited {
            Some((mappings, since)) => Some(Wait::Ended { mappings, since }),
            None => begins.then_some(Wait::Begins),
        };
        let head = Head {
            time,
            job: job.map_or(Json::Null, Json::Int),
            dispatcher,
            attempt,
            again,
            rules,
            tool,
            version,
            user,
            read,
            ms,
            wait,
            dropped,
            seed: self.0.head.seed.clone(),
            input_size: self.0.head.input_size,
        };
        if is_open {
            return Ok(Decision::default().line_of(&head));
        }
        Ok(self.0.line_of(&head))
    }
}
