//! `session.query(...)` and `select(...)`: what is built step by step, and run at the end.

use std::cmp::Ordering;
use std::rc::Rc;
use std::sync::Arc;

use super::columns::Field;
use super::element::{Element, expressions};
use super::evaluate::{self, Evaluator, Placed};
use super::expression::{Expr, Sql};
use super::result::only;
use super::rows::{Row, StoredJob, first_column};
use super::{argument_error, beyond, invalid_request};
use crate::galaxy::modules::model;
use crate::galaxy::world::World;
use tpv_python::args::Args;
use tpv_python::exception::{PyResult, type_error};
use tpv_python::object::Object;
use tpv_python::types::{BuiltinType, OBJECT};
use tpv_python::value::Value;
use tpv_python::vm::{CompareOp, Vm};

static QUERY: BuiltinType = BuiltinType::new("Query", "sqlalchemy.orm.query", &OBJECT);
static SELECT: BuiltinType = BuiltinType::new("Select", "sqlalchemy.sql.selectable", &OBJECT);

/// What is asked for in one place: a whole job or an expression.
#[derive(Clone)]
pub enum Asked {
    /// A job.
    Job,
    /// An expression.
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

/// What makes another query of a query.
pub const STEPS: &[&str] =
    &["distinct", "filter", "filter_by", "group_by", "having", "limit", "offset", "order_by", "select_from", "where"];

/// What runs a query.
pub const QUERY_ENDS: &[&str] = &["__iter__", "all", "count", "first", "one", "one_or_none", "scalar"];

/// What SQLAlchemy's queries and statements have beside that.
pub const UNANSWERED: &[&str] = &[
    "add_columns",
    "alias",
    "as_scalar",
    "autoflush",
    "correlate",
    "cte",
    "delete",
    "enable_eagerloads",
    "except_",
    "execution_options",
    "exists",
    "from_statement",
    "get",
    "intersect",
    "join",
    "join_from",
    "label",
    "lateral",
    "options",
    "outerjoin",
    "outerjoin_from",
    "params",
    "populate_existing",
    "scalar_subquery",
    "slice",
    "subquery",
    "union",
    "union_all",
    "update",
    "value",
    "values",
    "with_entities",
    "with_for_update",
    "with_only_columns",
    "with_session",
    "yield_per",
];

/// Whether a value is the class of jobs.
pub fn is_job(value: &Value) -> bool {
    matches!(value, Value::Type(class) if std::ptr::eq(*class, &raw const model::JOB))
}

fn asked(value: &Value) -> PyResult<Vec<Asked>> {
    match value {
        value if is_job(value) => Ok(vec![Asked::Job]),
        Value::Object(_) if value.downcast::<Element>().is_some() => Ok(vec![Asked::Column(Expr::of(value))]),
        Value::Type(class) => Err(beyond(&format!("the table of {}", class.name))),
        Value::Object(_) => Err(beyond(&format!("a '{}' in the place of a column", value.type_name().as_str()))),
        other => Err(argument_error(format!(
            "Column expression, FROM clause, or other columns clause element expected, got a '{}'.",
            other.type_name().as_str()
        ))),
    }
}

fn all_asked(args: &Args) -> PyResult<Vec<Asked>> {
    let asked: PyResult<Vec<Vec<Asked>>> = args.pos.iter().map(asked).collect();
    Ok(asked?.into_iter().flatten().collect())
}

/// `session.query(...)`
///
/// # Errors
/// `HostUnavailable` for tables that the world does not have.
pub fn query(world: &Arc<World>, args: &Args) -> PyResult<Value> {
    let asked = all_asked(args)?;
    Ok(Value::object(Statement { world: Some(world.clone()), parts: Parts { asked, ..Parts::default() } }))
}

/// `select(...)`
///
/// # Errors
/// As [`query`].
pub fn select(args: &Args) -> PyResult<Value> {
    let asked = all_asked(args)?;
    Ok(Value::object(Statement { world: None, parts: Parts { asked, ..Parts::default() } }))
}

/// What a `select` gave.
pub struct Selected {
    /// Its rows.
    pub rows: Vec<Value>,
    /// The names of their cells.
    pub names: Rc<[Rc<str>]>,
}

/// The rows of a `select`, and the names of their cells, where the value is one.
pub fn rows_of(vm: &mut Vm, world: &Arc<World>, statement: &Value) -> Option<PyResult<Selected>> {
    let statement = statement.downcast::<Statement>()?;
    Some(run(vm, world, &statement.parts).map(|rows| {
        let names = names(&statement.parts);
        // A job that is asked for alone is a row of one cell here.
        let row = |value: Value| match value.downcast::<Row>() {
            Some(_) => value,
            None => Value::object(Row { names: names.clone(), values: Value::tuple(vec![value]) }),
        };
        Selected { rows: rows.into_iter().map(row).collect(), names: names.clone() }
    }))
}

fn count_argument(name: &str, given: Option<&Value>) -> PyResult<Option<usize>> {
    match given {
        Some(Value::Int(count)) => Ok(Some(usize::try_from(*count).unwrap_or(usize::MAX))),
        Some(Value::None) => Ok(None),
        _ => Err(beyond(&format!("{name}() of what is no int"))),
    }
}

impl Statement {
    /// One step more.
    fn step(&self, vm: &mut Vm, name: &str, args: Args) -> PyResult<Value> {
        let mut parts = self.parts.clone();
        match name {
            "filter" | "where" | "having" => {
                if args
                    .pos
                    .iter()
                    .any(|value| value.downcast::<Element>().is_none() && !matches!(value, Value::Bool(_)))
                {
                    return Err(beyond(&format!("these conditions of {name}()")));
                }
                let conditions = if name == "having" { &mut parts.having } else { &mut parts.filters };
                conditions.extend(expressions(&args).iter().cloned());
            }
            "filter_by" => {
                for (name, value) in &args.kw {
                    let Some(field) = Field::named(name.as_str()) else {
                        return Err(self.no_property(name.as_str()));
                    };
                    let column = Rc::new(Expr::Column(field));
                    parts.filters.push(Rc::new(match value {
                        Value::None => Expr::Is(column, Expr::of(value), false),
                        value => Expr::Compare(CompareOp::Eq, column, Expr::of(value)),
                    }));
                }
            }
            "group_by" => parts.groups.extend(args.pos.iter().map(Expr::ordered)),
            "order_by" => parts.orders.extend(args.pos.iter().map(Expr::ordered)),
            "limit" => parts.limit = count_argument(name, args.pos.first())?,
            "offset" => parts.offset = count_argument(name, args.pos.first())?.unwrap_or(0),
            "distinct" if args.pos.is_empty() => parts.distinct = true,
            "select_from" if args.pos.iter().all(super::element::of_table) => {}
            other => return Err(beyond(&format!("these arguments of {other}()"))),
        }
        vm.charge(1)?;
        Ok(Value::object(Self { world: self.world.clone(), parts }))
    }

