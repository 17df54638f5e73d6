//! Results of `session.execute` and `session.scalars`: rows that are read once.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::rows::{Row, first_column};
use super::statement::Selected;
use super::{MULTIPLE_RESULTS_FOUND, NO_RESULT_FOUND, beyond};
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

/// What a result gives for each row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The row.
    Rows,
    /// One of its cells.
    Scalars,
    /// Its cells by name.
    Mappings,
}

/// A result. Reading it empties it.
pub struct QueryResult {
    form: Form,
    names: Rc<[Rc<str>]>,
    values: RefCell<VecDeque<Value>>,
}

/// What can be called of every result.
pub const METHODS: &[&str] =
    &["all", "close", "fetchall", "fetchmany", "first", "one", "one_or_none", "unique", "yield_per"];

/// What can be called of results of rows beside that.
pub const ROW_METHODS: &[&str] =
    &["fetchone", "keys", "mappings", "scalar", "scalar_one", "scalar_one_or_none", "scalars", "tuples"];

/// What can be called of results of mappings beside that.
pub const MAPPING_METHODS: &[&str] = &["fetchone", "keys"];

/// What SQLAlchemy's results have beside that.
pub const UNANSWERED: &[&str] = &["closed", "columns", "freeze", "merge", "partitions", "rowcount"];

impl QueryResult {
    /// `session.execute(...)`
    pub fn rows(selected: Selected) -> Value {
        let Selected { rows, names } = selected;
        Value::object(Self { form: Form::Rows, names, values: RefCell::new(rows.into()) })
    }

    /// `session.scalars(...)`
    ///
    /// # Errors
    /// As reading the cells.
    pub fn scalars(vm: &mut Vm, rows: &[Value]) -> PyResult<Value> {
        let values: PyResult<VecDeque<Value>> = rows.iter().map(|row| first_column(vm, row)).collect();
        Ok(Value::object(Self { form: Form::Scalars, names: [].into(), values: RefCell::new(values?) }))
    }

    fn take(&self) -> Vec<Value> {
        self.values.take().into()
    }

    /// The one cell of the one row.
    fn scalar_one(&self, vm: &mut Vm, required: bool) -> PyResult<Value> {
        let row = only(&self.take(), required)?;
        if row.is_none() { Ok(row) } else { first_column(vm, &row) }
    }

    /// One cell of each row, by place or name.
    fn cells(&self, vm: &mut Vm, which: Option<&Value>) -> PyResult<Value> {
        let index = match which {
            None => 0,
            Some(Value::Int(index)) => usize::try_from(*index).unwrap_or(usize::MAX),
            Some(name) => {
                let name = match name.downcast::<super::element::Element>() {
                    Some(element) => element.0.name(),
                    None => name.as_str().map(|name| name.as_str().into()),
                };
                let index = name.and_then(|name| self.names.iter().position(|known| *known == name));
                index.ok_or_else(|| beyond("a cell of this name"))?
            }
        };
        let key = Value::from_usize(index);
        let values: PyResult<VecDeque<Value>> = self.take().iter().map(|row| vm.get_item(row, &key)).collect();
        Ok(Value::object(Self { form: Form::Scalars, names: [].into(), values: RefCell::new(values?) }))
    }

    fn call(&self, vm: &mut Vm, this: &Value, name: &str, args: &Args) -> PyResult<Value> {
        match name {
            "unique" | "yield_per" | "tuples" => Ok(this.clone()),
            "all" | "fetchall" => Ok(Value::list(self.take())),
            "first" => Ok(self.take().into_iter().next().unwrap_or(Value::None)),
            "one" => only(&self.take(), true),
            "one_or_none" => only(&self.take(), false),
            "fetchone" => Ok(self.values.borrow_mut().pop_front().unwrap_or(Value::None)),
            "fetchmany" => {
                let mut values = self.values.borrow_mut();
                let count = match args.pos.first() {
                    Some(Value::Int(count)) => usize::try_from(*count).unwrap_or(usize::MAX).min(values.len()),
                    _ => return Err(beyond("this fetchmany()")),
                };
                Ok(Value::list(values.drain(..count).collect()))
            }
            "keys" => Ok(Value::list(self.names.iter().map(|name| Value::str(&**name)).collect())),
            "scalar" => match self.take().first() {
                Some(row) => first_column(vm, row),
                None => Ok(Value::None),
            },
            "scalar_one" => self.scalar_one(vm, true),
            "scalar_one_or_none" => self.scalar_one(vm, false),
            "scalars" => self.cells(vm, args.pos.first()),
            "mappings" => {
                let rows = self.take();
                let mappings = rows.iter().filter_map(|row| row.downcast::<Row>().map(Row::mapping)).collect();
                let (form, names) = (Form::Mappings, self.names.clone());
                Ok(Value::object(Self { form, names, values: RefCell::new(mappings) }))
            }
            _ => {
                self.take();
                Ok(Value::None)
            }
        }
    }
}

impl Object for QueryResult {
    fn class(&self) -> &'static BuiltinType {
        match self.form {
            Form::Rows => &RESULT,
            Form::Scalars => &SCALAR_RESULT,
            Form::Mappings => &MAPPING_RESULT,
        }
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        if UNANSWERED.contains(&name) { Err(beyond(&format!("the result's '{name}'"))) } else { Ok(None) }
    }

    fn has_method(&self, name: &str) -> bool {
        METHODS.contains(&name)
            || match self.form {
                Form::Rows => ROW_METHODS.contains(&name),
                Form::Scalars => false,
                Form::Mappings => MAPPING_METHODS.contains(&name),
            }
    }

    fn call_method(&self, vm: &mut Vm, this: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        self.has_method(name).then(|| self.call(vm, this, name, &std::mem::take(args)))
    }

    fn iter(&self, vm: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        let values = self.take();
        Some(vm.iter(&Value::list(values)))
    }
}
