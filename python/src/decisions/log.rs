//! The log of decisions to one target: its lines, the waits that it counts, and the lines that it dropped.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tpv_galaxy::errors::JOB_NOT_READY_EXCEPTION;
use tpv_galaxy::json::Json;
use tpv_runtime::decision::{Decision, Head, Wait, time_text};

use super::appended::{Appended, Written};
use super::decision::PyDecision;
use super::facts;
use super::waits::{Waiting, Waits};

/// A log of decisions to a file, or to whoever takes its lines. One mapping is one call, so that little of Python runs for it.
#[pyclass(name = "DecisionLog", module = "tpvc", frozen)]
pub struct PyDecisionLog {
    log: Mutex<Log>,
}

/// Something about a log that its caller has to do.
#[pyclass(name = "Told", module = "tpvc", frozen, get_all)]
#[derive(Default)]
pub struct Told {
    /// The lines for a logger, without their line feeds.
    lines: Vec<String>,
    /// The number of lines that were dropped by this call.
    dropped: u32,
    /// The reason that lines are dropped from now on.
    trouble: Option<String>,
    /// `true` if lines are written again.
    is_well: bool,
}

#[derive(Default)]
struct Log {
    /// `None` if the caller takes the lines.
    file: Option<Appended>,
    waits: Waits,
    dropped: i64,
}

impl PyDecisionLog {
    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something without the interpreter's lock: a disk may hang, and another thread may wait for this log.
    fn tell(&self, py: Python<'_>, act: impl FnOnce(&mut Log, &mut Told) + Send) -> Option<Told> {
        py.detach(|| {
            let mut told = Told::default();
            act(&mut self.log(), &mut told);
            told.is_some().then_some(told)
        })
    }
}

#[pymethods]
impl PyDecisionLog {
    /// A log to a file; without a path, to whoever takes its lines. After a failure lines are dropped for `pause` seconds; a write that takes longer than
    /// `slow` seconds is one.
    #[new]
    #[pyo3(signature = (path=None, *, pause=10.0, slow=None))]
    fn new(path: Option<PathBuf>, pause: f64, slow: Option<f64>) -> PyResult<Self> {
        let time = |seconds| Duration::try_from_secs_f64(seconds).map_err(|_| PyValueError::new_err("not a time"));
        let (pause, slow) = (time(pause)?, slow.map(time).transpose()?);
        let file = path.map(|path| Appended::new(path, pause, slow));
        Ok(Self { log: Mutex::new(Log { file, ..Log::default() }) })
    }

    /// Writes the line of a mapping, unless it goes on with a wait: of Galaxy's objects what is loaded. `noted` are values that only the live server
    /// has, `preferences` the keys of extra preferences to show. Gives what is left to do, if anything is.
    #[pyo3(signature = (
        decision, job, tool, user, *, dispatcher, attempt = 1, again = 0, rules = None, ms = None, noted = None, preferences = Vec::new()
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are the circumstances of a mapping")]
    fn add(
        &self,
        py: Python<'_>,
        decision: &PyDecision,
        job: &Bound<'_, PyAny>,
        tool: &Bound<'_, PyAny>,
        user: &Bound<'_, PyAny>,
        dispatcher: Option<String>,
        attempt: i64,
        again: i64,
        rules: Option<String>,
        ms: Option<f64>,
        noted: Option<&Bound<'_, PyDict>>,
        preferences: Vec<String>,
    ) -> Option<Told> {
        let mut read = noted.map(facts::noted).unwrap_or_default();
        read.append(&mut facts::of(user, job, &preferences));
        let id = pyo3::intern!(py, "id");
        let integer = |object: &Bound<'_, PyAny>| object.getattr(id).ok()?.extract::<i64>().ok();
        let text = |name| {
            let value = tool.getattr(name).ok().filter(|value| !value.is_none())?;
            Some(value.str().ok()?.to_string_lossy().into_owned())
        };
        let known = &decision.decision.head;
        let head = Head {
            time: now(),
            job: integer(job).map_or(Json::Null, Json::Int),
            dispatcher,
            attempt,
            again,
            rules,
            tool: text(id).unwrap_or_default(),
            version: text(pyo3::intern!(py, "version")),
            user: integer(user),
            read,
            ms,
            seed: known.seed.clone(),
            input_size: known.input_size,
            wait: None,
            dropped: 0,
        };
        self.tell(py, |log, told| log.add(&decision.decision, head, told))
    }

    /// Ends the waits that are counted, at the end of the process, and writes the count of dropped lines that no other line will have.
    fn end(&self, py: Python<'_>) -> Option<Told> {
        self.tell(py, |log, told| {
            while let Some(wait) = log.waits.first() {
                log.end_open(wait, told);
            }
            if log.dropped > 0 {
                log.line(&Decision::default(), Head { time: now(), ..Head::default() }, told);
            }
        })
    }

    /// Leaves to the parent of a forked process what is its own. Returns `False` if another thread of the parent was in the middle of something: then
    /// this log must not be used, nor freed.
    fn after_fork(&self) -> bool {
        let Ok(mut log) = self.log.try_lock() else { return false };
        log.waits = Waits::default();
        log.dropped = 0;
        log.file.iter_mut().for_each(Appended::close);
        true
    }

    /// The number of lines that were dropped since the last one that was written.
    #[getter]
    fn dropped(&self) -> i64 {
        self.log().dropped
    }
}

impl Told {
    fn is_some(&self) -> bool {
        !self.lines.is_empty() || self.dropped > 0 || self.trouble.is_some() || self.is_well
    }
}

impl Log {
    fn add(&mut self, decision: &Decision, mut head: Head, told: &mut Told) {
        let is_waiting = decision.outcome.error() == Some(JOB_NOT_READY_EXCEPTION.name);
        let job = match head.job {
            Json::Int(job) if is_waiting || !self.waits.is_empty() => job,
            _ => return self.line(decision, head, told),
        };
        let (key, now) = ((head.dispatcher.clone(), job), Instant::now());
        if is_waiting {
            if self.waits.count(key, &head, now) {
                head.wait = Some(Wait::Begins);
                self.line(decision, head, told);
            }
        } else {
            let ended = self.waits.end(&key);
            head.wait = ended.map(|wait| Wait::Ended { mappings: wait.mappings, since: wait.head.time });
            self.line(decision, head, told);
        }
        while let Some(wait) = self.waits.over(now) {
            self.end_open(wait, told);
        }
    }

    /// Ends a wait whose end is not known.
    fn end_open(&mut self, wait: Waiting, told: &mut Told) {
        let ended = Wait::Ended { mappings: wait.mappings, since: wait.head.time };
        self.line(&Decision::default(), Head { time: now(), ms: None, wait: Some(ended), ..wait.head }, told);
    }

    fn line(&mut self, decision: &Decision, mut head: Head, told: &mut Told) {
        head.dropped = self.dropped;
        let mut line = decision.line_of(&head);
        let Some(file) = &mut self.file else {
            line.pop();
            return told.lines.push(line);
        };
        match file.write(&line) {
            Written::Whole => self.dropped = 0,
            Written::Again => {
                self.dropped = 0;
                told.is_well = true;
            }
            Written::Slowly(reason) => {
                self.dropped = 0;
                told.trouble = Some(reason);
            }
            Written::Dropped => {
                self.dropped += 1;
                told.dropped += 1;
            }
            Written::Failed(reason) => {
                self.dropped += 1;
                told.dropped += 1;
                told.trouble = Some(reason);
            }
        }
    }
}

/// The time of a line.
fn now() -> String {
    time_text(tpv_maps::clock::microseconds())
}
