//! Mapping for Galaxy: live objects in, Galaxy's `JobDestination` out.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use num_bigint::BigInt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList};
use tpv_analysis::explain::{Collector, Provenance};
use tpv_galaxy::errors::JOB_NOT_READY_EXCEPTION;
use tpv_python::exception::PyResult as NativeResult;
use tpv_python::value::Value;
use tpv_python::vm::Vm;
use tpv_runtime::decision::{End, Recorder};
use tpv_runtime::mapper::explain::{Observer, SpentBudget, Step};
use tpv_runtime::mapper::{HostJob, Mapped, Mapper};

use crate::decisions::PyDecision;
use crate::{exception, places, proxy, to_native, to_python};

/// The arguments of Galaxy's call of a rule.
pub struct Call<'a, 'py> {
    pub app: &'a Bound<'py, PyAny>,
    pub tool: &'a Bound<'py, PyAny>,
    pub user: &'a Bound<'py, PyAny>,
    pub job: &'a Bound<'py, PyAny>,
    pub job_wrapper: Option<&'a Bound<'py, PyAny>>,
    pub resource_params: Option<&'a Bound<'py, PyAny>>,
    pub workflow_invocation_uuid: Option<&'a Bound<'py, PyAny>>,
}

/// The readers of a mapping's steps.
#[derive(Clone, Copy, Default)]
pub struct Readers<'a, 'py> {
    /// Called with the explanation as JSON.
    pub explain: Option<&'a Bound<'py, PyAny>>,
    /// Called with the [`PyDecision`].
    pub decide: Option<&'a Bound<'py, PyAny>>,
}

/// Maps a job of Galaxy, in the session of the caller. The readers are called even if the mapping fails.
///
/// # Errors
/// The exceptions that TPV raises, including Galaxy's own.
pub fn map<'py>(
    py: Python<'py>,
    mapper: &Mapper,
    call: &Call<'_, 'py>,
    seed: BigInt,
    readers: Readers<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let Readers { explain, decide } = readers;
    let provenance = explain.map(|_| Provenance::new(mapper.rules(), None));
    let mut collector = provenance.as_ref().map(Collector::of_objects);
    let mut recorder = decide.map(|_| Recorder::new(mapper.rules().clone()));
    let drawn = decide.map(|_| seed.to_string());
    let (mut answer, mut end) = (None, None);
    let mut inner = Watching { collector: collector.as_mut(), recorder: recorder.as_mut() };
    let mut observer = Warning { py, mapper, call, inner: &mut inner };
    let result = observed(py, mapper, call, seed, &mut observer, |vm, mapped| {
        answer = explain.map(|_| Mapped::answer(vm, mapped));
        end = decide.map(|_| End::of_values(vm, mapped));
    });
    if let (Some(explain), Some(collector), Some(answer)) = (explain, collector, answer) {
        explain.call1((collector.finish(&answer).json(),))?;
    }
    if let (Some(decide), Some(recorder), Some(end)) = (decide, recorder, end) {
        let mut decision = recorder.ended(end);
        decision.head.seed = drawn;
        decide.call1((PyDecision { decision },))?;
    }
    result
}

/// Forwards the steps of a mapping to whoever reads them, if anybody does.
struct Watching<'a, 'p> {
    collector: Option<&'a mut Collector<'p>>,
    recorder: Option<&'a mut Recorder>,
}

impl Observer for Watching<'_, '_> {
    fn watches(&self) -> bool {
        self.collector.is_some() || self.recorder.is_some()
    }

    fn reads(&self) -> bool {
        self.collector.is_some()
    }

    fn step(&mut self, step: Step<'_>) {
        if let Some(collector) = &mut self.collector {
            collector.step(step);
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.step(step);
        }
    }
}

/// Maps a job, and passes the outcome to `look` before its values are dropped.
fn observed<'py>(
    py: Python<'py>,
    mapper: &Mapper,
    call: &Call<'_, 'py>,
    seed: BigInt,
    observer: &mut dyn Observer,
    look: impl FnOnce(&mut Vm, &NativeResult<&Mapped>),
) -> PyResult<Bound<'py, PyAny>> {
    proxy::drop_left();
    mapper.map_objects(
        |vm| {
            let optional = |vm: &mut Vm, object: Option<&Bound<'py, PyAny>>| {
                object.map_or(Ok(Value::None), |object| to_native::value(vm, object))
            };
            let mut job = HostJob::new(
                to_native::value(vm, call.app)?,
                to_native::value(vm, call.tool)?,
                to_native::value(vm, call.user)?,
                to_native::value(vm, call.job)?,
            );
            job.seed = Some(seed.clone());
            job.job_wrapper = optional(vm, call.job_wrapper)?;
            job.resource_params = optional(vm, call.resource_params)?;
            job.workflow_invocation_uuid = optional(vm, call.workflow_invocation_uuid)?;
            Ok(job)
        },
        observer,
        |vm, mapped| {
            look(vm, &mapped);
            match mapped {
                Ok(mapped) => destination(py, mapped),
                Err(raised) => {
                    let error = exception::to_python(py, &raised);
                    // Galaxy maps a waiting job again every second, so looking up the places would be wasted.
                    if !raised.is(&JOB_NOT_READY_EXCEPTION) {
                        places::add(py, mapper.rules(), &raised, &error);
                    }
                    Err(error)
                }
            }
        },
    )
}

