//! `galaxy.jobs.rule_helper.RuleHelper`, with which rules written for TPV 1 count jobs: of a user, at destinations, in states.

use super::host_object::record;
use super::session::world_of_session;
use crate::errors::host_unavailable;
use crate::job_table::JobRow;
use crate::query::columns::Column;
use crate::query::expression::Sql;
use crate::query::{beyond, columns};
use crate::reads::Read;
use crate::signature;
use crate::world::World;
use tpv_python::args::Args;
use tpv_python::exception::{PyResult, type_error};
use tpv_python::lacking;
use tpv_python::types::{BuiltinType, OBJECT};
use tpv_python::value::{Method, Value};
use tpv_python::vm::Vm;

/// `RuleHelper`, without the methods that ask for containers, metrics and the database.
pub static RULE_HELPER: BuiltinType = BuiltinType {
    construct: Some(construct),
    methods: &[Method { name: "job_count", call: job_count }],
    ..BuiltinType::new("RuleHelper", "galaxy.jobs.rule_helper", &OBJECT)
};

fn construct(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [app] = signature::bind_method(args, "RuleHelper.__init__", ["app"], 1)?;
    Ok(record(&RULE_HELPER, &["app"], [app.unwrap_or_default()]))
}

/// `job_count(for_user_email=None, for_destination=None, for_destinations=None, for_job_states=None, ...)`: Galaxy joins the table of users,
/// so that jobs of users whom the world does not list are not counted.
fn job_count(vm: &mut Vm, this: &Value, args: Args) -> PyResult<Value> {
    if !args.pos.is_empty() {
        let given = args.pos.len() + 1;
        return Err(type_error(format!("RuleHelper.job_count() takes 1 positional argument but {given} were given")));
    }
    let names = [
        "for_user_email",
        "for_destination",
        "for_destinations",
        "for_job_states",
        "created_in_last",
        "updated_in_last",
    ];
    let given = signature::bind_method(args, "RuleHelper._filter_job_query", names, 0)?;
    let [email, destination, destinations, states, created, updated] =
        given.map(|value| value.filter(|v| !v.is_none()));
    if created.is_some() || updated.is_some() {
        return Err(beyond("the times of jobs"));
    }
    let app = vm.get_attr(this, "app")?;
    let model = vm.get_attr(&app, "model")?;
    let context = vm.get_attr(&model, "context")?;
    let Some(world) = world_of_session(&context) else {
        lacking::note("`RuleHelper.job_count` asks the database");
        return Err(host_unavailable("jobs are counted in the session of the app only"));
    };
    let email = email.map(|email| Sql::of(&email)).transpose()?;
    let destinations = match destination {
        Some(destination) => Some(vec![Sql::of(&destination)?]),
        None => wanted(vm, destinations)?,
    };
    let states = wanted(vm, states)?;
    vm.charge(world.jobs.len())?;
    world.note(|| Read::Other);
    let filters = [(columns::named("destination_id")?, destinations), (columns::named("state")?, states)];
    let counted = |row: &JobRow| is_of(world, row, email.as_ref()) && filters.iter().all(|filter| passes(row, filter));
    Ok(Value::from_usize(world.jobs.iter().filter(|(_, row)| counted(row)).count()))
}

/// Returns `true` if the world lists the user of a job, with this email if there is one.
fn is_of(world: &World, row: &JobRow, email: Option<&Sql<'_>>) -> bool {
    let known = row.user_id.and_then(|user| world.users.get(&user));
    known.is_some_and(|known| email.is_none_or(|email| *email == Sql::Text((&**known).into())))
}

/// Returns `true` if a column has one of the values, as SQL's `IN` does: `NULL` is none of them.
fn passes(row: &JobRow, (column, values): &(Option<&Column>, Option<Vec<Sql<'static>>>)) -> bool {
    let (Some(column), Some(values)) = (column, values) else { return true };
    let cell = column.of(row);
    cell != Sql::Null && values.contains(&cell)
}

/// The values of a list.
fn wanted(vm: &mut Vm, values: Option<Value>) -> PyResult<Option<Vec<Sql<'static>>>> {
    let Some(values) = values else { return Ok(None) };
    if !matches!(values, Value::List(_) | Value::Tuple(_)) {
        return Err(beyond(&format!("a '{}' in the place of a list", values.type_name().as_str())));
    }
    vm.collect(&values)?.iter().map(Sql::of).collect::<PyResult<Vec<_>>>().map(Some)
}
