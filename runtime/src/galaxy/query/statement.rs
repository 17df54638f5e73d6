//! `session.query(...)` and `select(...)`: what is built step by step, and run at the end.

use std::cmp::Ordering;
use std::rc::Rc;
use std::sync::Arc;

use super::beyond;
use super::evaluate::{self, Placed};
use super::expression::{Element, Expr, FIELDS, Field, Sql};
use super::result::{Row, StoredJob, first_column, only};
use crate::galaxy::modules::model;
use crate::galaxy::world::World;
use crate::python::args::Args;
use crate::python::exception::{PyResult, type_error};
use crate::python::object::Object;
use crate::python::types::{BuiltinType, OBJECT, Type};
use crate::python::value::Value;
use crate::python::vm::{CompareOp, Vm};

static QUERY: BuiltinType = BuiltinType::new("Query", "sqlalchemy.orm.query", &OBJECT);
static SELECT: BuiltinType = BuiltinType::new("Select", "sqlalchemy.sql.selectable", &OBJECT);

/// What is asked for in one place: a whole job or an expression.
#[derive(Clone)]
enum Asked {
    Job,
    Column(Rc<Expr>),
}

/// The parts of a query.
#[derive(Clone, Default)]
pub struct Parts {
    asked: Vec<Asked>,
    filters: Vec<Rc<Expr>>,
    groups: Vec<Rc<Expr>>,
    having: Vec<Rc<Expr>>,
    orders: Vec<Rc<Expr>>,
    limit: Option<usize>,
    offset: usize,
    distinct: bool,
}

/// A query. With a world it is `session.query(...)`, without one `select(...)`.
pub struct Statement {
    world: Option<Arc<World>>,
    parts: Parts,
}

const STEPS: [&str; 11] = [
    "filter",
    "where",
    "filter_by",
    "group_by",
    "having",
    "order_by",
    "limit",
    "offset",
    "distinct",
    "select_from",
    "with_entities",
];
const ENDS: [&str; 7] = ["all", "first", "one", "one_or_none", "scalar", "count", "__iter__"];

fn asked(value: &Value) -> PyResult<Asked> {
    match value {
        Value::Type(Type::Builtin(class)) if std::ptr::eq(*class, &raw const model::JOB) => Ok(Asked::Job),
        Value::Object(_) if value.downcast::<Element>().is_some() => Expr::of(value).map(Asked::Column),
        Value::Type(class) => Err(beyond(&format!("the table of {}", class.name().as_str()))),
        other => Err(beyond(&format!("a '{}' in the place of a column", other.type_name().as_str()))),
    }
}

/// `session.query(...)`
///
/// # Errors
/// `HostUnavailable` for tables that the world does not have.
pub fn query(world: &Arc<World>, args: &Args) -> PyResult<Value> {
    let asked = args.pos.iter().map(asked).collect::<PyResult<_>>()?;
    Ok(Value::object(Statement { world: Some(world.clone()), parts: Parts { asked, ..Parts::default() } }))
}

/// `select(...)`
///
/// # Errors
/// As [`query`].
pub fn select(args: &Args) -> PyResult<Value> {
    let asked = args.pos.iter().map(asked).collect::<PyResult<_>>()?;
    Ok(Value::object(Statement { world: None, parts: Parts { asked, ..Parts::default() } }))
}

/// The first column of the rows of a `select`, where the value is one.
pub fn first_columns(vm: &mut Vm, world: &Arc<World>, statement: &Value) -> Option<PyResult<Vec<Value>>> {
    let parts = statement.downcast::<Statement>()?.parts.clone();
    let rows = run(vm, world, &parts);
    Some(rows.and_then(|rows| rows.iter().map(|row| first_column(vm, row)).collect()))
}

fn count_argument(name: &str, args: &Args) -> PyResult<Option<usize>> {
    match args.pos.first() {
        Some(Value::Int(count)) => Ok(Some(usize::try_from(*count).unwrap_or(usize::MAX))),
        Some(Value::None) => Ok(None),
        _ => Err(beyond(&format!("{name}() of what is no int"))),
    }
}

