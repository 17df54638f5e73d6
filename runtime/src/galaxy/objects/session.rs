//! `app.model.context`: SQLAlchemy's session, answered from the world's jobs and its list of queries.

use std::cell::RefCell;
use std::sync::Arc;

use indexmap::IndexMap;

use super::bag::host_classes;
use crate::galaxy::json::Json;
use crate::galaxy::query::result::QueryResult;
use crate::galaxy::query::rows::first_column;
use crate::galaxy::query::statement;
use crate::galaxy::signature;
use crate::galaxy::world::{World, normal_sql};
use tpv_python::args::Args;
use tpv_python::exception::{PyResult, attribute_error, host_unavailable};
use tpv_python::object::Object;
use tpv_python::string::Str;
use tpv_python::types::BuiltinType;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

host_classes! {
    /// `Session`
    SESSION = "Session" (
        "execute" => execute,
        "query" => query,
        "get" => get,
        "get_one" => unavailable,
        "scalar" => scalar,
        "scalars" => scalars,
        "connection" => unavailable,
        "begin" => unavailable,
        "begin_nested" => unavailable,
        "add" => unavailable,
        "add_all" => unavailable,
        "merge" => unavailable,
        "delete" => unavailable,
        "refresh" => unavailable,
        "expire" => unavailable,
        "expunge" => unavailable,
        "remove" => unavailable,
        "close" => nothing_to_do,
        "commit" => nothing_to_do,
        "expire_all" => nothing_to_do,
        "expunge_all" => nothing_to_do,
        "flush" => nothing_to_do,
        "rollback" => nothing_to_do
    );
}

/// The methods that only a database could answer.
pub const UNANSWERED: &[&str] = &[
    "add",
    "add_all",
    "begin",
    "begin_nested",
    "connection",
    "delete",
    "expire",
    "expunge",
    "get_one",
    "merge",
    "refresh",
    "remove",
];

/// A session over a world.
struct Session {
    world: Arc<World>,
    /// What code has set.
    attributes: RefCell<IndexMap<String, Value>>,
}

/// The session over a world, as a value.
pub(super) fn session(world: &Arc<World>) -> Value {
    Value::object(Session { world: world.clone(), attributes: RefCell::default() })
}

/// The world behind `app.model.context`.
pub fn world_of_session(context: &Value) -> Option<&World> {
    context.downcast::<Session>().map(|session| &*session.world)
}

impl Object for Session {
    fn class(&self) -> &'static BuiltinType {
        &SESSION
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        let found = self.attributes.borrow().get(name).cloned();
        let of_class = name.starts_with("__") || SESSION.methods.iter().any(|method| method.name == name);
        if found.is_none() && !of_class {
            // The session passes on what it does not know to the SQLAlchemy object it stands for.
            return Err(attribute_error(format!("'scoped_session' object has no attribute '{name}'")));
        }
        Ok(found)
    }

    fn set_attr(&self, _: &mut Vm, name: &Str, value: Value) -> PyResult<()> {
        self.attributes.borrow_mut().insert(name.to_string(), value);
        Ok(())
    }

    fn call_method(&self, vm: &mut Vm, this: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        // An attribute of the object hides a method of its class.
        if self.attributes.borrow().contains_key(name) {
            return None;
        }
        let method = self.class().method(name)?;
        Some((method.call)(vm, this, std::mem::take(args)))
    }
}

/// `session.execute(statement, parameters)`: what was built with `select` is answered from the world's jobs; for a text the
/// world's list has the rows, each a tuple, whatever the parameters are.
fn execute(vm: &mut Vm, this: &Value, mut args: Args) -> PyResult<Value> {
    args.pos.truncate(1);
    args.kw.retain(|(name, _)| name.as_str() == "statement");
    let [statement] = signature::bind_method(args, "Session.execute", ["statement"], 1)?;
    let statement = statement.unwrap_or(Value::None);
    if let Some(world) = world(this)
        && let Some(found) = statement::rows_of(vm, &world, &statement)
    {
        return Ok(QueryResult::rows(found?));
    }
    let sql = vm.str(&statement)?;
    let queries = this.downcast::<Session>().map(|session| &session.world.queries);
    let rows = queries.filter(|queries| !queries.is_empty()).and_then(|queries| queries.get(&normal_sql(&sql)));
    let Some(rows) = rows else { return Err(host_unavailable("no answer to this query in the world")) };
    vm.charge(rows.len())?;
    let tuple = |row: &Vec<Json>| Value::tuple(row.iter().map(|cell| cell.to_value()).collect());
    Ok(Value::list(rows.iter().map(tuple).collect()))
}

fn world(this: &Value) -> Option<Arc<World>> {
    this.downcast::<Session>().map(|session| session.world.clone())
}

/// `session.query(Job.state, func.count())`
fn query(_: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    match world(this) {
        Some(world) => statement::query(&world, &args),
        None => Err(host_unavailable("there is no world")),
    }
}

/// The rows of a `select`; text is for [`execute`] only.
fn rows(vm: &mut Vm, this: &Value, mut args: Args, function: &'static str) -> PyResult<Vec<Value>> {
    args.pos.truncate(1);
    args.kw.retain(|(name, _)| name.as_str() == "statement");
    let [statement] = signature::bind_method(args, function, ["statement"], 1)?;
    let world = world(this);
    match world.and_then(|world| statement::rows_of(vm, &world, &statement.unwrap_or_default())) {
        Some(found) => Ok(found?.rows),
        None => Err(host_unavailable("the world answers no such query")),
    }
}

/// `session.scalars(select(...))`
fn scalars(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let rows = rows(vm, this, args, "scoped_session.scalars")?;
    QueryResult::scalars(vm, &rows)
}

/// `session.scalar(select(...))`
fn scalar(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    match rows(vm, this, args, "scoped_session.scalar")?.first() {
        Some(row) => first_column(vm, row),
        None => Ok(Value::None),
    }
}

/// `session.get(Job, id)`
fn get(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    match (world(this), args.pos.as_slice()) {
        (Some(world), [class, id]) if statement::is_job(class) => statement::job_by_id(vm, &world, id),
        _ => unavailable(vm, this, args),
    }
}

/// A method of the session that writes or forgets what was changed: nothing is.
fn nothing_to_do(_: &mut Vm, _: &Value, _: Args) -> PyResult<Value> {
    Ok(Value::None)
}

/// A method of the session that only a database could answer.
fn unavailable(_: &mut Vm, _: &Value, _: Args) -> PyResult<Value> {
    Err(host_unavailable("the world answers no such query"))
}
