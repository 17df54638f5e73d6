//! `app.model.context`: SQLAlchemy's session, answered from the world's jobs and its list of queries.

use std::sync::Arc;

use super::host_object::{Fields, HostObject, host_classes};
use crate::lacks::Lack;
use crate::query::result::QueryResult;
use crate::query::statement;
use crate::reads::Read;
use crate::signature;
use crate::sql_text::{SqlAnswer, normal_sql};
use crate::world::World;
use tpv_python::args::Args;
use tpv_python::exception::{PyResult, Raised, attribute_error, host_unavailable};
use tpv_python::types::BuiltinType;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

host_classes! {
    /// `Session`
    SESSION = "Session" (
        "execute" => execute,
        "query" => query,
        "scalar" => scalar,
        "scalars" => scalars,
        "close" => nothing_to_do,
        "commit" => nothing_to_do,
        "flush" => nothing_to_do,
        "rollback" => nothing_to_do
    );
}

/// The fields of a session.
struct SessionFields(Arc<World>);

/// The session over a world, as a value.
pub(super) fn session(world: &Arc<World>) -> Value {
    HostObject::value(SessionFields(world.clone()))
}

/// The world behind `app.model.context`.
pub fn world_of_session(context: &Value) -> Option<&Arc<World>> {
    context.downcast::<HostObject<SessionFields>>().map(|session| &session.fields().0)
}

impl Fields for SessionFields {
    fn class(&self) -> &'static BuiltinType {
        &SESSION
    }

    fn names(&self) -> &'static [&'static str] {
        &[]
    }

    fn get(&self, _: &str) -> Option<Value> {
        None
    }

    fn missing(&self, name: &str) -> Option<Raised> {
        // Galaxy's session passes on what it does not know to the object of SQLAlchemy that it stands for.
        let message = format!("'scoped_session' object has no attribute '{name}'");
        (!name.starts_with("__") && SESSION.method_of_rows(name).is_none()).then(|| attribute_error(message))
    }
}

fn world(this: &Value) -> PyResult<&Arc<World>> {
    world_of_session(this).ok_or_else(|| host_unavailable("there is no world"))
}

/// The statement of `session.execute(statement, parameters)` and its like. Parameters decide nothing: the world answers by the
/// text.
fn statement_of(mut args: Args, function: &'static str) -> PyResult<Value> {
    args.pos.truncate(1);
    args.kw.retain(|(name, _)| name.as_str() == "statement");
    let [statement] = signature::bind_method(args, function, ["statement"], 1)?;
    Ok(statement.unwrap_or_default())
}

/// `session.execute(statement, parameters)`: a `select(...)` is answered from the world's jobs; for a text the world's list has
/// the rows, each a tuple, or the totals of jobs that it asks for.
fn execute(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    let statement = statement_of(args, "Session.execute")?;
    let world = world(this)?;
    if let Some(result) = QueryResult::execute(vm, world, &statement) {
        return result;
    }
    let sql = vm.str(&statement)?;
    let answer = if world.queries.is_empty() { None } else { world.queries.get(&normal_sql(&sql)) };
    let Some(answer) = answer else {
        world.lack(|| Lack::Query(normal_sql(&sql).into()));
        return Err(host_unavailable("no answer to this query in the world"));
    };
    if let SqlAnswer::Totals(totals) = answer {
        world.note(|| Read::Totals(totals.clone()));
    }
    Ok(Value::list(answer.rows(vm, &world.jobs)?))
}

/// `session.query(Job.state, func.count())`
fn query(_: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    statement::ask(Some(world(this)?.clone()), &args)
}

/// `session.execute(select(...)).method()`; a text is for [`execute`] only.
fn of_result(vm: &mut Vm, this: &Value, args: Args, function: &'static str, method: &str) -> PyResult<Value> {
    let statement = statement_of(args, function)?;
    match QueryResult::execute(vm, world(this)?, &statement) {
        Some(result) => vm.call_method(&result?, method, Args::none()),
        None => Err(host_unavailable("the world answers no such query")),
    }
}

/// `session.scalars(select(...))`
fn scalars(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    of_result(vm, this, args, "scoped_session.scalars", "scalars")
}

/// `session.scalar(select(...))`
fn scalar(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    of_result(vm, this, args, "scoped_session.scalar", "scalar")
}

/// A method that writes or forgets what was changed: nothing is.
fn nothing_to_do(_: &mut Vm, _: &Value, _: Args) -> PyResult<Value> {
    Ok(Value::None)
}
