//! `session.query(...)` and `select(...)`: what is built step by step, and run at the end.

use std::rc::Rc;
use std::sync::Arc;

use super::columns::{self, Table};
use super::element::Element;
use super::expression::{Expr, Sql};
use super::result::only;
use super::rows::first_cell;
use super::run::run;
use super::{ARGUMENT_ERROR, INVALID_REQUEST_ERROR, NO_RESULT_FOUND, beyond, further_attribute};
use crate::modules::model;
use crate::world::World;
use tpv_python::args::Args;
use tpv_python::exception::{PyResult, Raised, raise};
use tpv_python::object::Object;
use tpv_python::types::{BuiltinType, OBJECT};
use tpv_python::value::Value;
use tpv_python::vm::{CompareOp, Vm};

static QUERY: BuiltinType = BuiltinType::new("Query", "sqlalchemy.orm.query", &OBJECT);
static SELECT: BuiltinType = BuiltinType::new("Select", "sqlalchemy.sql.selectable", &OBJECT);

/// The expression that a query selects in one place of its rows.
#[derive(Clone)]
pub(super) enum Asked {
    /// A job.
    Job,
    /// The value of an expression.
    Column(Rc<Expr>),
}

impl Asked {
    /// The expression, where it is one.
    pub(super) fn column(&self) -> Option<&Rc<Expr>> {
        match self {
            Self::Job => None,
            Self::Column(column) => Some(column),
        }
    }
}

/// The parts of a query.
#[derive(Clone, Default)]
pub struct Parts {
    pub(super) asked: Vec<Asked>,
    pub(super) filters: Vec<Rc<Expr>>,
    pub(super) groups: Vec<Rc<Expr>>,
    pub(super) orders: Vec<Rc<Expr>>,
    pub(super) limit: Option<usize>,
    pub(super) distinct: bool,
}

/// A query: `session.query(...)` has the session's world, `select(...)` has none.
pub struct Statement {
    world: Option<Arc<World>>,
    /// The parts it is made of.
    pub(super) parts: Parts,
}

/// The methods that derive a query from a query.
const STEPS: &[&str] = &["distinct", "filter", "filter_by", "group_by", "limit", "order_by", "select_from", "where"];

/// The methods that run a `session.query(...)`.
const ENDS: &[&str] = &["all", "count", "first", "one", "one_or_none", "scalar"];

/// Returns `true` if a value is the class of jobs.
pub fn is_job(value: &Value) -> bool {
    matches!(value, Value::Type(class) if std::ptr::eq(*class, &raw const model::JOB))
}

/// Returns `true` if a value stands for the job table.
pub fn is_table(value: &Value) -> bool {
    is_job(value) || value.downcast::<Table>().is_some()
}

fn asked(value: &Value) -> PyResult<Asked> {
    match value {
        value if is_job(value) => Ok(Asked::Job),
        Value::Object(_) if value.downcast::<Element>().is_some() => Ok(Asked::Column(Expr::of(value)?)),
        Value::Type(class) => Err(beyond(&format!("the table of {}", class.name))),
        Value::Object(_) => Err(beyond(&format!("a '{}' in the place of a column", value.type_name().as_str()))),
        other => {
            let given = other.type_name();
            let expected = "Column expression, FROM clause, or other columns clause element expected";
            Err(raise(&ARGUMENT_ERROR, format!("{expected}, got a '{}'.", given.as_str())))
        }
    }
}

/// `select(...)`, and `session.query(...)` where there is a world.
///
/// # Errors
/// `HostUnavailable` for tables that the world does not have.
pub fn ask(world: Option<Arc<World>>, args: &Args) -> PyResult<Value> {
    let asked: PyResult<Vec<Asked>> = args.pos.iter().map(asked).collect();
    Ok(Value::object(Statement { world, parts: Parts { asked: asked?, ..Parts::default() } }))
}

