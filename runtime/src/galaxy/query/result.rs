//! What queries give: rows of columns, jobs, and results of `session.scalars`.

use std::cell::RefCell;
use std::rc::Rc;

use super::expression::{FIELDS, Field};
use super::{MULTIPLE_RESULTS_FOUND, NO_RESULT_FOUND, beyond};
use crate::galaxy::modules::model;
use crate::galaxy::world::JobRow;
use crate::python::args::Args;
use crate::python::exception::{PyResult, attribute_error, raise};
use crate::python::object::Object;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::value::Value;
use crate::python::vm::{CompareOp, Vm};

static ROW: BuiltinType = BuiltinType::new("Row", "sqlalchemy.engine.row", &OBJECT);
static SCALAR_RESULT: BuiltinType = BuiltinType::new("ScalarResult", "sqlalchemy.engine.result", &OBJECT);

/// A row of columns: a tuple whose items have names.
pub struct Row {
    /// The names; `None` for those that SQLAlchemy makes up.
    pub names: Rc<[Option<Rc<str>>]>,
    /// The values, as a tuple.
    pub values: Value,
}

impl Object for Row {
    fn class(&self) -> &'static BuiltinType {
        &ROW
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        match self.names.iter().position(|known| known.as_deref() == Some(name)) {
            Some(index) => vm.get_item(&self.values, &Value::from_usize(index)).map(Some),
            None if name == "_fields" => {
                let names = self.names.iter().flatten().map(|name| Value::str(&**name));
                Ok(Some(Value::tuple(names.collect())))
            }
            None if name.starts_with("__") => Ok(None),
            // SQLAlchemy's rows say no more.
            None => Err(attribute_error(name)),
        }
    }

    fn get_item(&self, vm: &mut Vm, key: &Value) -> PyResult<Value> {
        vm.get_item(&self.values, key)
    }

    fn iter(&self, vm: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        Some(vm.iter(&self.values))
    }

    fn len(&self, vm: &mut Vm) -> Option<PyResult<usize>> {
        Some(vm.len(&self.values))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        vm.repr(&self.values)
    }

    fn hash(&self, vm: &mut Vm) -> Option<PyResult<i64>> {
        Some(crate::python::hash::hash(vm, &self.values))
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = match other.downcast::<Self>() {
            Some(row) => row.values.clone(),
            None => other.clone(),
        };
        matches!(other, Value::Tuple(_)).then(|| vm.compare(op, &self.values, &other))
    }
}

/// A row of the job table as `query(Job)` gives it.
pub struct StoredJob {
    /// Its place in the world's list.
    pub index: usize,
    /// The row.
    pub row: JobRow,
}

impl Object for StoredJob {
    fn class(&self) -> &'static BuiltinType {
        &model::JOB
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        match Field::named(name) {
            Some(field) => Ok(Some(field.of(self.index, &self.row).to_value())),
            None if name.starts_with("__") => Ok(None),
            None => Err(beyond(&format!("a job's '{name}'"))),
        }
    }

    fn hash(&self, _: &mut Vm) -> Option<PyResult<i64>> {
        Some(Ok(i64::try_from(self.index).unwrap_or_default()))
    }

    fn compare(&self, _: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        // A session gives the same object for the same row.
        let same = other.downcast::<Self>().is_some_and(|other| other.index == self.index);
        match op {
            CompareOp::Eq => Some(Ok(Value::Bool(same))),
            CompareOp::Ne => Some(Ok(Value::Bool(!same))),
            _ => None,
        }
    }

    fn attributes(&self) -> &'static [&'static str] {
        const NAMES: [&str; FIELDS.len()] = ["id", "tool_id", "user_id", "state", "destination_id"];
        &NAMES
    }
}

/// The first value of a row; of a job itself.
pub fn first_column(vm: &mut Vm, row: &Value) -> PyResult<Value> {
    match row.downcast::<Row>() {
        Some(row) => vm.get_item(&row.values, &Value::Int(0)),
        None => Ok(row.clone()),
    }
}

/// The one row; `None` where there is none and `required` is false.
///
/// # Errors
/// `NoResultFound`, `MultipleResultsFound`
pub fn only(rows: &[Value], required: bool) -> PyResult<Value> {
    match rows {
        [] if required => Err(raise(&NO_RESULT_FOUND, "No row was found when one was required")),
        [] => Ok(Value::None),
        [row] => Ok(row.clone()),
        _ if required => Err(raise(&MULTIPLE_RESULTS_FOUND, "Multiple rows were found when exactly one was required")),
        _ => Err(raise(&MULTIPLE_RESULTS_FOUND, "Multiple rows were found when one or none was required")),
    }
}

/// What `session.scalars(select(...))` gives. Reading it empties it.
pub struct ScalarResult(RefCell<Vec<Value>>);

const METHODS: [&str; 7] = ["all", "fetchall", "first", "one", "one_or_none", "unique", "close"];

impl ScalarResult {
    /// A result of these values.
    pub fn value(values: Vec<Value>) -> Value {
        Value::object(Self(RefCell::new(values)))
    }
}

impl Object for ScalarResult {
    fn class(&self) -> &'static BuiltinType {
        &SCALAR_RESULT
    }

    fn has_method(&self, name: &str) -> bool {
        METHODS.contains(&name)
    }

    fn call_method(&self, _: &mut Vm, this: &Value, name: &str, _: &mut Args) -> Option<PyResult<Value>> {
        if !self.has_method(name) {
            return match name {
                "fetchmany" | "partitions" | "yield_per" | "columns" => {
                    Some(Err(beyond(&format!("the result's '{name}'"))))
                }
                _ => None,
            };
        }
        if name == "unique" {
            return Some(Ok(this.clone()));
        }
        let values = self.0.take();
        Some(match name {
            "all" | "fetchall" => Ok(Value::list(values)),
            "first" => Ok(values.into_iter().next().unwrap_or(Value::None)),
            "one" => only(&values, true),
            "one_or_none" => only(&values, false),
            _ => Ok(Value::None),
        })
    }

    fn iter(&self, vm: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        let values = self.0.take();
        Some(vm.iter(&Value::list(values)))
    }
}