impl Statement {
    /// One step more.
    fn step(&self, vm: &mut Vm, name: &str, args: Args) -> PyResult<Value> {
        let mut parts = self.parts.clone();
        let expressions = || args.pos.iter().map(Expr::of).collect::<PyResult<Vec<_>>>();
        match name {
            "filter" | "where" => parts.filters.extend(expressions()?),
            "filter_by" => {
                for (name, value) in &args.kw {
                    let Some(field) = Field::named(name.as_str()) else {
                        return Err(beyond(&format!("the column '{}'", name.as_str())));
                    };
                    let column = Rc::new(Expr::Column(field));
                    parts.filters.push(Rc::new(match value {
                        Value::None => Expr::Is(column, Sql::Null, false),
                        value => Expr::Compare(CompareOp::Eq, column, Expr::of(value)?),
                    }));
                }
            }
            "group_by" => parts.groups.extend(expressions()?),
            "having" => parts.having.extend(expressions()?),
            "order_by" => parts.orders.extend(expressions()?),
            "limit" => parts.limit = count_argument(name, &args)?,
            "offset" => parts.offset = count_argument(name, &args)?.unwrap_or(0),
            "distinct" if args.pos.is_empty() => parts.distinct = true,
            // There is one table.
            "select_from" => {}
            "with_entities" => parts.asked = args.pos.iter().map(asked).collect::<PyResult<_>>()?,
            other => return Err(beyond(&format!("the step '{other}'"))),
        }
        vm.charge(1)?;
        Ok(Value::object(Self { world: self.world.clone(), parts }))
    }

    /// Runs the query and gives what the end asks for.
    fn end(&self, vm: &mut Vm, name: &str) -> PyResult<Value> {
        let Some(world) = &self.world else {
            return Err(type_error(format!("'Select' object has no attribute '{name}'")));
        };
        let mut parts = self.parts.clone();
        if name == "first" {
            parts.limit = Some(parts.limit.map_or(1, |limit| limit.min(1)));
        }
        let rows = run(vm, world, &parts)?;
        match name {
            "all" => Ok(Value::list(rows)),
            "first" => Ok(rows.into_iter().next().unwrap_or(Value::None)),
            "one" => only(&rows, true),
            "one_or_none" => only(&rows, false),
            "scalar" => match only(&rows, true) {
                Ok(row) => first_column(vm, &row),
                Err(raised) if raised.is(&super::NO_RESULT_FOUND) => Ok(Value::None),
                Err(raised) => Err(raised),
            },
            "count" => Ok(Value::from_usize(rows.len())),
            _ => vm.iter(&Value::list(rows)),
        }
    }
}

impl Object for Statement {
    fn class(&self) -> &'static BuiltinType {
        if self.world.is_some() { &QUERY } else { &SELECT }
    }

    fn has_method(&self, name: &str) -> bool {
        STEPS.contains(&name) || self.world.is_some() && ENDS.contains(&name)
    }

    fn call_method(&self, vm: &mut Vm, _: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        if STEPS.contains(&name) {
            return Some(self.step(vm, name, std::mem::take(args)));
        }
        if self.has_method(name) {
            return Some(self.end(vm, name));
        }
        Some(Err(beyond(&format!("'{name}'"))))
    }

    fn iter(&self, vm: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        self.world.is_some().then(|| self.end(vm, "__iter__"))
    }
}

/// The groups of rows: one of all rows where nothing is grouped but something aggregated, one a row where neither.
fn grouped<'a>(parts: &Parts, rows: Vec<Placed<'a>>) -> PyResult<Vec<Vec<Placed<'a>>>> {
    let aggregates = parts.asked.iter().any(|asked| matches!(asked, Asked::Column(column) if column.aggregates()))
        || parts.orders.iter().chain(&parts.having).any(|expression| expression.aggregates());
    if parts.groups.is_empty() {
        return Ok(if aggregates { vec![rows] } else { rows.into_iter().map(|row| vec![row]).collect() });
    }
    let mut keyed = Vec::with_capacity(rows.len());
    for row in rows {
        let key: Vec<Sql> = parts.groups.iter().map(|group| evaluate::value(group, &[row])).collect::<PyResult<_>>()?;
        keyed.push((key, row));
    }
    // SQLite sorts to group.
    keyed.sort_by(|(a, _), (b, _)| compared(a, b));
    let mut groups: Vec<(Vec<Sql>, Vec<Placed<'a>>)> = Vec::new();
    for (key, row) in keyed {
        match groups.last_mut() {
            Some((last, rows)) if compared(last, &key).is_eq() => rows.push(row),
            _ => groups.push((key, vec![row])),
        }
    }
    Ok(groups.into_iter().map(|(_, rows)| rows).collect())
}

