//! Expressions of SQL: columns, functions and conditions.

use std::rc::Rc;

use super::beyond;
use super::columns::Field;
use super::element::Element;
use super::states;
use tpv_python::exception::PyResult;
use tpv_python::value::Value;
use tpv_python::vm::CompareOp;

/// A value of SQL.
#[derive(Clone, Debug, PartialEq)]
pub enum Sql {
    /// `NULL`
    Null,
    /// An integer; truth values are 0 and 1.
    Int(i64),
    /// A float.
    Real(f64),
    /// A text.
    Text(Rc<str>),
}

impl Sql {
    /// The value that Python code gives.
    ///
    /// # Errors
    /// `HostUnavailable` for values that are no SQL.
    pub fn of(value: &Value) -> PyResult<Self> {
        if let Some(text) = states::text_of(value) {
            return Ok(Self::Text(Rc::from(text)));
        }
        Ok(match value {
            Value::None => Self::Null,
            Value::Bool(value) => Self::Int(i64::from(*value)),
            Value::Int(value) => Self::Int(*value),
            Value::Float(value) => Self::Real(*value),
            other => return Err(beyond(&format!("values of type '{}'", other.type_name().as_str()))),
        })
    }

    /// As a Python value.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::None,
            Self::Int(value) => Value::Int(*value),
            Self::Real(value) => Value::Float(*value),
            Self::Text(text) => Value::str(&**text),
        }
    }
}

/// An aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// `count`
    Count,
    /// `sum`
    Sum,
    /// `max`
    Max,
    /// `min`
    Min,
    /// `avg`
    Average,
}

impl Aggregate {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Count, Self::Sum, Self::Max, Self::Min, Self::Average];

    /// SQL's name for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Sum => "sum",
            Self::Max => "max",
            Self::Min => "min",
            Self::Average => "avg",
        }
    }
}

/// A function of one row's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// `coalesce`
    Coalesce,
    /// `lower`
    Lower,
    /// `upper`
    Upper,
    /// `length`
    Length,
    /// `abs`
    Absolute,
}

impl Function {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Coalesce, Self::Lower, Self::Upper, Self::Length, Self::Absolute];

    /// SQL's name for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Coalesce => "coalesce",
            Self::Lower => "lower",
            Self::Upper => "upper",
            Self::Length => "length",
            Self::Absolute => "abs",
        }
    }
}

/// An expression of SQL.
pub enum Expr {
    /// A column.
    Column(Field),
    /// A value.
    Literal(Sql),
    /// What the world cannot answer, and why.
    Unanswered(Rc<str>),
    /// What the asked columns call so: `order_by('total')`.
    Named(Rc<str>),
    /// An aggregate of an expression, or of whole rows; over distinct values where the expression is [`Expr::Distinct`].
    Aggregate(Aggregate, Option<Rc<Expr>>),
    /// A function of values.
    Call(Function, Rc<[Rc<Expr>]>),
    /// `CASE`: conditions with values, and what holds else.
    Case(Rc<[(Rc<Expr>, Rc<Expr>)]>, Option<Rc<Expr>>),
    /// A comparison. Comparing with `None` is `Is`.
    Compare(CompareOp, Rc<Expr>, Rc<Expr>),
    /// `IS` and `IS NOT` (the flag).
    Is(Rc<Expr>, Rc<Expr>, bool),
    /// `IN` and `NOT IN` (the flag).
    In(Rc<Expr>, Rc<[Sql]>, bool),
    /// `LIKE` and `NOT LIKE` (the flag), with the escape character.
    Like(Rc<Expr>, Sql, bool, Option<char>),
    /// Whether a pattern of Python's is found; SQLAlchemy gives SQLite that function.
    Regex(Rc<Expr>, Value),
    /// `AND`
    And(Rc<[Rc<Expr>]>),
    /// `OR`
    Or(Rc<[Rc<Expr>]>),
    /// `NOT`
    Not(Rc<Expr>),
    /// A name for the result.
    Label(Rc<Expr>, Rc<str>),
    /// `DISTINCT`, as in `count(distinct x)`
    Distinct(Rc<Expr>),
    /// A direction of `ORDER BY`; the flag is descending.
    Order(Rc<Expr>, bool),
}

impl Expr {
    /// As a Python object.
    pub fn value(self) -> Value {
        Value::object(Element(Rc::new(self)))
    }

    /// The expression that a Python value stands for. What is no SQL has no answer.
    ///
    /// # Errors
    /// None: the error comes where the value is needed.
    pub fn of(value: &Value) -> Rc<Self> {
        match value.downcast::<Element>() {
            Some(element) => element.0.clone(),
            None => Rc::new(match Sql::of(value) {
                Ok(literal) => Self::Literal(literal),
                Err(_) => Self::Unanswered(format!("values of type '{}'", value.type_name().as_str()).into()),
            }),
        }
    }

    /// The expression that a Python value in `ORDER BY` or `GROUP BY` stands for, where a text is a name.
    pub fn ordered(value: &Value) -> Rc<Self> {
        match value {
            Value::Str(name) => Rc::new(Self::Named(name.as_str().into())),
            value => Self::of(value),
        }
    }

    /// The name that rows give its value; `None` where SQLAlchemy makes one up.
    pub fn name(&self) -> Option<Rc<str>> {
        match self {
            Self::Column(field) => Some(Rc::from(field.name())),
            Self::Label(_, name) => Some(name.clone()),
            Self::Aggregate(function, ..) => Some(Rc::from(function.name())),
            Self::Call(function, _) => Some(Rc::from(function.name())),
            Self::Distinct(inner) => inner.name(),
            _ => None,
        }
    }

    /// The expressions that it is made of, outside of aggregates.
    fn inner(&self) -> Vec<&Rc<Self>> {
        match self {
            Self::Column(_) | Self::Literal(_) | Self::Unanswered(_) | Self::Named(_) | Self::Aggregate(..) => {
                Vec::new()
            }
            Self::Compare(_, a, b) | Self::Is(a, b, _) => vec![a, b],
            Self::In(inner, ..) | Self::Like(inner, ..) | Self::Regex(inner, _) => vec![inner],
            Self::Not(inner) | Self::Label(inner, _) | Self::Distinct(inner) | Self::Order(inner, _) => vec![inner],
            Self::And(parts) | Self::Or(parts) | Self::Call(_, parts) => parts.iter().collect(),
            Self::Case(cases, other) => cases.iter().flat_map(|(a, b)| [a, b]).chain(other).collect(),
        }
    }

    /// What in it the world cannot answer.
    pub fn unanswered(&self) -> Option<&str> {
        match self {
            Self::Unanswered(what) => Some(what),
            Self::Aggregate(_, Some(inner)) => inner.unanswered(),
            other => other.inner().into_iter().find_map(|inner| inner.unanswered()),
        }
    }

    /// Whether an aggregate is in it.
    pub fn aggregates(&self) -> bool {
        matches!(self, Self::Aggregate(..)) || self.inner().into_iter().any(|inner| inner.aggregates())
    }

    /// The columns outside of aggregates.
    pub fn columns(&self, found: &mut Vec<Field>) {
        if let Self::Column(field) = self {
            found.push(*field);
        }
        self.inner().into_iter().for_each(|inner| inner.columns(found));
    }
}
