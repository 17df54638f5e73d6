//! `app.model.context`: SQLAlchemy's session, answered from the world's jobs and its list of queries.

use std::cell::RefCell;
use std::sync::Arc;

use indexmap::IndexMap;

use super::bag::host_classes;
use crate::galaxy::json::Json;
use crate::galaxy::query::result::ScalarResult;
use crate::galaxy::query::statement;
use crate::galaxy::signature;
use crate::galaxy::world::{World, normal_sql};
use crate::python::args::Args;
use crate::python::exception::{PyResult, attribute_error, host_unavailable};
use crate::python::object::Object;
use crate::python::string::Str;
use crate::python::types::BuiltinType;
use crate::python::value::Value;
use crate::python::vm::Vm;

host_classes! {
    /// `Session`
    SESSION = "Session" (
        "execute" => execute,
        "query" => query,
        "get" => unavailable,
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
        "commit" => unavailable,
        "rollback" => unavailable,
        "flush" => unavailable,
        "refresh" => unavailable,
        "expire" => unavailable,
        "expunge" => unavailable,
        "close" => unavailable,
        "remove" => unavailable
    );
}

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

/// `session.execute(statement)`: the world's rows for this text, each a tuple. What was built with `select` is not among
/// the world's queries.
fn execute(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let [statement] = signature::bind_method(args, "Session.execute", ["statement"], 1)?;
    let statement = statement.unwrap_or(Value::None);
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

/// The first column of the rows of a `select`; text is for [`execute`] only.
fn first_columns(vm: &mut Vm, this: &Value, args: Args, function: &'static str) -> PyResult<Vec<Value>> {
    let [statement] = signature::bind_method(args, function, ["statement"], 1)?;
    let world = world(this);
    match world.and_then(|world| statement::first_columns(vm, &world, &statement.unwrap_or_default())) {
        Some(values) => values,
        None => Err(host_unavailable("the world answers no such query")),
    }
}

/// `session.scalars(select(...))`
fn scalars(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    Ok(ScalarResult::value(first_columns(vm, this, args, "scoped_session.scalars")?))
}

/// `session.scalar(select(...))`
fn scalar(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    Ok(first_columns(vm, this, args, "scoped_session.scalar")?.into_iter().next().unwrap_or_default())
}

/// A method of the session that only a database could answer.
fn unavailable(_: &mut Vm, _: &Value, _: Args) -> PyResult<Value> {
    Err(host_unavailable("the world answers no such query"))
}
