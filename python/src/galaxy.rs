//! Mapping for Galaxy: live objects in, Galaxy's `JobDestination` out.

use num_bigint::BigInt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList};
use tpv_python::exception::PyResult as NativeResult;
use tpv_python::value::Value;
use tpv_python::vm::Vm;
use tpv_runtime::mapper::explain::{Observer, Unobserved};
use tpv_runtime::mapper::{HostJob, Mapped, Mapper};
use tpvc::explain::{Collector, Provenance};

use crate::session::Session;
use crate::{exception, proxy, to_native, to_python};

/// What Galaxy calls a rule with.
pub struct Call<'a, 'py> {
    pub app: &'a Bound<'py, PyAny>,
    pub tool: &'a Bound<'py, PyAny>,
    pub user: &'a Bound<'py, PyAny>,
    pub job: &'a Bound<'py, PyAny>,
    pub job_wrapper: Option<&'a Bound<'py, PyAny>>,
    pub resource_params: Option<&'a Bound<'py, PyAny>>,
    pub workflow_invocation_uuid: Option<&'a Bound<'py, PyAny>>,
}

/// Maps a job of Galaxy. `explain` is called with the explanation as JSON, however the mapping ends.
///
/// # Errors
/// What TPV raises: Galaxy's own exceptions among them.
pub fn map<'py>(
    py: Python<'py>,
    mapper: &Mapper,
    call: &Call<'_, 'py>,
    seed: BigInt,
    explain: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(explain) = explain else { return observed(py, mapper, call, seed, &mut Unobserved, |_, _| ()) };
    let provenance = Provenance::new(mapper.rules(), None);
    let mut collector = Collector::of_objects(&provenance);
    let mut answer = None;
    let result =
        observed(py, mapper, call, seed, &mut collector, |vm, mapped| answer = Some(Mapped::answer(vm, mapped)));
    if let Some(answer) = answer {
        explain.call1((collector.finish(&answer).json(),))?;
    }
    result
}

/// Maps a job, and shows the outcome to `look` while its values live.
fn observed<'py>(
    py: Python<'py>,
    mapper: &Mapper,
    call: &Call<'_, 'py>,
    seed: BigInt,
    observer: &mut dyn Observer,
    look: impl FnOnce(&mut Vm, &NativeResult<&Mapped>),
) -> PyResult<Bound<'py, PyAny>> {
    proxy::drop_left();
    let _session = Session::start();
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
                Err(raised) => Err(exception::to_python(py, &raised)),
            }
        },
    )
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

/// A value for Galaxy, which keeps it longer than the job is mapped: lists and dicts are Python's alone.
fn data<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Dict(dict) if dict.is_plain() => {
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
