//! `Job.states`: the states of a job, as Galaxy's enumeration of texts.

use std::cell::RefCell;

use crate::python::args::Args;
use crate::python::exception::PyResult;
use crate::python::modules::enums;
use crate::python::string::Str;
use crate::python::types::{STR, Type};
use crate::python::value::Value;
use crate::python::vm::Vm;

/// Names and values, in Galaxy's order.
pub const STATES: [(&str, &str); 15] = [
    ("NEW", "new"),
    ("RESUBMITTED", "resubmitted"),
    ("UPLOAD", "upload"),
    ("WAITING", "waiting"),
    ("QUEUED", "queued"),
    ("RUNNING", "running"),
    ("OK", "ok"),
    ("ERROR", "error"),
    ("FAILED", "failed"),
    ("PAUSED", "paused"),
    ("DELETING", "deleting"),
    ("DELETED", "deleted"),
    ("STOPPING", "stop"),
    ("STOPPED", "stopped"),
    ("SKIPPED", "skipped"),
];

/// Galaxy's lists of states.
pub const LISTS: [(&str, &[&str]); 3] = [
    ("terminal_states", &["OK", "ERROR", "DELETED"]),
    ("finished_states", &["OK", "ERROR", "DELETED", "DELETING"]),
    ("non_ready_states", &["NEW", "RESUBMITTED", "UPLOAD", "WAITING", "QUEUED", "RUNNING"]),
];

thread_local! {
    // Classes belong to a thread.
    static CLASS: RefCell<Option<Value>> = const { RefCell::new(None) };
}

/// `Job.states`
///
/// # Errors
/// None that is known: those of making a class.
pub fn states(vm: &mut Vm) -> PyResult<Value> {
    if let Some(class) = CLASS.with_borrow(Clone::clone) {
        return Ok(class);
    }
    // Whichever job asks first shall not pay for all.
    let steps = vm.steps_left();
    let pairs = STATES.iter().map(|(name, value)| Value::tuple(vec![Value::str(*name), Value::str(*value)]));
    let mut args = Args::positional([Value::str("JobState"), Value::list(pairs.collect())]);
    args.kw.push((Str::from("type"), Value::Type((&STR).into())));
    let class = enums::make(vm, Value::Type((&enums::ENUM).into()), args);
    vm.restore_steps(steps);
    let class = class?;
    if let Value::Type(Type::Class(class)) = &class {
        vm.keep_enumeration(class);
    }
    CLASS.with_borrow_mut(|known| known.replace(class.clone()));
    Ok(class)
}

/// `Job.terminal_states` and its like.
///
/// # Errors
/// As [`states`].
pub fn list(vm: &mut Vm, name: &str) -> PyResult<Option<Value>> {
    let Some((_, names)) = LISTS.iter().find(|(known, _)| *known == name) else { return Ok(None) };
    let class = states(vm)?;
    let members: PyResult<Vec<Value>> = names.iter().map(|name| vm.get_attr(&class, name)).collect();
    members.map(|members| Some(Value::list(members)))
}
