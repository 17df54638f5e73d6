//! The job table: its columns, and what the world tells of each.

use std::rc::Rc;

use super::beyond;
use super::expression::{Expr, Sql};
use crate::galaxy::world::JobRow;
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

/// What a column holds in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The place in the world's list, from 1.
    Place,
    /// The world's value.
    Row,
    /// What Galaxy gives a job that says nothing of it.
    Default(Option<&'static str>),
    /// `False`, which Galaxy gives, too.
    False,
    /// What the world does not know, and Galaxy makes up when a job is made.
    Unknown,
}

/// A column.
#[derive(Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// Where its values come from.
    pub source: Source,
}

/// A reference to a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field(pub &'static Column);

macro_rules! columns {
    ($($name:literal: $kind:ident $source:expr;)*) => {
        /// All columns, in the order of Galaxy's table.
        pub static COLUMNS: &[Column] = &[$(Column { name: $name, kind: Kind::$kind, source: $source }),*];
    };
}

const NULL: Source = Source::Default(None);

columns! {
    "id": Number Source::Place;
    "create_time": Number Source::Unknown;
    "update_time": Number Source::Unknown;
    "history_id": Number NULL;
    "library_folder_id": Number NULL;
    "tool_id": Text Source::Row;
    "tool_version": Text Source::Default(Some("1.0.0"));
    "galaxy_version": Text NULL;
    "dynamic_tool_id": Number NULL;
    "state": Text Source::Row;
    "info": Text NULL;
    "copied_from_job_id": Number NULL;
    "command_line": Text NULL;
    "dependencies": Text Source::Unknown;
    "job_messages": Text NULL;
    "param_filename": Text NULL;
    "runner_name": Text NULL;
    "job_stdout": Text NULL;
    "job_stderr": Text NULL;
    "tool_stdout": Text NULL;
    "tool_stderr": Text NULL;
    "exit_code": Number NULL;
    "traceback": Text NULL;
    "session_id": Number NULL;
    "user_id": Number Source::Row;
    "job_runner_name": Text NULL;
    "job_runner_external_id": Text NULL;
    "destination_id": Text Source::Row;
    "destination_params": Text NULL;
    "object_store_id": Text NULL;
    "imported": Truth Source::False;
    "handler": Text NULL;
    "preferred_object_store_id": Text NULL;
    "object_store_id_overrides": Text NULL;
    "tool_request_id": Number NULL;
    "tool_state": Text NULL;
}

/// `id`, which determines all others.
static ID: Column = Column { name: "id", kind: Kind::Number, source: Source::Place };

impl Field {
    /// `id`
    pub const ID: Self = Self(&ID);

