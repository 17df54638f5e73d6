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

/// The lines of a log of decisions, to a file or to whoever takes them. One mapping is one call, so that little of Python runs for it.
#[pyclass(name = "DecisionLines", module = "tpvc", frozen)]
pub struct DecisionLines {
    log: Mutex<Log>,
}

/// The events of a call that its caller reports.
#[pyclass(name = "LogEvents", module = "tpvc", frozen, get_all)]
#[derive(Default)]
pub struct LogEvents {
    /// The lines for a logger, without their line feeds.
    lines: Vec<String>,
    /// The number of lines that were dropped by this call.
    dropped: u32,
    /// The reason for which lines are dropped from now on.
    failure: Option<String>,
    /// `true` if lines are written again.
    is_written_again: bool,
}

#[derive(Default)]
struct Log {
    /// `None` if the caller takes the lines.
    file: Option<Appended>,
    waits: Waits,
    dropped: i64,
}

impl DecisionLines {
    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the log, and gives the events if there are any. It runs without the interpreter's lock: a disk may hang, and another thread may
    /// wait for this log.
    fn locked(&self, py: Python<'_>, act: impl FnOnce(&mut Log, &mut LogEvents) + Send) -> Option<LogEvents> {
        py.detach(|| {
            let mut events = LogEvents::default();
            act(&mut self.log(), &mut events);
            events.is_some().then_some(events)
        })
    }
}

#[pymethods]
impl DecisionLines {
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
    /// has, `preferences` the keys of extra preferences to show. Gives the events, if there are any.
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
    ) -> Option<LogEvents> {
        let mut read = noted.map(facts::noted).unwrap_or_default();
        read.append(&mut facts::of(user, job, tool, &preferences));
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
        self.locked(py, |log, events| log.add(&decision.decision, head, events))
    }

    /// Ends the waits that are counted, at the end of the process, and writes the count of dropped lines that no other line will have.
    fn end(&self, py: Python<'_>) -> Option<LogEvents> {
        self.locked(py, |log, events| {
            while let Some(wait) = log.waits.first() {
                log.end_open(wait, events);
            }
            if log.dropped > 0 {
                log.line(&Decision::default(), Head { time: now(), ..Head::default() }, events);
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

impl LogEvents {
    fn is_some(&self) -> bool {
        !self.lines.is_empty() || self.dropped > 0 || self.failure.is_some() || self.is_written_again
    }
}

impl Log {
    fn add(&mut self, decision: &Decision, mut head: Head, events: &mut LogEvents) {
        let is_waiting = decision.outcome.error() == Some(JOB_NOT_READY_EXCEPTION.name);
        let job = match head.job {
            Json::Int(job) if is_waiting || !self.waits.is_empty() => job,
            _ => return self.line(decision, head, events),
        };
        let (key, now) = ((head.dispatcher.clone(), job), Instant::now());
        if is_waiting {
            if self.waits.count(key, &head, now) {
                head.wait = Some(Wait::Begins);
                self.line(decision, head, events);
            }
        } else {
            let ended = self.waits.end(&key);
            head.wait = ended.map(|wait| Wait::Ended { mappings: wait.mappings, since: wait.head.time });
            self.line(decision, head, events);
        }
        while let Some(wait) = self.waits.over(now) {
            self.end_open(wait, events);
        }
    }

    /// Ends a wait whose end is not known.
    fn end_open(&mut self, wait: Waiting, events: &mut LogEvents) {
        let ended = Wait::Ended { mappings: wait.mappings, since: wait.head.time };
        self.line(&Decision::default(), Head { time: now(), ms: None, wait: Some(ended), ..wait.head }, events);
    }

    fn line(&mut self, decision: &Decision, mut head: Head, events: &mut LogEvents) {
        head.dropped = self.dropped;
        let mut line = decision.line_of(&head);
        let Some(file) = &mut self.file else {
            line.pop();
            return events.lines.push(line);
        };
        match file.write(&line) {
            Written::Whole => self.dropped = 0,
            Written::Again => {
                self.dropped = 0;
                events.is_written_again = true;
            }
            Written::Slowly(reason) => {
                self.dropped = 0;
                events.failure = Some(reason);
            }
            Written::Dropped => {
                self.dropped += 1;
                events.dropped += 1;
            }
            Written::Failed(reason) => {
                self.dropped += 1;
                events.dropped += 1;
                events.failure = Some(reason);
            }
        }
    }
}

/// The time of a line.
fn now() -> String {
    time_text(tpv_maps::clock::microseconds())
}
