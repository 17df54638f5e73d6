//! The job table: its columns, and what each holds for a job of the world.

use std::rc::Rc;

use super::element::Element;
use super::expression::{Expr, Sql};
use super::{beyond, further_attribute};
use crate::job_table::JobRow;
use tpv_python::exception::{PyResult, attribute_error, key_error};
use tpv_python::object::Object;
use tpv_python::types::{BuiltinType, OBJECT};
use tpv_python::value::Value;
use tpv_python::vm::Vm;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Numbers.
    Number,
    /// Texts.
    Text,
    /// Truth values.
    Truth,
}

/// The content of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// The id of the job.
    Id,
    /// The id of the job's tool.
    ToolId,
    /// The state of the job.
    State,
    /// The id of the job's user.
    UserId,
    /// The id of the job's destination.
    DestinationId,
    /// `NULL`, which Galaxy gives a new job.
    Null,
    /// A text that Galaxy gives a new job.
    Default(&'static str),
    /// `False`, which Galaxy gives a new job.
    False,
    /// A value that Galaxy makes up for a new job: the world does not know it.
    Unknown,
}

/// A column.
#[derive(Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// The content.
    pub holds: Holds,
}

macro_rules! columns {
    ($($name:literal: $kind:ident $holds:expr;)*) => {
        /// The columns that there are beside [`ID`], in the order of Galaxy's table: those that rules may ask for.
        static COLUMNS: &[Column] = &[$(Column { name: $name, kind: Kind::$kind, holds: $holds }),*];
    };
}

columns! {
    "create_time": Number Holds::Unknown;
    "update_time": Number Holds::Unknown;
    "history_id": Number Holds::Null;
    "tool_id": Text Holds::ToolId;
    "tool_version": Text Holds::Default("1.0.0");
    "state": Text Holds::State;
    "exit_code": Number Holds::Null;
    "user_id": Number Holds::UserId;
    "job_runner_name": Text Holds::Null;
    "job_runner_external_id": Text Holds::Null;
    "destination_id": Text Holds::DestinationId;
    "object_store_id": Text Holds::Null;
    "imported": Truth Holds::False;
    "handler": Text Holds::Null;
}

/// `id`, the primary key, which determines all other columns.
pub static ID: Column = Column { name: "id", kind: Kind::Number, holds: Holds::Id };

/// Returns `true` for a column of this name whose content the world does not know.
pub fn is_unknown(name: &str) -> bool {
    COLUMNS.iter().any(|column| column.name == name && column.holds == Holds::Unknown)
}

/// The column of this name.
///
/// # Errors
/// `HostUnavailable` where the world does not know what it holds.
pub fn named(name: &str) -> PyResult<Option<&'static Column>> {
    let column = std::iter::once(&ID).chain(COLUMNS).find(|column| column.name == name);
    match column {
        Some(column) if column.holds == Holds::Unknown => Err(beyond(&format!("the `{name}` of jobs"))),
        column => Ok(column),
    }
}

/// The column of this name, as code gets it.
///
/// # Errors
/// As [`named`].
pub fn element(name: &str) -> PyResult<Option<Value>> {
    Ok(named(name)?.map(|column| Value::object(Element(Rc::new(Expr::Column(column))))))
}

impl Column {
    /// The content for a job of the world.
    pub fn of<'a>(&self, row: &'a JobRow) -> Sql<'a> {
        let text = |text: &'a Option<Box<str>>| text.as_deref().map_or(Sql::Null, |text| Sql::Text(text.into()));
        match self.holds {
            Holds::Id => Sql::Int(row.id),
            Holds::ToolId => text(&row.tool_id),
            Holds::DestinationId => text(&row.destination_id),
            Holds::UserId => row.user_id.map_or(Sql::Null, Sql::Int),
            // Galaxy gives a job without a state this one.
            Holds::State => Sql::Text(row.state.as_deref().unwrap_or("new").into()),
            Holds::Default(given) => Sql::Text(given.into()),
            Holds::False => Sql::Int(0),
            Holds::Null | Holds::Unknown => Sql::Null,
        }
    }

    /// The content as code receives it.
    pub fn to_value(&self, held: &Sql<'_>) -> Value {
        match (self.kind, held) {
            (Kind::Truth, Sql::Int(truth)) => Value::Bool(*truth != 0),
            (_, held) => held.to_value(),
        }
    }
}

static TABLE: BuiltinType = BuiltinType::new("Table", "sqlalchemy.sql.schema", &OBJECT);
static COLUMN_COLLECTION: BuiltinType = BuiltinType::new("ReadOnlyColumnCollection", "sqlalchemy.sql.base", &OBJECT);

/// `Job.table`
pub struct Table;

/// `Job.table.c`
struct Columns;

/// `Job.table`
pub fn table() -> Value {
    Value::object(Table)
}

impl Object for Table {
    fn class(&self) -> &'static BuiltinType {
        &TABLE
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        match name {
            "c" | "columns" => Ok(Some(Value::object(Columns))),
            "name" => Ok(Some(Value::str("job"))),
            name => further_attribute(&TABLE, name),
        }
    }

    fn str(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok("job".to_owned())
    }
}

impl Object for Columns {
    fn class(&self) -> &'static BuiltinType {
        &COLUMN_COLLECTION
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        match element(name)? {
            None if matches!(name, "keys" | "values" | "items" | "get") => further_attribute(&COLUMN_COLLECTION, name),
            None if name.starts_with("__") => Ok(None),
            // SQLAlchemy says no more.
            None => Err(attribute_error(name)),
            column => Ok(column),
        }
    }

    fn get_item(&self, _: &mut Vm, key: &Value) -> PyResult<Value> {
        let column = match key.as_str() {
            Some(name) => element(name.as_str())?,
            None => None,
        };
        column.ok_or_else(|| key_error(key.clone()))
    }

    fn iter(&self, _: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        Some(Err(beyond("all columns")))
    }
}
