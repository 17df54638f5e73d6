//! The Galaxy app: its model, its tool data tables and its configuration.

use std::cell::OnceCell;
use std::sync::Arc;

use super::asked_tables;
use super::host_object::{Fields, HostObject, host_classes};
use super::session::session;
use super::simple_namespace::{CONFIG, SimpleNamespace};
use super::stand_in;
use crate::lacks::Lack;
use crate::modules::model;
use crate::signature;
use crate::world::World;
use tpv_python::args::Args;
use tpv_python::dict::{Dict, Key};
use tpv_python::exception::PyResult;
use tpv_python::string::Str;
use tpv_python::types::BuiltinType;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

host_classes! {
    /// `App`
    APP = "App" ();
    /// `Model`
    MODEL = "Model" ();
    /// `TabularToolDataTable`
    TABULAR_TOOL_DATA_TABLE = "TabularToolDataTable" ("get_entry" => get_entry);
}

/// The fields of `app`.
pub struct AppFields {
    world: Arc<World>,
    stand_in: bool,
}

/// The app's object. Code can set attributes of it, so each job gets a new one: no job sees what another did.
pub fn app(world: &Arc<World>) -> Value {
    HostObject::value(AppFields { world: world.clone(), stand_in: false })
}

/// The app of a dry run: it has no tool data tables.
pub fn stand_in_app(world: &Arc<World>) -> Value {
    HostObject::value(AppFields { world: world.clone(), stand_in: true })
}

impl AppFields {
    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }
}

impl Fields for AppFields {
    fn class(&self) -> &'static BuiltinType {
        &APP
    }

    fn names(&self) -> &'static [&'static str] {
        if self.stand_in { stand_in::APP_NAMES } else { &["model", "tool_data_tables", "config"] }
    }

    fn get(&self, name: &str) -> Option<Value> {
        Some(match name {
            "model" => HostObject::value(ModelFields { world: self.world.clone(), session: OnceCell::new() }),
            "tool_data_tables" => {
                let tables = self.world.tool_data_tables.iter().enumerate().map(|(index, (name, _))| {
                    (Str::new(name.clone()), HostObject::value(TableFields { world: self.world.clone(), index }))
                });
                let tables = Value::dict(Dict::from_strs(tables));
                if self.world.lacks.is_some() { asked_tables::value(tables, &self.world) } else { tables }
            }
            "config" => {
                let world = self.world.clone();
                let asked = world.clone();
                let missing = move |name: &str| asked.lack(|| Lack::Config(name.into()));
                let attributes = move || {
                    let items = world.config.iter().map(|(name, value)| (Str::new(name.clone()), value.to_value()));
                    Value::dict(Dict::from_strs(items))
                };
                SimpleNamespace::noting(&CONFIG, attributes, missing)
            }
            _ => return None,
        })
    }
}

/// The fields of `app.model`.
struct ModelFields {
    world: Arc<World>,
    /// The session, which has two names.
    session: OnceCell<Value>,
}

impl Fields for ModelFields {
    fn class(&self) -> &'static BuiltinType {
        &MODEL
    }

    fn names(&self) -> &'static [&'static str] {
        &["context", "session", "Job"]
    }

    fn get(&self, name: &str) -> Option<Value> {
        match name {
            "context" | "session" => Some(self.session.get_or_init(|| session(&self.world)).clone()),
            "Job" => Some(Value::Type(&model::JOB)),
            _ => None,
        }
    }
}

struct TableFields {
    world: Arc<World>,
    index: usize,
}

impl TableFields {
    fn rows(&self) -> &[crate::json::Json] {
        self.world.tool_data_tables.get(self.index).map(|(_, rows)| rows.as_slice()).unwrap_or_default()
    }

    /// Notes that no row has this value, or that the first has no such cell.
    fn lack(&self, column: &str, value: &str, returned: &str) {
        if let Some((table, _)) = self.world.tool_data_tables.get(self.index) {
            let [column, value, returned] = [column, value, returned].map(Into::into);
            self.world.lack(|| Lack::Entry { table: table.clone(), column, value, returned });
        }
    }
}

impl Fields for TableFields {
    fn class(&self) -> &'static BuiltinType {
        &TABULAR_TOOL_DATA_TABLE
    }

    fn names(&self) -> &'static [&'static str] {
        &["rows"]
    }

    fn get(&self, name: &str) -> Option<Value> {
        (name == "rows").then(|| Value::list(self.rows().iter().map(|row| row.to_value()).collect()))
    }
}

/// `table.get_entry(query_attr, query_val, return_attr, default=None)`
fn get_entry(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let names = ["query_attr", "query_val", "return_attr", "default"];
    let [column, wanted, returned, default] = signature::bind_method(args, "TabularToolDataTable.get_entry", names, 3)?;
    let [column, wanted, returned, default] =
        [column, wanted, returned, default].map(|argument| argument.unwrap_or(Value::None));
    let table = this.downcast::<HostObject<TableFields>>().filter(|table| table.untouched("rows"));
    let (Some(table), Value::Str(column_name), Value::Str(returned_name)) = (table, &column, &returned) else {
        return get_entry_of_rows(vm, this, &column, &wanted, &returned, default);
    };
    let rows = table.fields().rows();
    vm.charge(rows.len())?;
    for row in rows {
        let cell = row.get(column_name).map_or(Value::None, |cell| cell.to_value());
        if vm.equal(&cell, &wanted)? {
            if let Some(cell) = row.get(returned_name) {
                return Ok(cell.to_value());
            }
            break;
        }
    }
    if let Value::Str(value) = &wanted {
        table.fields().lack(column_name, value, returned_name);
    }
    Ok(default)
}

/// The same over rows that code has seen, and may have changed.
fn get_entry_of_rows(
    vm: &mut Vm,
    table: &Value,
    column: &Value,
    wanted: &Value,
    returned: &Value,
    default: Value,
) -> PyResult<Value> {
    let rows = vm.get_attr(table, "rows")?;
    Key::new(vm, column.clone())?;
    for row in vm.collect(&rows)? {
        let cell = vm.call_method(&row, "get", Args::one(column.clone()))?;
        if vm.equal(&cell, wanted)? {
            return vm.call_method(&row, "get", Args::positional([returned.clone(), default]));
        }
    }
    Ok(default)
}
