//! Computing expressions over rows, as SQLite does.

use std::borrow::Cow;
use std::rc::Rc;

use super::beyond;
use super::columns::{Column, Kind};
use super::expression::{Aggregate, Expr, Sql};
use super::like::Like;
use crate::job_table::JobRow;
use tpv_python::args::Args;
use tpv_python::exception::PyResult;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

/// A row of the table.
#[derive(Clone, Copy)]
pub(super) struct Placed<'a> {
    /// Its place.
    pub place: usize,
    /// The row.
    pub row: &'a JobRow,
    /// The number of jobs that it stands for.
    pub jobs: usize,
}

/// The value as a comparison with this column takes it: numbers are texts to a column of texts, and texts numbers to one of
/// numbers.
fn adapted<'a>(value: Sql<'a>, column: Option<&Column>) -> PyResult<Sql<'a>> {
    Ok(match (column.map(|column| column.kind), value) {
        (Some(Kind::Text), Sql::Int(value)) => Sql::Text(value.to_string().into()),
        (Some(Kind::Number | Kind::Truth), Sql::Text(text)) => match text.trim().parse::<i64>() {
            Ok(value) => Sql::Int(value),
            Err(_) if text.trim().parse::<f64>().is_ok() => return Err(beyond("a number that isn't an integer")),
            Err(_) => Sql::Text(text),
        },
        (_, value) => value,
    })
}

/// Returns `true` if a row satisfies all conditions.
///
/// # Errors
/// As [`value`].
pub(super) fn passes(vm: &mut Vm, conditions: &[Rc<Expr>], row: Placed<'_>) -> PyResult<bool> {
    for condition in conditions {
        if holds(vm, condition, &[row])? != Some(true) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The value of an expression for a group of rows; columns are of its first row.
///
/// # Errors
/// `HostUnavailable` for what SQLite would do with texts as numbers, and what Python's patterns raise.
pub(super) fn value<'a>(vm: &mut Vm, expression: &'a Expr, rows: &[Placed<'a>]) -> PyResult<Sql<'a>> {
    Ok(match expression {
        Expr::Column(column) => rows.first().map_or(Sql::Null, |placed| column.of(placed.row)),
        Expr::Literal(literal) => literal.borrowed(),
        Expr::Named(name) => return Err(beyond(&format!("the name '{name}'"))),
        Expr::Label(inner, _) | Expr::Distinct(inner) | Expr::Order(inner, _) => value(vm, inner, rows)?,
        Expr::Aggregate(function, inner) => aggregate(vm, *function, inner.as_deref(), rows)?,
        Expr::Compare(..)
        | Expr::Is(..)
        | Expr::In(..)
        | Expr::Like(..)
        | Expr::Regex(..)
        | Expr::And(_)
        | Expr::Or(_)
        | Expr::Not(_) => holds(vm, expression, rows)?.map_or(Sql::Null, |truth| Sql::Int(i64::from(truth))),
    })
}

/// Returns whether a condition holds for a group of rows; `None` for SQL's unknown.
///
/// # Errors
/// As [`value`].
fn holds(vm: &mut Vm, condition: &Expr, rows: &[Placed<'_>]) -> PyResult<Option<bool>> {
    Ok(match condition {
        Expr::Compare(op, a, b) => {
            let (x, y) = (value(vm, a, rows)?, value(vm, b, rows)?);
            if x == Sql::Null || y == Sql::Null {
                return Ok(None);
            }
            let (x, y) = (adapted(x, b.column())?, adapted(y, a.column())?);
            Some(op.holds(x.cmp(&y)))
        }
        Expr::Is(inner, wanted, not) => {
            let same = value(vm, inner, rows)? == adapted(wanted.borrowed(), inner.column())?;
            Some(same != *not)
        }
        Expr::In(inner, wanted, not) => is_in(&value(vm, inner, rows)?, wanted, inner.column(), *not)?,
        Expr::Like(inner, pattern, not) => match text_of(value(vm, inner, rows)?) {
            None => None,
            Some(text) => {
                vm.visit(text.len(), 8)?;
                Some(Like::new(pattern).matches(&text) != *not)
            }
        },
        Expr::Regex(inner, pattern) => match text_of(value(vm, inner, rows)?) {
            None => None,
            Some(text) => Some(!vm.call_method(pattern, "search", Args::one(Value::str(&*text)))?.is_none()),
        },
        Expr::And(parts) => logic(vm, parts, rows, false)?,
        Expr::Or(parts) => logic(vm, parts, rows, true)?,
        Expr::Not(inner) => holds(vm, inner, rows)?.map(|value| !value),
        other => match value(vm, other, rows)? {
            Sql::Null => None,
            Sql::Int(value) => Some(value != 0),
            Sql::Text(_) => return Err(beyond("a text as a condition")),
        },
    })
}

/// `AND` and `OR` of three values: `decisive` is the value that decides whatever the others are.
fn logic(vm: &mut Vm, parts: &[Rc<Expr>], rows: &[Placed<'_>], decisive: bool) -> PyResult<Option<bool>> {
    let mut all_known = true;
    for part in parts {
        match holds(vm, part, rows)? {
            Some(value) if value == decisive => return Ok(Some(decisive)),
            Some(_) => {}
            None => all_known = false,
        }
    }
    Ok(all_known.then_some(!decisive))
}

fn aggregate<'a>(vm: &mut Vm, function: Aggregate, inner: Option<&'a Expr>, rows: &[Placed<'a>]) -> PyResult<Sql<'a>> {
    let count = |count: usize| Sql::Int(i64::try_from(count).unwrap_or(i64::MAX));
    let Some(inner) = inner else { return Ok(count(rows.iter().map(|row| row.jobs).sum())) };
    let mut values = Vec::with_capacity(rows.len());
    for row in rows {
        values.push((value(vm, inner, std::slice::from_ref(row))?, row.jobs));
    }
    values.retain(|(value, _)| *value != Sql::Null);
    if let Expr::Distinct(_) = inner {
        values.sort();
        values.dedup_by(|(one, _), (other, _)| one == other);
        values.iter_mut().for_each(|(_, jobs)| *jobs = 1);
    }
    Ok(match function {
        Aggregate::Count => count(values.iter().map(|(_, jobs)| jobs).sum()),
        Aggregate::Max => values.into_iter().map(|(value, _)| value).max().unwrap_or(Sql::Null),
        Aggregate::Min => values.into_iter().map(|(value, _)| value).min().unwrap_or(Sql::Null),
    })
}

fn is_in(found: &Sql<'_>, wanted: &[Sql<'_>], column: Option<&Column>, not: bool) -> PyResult<Option<bool>> {
    if wanted.is_empty() {
        return Ok(Some(not));
    }
    if *found == Sql::Null {
        return Ok(None);
    }
    let mut known = true;
    for one in wanted {
        let is_equal = match (one, found) {
            // Most are texts that a column of texts has.
            (Sql::Text(one), Sql::Text(found)) if column.is_some_and(|column| column.kind == Kind::Text) => {
                one == found
            }
            _ => adapted(one.borrowed(), column)? == *found,
        };
        if is_equal {
            return Ok(Some(!not));
        }
        known &= *one != Sql::Null;
    }
    Ok(known.then_some(not))
}

fn text_of(value: Sql<'_>) -> Option<Cow<'_, str>> {
    match value {
        Sql::Null => None,
        Sql::Int(value) => Some(value.to_string().into()),
        Sql::Text(text) => Some(text),
    }
}
