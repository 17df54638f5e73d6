//! Expressions of SQL: columns, values, conditions, aggregates.

use std::borrow::Cow;
use std::rc::Rc;

use super::beyond;
use super::columns::{Column, Holds};
use super::element::Element;
use super::states;
use tpv_python::exception::PyResult;
use tpv_python::value::Value;
use tpv_python::vm::{CompareOp, Vm};

/// A value of SQL.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sql<'a> {
    // The variants stand in the order in which SQLite sorts.
    /// `NULL`
    Null,
    /// An integer; truth values are 0 and 1.
    Int(i64),
    /// A text.
    Text(Cow<'a, str>),
}

impl Sql<'_> {
    /// The same, for as long as this one lives.
    pub fn borrowed(&self) -> Sql<'_> {
        match self {
            Self::Null => Sql::Null,
            Self::Int(value) => Sql::Int(*value),
            Self::Text(text) => Sql::Text(Cow::Borrowed(text)),
        }
    }

    /// The value that code gives.
    ///
    /// # Errors
    /// `HostUnavailable` for values of types that no column has.
    pub fn of(value: &Value) -> PyResult<Self> {
        if let Some(text) = states::text_of(value) {
            return Ok(Self::Text(Cow::Owned(text.to_owned())));
        }
        Ok(match value {
            Value::None => Self::Null,
            Value::Bool(value) => Self::Int(i64::from(*value)),
            Value::Int(value) => Self::Int(*value),
            other => return Err(beyond(&format!("values of type '{}'", other.type_name().as_str()))),
        })
    }

    /// As a Python value.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::None,
            Self::Int(value) => Value::Int(*value),
            Self::Text(text) => Value::str(&**text),
        }
    }
}

/// An aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// `count`
    Count,
    /// `max`
    Max,
    /// `min`
    Min,
}

impl Aggregate {
    /// The aggregate of this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Count, Self::Max, Self::Min].into_iter().find(|aggregate| aggregate.name() == name)
    }

    /// SQL's name for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Max => "max",
            Self::Min => "min",
        }
    }
}

