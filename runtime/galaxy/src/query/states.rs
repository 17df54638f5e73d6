//! `Job.states`: the states of a job, as Galaxy's enumeration of texts.

use tpv_python::args::Args;
use tpv_python::exception::{PyResult, key_error, value_error};
use tpv_python::hash::hash_str;
use tpv_python::iterator::{Items, IteratorObject};
use tpv_python::library::PYTHON;
use tpv_python::object::Object;
use tpv_python::types::{BuiltinType, GENERATOR, OBJECT, STR};
use tpv_python::value::Value;
use tpv_python::vm::operators::of_method;
use tpv_python::vm::{BinaryOp, CompareOp, Vm};

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

/// The class of the states.
static JOB_STATE: BuiltinType = BuiltinType::new("JobState", "galaxy.schema.schema", &STR);

/// The class of [`JOB_STATE`], `enum.EnumType`.
static ENUM_TYPE: BuiltinType = BuiltinType::new("EnumType", "enum", &OBJECT);

/// `Job.states`: the enumeration itself.
pub struct States;

/// A state: a text that shows its name.
///
/// DIFFERENCE: in CPython it is a `str`, and serves wherever one is asked for; here it compares and hashes as one, and has the
/// methods and operators of one.
pub struct State {
    name: &'static str,
    value: &'static str,
}

impl State {
    fn named(name: &str) -> Option<Value> {
        let (name, value) = STATES.iter().find(|(known, _)| *known == name)?;
        Some(Value::object(Self { name, value }))
    }

    fn of_value(value: &str) -> Option<Value> {
        let (name, _) = STATES.iter().find(|(_, known)| *known == value)?;
        Self::named(name)
    }
}

/// The text that a value is: a `str`, or that of a state.
pub fn text_of(value: &Value) -> Option<&str> {
    match value.downcast::<State>() {
        Some(state) => Some(state.value),
        None => value.as_str().map(|text| text.as_str()),
    }
}

/// `Job.terminal_states` and its like.
pub fn list(name: &str) -> Option<Value> {
    let (_, names) = LISTS.iter().find(|(known, _)| *known == name)?;
    Some(Value::list(names.iter().filter_map(|name| State::named(name)).collect()))
}

impl Object for States {
    fn class(&self) -> &'static BuiltinType {
        &ENUM_TYPE
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(match name {
            "__name__" => Some(Value::str(JOB_STATE.name)),
            name => State::named(name),
        })
    }

    fn get_item(&self, _: &mut Vm, key: &Value) -> PyResult<Value> {
        text_of(key).and_then(State::named).ok_or_else(|| key_error(key.clone()))
    }

    fn callable(&self) -> bool {
        true
    }

    fn call(&self, vm: &mut Vm, _: &Value, args: Args) -> PyResult<Value> {
        let [value] = args.exactly("JobState")?;
        match text_of(&value).and_then(State::of_value) {
            Some(state) => Ok(state),
            None => Err(value_error(format!("{} is not a valid JobState", vm.repr(&value)?))),
        }
    }

    fn iter(&self, _: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        let states: Vec<Value> = STATES.iter().filter_map(|(name, _)| State::named(name)).collect();
        Some(Ok(IteratorObject::new(&GENERATOR, Items(states.into_iter()))))
    }

    fn len(&self, _: &mut Vm) -> Option<PyResult<usize>> {
        Some(Ok(STATES.len()))
    }

    fn contains(&self, _: &mut Vm, item: &Value) -> Option<PyResult<bool>> {
        Some(Ok(item.downcast::<State>().is_some()))
    }

    fn repr(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(format!("<enum '{}'>", JOB_STATE.name))
    }
}

impl Object for State {
    fn class(&self) -> &'static BuiltinType {
        &JOB_STATE
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(match name {
            "name" => Some(Value::str(self.name)),
            "value" => Some(Value::str(self.value)),
            _ => None,
        })
    }

    fn has_method(&self, name: &str) -> bool {
        PYTHON.method(&STR, name).is_some()
    }

    fn call_method(&self, vm: &mut Vm, _: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        vm.library.method(&STR, name)?;
        Some(vm.call_method(&Value::str(self.value), name, std::mem::take(args)))
    }

    fn get_item(&self, vm: &mut Vm, key: &Value) -> PyResult<Value> {
        vm.get_item(&Value::str(self.value), key)
    }

    fn contains(&self, vm: &mut Vm, item: &Value) -> Option<PyResult<bool>> {
        Some(vm.contains(&Value::str(self.value), item))
    }

    fn iter(&self, vm: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        Some(vm.iter(&Value::str(self.value)))
    }

    fn len(&self, _: &mut Vm) -> Option<PyResult<usize>> {
        Some(Ok(self.value.len()))
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = Value::str(text_of(other)?);
        Some(vm.compare(op, &Value::str(self.value), &other))
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        let (op, reflected) = of_method(method)?;
        if (op, reflected) == (BinaryOp::Remainder, true) {
            // A text that formats a state shows it as `str` does.
            return None;
        }
        let (own, other) = (Value::str(self.value), text_of(other).map_or_else(|| other.clone(), Value::str));
        Some(if reflected { vm.binary(op, &other, &own) } else { vm.binary(op, &own, &other) })
    }

    fn hash(&self, _: &mut Vm) -> Option<PyResult<i64>> {
        Some(Ok(hash_str(self.value)))
    }

    fn equals_key(&self, other: &Value) -> bool {
        text_of(other) == Some(self.value)
    }

    fn str(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(format!("{}.{}", JOB_STATE.name, self.name))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(format!("<{}.{}: {}>", JOB_STATE.name, self.name, vm.repr(&Value::str(self.value))?))
    }

    fn format(&self, vm: &mut Vm, this: &Value, spec: &str) -> Option<PyResult<String>> {
        let text = match self.str(vm, this) {
            Ok(text) => Value::str(text),
            Err(raised) => return Some(Err(raised)),
        };
        Some(vm.format(&text, spec).map(|text| text.to_string()))
    }
}
