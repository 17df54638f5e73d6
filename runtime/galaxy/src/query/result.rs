//! Results of `session.execute` and `session.scalars`: rows that are read once.

use std::cell::RefCell;

use super::rows::{Row, first_cell};
use super::run::{names, run};
use super::statement::Statement;
use super::{MULTIPLE_RESULTS_FOUND, NO_RESULT_FOUND, beyond, further_attribute};
use crate::world::World;
use tpv_python::args::Args;
use tpv_python::exception::{PyResult, raise};
use tpv_python::object::Object;
use tpv_python::types::{BuiltinType, OBJECT};
use tpv_python::value::Value;
use tpv_python::vm::Vm;

static RESULT: BuiltinType = BuiltinType::new("ChunkedIteratorResult", "sqlalchemy.engine.result", &OBJECT);
static SCALAR_RESULT: BuiltinType = BuiltinType::new("ScalarResult", "sqlalchemy.engine.result", &OBJECT);
static MAPPING_RESULT: BuiltinType = BuiltinType::new("MappingResult", "sqlalchemy.engine.result", &OBJECT);

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

/// A result. Reading it empties it.
pub struct QueryResult {
    class: &'static BuiltinType,
    values: RefCell<Vec<Value>>,
}

/// The methods of every result.
const METHODS: &[&str] = &["all", "fetchall", "first", "one", "one_or_none", "unique"];

/// The additional methods of results with rows.
const ROW_METHODS: &[&str] = &["mappings", "scalar", "scalar_one", "scalar_one_or_none", "scalars"];

impl QueryResult {
    fn value(class: &'static BuiltinType, values: Vec<Value>) -> Value {
        Value::object(Self { class, values: RefCell::new(values) })
    }

    /// `session.execute(select(...))`. `None` if the value is no `select`.
    pub fn execute(vm: &mut Vm, world: &World, statement: &Value) -> Option<PyResult<Value>> {
        let statement = statement.downcast::<Statement>()?;
        Some(run(vm, world, &statement.parts).map(|rows| {
            let names = names(&statement.parts);
            // A job that is asked for alone is a row of one cell here.
            let row = |value: Value| match value.downcast::<Row>() {
                Some(_) => value,
                None => Value::object(Row { names: names.clone(), values: Value::tuple(vec![value]) }),
            };
            Self::value(&RESULT, rows.into_iter().map(row).collect())
        }))
    }

    fn call(&self, vm: &mut Vm, this: &Value, name: &str) -> PyResult<Value> {
        if name == "unique" {
            return Ok(this.clone());
        }
        let rows = self.values.take();
        match name {
            "first" => Ok(rows.into_iter().next().unwrap_or(Value::None)),
            "one" => only(&rows, true),
            "one_or_none" => only(&rows, false),
            "scalar" => rows.first().map_or(Ok(Value::None), |row| first_cell(vm, row)),
            "scalar_one" => first_cell(vm, &only(&rows, true)?),
            "scalar_one_or_none" => first_cell(vm, &only(&rows, false)?),
            "scalars" => {
                let cells: PyResult<Vec<Value>> = rows.iter().map(|row| first_cell(vm, row)).collect();
                Ok(Self::value(&SCALAR_RESULT, cells?))
            }
            "mappings" => {
                let rows = rows.iter().filter_map(|row| row.downcast::<Row>().map(Row::dict));
                Ok(Self::value(&MAPPING_RESULT, rows.collect()))
            }
            _ => Ok(Value::list(rows)),
        }
    }
}

impl Object for QueryResult {
    fn class(&self) -> &'static BuiltinType {
        self.class
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        if self.has_method(name) { Ok(None) } else { further_attribute(self.class, name) }
    }

    fn has_method(&self, name: &str) -> bool {
        METHODS.contains(&name) || std::ptr::eq(self.class, &raw const RESULT) && ROW_METHODS.contains(&name)
    }

    fn call_method(&self, vm: &mut Vm, this: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        // With arguments they choose a column.
        let chooses = !args.pos.is_empty() || !args.kw.is_empty();
        self.has_method(name).then(|| match chooses {
            true => Err(beyond(&format!("arguments of {name}()"))),
            false => self.call(vm, this, name),
        })
    }

    fn iter(&self, vm: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        let rows = self.values.take();
        Some(vm.iter(&Value::list(rows)))
    }
}
