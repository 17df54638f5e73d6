//! Computing expressions over rows, as SQLite does.

use std::cmp::Ordering;
use std::rc::Rc;

use super::beyond;
use super::columns::Field;
use super::expression::{Aggregate, Expr, Function, Sql};
use crate::galaxy::world::JobRow;
use tpv_python::args::Args;
use tpv_python::exception::PyResult;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

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
        (Some(true), Sql::Real(value)) => Sql::Text(tpv_python::number::float_text::repr(*value).into()),
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

/// A cell as Python's value, where its column has a type of its own.
pub fn to_value(expression: &Expr, cell: &Sql) -> Value {
    match field_of(expression) {
        Some(field) => field.to_value(cell),
        None => cell.to_value(),
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

/// What expressions are computed with.
pub struct Evaluator<'a> {
    /// The machine, which is paid.
    pub vm: &'a mut Vm,
}

impl Evaluator<'_> {
    /// Whether a row passes all conditions. A condition without answer counts only where no other refuses the row.
    ///
    /// # Errors
    /// As [`Evaluator::value`].
    pub fn passes(&mut self, conditions: &[Rc<Expr>], rows: &[Placed<'_>]) -> PyResult<bool> {
        let mut unanswered = None;
        for condition in conditions {
            match self.value(condition, rows) {
                Ok(value) if truth(&value) != Some(true) => return Ok(false),
                Ok(_) => {}
                Err(raised) => unanswered = unanswered.or(Some(raised)),
            }
        }
        unanswered.map_or(Ok(true), Err)
    }

    /// The value of an expression for a group of rows; columns are of its first row.
    ///
    /// # Errors
    /// `HostUnavailable` for what the world does not know.
    pub fn value(&mut self, expression: &Expr, rows: &[Placed<'_>]) -> PyResult<Sql> {
        Ok(match expression {
            Expr::Column(field) => rows.first().map_or(Ok(Sql::Null), |(index, row)| field.of(*index, row))?,
            Expr::Literal(literal) => literal.clone(),
            Expr::Unanswered(what) => return Err(beyond(what)),
            Expr::Named(name) => return Err(beyond(&format!("the name '{name}'"))),
            Expr::Label(inner, _) | Expr::Distinct(inner) | Expr::Order(inner, _) => self.value(inner, rows)?,
            Expr::Aggregate(function, inner) => self.aggregate(*function, inner.as_deref(), rows)?,
            Expr::Call(function, parts) => {
                let values = parts.iter().map(|part| self.value(part, rows)).collect::<PyResult<Vec<_>>>()?;
                call(*function, values)?
            }
            Expr::Case(cases, other) => {
                for (condition, value) in cases.iter() {
                    if truth(&self.value(condition, rows)?) == Some(true) {
                        return self.value(value, rows);
                    }
                }
                match other {
                    Some(other) => self.value(other, rows)?,
                    None => Sql::Null,
                }
            }
            Expr::Compare(op, a, b) => {
                let (x, y) = (self.value(a, rows)?, self.value(b, rows)?);
                let (x, y) = (adapted(&x, field_of(b)), adapted(&y, field_of(a)));
                if matches!(x, Sql::Null) || matches!(y, Sql::Null) {
                    return Ok(Sql::Null);
                }
                from_truth(Some(op.holds(order(&x, &y))))
            }
            Expr::Is(inner, wanted, not) => {
                let (found, wanted) = (self.value(inner, rows)?, self.value(wanted, rows)?);
                let same = order(&found, &adapted(&wanted, field_of(inner))).is_eq();
                from_truth(Some(same != *not))
            }
            Expr::In(inner, wanted, not) => is_in(&self.value(inner, rows)?, wanted, field_of(inner), *not),
            Expr::Like(inner, pattern, not, escape) => {
                let (Some(text), Some(pattern)) = (text_of(&self.value(inner, rows)?), text_of(pattern)) else {
                    return Ok(Sql::Null);
                };
                self.vm.charge(text.len() / 8)?;
                let (text, pattern) = (folded(&text), wildcards(&pattern, *escape));
                from_truth(Some(like(&text, &pattern) != *not))
            }
            Expr::Regex(inner, pattern) => match text_of(&self.value(inner, rows)?) {
                None => Sql::Null,
                Some(text) => {
                    let found = self.vm.call_method(pattern, "search", Args::one(Value::str(text)))?;
                    from_truth(Some(!found.is_none()))
                }
            },
            Expr::And(parts) => self.logic(parts, rows, false)?,
            Expr::Or(parts) => self.logic(parts, rows, true)?,
            Expr::Not(inner) => from_truth(truth(&self.value(inner, rows)?).map(|value| !value)),
        })
    }

    /// `AND` and `OR` of three values: `decisive` is the value that decides whatever the others are, also where those have
    /// no answer.
    fn logic(&mut self, parts: &[Rc<Expr>], rows: &[Placed<'_>], decisive: bool) -> PyResult<Sql> {
        let (mut unknown, mut unanswered) = (false, None);
        for part in parts {
            match self.value(part, rows).map(|value| truth(&value)) {
                Ok(Some(value)) if value == decisive => return Ok(from_truth(Some(decisive))),
                Ok(Some(_)) => {}
                Ok(None) => unknown = true,
                Err(raised) => unanswered = unanswered.or(Some(raised)),
            }
        }
        match unanswered {
            Some(raised) => Err(raised),
            None => Ok(from_truth((!unknown).then_some(!decisive))),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "averages are floats")]
    fn aggregate(&mut self, function: Aggregate, inner: Option<&Expr>, rows: &[Placed<'_>]) -> PyResult<Sql> {
        let Some(inner) = inner else {
            return Ok(Sql::Int(i64::try_from(rows.len()).unwrap_or(i64::MAX)));
        };
        let mut values = Vec::with_capacity(rows.len());
        for row in rows {
            match self.value(inner, std::slice::from_ref(row))? {
                Sql::Null => {}
                found => values.push(found),
            }
        }
        if let Expr::Distinct(_) = inner {
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
}

fn is_in(found: &Sql, wanted: &[Sql], column: Option<Field>, not: bool) -> Sql {
    if wanted.is_empty() {
        return from_truth(Some(not));
    }
    if matches!(found, Sql::Null) {
        return Sql::Null;
    }
    let holds = wanted.iter().any(|one| order(found, &adapted(one, column)).is_eq());
    let known = holds || !wanted.iter().any(|one| matches!(one, Sql::Null));
    from_truth(known.then_some(holds != not))
}

/// What a function gives for these values.
fn call(function: Function, values: Vec<Sql>) -> PyResult<Sql> {
    if function == Function::Coalesce {
        return Ok(values.into_iter().find(|value| !matches!(value, Sql::Null)).unwrap_or(Sql::Null));
    }
    let mut values = values.into_iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return Err(beyond(&format!("these arguments of func.{}()", function.name())));
    };
    Ok(match (function, value) {
        (_, Sql::Null) => Sql::Null,
        (Function::Lower, value) => Sql::Text(text_of(&value).unwrap_or_default().to_ascii_lowercase().into()),
        (Function::Upper, value) => Sql::Text(text_of(&value).unwrap_or_default().to_ascii_uppercase().into()),
        (Function::Length, value) => {
            let length = text_of(&value).unwrap_or_default().chars().count();
            Sql::Int(i64::try_from(length).unwrap_or(i64::MAX))
        }
        (Function::Absolute, Sql::Int(value)) if value != i64::MIN => Sql::Int(value.abs()),
        (Function::Absolute, Sql::Real(value)) => Sql::Real(value.abs()),
        _ => return Err(beyond(&format!("func.{}() of this", function.name()))),
    })
}

fn text_of(value: &Sql) -> Option<String> {
    match value {
        Sql::Null => None,
        Sql::Int(value) => Some(value.to_string()),
        Sql::Real(value) => Some(tpv_python::number::float_text::repr(*value)),
        Sql::Text(text) => Some(text.to_string()),
    }
}

fn folded(text: &str) -> Vec<char> {
    text.chars().map(|char| char.to_ascii_lowercase()).collect()
}

/// A character of a pattern of `LIKE`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wild {
    /// `%`
    Any,
    /// `_`
    One,
    /// Itself.
    Char(char),
}

/// The characters of a pattern, folded; one after the escape character is itself.
fn wildcards(pattern: &str, escape: Option<char>) -> Vec<Wild> {
    let mut characters = pattern.chars();
    let mut found = Vec::with_capacity(pattern.len());
    while let Some(char) = characters.next() {
        found.push(match char {
            char if Some(char) == escape => match characters.next() {
                Some(next) => Wild::Char(next.to_ascii_lowercase()),
                None => Wild::Char(char),
            },
            '%' => Wild::Any,
            '_' => Wild::One,
            char => Wild::Char(char.to_ascii_lowercase()),
        });
    }
    found
}

/// Whether a text matches a pattern.
fn like(text: &[char], pattern: &[Wild]) -> bool {
    let (mut at, mut in_pattern) = (0, 0);
    // Where the last `%` was, and how much of the text it has taken.
    let mut back: Option<(usize, usize)> = None;
    while at < text.len() {
        match pattern.get(in_pattern) {
            Some(Wild::Any) => {
                back = Some((in_pattern, at));
                in_pattern += 1;
            }
            Some(wild) if *wild == Wild::One || text.get(at).map(|char| Wild::Char(*char)) == Some(*wild) => {
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
    pattern.get(in_pattern..).unwrap_or_default().iter().all(|wild| *wild == Wild::Any)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let matches = |text: &str, pattern: &str| like(&folded(text), &wildcards(pattern, Some('!')));
        assert!(matches("Fastp/1.0", "fast%"));
        assert!(matches("abc", "_b_"));
        assert!(matches("aXbXc", "%x%x%"));
        assert!(!matches("abc", "a%d"));
        assert!(!matches("", "_"));
        assert!(matches("", "%"));
        assert!(matches("a%", "a!%") && !matches("ab", "a!%"));
    }
}
