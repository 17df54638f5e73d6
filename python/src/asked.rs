//! Methods of Galaxy's objects whose answers rules ask for several times: Galaxy is asked once a mapping.
//!
//! `User.all_roles()` and `Job.get_param_values(app)` query the database or parse texts at each call. Their answers are kept until code
//! runs that could change them: a block in CPython, an assignment, or a call of a method that is not known to read only.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyType};
use tpv_python::args::Args;
use tpv_python::dict::Dict;
use tpv_python::exception::PyResult as NativeResult;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

use crate::live::LiveObject;
use crate::machine::in_python;
use crate::session::Session;
use crate::to_native;

/// Methods of live objects that change nothing.
const READING: [&str; 9] =
    ["all_roles", "get", "get_entry", "get_param_values", "get_size", "items", "keys", "raw_param_dict", "values"];

/// Containers that nest deeper are not kept.
const DEEPEST: usize = 32;

/// An answer of a method.
pub struct Answer {
    method: &'static str,
    /// The object, and the argument of the method; `None` if it takes none.
    of: (Py<PyAny>, Option<Py<PyAny>>),
    value: Value,
}

/// Galaxy's `User` and `Job`.
struct Classes {
    user: Py<PyType>,
    job: Py<PyType>,
}

/// Galaxy's classes; `None` as long as nothing has imported its model.
fn classes(py: Python<'_>) -> Option<&Classes> {
    static CLASSES: PyOnceLock<Classes> = PyOnceLock::new();
    if let Some(classes) = CLASSES.get(py) {
        return Some(classes);
    }
    let modules = py.import("sys").ok()?.getattr("modules").ok()?.cast_into::<PyDict>().ok()?;
    let model = modules.get_item("galaxy.model").ok()??;
    let class = |name| model.getattr(name).ok()?.cast_into::<PyType>().ok().map(Bound::unbind);
    let classes = Classes { user: class("User")?, job: class("Job")? };
    Some(CLASSES.get_or_init(py, || classes))
}

/// Calls a function of `tpvc.galaxy.loading`.
fn loading<'py>(object: &Bound<'py, PyAny>, function: &str) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let py = object.py();
    let module = MODULE.get_or_try_init(py, || py.import("tpvc.galaxy.loading").map(Bound::unbind))?;
    module.bind(py).call_method1(PyString::intern(py, function), (object,))
}

/// The answer of a method of a live object, if it is one of those that are kept; otherwise `None`, and kept answers are forgotten
/// if the method may write.
pub fn method(vm: &mut Vm, object: &LiveObject, name: &str, args: &Args) -> Option<NativeResult<Value>> {
    if !READING.contains(&name) {
        Session::forget_answers();
        return None;
    }
    let session = Session::of_mapping()?;
    let (method, of) = Python::attach(|py| {
        let classes = classes(py)?;
        let class = object.object(py).get_type();
        let clone = || object.object(py).clone().unbind();
        match (name, args.pos.as_slice()) {
            _ if !args.kw.is_empty() => None,
            ("all_roles", []) if class.is(&classes.user) => Some(("all_roles", (clone(), None))),
            ("get_param_values", [app]) if class.is(&classes.job) => {
                let app = app.downcast::<LiveObject>()?.object(py).clone().unbind();
                Some(("get_param_values", (clone(), Some(app))))
            }
            _ => None,
        }
    })?;
    if let Some(known) = session.answer(method, &of) {
        return Some(Ok(known));
    }
    let asked = in_python(vm, |py| match &of {
        (user, None) => loading(user.bind(py), "all_roles").map(Bound::unbind),
        (job, Some(app)) => job.bind(py).call_method1(method, (app,)).map(Bound::unbind),
    });
    let value = asked.and_then(|answer| Python::attach(|py| to_native::value(vm, answer.bind(py))));
    // The caller gets the answer itself, and may change it.
    if let Some(kept) = value.as_ref().ok().and_then(|value| copied(value, 0)) {
        session.keep_answer(Answer { method, of, value: kept });
    }
    Some(value)
}

/// An attribute of a live object for which fewer statements do than Galaxy makes; `None` for all others.
pub fn attribute(vm: &mut Vm, object: &LiveObject, name: &str) -> Option<NativeResult<Value>> {
    let is_asked = name == "history"
        && Python::attach(|py| classes(py).is_some_and(|classes| object.object(py).get_type().is(&classes.job)));
    if !is_asked {
        return None;
    }
    let asked = in_python(vm, |py| loading(object.object(py), "history").map(Bound::unbind));
    Some(asked.and_then(|history| Python::attach(|py| to_native::value(vm, history.bind(py)))))
}

impl Answer {
    /// A new value of this answer, if it is that of a method of these objects.
    pub fn of(&self, method: &str, of: &(Py<PyAny>, Option<Py<PyAny>>)) -> Option<Value> {
        let same = |one: &Py<PyAny>, other: &Py<PyAny>| one.as_ptr() == other.as_ptr();
        let is_same = match (&self.of, of) {
            ((one, None), (other, None)) => same(one, other),
            ((one, Some(argument)), (other, Some(given))) => same(one, other) && same(argument, given),
            _ => false,
        };
        if is_same && self.method == method { copied(&self.value, 0) } else { None }
    }
}

/// A value with new lists and dicts, as each call gives them; `None` for what nests too deeply, and for other containers that change.
fn copied(value: &Value, depth: usize) -> Option<Value> {
    if depth > DEEPEST {
        return None;
    }
    Some(match value {
        Value::List(list) => {
            let items = list.items.borrow().clone();
            Value::list(items.iter().map(|item| copied(item, depth + 1)).collect::<Option<_>>()?)
        }
        Value::Dict(dict) => {
            let copy = Dict::new();
            for (key, item) in dict.items() {
                copy.set_str(key.as_str()?.clone(), copied(&item, depth + 1)?);
            }
            Value::dict(copy)
        }
        Value::Tuple(tuple) => {
            Value::tuple(tuple.items.iter().map(|item| copied(item, depth + 1)).collect::<Option<_>>()?)
        }
        Value::Set(_) => return None,
        other => other.clone(),
    })
}
