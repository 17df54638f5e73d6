//! Computing expressions over rows, as SQLite does.

use std::cmp::Ordering;
use std::rc::Rc;

use super::beyond;
use super::expression::{Aggregate, Expr, Field, Sql};
use crate::galaxy::world::JobRow;
use crate::python::exception::PyResult;
use crate::python::vm::CompareOp;

/// A row of the table with its place.
pub type Placed<'a> = (usize, &'a JobRow);

/// The order of SQLite: NULL first, then numbers, then texts.
pub fn order(a: &Sql, b: &Sql) -> Ordering {
    let class = |value: &Sql| match value {
        Sql::Null => 0,
        Sql::Int(_) | Sql::Real(_) => 1,
        Sql::Text(_) => 2,
    };
    #[expect(clippy::cast_precision_loss, reason = "SQLite compares such a pair as closely, but for ints beyond 2**53")]
    match (a, b) {
        (Sql::Int(a), Sql::Int(b)) => a.cmp(b),
        (Sql::Int(a), Sql::Real(b)) => (*a as f64).partial_cmp(b).unwrap_or(Ordering::Equal),
        (Sql::Real(a), Sql::Int(b)) => a.partial_cmp(&(*b as f64)).unwrap_or(Ordering::Equal),
        (Sql::Real(a), Sql::Real(b)) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
        (Sql::Text(a), Sql::Text(b)) => a.cmp(b),
        _ => class(a).cmp(&class(b)),
    }
}

/// The value as a column of that affinity takes it for a comparison.
fn adapted(value: &Sql, column: Option<Field>) -> Sql {
    match (column.map(Field::is_text), value) {
        (Some(true), Sql::Int(value)) => Sql::Text(value.to_string().into()),
        (Some(true), Sql::Real(value)) => Sql::Text(crate::python::number::float_text::repr(*value).into()),
        (Some(false), Sql::Text(text)) => match text.trim().parse::<i64>() {
            Ok(value) => Sql::Int(value),
            Err(_) => text.trim().parse().map_or_else(|_| value.clone(), Sql::Real),
        },
        _ => value.clone(),
    }
}

fn field_of(expression: &Expr) -> Option<Field> {
    match expression {
        Expr::Column(field) => Some(*field),
        Expr::Label(inner, _) | Expr::Distinct(inner) => field_of(inner),
        _ => None,
    }
}

fn truth(value: &Sql) -> Option<bool> {
    match value {
        Sql::Null => None,
        Sql::Int(value) => Some(*value != 0),
        Sql::Real(value) => Some(*value != 0.0),
        Sql::Text(text) => Some(text.trim().parse::<f64>().is_ok_and(|value| value != 0.0)),
    }
}

fn from_truth(value: Option<bool>) -> Sql {
    value.map_or(Sql::Null, |value| Sql::Int(i64::from(value)))
}

