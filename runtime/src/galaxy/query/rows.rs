//! Rows of columns, and jobs as a query gives them.

use std::rc::Rc;

use super::beyond;
use super::columns::{self, Field};
use super::element::Element;
use super::states;
use crate::galaxy::modules::model;
use crate::galaxy::world::JobRow;
use tpv_python::args::Args;
use tpv_python::dict::Dict;
use tpv_python::exception::{PyResult, attribute_error, key_error};
use tpv_python::object::Object;
use tpv_python::string::Str;
use tpv_python::types::{BuiltinType, OBJECT};
use tpv_python::value::Value;
use tpv_python::vm::{CompareOp, Vm};

static ROW: BuiltinType = BuiltinType::new("Row", "sqlalchemy.engine.row", &OBJECT);
static ROW_MAPPING: BuiltinType = BuiltinType::new("RowMapping", "sqlalchemy.engine.row", &OBJECT);

/// A row of columns: a tuple whose items have names.
pub struct Row {
    /// The names.
    pub names: Rc<[Rc<str>]>,
    /// The values, as a tuple.
    pub values: Value,
}

/// What can be called of a row.
pub const ROW_METHODS: &[&str] = &["_asdict", "_tuple", "count", "index", "tuple"];

impl Row {
    fn dict(&self) -> Rc<Dict> {
        let values = match &self.values {
            Value::Tuple(values) => values.items.as_slice(),
            _ => &[],
        };
        Rc::new(Dict::from_strs(self.names.iter().zip(values).map(|(name, value)| (Str::from(&**name), value.clone()))))
    }

    /// `row._mapping`
    pub fn mapping(&self) -> Value {
        Value::object(RowMapping(self.dict()))
    }
}

impl Object for Row {
    fn class(&self) -> &'static BuiltinType {
        &ROW
    }

    fn get_attr(&self, vm: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        match self.names.iter().position(|known| **known == *name) {
            Some(index) => vm.get_item(&self.values, &Value::from_usize(index)).map(Some),
            None if name == "_fields" => {
                Ok(Some(Value::tuple(self.names.iter().map(|name| Value::str(&**name)).collect())))
            }
            None if name == "_mapping" => Ok(Some(self.mapping())),
            None if name == "t" => Ok(Some(self.values.clone())),
            None if name.starts_with("__") || ROW_METHODS.contains(&name) => Ok(None),
            // SQLAlchemy's rows say no more.
            None => Err(attribute_error(name)),
        }
    }

    fn has_method(&self, name: &str) -> bool {
        ROW_METHODS.contains(&name)
    }

    fn call_method(&self, vm: &mut Vm, _: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        // A cell of that name hides the method.
        if !self.has_method(name) || self.names.iter().any(|known| **known == *name) {
            return None;
        }
        Some(match name {
            "_asdict" => Ok(Value::Dict(self.dict())),
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
        let other = match other.downcast::<Self>() {
            Some(row) => row.values.clone(),
            None => other.clone(),
        };
        matches!(other, Value::Tuple(_)).then(|| vm.compare(op, &self.values, &other))
    }
}

/// A row as a mapping of names, or columns, to values.
struct RowMapping(Rc<Dict>);

/// What can be called of the mapping of a row.
pub const MAPPING_METHODS: &[&str] = &["get", "items", "keys", "values"];

/// The name that a key of a row's mapping means.
fn key_name(key: &Value) -> Option<Value> {
    match key.downcast::<Element>() {
        Some(element) => element.0.name().map(|name| Value::str(&*name)),
        None => key.as_str().map(|_| key.clone()),
    }
}

impl Object for RowMapping {
    fn class(&self) -> &'static BuiltinType {
        &ROW_MAPPING
    }

    fn has_method(&self, name: &str) -> bool {
        MAPPING_METHODS.contains(&name)
    }

    fn call_method(&self, vm: &mut Vm, _: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        self.has_method(name).then(|| vm.call_method(&Value::Dict(self.0.clone()), name, std::mem::take(args)))
    }

    fn get_item(&self, vm: &mut Vm, key: &Value) -> PyResult<Value> {
        match key_name(key) {
            Some(name) => vm.get_item(&Value::Dict(self.0.clone()), &name),
            None => Err(key_error(key.clone())),
        }
    }

    fn contains(&self, vm: &mut Vm, item: &Value) -> Option<PyResult<bool>> {
        Some(match key_name(item) {
            Some(name) => self.0.get(vm, &name).map(|found| found.is_some()),
            None => Ok(false),
        })
    }

    fn iter(&self, vm: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        Some(vm.iter(&Value::Dict(self.0.clone())))
    }

    fn len(&self, _: &mut Vm) -> Option<PyResult<usize>> {
        Some(Ok(self.0.len()))
    }

    fn repr(&self, vm: &mut Vm, _: &Value) -> PyResult<String> {
        vm.repr(&Value::Dict(self.0.clone()))
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
        if let Some(field) = Field::named(name) {
            return Ok(Some(field.to_value(&field.of(self.index, &self.row)?)));
        }
        if columns::UNANSWERED.contains(&name) {
            return Err(beyond(&format!("a job's `{name}`")));
        }
        match name {
            "states" => Ok(Some(Value::object(states::States))),
            "table" => Ok(Some(columns::table())),
            name => Ok(states::list(name)),
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

/// The first value of a row; of a job itself.
pub fn first_column(vm: &mut Vm, row: &Value) -> PyResult<Value> {
    match row.downcast::<Row>() {
        Some(row) => vm.get_item(&row.values, &Value::Int(0)),
        None => Ok(row.clone()),
    }
}
