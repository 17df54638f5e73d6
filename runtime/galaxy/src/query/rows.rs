//! Rows of columns, and jobs as a query gives them.

use std::rc::Rc;

use super::{columns, further_attribute, job_class_attribute};
use crate::job_table::JobRow;
use crate::modules::model;
use tpv_python::args::Args;
use tpv_python::dict::Dict;
use tpv_python::exception::{PyResult, attribute_error};
use tpv_python::object::Object;
use tpv_python::string::Str;
use tpv_python::types::{BuiltinType, OBJECT};
use tpv_python::value::Value;
use tpv_python::vm::{CompareOp, Vm};

static ROW: BuiltinType = BuiltinType::new("Row", "sqlalchemy.engine.row", &OBJECT);

/// A row of columns: a tuple whose items have names.
pub struct Row {
    /// The names.
    pub names: Rc<[Rc<str>]>,
    /// The values, as a tuple.
    pub values: Value,
}

/// The methods of a row.
const METHODS: &[&str] = &["_asdict", "_tuple", "count", "index", "tuple"];

impl Row {
    /// The values by name.
    pub fn dict(&self) -> Value {
        let values = match &self.values {
            Value::Tuple(values) => values.items.as_slice(),
            _ => &[],
        };
        let items = self.names.iter().zip(values).map(|(name, value)| (Str::from(&**name), value.clone()));
        Value::dict(Dict::from_strs(items))
    }
}

impl Object for Row {
    fn class(&self) -> &'static BuiltinType {
        &ROW
    }

    fn as_tuple(&self) -> Option<&Value> {
        Some(&self.values)
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        if let Some(index) = self.names.iter().position(|known| **known == *name) {
            return vm.get_item(&self.values, &Value::from_usize(index)).map(Some);
        }
        match name {
            "_fields" => Ok(Some(Value::tuple(self.names.iter().map(|name| Value::str(&**name)).collect()))),
            // DIFFERENCE: SQLAlchemy's is a mapping of its own, which cannot be changed.
            "_mapping" => Ok(Some(self.dict())),
            name if name.starts_with("__") || METHODS.contains(&name) => Ok(None),
            // SQLAlchemy says no more.
            name => Err(attribute_error(name)),
        }
    }

    fn has_method(&self, name: &str) -> bool {
        METHODS.contains(&name)
    }

    fn call_method(&self, vm: &mut Vm, _: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        // A cell of that name hides the method.
        if !self.has_method(name) || self.names.iter().any(|known| **known == *name) {
            return None;
        }
        Some(match name {
            "_asdict" => Ok(self.dict()),
            "_tuple" | "tuple" => Ok(self.values.clone()),
            _ => vm.call_method(&self.values, name, std::mem::take(args)),
        })
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
        Some(tpv_python::hash::hash(vm, &self.values))
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        let other = other.downcast::<Self>().map_or(other, |row| &row.values);
        matches!(other, Value::Tuple(_)).then(|| vm.compare(op, &self.values, other))
    }
}

/// A job as `query(Job)` gives it.
pub struct StoredJob {
    /// Its place in the world's list.
    index: usize,
    row: JobRow,
}

impl StoredJob {
    /// The job at this place of the world's list.
    pub fn value(index: usize, row: &JobRow) -> Value {
        Value::object(Self { index, row: row.clone() })
    }
}

impl Object for StoredJob {
    fn class(&self) -> &'static BuiltinType {
        &model::JOB
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        if let Some(column) = columns::named(name)? {
            return Ok(Some(column.to_value(&column.of(&self.row))));
        }
        match job_class_attribute(name) {
            Some(value) => Ok(Some(value)),
            None => further_attribute(&model::JOB, name),
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
}

/// The first cell of a row; a job itself.
pub fn first_cell(vm: &mut Vm, row: &Value) -> PyResult<Value> {
    match row.downcast::<Row>() {
        Some(row) => vm.get_item(&row.values, &Value::Int(0)),
        None => Ok(row.clone()),
    }
}