fn compared(a: &[Sql], b: &[Sql]) -> Ordering {
    a.iter().zip(b).map(|(a, b)| evaluate::order(a, b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// Refuses columns that have no one value for a group: databases differ in what they give.
fn check_columns(parts: &Parts) -> PyResult<()> {
    let columns = || {
        parts.asked.iter().filter_map(|asked| match asked {
            Asked::Column(column) => Some(column),
            Asked::Job => None,
        })
    };
    if parts.groups.is_empty() && !columns().any(|column| column.aggregates()) {
        return Ok(());
    }
    let mut known = Vec::new();
    parts.groups.iter().for_each(|group| group.columns(&mut known));
    let mut used = Vec::new();
    columns().chain(&parts.orders).for_each(|column| column.columns(&mut used));
    let whole = parts.asked.iter().any(|asked| matches!(asked, Asked::Job));
    // The primary key determines all other columns.
    if !known.contains(&Field::Id) && (whole || used.iter().any(|field| !known.contains(field))) {
        return Err(beyond("a column beside aggregates that is not grouped by"));
    }
    Ok(())
}

/// Runs a query.
fn run(vm: &mut Vm, world: &Arc<World>, parts: &Parts) -> PyResult<Vec<Value>> {
    check_columns(parts)?;
    let mut rows: Vec<Placed<'_>> = Vec::new();
    vm.charge(world.jobs.len().saturating_mul(1 + parts.filters.len()))?;
    'rows: for row in world.jobs.iter().enumerate() {
        for filter in &parts.filters {
            if !evaluate::passes(filter, &[row])? {
                continue 'rows;
            }
        }
        rows.push(row);
    }
    let mut groups = grouped(parts, rows)?;
    for condition in &parts.having {
        let mut kept = Vec::with_capacity(groups.len());
        for group in groups {
            if evaluate::passes(condition, &group)? {
                kept.push(group);
            }
        }
        groups = kept;
    }
    if !parts.orders.is_empty() {
        let mut keyed = Vec::with_capacity(groups.len());
        for group in groups {
            let keys: Vec<Sql> =
                parts.orders.iter().map(|order| evaluate::value(order, &group)).collect::<PyResult<_>>()?;
            keyed.push((keys, group));
        }
        keyed.sort_by(|(a, _), (b, _)| {
            let ordered = parts.orders.iter().zip(a.iter().zip(b)).map(|(order, (a, b))| match &**order {
                Expr::Order(_, true) => evaluate::order(b, a),
                _ => evaluate::order(a, b),
            });
            ordered.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        });
        groups = keyed.into_iter().map(|(_, group)| group).collect();
    }
    let names: Rc<[Option<Rc<str>>]> = names(parts).into();
    let mut seen: Vec<Vec<Sql>> = Vec::new();
    let mut found = Vec::new();
    for group in &groups {
        let mut key = Vec::with_capacity(parts.asked.len());
        for asked in &parts.asked {
            match asked {
                Asked::Job => {
                    let Some((index, row)) = group.first() else { continue };
                    key.extend(FIELDS.iter().map(|field| field.of(*index, row)));
                }
                Asked::Column(column) => key.push(evaluate::value(column, group)?),
            }
        }
        if parts.distinct {
            vm.charge(seen.len())?;
            if seen.iter().any(|known| compared(known, &key).is_eq()) {
                continue;
            }
            seen.push(key.clone());
        }
        found.push((key, group));
    }
    let rows = found.into_iter().skip(parts.offset).take(parts.limit.unwrap_or(usize::MAX));
    Ok(rows.map(|(key, group)| row_value(parts, &names, key, group)).collect())
}

/// The names of the columns that have one: functions without a label do not.
fn names(parts: &Parts) -> Vec<Option<Rc<str>>> {
    let name = |asked: &Asked| match asked {
        Asked::Job => Some(Rc::from("Job")),
        Asked::Column(column) if matches!(**column, Expr::Aggregate(..)) => None,
        Asked::Column(column) => column.name(),
    };
    parts.asked.iter().map(name).collect()
}

/// A job where only that is asked for, else a row.
fn row_value(parts: &Parts, names: &Rc<[Option<Rc<str>>]>, key: Vec<Sql>, group: &[Placed<'_>]) -> Value {
    let job = || match group.first() {
        Some((index, row)) => Value::object(StoredJob { index: *index, row: (*row).clone() }),
        None => Value::None,
    };
    if let [Asked::Job] = parts.asked.as_slice() {
        return job();
    }
    let mut cells = key.into_iter();
    let mut values = Vec::with_capacity(parts.asked.len());
    for asked in &parts.asked {
        match asked {
            Asked::Job => {
                cells.by_ref().take(FIELDS.len()).for_each(drop);
                values.push(job());
            }
            Asked::Column(_) => values.push(cells.next().map_or(Value::None, |cell| cell.to_value())),
        }
    }
    Value::object(Row { names: names.clone(), values: Value::tuple(values) })
}
