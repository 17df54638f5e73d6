//! A decision for the log of the package.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use tpv_galaxy::json::Json;
use tpv_runtime::decision::{Decision, Head, Outcome, Wait};
use tpv_runtime::first_line::first_line;

use crate::facts;

/// The mapper's decision about a job, for a line of the log of decisions.
#[pyclass(name = "Decision", module = "tpvc", frozen)]
pub struct PyDecision {
    decision: Decision,
    head: Mutex<Head>,
}

impl PyDecision {
    /// A decision whose head has what the mapper knows: the seed, the size of the inputs.
    pub fn new(mut decision: Decision) -> Self {
        let head = Mutex::new(std::mem::take(&mut decision.head));
        Self { decision, head }
    }

    fn head(&self) -> std::sync::MutexGuard<'_, Head> {
        self.head.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyDecision {
    /// The decision about a job that could not be mapped, because there are no rules.
    #[staticmethod]
    fn failed(kind: String, message: &str) -> Self {
        let message = first_line(message, 400);
        Self::new(Decision { outcome: Outcome::Error { kind, message, at: None }, ..Decision::default() })
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

    /// The id of the job, once the circumstances are noted; `None` if it has none.
    #[getter]
    fn job(&self) -> Option<i64> {
        match self.head().job {
            Json::Int(id) => Some(id),
            _ => None,
        }
    }

    /// The time of the mapping, once the circumstances are noted.
    #[getter]
    fn time(&self) -> String {
        self.head().time.clone()
    }

    /// Notes the circumstances for the line: of Galaxy's objects what is loaded. `noted` are values that only the live server has,
    /// `preferences` the keys of extra preferences to show.
    #[pyo3(signature = (
        job, tool, user, *, time, dispatcher, attempt = 1, again = 0, rules = None, ms = None, noted = None, preferences = Vec::new()
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are the circumstances of a mapping")]
    fn note(
        &self,
        job: &Bound<'_, PyAny>,
        tool: &Bound<'_, PyAny>,
        user: &Bound<'_, PyAny>,
        time: String,
        dispatcher: Option<String>,
        attempt: i64,
        again: i64,
        rules: Option<String>,
        ms: Option<f64>,
        noted: Option<&Bound<'_, PyDict>>,
        preferences: Vec<String>,
    ) {
        let mut read = noted.map(facts::noted).unwrap_or_default();
        read.append(&mut facts::of(user, job, &preferences));
        let id = pyo3::intern!(job.py(), "id");
        let integer = |object: &Bound<'_, PyAny>| object.getattr(id).ok()?.extract::<i64>().ok();
        let text = |name| {
            let value = tool.getattr(name).ok().filter(|value| !value.is_none())?;
            Some(value.str().ok()?.to_string_lossy().into_owned())
        };
        let (tool, version) = (text(id), text(pyo3::intern!(job.py(), "version")));
        // Before the lock, since attributes may run code.
        let (job, user) = (integer(job), integer(user));
        let mut head = self.head();
        let (seed, input_size) = (head.seed.take(), head.input_size);
        *head = Head {
            time,
            job: job.map_or(Json::Null, Json::Int),
            dispatcher,
            attempt,
            again,
            rules,
            tool: tool.unwrap_or_default(),
            version,
            user,
            read,
            ms,
            seed,
            input_size,
            wait: None,
            dropped: 0,
        };
    }

    /// The line of the log, with its line feed: JSON of at most 4,096 bytes. `begins` marks the begin of a wait, `waited` its end: the
    /// number of mappings that were not ready with the time of the first. `open_at` leaves out the end of this mapping, at another time: of a
    /// job about which nobody asks any more.
    #[pyo3(signature = (*, dropped = 0, begins = false, waited = None, open_at = None))]
    fn line<'py>(
        &self,
        py: Python<'py>,
        dropped: i64,
        begins: bool,
        waited: Option<(i64, String)>,
        open_at: Option<String>,
    ) -> Bound<'py, PyBytes> {
        let wait = match waited {
            Some((mappings, since)) => Some(Wait::Ended { mappings, since }),
            None => begins.then_some(Wait::Begins),
        };
        let mut head = self.head();
        (head.wait, head.dropped) = (wait, dropped);
        let line = match open_at {
            Some(time) => Decision::default().line_of(&Head { time, ms: None, ..head.clone() }),
            None => self.decision.line_of(&head),
        };
        PyBytes::new(py, line.as_bytes())
    }
}