/// An expression of SQL.
pub enum Expr {
    /// A column.
    Column(&'static Column),
    /// A value.
    Literal(Sql<'static>),
    /// The asked column that has this name: `order_by('total')`.
    Named(Rc<str>),
    /// An aggregate of an expression, or of whole rows; over distinct values if the expression is [`Expr::Distinct`].
    Aggregate(Aggregate, Option<Rc<Expr>>),
    /// A comparison. Comparing with `None` is [`Expr::Is`].
    Compare(CompareOp, Rc<Expr>, Rc<Expr>),
    /// `IS`, or `IS NOT` if the flag is set.
    Is(Rc<Expr>, Sql<'static>, bool),
    /// `IN`, or `NOT IN` if the flag is set.
    In(Rc<Expr>, Rc<[Sql<'static>]>, bool),
    /// `LIKE`, or `NOT LIKE` if the flag is set.
    Like(Rc<Expr>, Rc<str>, bool),
    /// A search for one of Python's patterns: SQLAlchemy gives SQLite that function.
    Regex(Rc<Expr>, Value),
    /// `AND`
    And(Rc<[Rc<Expr>]>),
    /// `OR`
    Or(Rc<[Rc<Expr>]>),
    /// `NOT`
    Not(Rc<Expr>),
    /// A name for the result.
    Label(Rc<Expr>, Rc<str>),
    /// `DISTINCT`, as in `count(distinct x)`.
    Distinct(Rc<Expr>),
    /// A direction of `ORDER BY`: descending if the flag is set.
    Order(Rc<Expr>, bool),
}

/// The most expressions that one may be made of, and that may be in one another.
const MAX_PARTS: usize = 100_000;
const MAX_DEPTH: usize = 200;

/// The expressions that are counted in about the time of a step.
const PARTS_A_STEP: usize = 8;

impl Expr {
    /// As code gets it.
    ///
    /// # Errors
    /// `HostUnavailable` for more expressions in one another than are walked by recursion, or than a query may have.
    pub fn value(self, vm: &mut Vm) -> PyResult<Value> {
        let mut left = MAX_PARTS;
        let fits = self.fits(&mut left, MAX_DEPTH);
        vm.visit(MAX_PARTS - left, PARTS_A_STEP)?;
        if fits {
            Ok(Value::object(Element(Rc::new(self))))
        } else {
            Err(beyond(&format!("more than {MAX_PARTS} expressions, or {MAX_DEPTH} in one another")))
        }
    }

    /// Takes the expressions that it is made of, with itself, from `left`. `false` if there are more, or more than `depth` in one
    /// another.
    fn fits(&self, left: &mut usize, depth: usize) -> bool {
        let (Some(rest), Some(depth)) = (left.checked_sub(1), depth.checked_sub(1)) else { return false };
        *left = rest;
        match self {
            Self::Aggregate(_, inner) => inner.as_ref().is_none_or(|inner| inner.fits(left, depth)),
            _ => self.inner().into_iter().all(|inner| inner.fits(left, depth)),
        }
    }

    /// The expression that code gives.
    ///
    /// # Errors
    /// As [`Sql::of`].
    pub fn of(value: &Value) -> PyResult<Rc<Self>> {
        match value.downcast::<Element>() {
            Some(element) => Ok(element.0.clone()),
            None => Ok(Rc::new(Self::Literal(Sql::of(value)?))),
        }
    }

    /// The expressions that code gives as arguments.
    ///
    /// # Errors
    /// As [`Expr::of`].
    pub fn all(values: &[Value]) -> PyResult<Rc<[Rc<Self>]>> {
        values.iter().map(Self::of).collect()
    }

    /// The expression that code gives to `ORDER BY` or `GROUP BY`, where a text is a name.
    ///
    /// # Errors
    /// As [`Expr::of`].
    pub fn ordered(value: &Value) -> PyResult<Rc<Self>> {
        match value {
            Value::Str(name) => Ok(Rc::new(Self::Named(name.as_str().into()))),
            value => Self::of(value),
        }
    }

    /// The name that a row has for its value; `None` if SQLAlchemy makes one up.
    pub fn name(&self) -> Option<Rc<str>> {
        match self {
            Self::Column(column) => Some(Rc::from(column.name)),
            Self::Label(_, name) => Some(name.clone()),
            Self::Aggregate(aggregate, _) => Some(Rc::from(aggregate.name())),
            Self::Distinct(inner) => inner.name(),
            _ => None,
        }
    }

    /// The column that it is, under whatever name.
    pub fn column(&self) -> Option<&'static Column> {
        match self {
            Self::Column(column) => Some(column),
            Self::Label(inner, _) | Self::Distinct(inner) => inner.column(),
            _ => None,
        }
    }

    /// The expressions that it is made of, outside of aggregates.
    fn inner(&self) -> Vec<&Rc<Self>> {
        match self {
            Self::Column(_) | Self::Literal(_) | Self::Named(_) | Self::Aggregate(..) => Vec::new(),
            Self::Compare(_, a, b) => vec![a, b],
            Self::And(parts) | Self::Or(parts) => parts.iter().collect(),
            Self::Is(inner, ..)
            | Self::In(inner, ..)
            | Self::Like(inner, ..)
            | Self::Regex(inner, _)
            | Self::Not(inner)
            | Self::Label(inner, _)
            | Self::Distinct(inner)
            | Self::Order(inner, _) => vec![inner],
        }
    }

    /// Returns `true` if it contains an aggregate.
    pub fn aggregates(&self) -> bool {
        matches!(self, Self::Aggregate(..)) || self.inner().into_iter().any(|inner| inner.aggregates())
    }

    /// Returns `true` if its value is the same for all jobs of a state and destination.
    pub fn tells_classes(&self) -> bool {
        match self {
            Self::Column(column) => !matches!(column.holds, Holds::Id | Holds::ToolId | Holds::UserId | Holds::Unknown),
            Self::Aggregate(_, inner) => inner.as_ref().is_none_or(|inner| inner.tells_classes()),
            _ => self.inner().into_iter().all(|inner| inner.tells_classes()),
        }
    }

    /// The user whose jobs are the only ones that can satisfy this condition.
    pub fn one_user(&self) -> Option<i64> {
        let user = |column: &Self, value: &Self| match (column, value) {
            (Self::Column(Column { holds: Holds::UserId, .. }), Self::Literal(Sql::Int(user))) => Some(*user),
            _ => None,
        };
        match self {
            Self::Compare(CompareOp::Eq, a, b) => user(a, b).or_else(|| user(b, a)),
            Self::And(parts) => parts.iter().find_map(|part| part.one_user()),
            _ => None,
        }
    }

    /// Returns `true` if each column in it, outside of aggregates, is one of `known`.
    pub fn uses_only(&self, known: &[&Column]) -> bool {
        match self {
            Self::Column(column) => known.contains(column),
            _ => self.inner().into_iter().all(|inner| inner.uses_only(known)),
        }
    }
}