/// Forwards the steps of a mapping, and logs a warning if a block that has spent its native budget runs again in CPython,
/// which has none.
struct Warning<'a, 'py> {
    py: Python<'py>,
    mapper: &'a Mapper,
    call: &'a Call<'a, 'py>,
    inner: &'a mut dyn Observer,
}

impl Observer for Warning<'_, '_> {
    fn step(&mut self, step: Step<'_>) {
        if let Step::OnceMore { reason, spent: Some(spent) } = step
            && let Err(error) = self.warn(reason, spent)
        {
            error.write_unraisable(self.py, None);
        }
        self.inner.step(step);
    }

    fn watches(&self) -> bool {
        self.inner.watches()
    }

    fn reads(&self) -> bool {
        self.inner.reads()
    }
}

impl Warning<'_, '_> {
    fn warn(&self, reason: &str, spent: &SpentBudget) -> PyResult<()> {
        let rules = self.mapper.rules();
        let name = spent.site.and_then(|site| rules.texts().name(rules.tables(), site));
        let file = spent.place.as_ref().map(|place| place.file.clone());
        if !is_due((file.unwrap_or_default(), name.clone().unwrap_or_default())) {
            return Ok(());
        }
        let place = spent.place.as_ref().map_or_else(
            || "outside of the config's code".to_owned(),
            |place| format!("at {place}{}", name.map(|name| format!(" ({name})")).unwrap_or_default()),
        );
        let of = |object: &Bound<'_, PyAny>| {
            let id = object.getattr(pyo3::intern!(self.py, "id")).and_then(|id| id.str());
            id.map_or_else(|_| "?".to_owned(), |id| id.to_string_lossy().into_owned())
        };
        let message = format!(
            "job {} of the tool {}: {reason}, {place}. CPython runs the code of this job now, without a limit of steps: a loop that does \
             not end stops this handler. `tpvc_time_limit` beside `tpv_config_files` ends it. This is logged once an hour for a rule.",
            of(self.call.job),
            of(self.call.tool),
        );
        let logger = self.py.import("logging")?.call_method1("getLogger", ("tpvc.galaxy.budget",))?;
        logger.call_method1("warning", ("%s", message)).map(drop)
    }
}

/// Returns `true`, and records the time, if no warning about a block (its file and name) was due in the last hour.
fn is_due(block: (String, String)) -> bool {
    const HOUR: Duration = Duration::from_secs(3600);
    const MOST: usize = 10_000;
    static LOGGED: Mutex<Option<HashMap<(String, String), Instant>>> = Mutex::new(None);
    let mut logged = LOGGED.lock().unwrap_or_else(PoisonError::into_inner);
    let logged = logged.get_or_insert_default();
    if logged.len() >= MOST {
        logged.clear();
    }
    let now = Instant::now();
    let is_due = logged.get(&block).is_none_or(|last| now.duration_since(*last) >= HOUR);
    if is_due {
        logged.insert(block, now);
    }
    is_due
}

/// Galaxy's `JobDestination`, as TPV's `to_galaxy_destination` makes it.
fn destination<'py>(py: Python<'py>, mapped: &Mapped) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class = CLASS.get_or_try_init(py, || {
        Ok::<_, PyErr>(py.import("galaxy.jobs.job_destination")?.getattr("JobDestination")?.unbind())
    })?;
    let keywords = PyDict::new(py);
    let parts = [
        (pyo3::intern!(py, "id"), &mapped.dest_name),
        (pyo3::intern!(py, "tags"), &mapped.tags),
        (pyo3::intern!(py, "runner"), &mapped.runner),
        (pyo3::intern!(py, "params"), &mapped.params),
        (pyo3::intern!(py, "env"), &mapped.env),
        (pyo3::intern!(py, "resubmit"), &mapped.resubmit),
    ];
    for (name, value) in parts {
        keywords.set_item(name, data(py, value)?)?;
    }
    class.bind(py).call((), Some(&keywords))
}

/// Converts a value for Galaxy, which keeps it after the mapping has ended: lists and dicts are copies without native twins.
fn data<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Dict(dict) => {
            let of_python = PyDict::new(py);
            for (key, value) in dict.items() {
                of_python.set_item(to_python::value(py, &key)?, data(py, &value)?)?;
            }
            of_python.into_any()
        }
        Value::List(list) => {
            let items = list.items.borrow().clone();
            let items: Vec<_> = items.iter().map(|item| data(py, item)).collect::<PyResult<_>>()?;
            PyList::new(py, items)?.into_any()
        }
        other => to_python::value(py, other)?,
    })
}