    /// The column of this name.
    pub fn named(name: &str) -> Option<Self> {
        COLUMNS.iter().find(|column| column.name == name).map(Self)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Whether it holds text.
    pub fn is_text(self) -> bool {
        self.0.kind == Kind::Text
    }

    /// Its value in the row at `index`.
    ///
    /// # Errors
    /// `HostUnavailable` where the world does not know it.
    pub fn of(self, index: usize, row: &JobRow) -> PyResult<Sql> {
        let text = |text: &Option<Box<str>>| text.as_deref().map_or(Sql::Null, |text| Sql::Text(Rc::from(text)));
        Ok(match (self.0.source, self.0.name) {
            (Source::Place, _) => Sql::Int(i64::try_from(index + 1).unwrap_or(i64::MAX)),
            (Source::Row, "tool_id") => text(&row.tool_id),
            (Source::Row, "user_id") => row.user_id.map_or(Sql::Null, Sql::Int),
            // Galaxy gives a job that is made without a state this one.
            (Source::Row, "state") => Sql::Text(Rc::from(row.state.as_deref().unwrap_or("new"))),
            (Source::Row, "destination_id") => text(&row.destination_id),
            (Source::Default(given), _) => given.map_or(Sql::Null, |given| Sql::Text(Rc::from(given))),
            (Source::False, _) => Sql::Int(0),
            (Source::Row | Source::Unknown, name) => return Err(beyond(&format!("the `{name}` of jobs"))),
        })
    }

    /// A value of the column as code gets it.
    pub fn to_value(self, value: &Sql) -> Value {
        match (self.0.kind, value) {
            (Kind::Truth, Sql::Int(truth)) => Value::Bool(*truth != 0),
            (_, value) => value.to_value(),
        }
    }
}

/// What Galaxy's class has beside columns and states, and the world has no answer to.
pub const UNANSWERED: &[&str] = &[
    "add_implicit_output_dataset_collection",
    "add_input_dataset",
    "add_input_dataset_collection",
    "add_input_dataset_collection_element",
    "add_input_library_dataset",
    "add_metric",
    "add_output_dataset",
    "add_output_dataset_collection",
    "add_output_library_dataset",
    "add_parameter",
    "add_post_job_action",
    "all_entry_points_configured",
    "check_if_output_datasets_deleted",
    "command_version",
    "container",
    "copy_from_job",
    "credentials_context_associations",
    "data_manager_association",
    "dict_collection_visible_keys",
    "dict_element_visible_keys",
    "dynamic_tool",
    "effective_workflow_invocation_step",
    "external_output_metadata",
    "finished",
    "galaxy_session",
    "get_change_datatype_actions",
    "get_command_line",
    "get_copied_from_job_id",
    "get_dependencies",
    "get_destination_configuration",
    "get_external_output_metadata",
    "get_handler",
    "get_id_tag",
    "get_imported",
    "get_info",
    "get_input_datasets",
    "get_input_library_datasets",
    "get_job",
    "get_job_runner_external_id",
    "get_job_runner_name",
    "get_output_datasets",
    "get_output_library_datasets",
    "get_param_filename",
    "get_param_values",
    "get_parameters",
    "get_post_job_actions",
    "get_state",
    "get_tasks",
    "get_tool_id",
    "get_tool_version",
    "get_user",
    "get_user_email",
    "get_user_id",
    "hide_outputs",
    "history",
    "history_dataset_collection_associations",
    "implicit_collection_jobs_association",
    "input_dataset_collection_elements",
    "input_dataset_collections",
    "input_datasets",
    "input_library_datasets",
    "interactivetool_entry_points",
    "io_dicts",
    "is_terminal",
    "library_folder",
    "log_str",
    "mark_deleted",
    "mark_failed",
    "mark_stopped",
    "metrics",
    "numeric_metrics",
    "output_dataset_collection_instances",
    "output_dataset_collections",
    "output_datasets",
    "output_library_datasets",
    "parameters",
    "post_job_actions",
    "raw_param_dict",
    "remappable",
    "requires_shareable_storage",
    "resume",
    "running",
    "seconds_since_created",
    "seconds_since_updated",
    "serialize",
    "set_command_line",
    "set_copied_from_job_id",
    "set_dependencies",
    "set_final_state",
    "set_handler",
    "set_imported",
    "set_info",
    "set_input_datasets",
    "set_input_library_datasets",
    "set_output_datasets",
    "set_output_library_datasets",
    "set_param_filename",
    "set_parameters",
    "set_post_job_actions",
    "set_runner_external_id",
    "set_runner_name",
    "set_session_id",
    "set_state",
    "set_streams",
    "set_tool_id",
    "set_tool_version",
    "set_user_id",
    "state_history",
    "stderr",
    "stdout",
    "tasks",
    "text_metrics",
    "to_dict",
    "tool_request",
    "update",
    "update_hdca_update_time_for_job",
    "update_output_states",
    "user",
    "workflow_invocation_step",
];

/// Whether only a database could answer what is asked with an attribute of `Job`.
pub fn is_unanswered(name: &str) -> bool {
    UNANSWERED.contains(&name) || Field::named(name).is_some_and(|field| field.0.source == Source::Unknown)
}

static TABLE: BuiltinType = BuiltinType::new("Table", "sqlalchemy.sql.schema", &OBJECT);
static COLUMN_COLLECTION: BuiltinType = BuiltinType::new("ReadOnlyColumnCollection", "sqlalchemy.sql.base", &OBJECT);

/// `Job.table`
pub struct Table;

/// `Job.table.c`
struct Columns;

thread_local! {
    static THE_TABLE: Value = Value::object(Table);
    static THE_COLUMNS: Value = Value::object(Columns);
}

/// `Job.table`
pub fn table() -> Value {
    THE_TABLE.with(Value::clone)
}

impl Object for Table {
    fn class(&self) -> &'static BuiltinType {
        &TABLE
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok(match name {
            "c" | "columns" => Some(THE_COLUMNS.with(Value::clone)),
            "fullname" | "key" | "name" => Some(Value::str("job")),
            name if name.starts_with('_') => None,
            name => return Err(beyond(&format!("the table's `{name}`"))),
        })
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
        match Field::named(name) {
            Some(field) => Ok(Some(Expr::Column(field).value())),
            None if name.starts_with("__") => Ok(None),
            None if ["contains_column", "get", "items", "keys", "values"].contains(&name) => {
                Err(beyond("all columns of a table"))
            }
            // SQLAlchemy says no more.
            None => Err(attribute_error(name)),
        }
    }

    fn get_item(&self, _: &mut Vm, key: &Value) -> PyResult<Value> {
        match key.as_str().and_then(|name| Field::named(name.as_str())) {
            Some(field) => Ok(Expr::Column(field).value()),
            None => Err(key_error(key.clone())),
        }
    }

    fn iter(&self, _: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        Some(Err(beyond("all columns of a table")))
    }
}