    fn no_property(&self, name: &str) -> tpv_python::exception::Raised {
        let entity = match self.parts.asked.first() {
            Some(Asked::Column(column)) => match &**column {
                Expr::Column(field) => format!("job.{}", field.name()),
                _ => return beyond(&format!("the column '{name}'")),
            },
            _ => "Job".to_owned(),
        };
        invalid_request(format!("Entity namespace for \"{entity}\" has no property \"{name}\""))
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

/// The job with an id; `None` where there is none.
///
/// # Errors
/// `HostUnavailable` for what is no id.
pub fn job_by_id(vm: &mut Vm, world: &Arc<World>, id: &Value) -> PyResult<Value> {
    let filter = Rc::new(Expr::Compare(CompareOp::Eq, Rc::new(Expr::Column(Field::ID)), Expr::of(id)));
    let parts = Parts { asked: vec![Asked::Job], filters: vec![filter], ..Parts::default() };
    Ok(run(vm, world, &parts)?.into_iter().next().unwrap_or(Value::None))
}

impl Object for Statement {
    fn class(&self) -> &'static BuiltinType {
        if self.world.is_some() { &QUERY } else { &SELECT }
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        if UNANSWERED.contains(&name) { Err(beyond(&format!("{name}()"))) } else { Ok(None) }
    }

    fn has_method(&self, name: &str) -> bool {
        STEPS.contains(&name) || self.world.is_some() && QUERY_ENDS.contains(&name)
    }

    fn call_method(&self, vm: &mut Vm, _: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        if !self.has_method(name) {
            return None;
        }
        let args = std::mem::take(args);
        Some(if QUERY_ENDS.contains(&name) { self.end(vm, name) } else { self.step(vm, name, args) })
    }

    fn get_item(&self, vm: &mut Vm, key: &Value) -> PyResult<Value> {
        if self.world.is_none() {
            return Err(type_error("'Select' object is not subscriptable"));
        }
        let all = self.end(vm, "all")?;
        vm.get_item(&all, key)
    }

    fn iter(&self, vm: &mut Vm, _: &Value) -> Option<PyResult<Value>> {
        self.world.is_some().then(|| self.end(vm, "__iter__"))
    }
}

/// An expression of `ORDER BY` or `GROUP BY` with the name replaced by what is asked for under it.
fn resolved(parts: &Parts, expression: &Rc<Expr>) -> Rc<Expr> {
    match &**expression {
        Expr::Named(name) => {
            let mut columns = parts.asked.iter().filter_map(|asked| match asked {
                Asked::Column(column) if column.name().as_deref() == Some(&**name) => Some(column.clone()),
                _ => None,
            });
            columns.next_back().unwrap_or_else(|| expression.clone())
        }
        Expr::Order(inner, descending) => Rc::new(Expr::Order(resolved(parts, inner), *descending)),
        _ => expression.clone(),
    }
}

/// The groups of rows: one of all rows where nothing is grouped but something aggregated, one a row where neither.
fn grouped<'a>(evaluator: &mut Evaluator<'_>, parts: &Parts, rows: Vec<Placed<'a>>) -> PyResult<Vec<Vec<Placed<'a>>>> {
    let aggregates = parts.asked.iter().any(|asked| matches!(asked, Asked::Column(column) if column.aggregates()))
        || parts.orders.iter().chain(&parts.having).any(|expression| expression.aggregates());
    if parts.groups.is_empty() {
        return Ok(if aggregates { vec![rows] } else { rows.into_iter().map(|row| vec![row]).collect() });
    }
    let mut keyed = Vec::with_capacity(rows.len());
    for row in rows {
        let key: Vec<Sql> = parts.groups.iter().map(|group| evaluator.value(group, &[row])).collect::<PyResult<_>>()?;
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
    if !known.contains(&Field::ID) && (whole || used.iter().any(|field| !known.contains(field))) {
        return Err(beyond("a column beside aggregates that is not grouped by"));
    }
    Ok(())
}

/// Runs a query.
fn run(vm: &mut Vm, world: &Arc<World>, parts: &Parts) -> PyResult<Vec<Value>> {
    let mut parts = parts.clone();
    parts.groups = parts.groups.iter().map(|group| resolved(&parts, group)).collect();
    parts.orders = parts.orders.iter().map(|order| resolved(&parts, order)).collect();
    check_columns(&parts)?;
    // Which rows there are depends on aggregates, which what is not answered may hold.
    for asked in &parts.asked {
        if let Asked::Column(column) = asked
            && let Some(what) = column.unanswered()
        {
            return Err(beyond(what));
        }
    }
    vm.charge(world.jobs.len().saturating_mul(1 + parts.filters.len()))?;
    let evaluator = &mut Evaluator { vm };
    let mut rows: Vec<Placed<'_>> = Vec::new();
    for row in world.jobs.iter().enumerate() {
        if evaluator.passes(&parts.filters, &[row])? {
            rows.push(row);
        }
    }
    let mut groups = grouped(evaluator, &parts, rows)?;
    if !parts.having.is_empty() {
        let mut kept = Vec::with_capacity(groups.len());
        for group in groups {
            if evaluator.passes(&parts.having, &group)? {
                kept.push(group);
            }
        }
        groups = kept;
    }
    if !parts.orders.is_empty() {
        let mut keyed = Vec::with_capacity(groups.len());
        for group in groups {
            let keys: Vec<Sql> =
                parts.orders.iter().map(|order| evaluator.value(order, &group)).collect::<PyResult<_>>()?;
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
    let mut seen: Vec<Vec<Sql>> = Vec::new();
    let mut found = Vec::new();
    for group in &groups {
        let mut key = Vec::with_capacity(parts.asked.len());
        for asked in &parts.asked {
            key.push(match asked {
                // The place of a job stands for all of it.
                Asked::Job => evaluator.value(&Expr::Column(Field::ID), group)?,
                Asked::Column(column) => evaluator.value(column, group)?,
            });
        }
        if parts.distinct {
            evaluator.vm.charge(seen.len())?;
            if seen.iter().any(|known| compared(known, &key).is_eq()) {
                continue;
            }
            seen.push(key.clone());
        }
        found.push((key, group));
    }
    let names = names(&parts);
    let rows = found.into_iter().skip(parts.offset).take(parts.limit.unwrap_or(usize::MAX));
    Ok(rows.map(|(key, group)| row_value(&parts, &names, key, group)).collect())
}

/// The names of the cells, each once: a second `count` is `count_1`.
fn names(parts: &Parts) -> Rc<[Rc<str>]> {
    let mut names: Vec<Rc<str>> = Vec::with_capacity(parts.asked.len());
    for (index, asked) in parts.asked.iter().enumerate() {
        let name = match asked {
            Asked::Job => Rc::from("Job"),
            Asked::Column(column) => column.name().unwrap_or_else(|| format!("anon_{}", index + 1).into()),
        };
        let again = names.iter().filter(|known| **known == name).count();
        names.push(if again == 0 { name } else { format!("{name}_{again}").into() });
    }
    names.into()
}

/// A job where only that is asked for, else a row.
fn row_value(parts: &Parts, names: &Rc<[Rc<str>]>, key: Vec<Sql>, group: &[Placed<'_>]) -> Value {
    let job = || match group.first() {
        Some((index, row)) => Value::object(StoredJob { index: *index, row: (*row).clone() }),
        None => Value::None,
    };
    if let [Asked::Job] = parts.asked.as_slice() {
        return job();
    }
    let values = parts.asked.iter().zip(&key).map(|(asked, cell)| match asked {
        Asked::Job => job(),
        Asked::Column(column) => evaluate::to_value(column, cell),
    });
    Value::object(Row { names: names.clone(), values: Value::tuple(values.collect()) })
}