/// Whether a row passes a condition.
///
/// # Errors
/// As [`value`].
pub fn passes(condition: &Expr, rows: &[Placed<'_>]) -> PyResult<bool> {
    Ok(truth(&value(condition, rows)?) == Some(true))
}

/// The value of an expression for a group of rows; columns are of its first row.
///
/// # Errors
/// `HostUnavailable` for expressions that have no value of their own.
pub fn value(expression: &Expr, rows: &[Placed<'_>]) -> PyResult<Sql> {
    Ok(match expression {
        Expr::Column(field) => rows.first().map_or(Sql::Null, |(index, row)| field.of(*index, row)),
        Expr::Literal(literal) => literal.clone(),
        Expr::Label(inner, _) | Expr::Distinct(inner) | Expr::Order(inner, _) => value(inner, rows)?,
        Expr::Aggregate(function, inner, distinct) => aggregate(*function, inner.as_deref(), *distinct, rows)?,
        Expr::Compare(op, a, b) => {
            let (x, y) = (value(a, rows)?, value(b, rows)?);
            let (x, y) = (adapted(&x, field_of(b)), adapted(&y, field_of(a)));
            if matches!(x, Sql::Null) || matches!(y, Sql::Null) {
                return Ok(Sql::Null);
            }
            let order = order(&x, &y);
            from_truth(Some(match op {
                CompareOp::Lt => order.is_lt(),
                CompareOp::Le => order.is_le(),
                CompareOp::Eq => order.is_eq(),
                CompareOp::Ne => order.is_ne(),
                CompareOp::Gt => order.is_gt(),
                CompareOp::Ge => order.is_ge(),
            }))
        }
        Expr::Is(inner, wanted, not) => {
            let same = order(&value(inner, rows)?, &adapted(wanted, field_of(inner))).is_eq();
            from_truth(Some(same != *not))
        }
        Expr::In(inner, wanted, not) => {
            let found = value(inner, rows)?;
            if wanted.is_empty() {
                return Ok(from_truth(Some(*not)));
            }
            if matches!(found, Sql::Null) {
                return Ok(Sql::Null);
            }
            let column = field_of(inner);
            let holds = wanted.iter().any(|one| order(&found, &adapted(one, column)).is_eq());
            let known = holds || !wanted.iter().any(|one| matches!(one, Sql::Null));
            from_truth(known.then_some(holds != *not))
        }
        Expr::Like(inner, pattern, not) => {
            let (Some(text), Some(pattern)) = (text_of(&value(inner, rows)?), text_of(pattern)) else {
                return Ok(Sql::Null);
            };
            let (text, pattern): (Vec<char>, Vec<char>) = (folded(&text), folded(&pattern));
            from_truth(Some(like(&text, &pattern) != *not))
        }
        Expr::And(parts) => logic(parts, rows, false)?,
        Expr::Or(parts) => logic(parts, rows, true)?,
        Expr::Not(inner) => from_truth(truth(&value(inner, rows)?).map(|value| !value)),
    })
}

/// `AND` and `OR` of three values: `decisive` is the value that decides whatever the others are.
fn logic(parts: &[Rc<Expr>], rows: &[Placed<'_>], decisive: bool) -> PyResult<Sql> {
    let mut unknown = false;
    for part in parts {
        match truth(&value(part, rows)?) {
            Some(value) if value == decisive => return Ok(from_truth(Some(decisive))),
            Some(_) => {}
            None => unknown = true,
        }
    }
    Ok(from_truth((!unknown).then_some(!decisive)))
}

fn text_of(value: &Sql) -> Option<String> {
    match value {
        Sql::Null => None,
        Sql::Int(value) => Some(value.to_string()),
        Sql::Real(value) => Some(crate::python::number::float_text::repr(*value)),
        Sql::Text(text) => Some(text.to_string()),
    }
}

fn folded(text: &str) -> Vec<char> {
    text.chars().map(|char| char.to_ascii_lowercase()).collect()
}

/// Whether a text matches a pattern with `%` and `_`.
fn like(text: &[char], pattern: &[char]) -> bool {
    let (mut at, mut in_pattern) = (0, 0);
    // Where the last `%` was, and how much of the text it has taken.
    let mut back: Option<(usize, usize)> = None;
    while at < text.len() {
        match pattern.get(in_pattern) {
            Some('%') => {
                back = Some((in_pattern, at));
                in_pattern += 1;
            }
            Some(char) if *char == '_' || text.get(at) == Some(char) => {
                at += 1;
                in_pattern += 1;
            }
            _ => {
                let Some((percent, taken)) = back else { return false };
                back = Some((percent, taken + 1));
                in_pattern = percent + 1;
                at = taken + 1;
            }
        }
    }
    pattern.get(in_pattern..).unwrap_or_default().iter().all(|char| *char == '%')
}

#[expect(clippy::cast_precision_loss, reason = "averages are floats")]
fn aggregate(function: Aggregate, inner: Option<&Expr>, distinct: bool, rows: &[Placed<'_>]) -> PyResult<Sql> {
    let Some(inner) = inner else {
        return Ok(Sql::Int(i64::try_from(rows.len()).unwrap_or(i64::MAX)));
    };
    let mut distinct = distinct;
    if let Expr::Distinct(_) = inner {
        distinct = true;
    }
    let mut values = Vec::with_capacity(rows.len());
    for row in rows {
        match value(inner, std::slice::from_ref(row))? {
            Sql::Null => {}
            found => values.push(found),
        }
    }
    if distinct {
        values.sort_by(order);
        values.dedup_by(|a, b| order(a, b).is_eq());
    }
    let numbers = || -> PyResult<Vec<f64>> {
        let number = |value: &Sql| match value {
            Sql::Int(value) => Ok(*value as f64),
            Sql::Real(value) => Ok(*value),
            _ => Err(beyond("sums of texts")),
        };
        values.iter().map(number).collect()
    };
    Ok(match function {
        Aggregate::Count => Sql::Int(i64::try_from(values.len()).unwrap_or(i64::MAX)),
        Aggregate::Max => values.into_iter().max_by(order).unwrap_or(Sql::Null),
        Aggregate::Min => values.into_iter().min_by(order).unwrap_or(Sql::Null),
        _ if values.is_empty() => Sql::Null,
        Aggregate::Average => Sql::Real(numbers()?.iter().sum::<f64>() / values.len() as f64),
        Aggregate::Sum => {
            let ints = values.iter().try_fold(0_i64, |sum, value| match value {
                Sql::Int(value) => sum.checked_add(*value),
                _ => None,
            });
            match ints {
                Some(sum) => Sql::Int(sum),
                None => Sql::Real(numbers()?.iter().sum()),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let matches = |text: &str, pattern: &str| like(&folded(text), &folded(pattern));
        assert!(matches("Fastp/1.0", "fast%"));
        assert!(matches("abc", "_b_"));
        assert!(matches("aXbXc", "%x%x%"));
        assert!(!matches("abc", "a%d"));
        assert!(!matches("", "_"));
        assert!(matches("", "%"));
    }
}