impl Statement {
    /// The query with one step more.
    fn step(&self, vm: &mut Vm, name: &str, args: &Args) -> PyResult<Value> {
        // Each query has its own list.
        vm.visit(self.parts.filters.len(), 2)?;
        let mut parts = self.parts.clone();
        let is_condition = |value: &Value| value.downcast::<Element>().is_some() || matches!(value, Value::Bool(_));
        match (name, args.pos.as_slice()) {
            ("filter" | "where", conditions) if conditions.iter().all(is_condition) => {
                parts.filters.extend(Expr::all(conditions)?.iter().cloned());
            }
            ("filter_by", []) => {
                for (name, value) in &args.kw {
                    let column = columns::named(name.as_str())?.ok_or_else(|| self.no_property(name.as_str()))?;
                    let column = Rc::new(Expr::Column(column));
                    parts.filters.push(Rc::new(match value {
                        Value::None => Expr::Is(column, Sql::Null, false),
                        value => Expr::Compare(CompareOp::Eq, column, Expr::of(value)?),
                    }));
                }
            }
            ("group_by", by) => {
                for value in by {
                    parts.groups.push(Expr::ordered(value)?);
                }
            }
            ("order_by", by) => {
                for value in by {
                    parts.orders.push(Expr::ordered(value)?);
                }
            }
            ("limit", [Value::Int(count)]) => parts.limit = Some(usize::try_from(*count).unwrap_or(usize::MAX)),
            ("limit", [Value::None]) => parts.limit = None,
            ("distinct", []) => parts.distinct = true,
            // There is no other table.
            ("select_from", tables) if tables.iter().all(is_table) => {}
            (name, _) => return Err(beyond(&format!("these arguments of {name}()"))),
        }
        vm.charge(1)?;
        Ok(Value::object(Self { world: self.world.clone(), parts }))
    }

    fn no_property(&self, name: &str) -> Raised {
        let entity = match self.parts.asked.first().and_then(Asked::column) {
            Some(column) => match &**column {
                Expr::Column(column) => format!("job.{}", column.name),
                _ => return beyond(&format!("the column '{name}'")),
            },
            None => "Job".to_owned(),
        };
        let message = format!("Entity namespace for \"{entity}\" has no property \"{name}\"");
        raise(&INVALID_REQUEST_ERROR, message)
    }

    /// Runs a `session.query(...)` and gives what the end asks for.
    fn end(&self, vm: &mut Vm, world: &World, name: &str) -> PyResult<Value> {
        let mut rows = run(vm, world, &self.parts)?;
        Ok(match name {
            "first" if rows.is_empty() => Value::None,
            "first" => rows.swap_remove(0),
            "one" => only(&rows, true)?,
            "one_or_none" => only(&rows, false)?,
            "scalar" => match only(&rows, true) {
                Err(raised) if raised.is(&NO_RESULT_FOUND) => Value::None,
                row => first_cell(vm, &row?)?,
            },
            "count" => Value::from_usize(rows.len()),
            _ => Value::list(rows),
        })
    }
}

impl Object for Statement {
    fn class(&self) -> &'static BuiltinType {
        if self.world.is_some() { &QUERY } else { &SELECT }
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        if self.has_method(name) { Ok(None) } else { further_attribute(self.class(), name) }
    }

    fn has_method(&self, name: &str) -> bool {
        STEPS.contains(&name) || self.world.is_some() && ENDS.contains(&name)
    }

    fn call_method(&self, vm: &mut Vm, _: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        match &self.world {
            _ if STEPS.contains(&name) => Some(self.step(vm, name, args)),
            Some(world) if ENDS.contains(&name) => Some(self.end(vm, world, name)),
            _ => None,
        }
    }

    fn get_item(&self, _: &mut Vm, _: &Value) -> PyResult<Value> {
        Err(beyond("an index"))
    }

    fn iter(&self, vm: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        let world = self.world.as_ref()?;
        Some(self.end(vm, world, "all").and_then(|rows| vm.iter(&rows)))
    }
}
