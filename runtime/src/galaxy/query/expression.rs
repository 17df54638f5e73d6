//! Columns, functions and conditions.

use std::rc::Rc;

use super::beyond;
use crate::galaxy::world::JobRow;
use crate::python::args::Args;
use crate::python::exception::{PyResult, type_error};
use crate::python::object::Object;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::value::Value;
use crate::python::vm::{CompareOp, Vm};

/// A column of the job table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// `id`: the place in the world's list, from 1.
    Id,
    /// `tool_id`
    ToolId,
    /// `user_id`
    UserId,
    /// `state`
    State,
    /// `destination_id`
    DestinationId,
}

/// All columns that the world knows.
pub const FIELDS: [Field; 5] = [Field::Id, Field::ToolId, Field::UserId, Field::State, Field::DestinationId];

impl Field {
    /// The column of this name.
    pub fn named(name: &str) -> Option<Self> {
        FIELDS.into_iter().find(|field| field.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::ToolId => "tool_id",
            Self::UserId => "user_id",
            Self::State => "state",
            Self::DestinationId => "destination_id",
        }
    }

    /// Whether it holds text.
    pub fn is_text(self) -> bool {
        !matches!(self, Self::Id | Self::UserId)
    }

    /// Its value in the row at `index`.
    pub fn of(self, index: usize, row: &JobRow) -> Sql {
        let text = |text: &Option<Box<str>>| text.as_deref().map_or(Sql::Null, |text| Sql::Text(Rc::from(text)));
        match self {
            Self::Id => Sql::Int(i64::try_from(index + 1).unwrap_or(i64::MAX)),
            Self::ToolId => text(&row.tool_id),
            Self::UserId => row.user_id.map_or(Sql::Null, Sql::Int),
            // Galaxy gives a job that is made without a state this one.
            Self::State => Sql::Text(Rc::from(row.state.as_deref().unwrap_or("new"))),
            Self::DestinationId => text(&row.destination_id),
        }
    }
}

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
        Ok(match value {
            Value::None => Self::Null,
            Value::Bool(value) => Self::Int(i64::from(*value)),
            Value::Int(value) => Self::Int(*value),
            Value::Float(value) => Self::Real(*value),
            Value::Str(text) => Self::Text(Rc::from(text.as_str())),
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

/// An expression of SQL.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A column.
    Column(Field),
    /// A value.
    Literal(Sql),
    /// An aggregate of an expression, or of whole rows; over distinct values where the flag is set.
    Aggregate(Aggregate, Option<Rc<Expr>>, bool),
    /// A comparison. Comparing with `None` is `Is`.
    Compare(CompareOp, Rc<Expr>, Rc<Expr>),
    /// `IS` and `IS NOT` (the flag).
    Is(Rc<Expr>, Sql, bool),
    /// `IN` and `NOT IN` (the flag).
    In(Rc<Expr>, Rc<[Sql]>, bool),
    /// `LIKE` and `NOT LIKE` (the flag).
    Like(Rc<Expr>, Sql, bool),
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

/// What `Job.state` and everything built from it is to code.
pub static COLUMN_ELEMENT: BuiltinType = BuiltinType::new("ColumnElement", "sqlalchemy.sql.elements", &OBJECT);

/// An expression as a Python object.
pub struct Element(pub Rc<Expr>);

const METHODS: [&str; 23] = [
    "in_",
    "not_in",
    "notin_",
    "like",
    "ilike",
    "not_like",
    "notlike",
    "is_",
    "is_not",
    "isnot",
    "startswith",
    "endswith",
    "contains",
    "between",
    "asc",
    "desc",
    "label",
    "distinct",
    "__eq__",
    "__ne__",
    "any_",
    "is_distinct_from",
    "self_group",
];

impl Expr {
    /// As a Python object.
    pub fn value(self) -> Value {
        Value::object(Element(Rc::new(self)))
    }

    /// The expression that a Python value stands for.
    ///
    /// # Errors
    /// As [`Sql::of`].
    pub fn of(value: &Value) -> PyResult<Rc<Self>> {
        match value.downcast::<Element>() {
            Some(element) => Ok(element.0.clone()),
            None => Ok(Rc::new(Self::Literal(Sql::of(value)?))),
        }
    }

    /// The name that rows give its value; `None` where SQLAlchemy would make one up.
    pub fn name(&self) -> Option<Rc<str>> {
        match self {
            Self::Column(field) => Some(Rc::from(field.name())),
            Self::Label(_, name) => Some(name.clone()),
            Self::Aggregate(function, ..) => Some(Rc::from(function.name())),
            Self::Distinct(inner) => inner.name(),
            _ => None,
        }
    }

    /// Whether an aggregate is in it.
    pub fn aggregates(&self) -> bool {
        match self {
            Self::Column(_) | Self::Literal(_) => false,
            Self::Aggregate(..) => true,
            Self::Compare(_, a, b) => a.aggregates() || b.aggregates(),
            Self::Is(inner, ..) | Self::In(inner, ..) | Self::Like(inner, ..) => inner.aggregates(),
            Self::Not(inner) | Self::Label(inner, _) | Self::Distinct(inner) | Self::Order(inner, _) => {
                inner.aggregates()
            }
            Self::And(parts) | Self::Or(parts) => parts.iter().any(|part| part.aggregates()),
        }
    }

    /// The columns outside of aggregates.
    pub fn columns(&self, found: &mut Vec<Field>) {
        match self {
            Self::Column(field) => found.push(*field),
            Self::Literal(_) | Self::Aggregate(..) => {}
            Self::Compare(_, a, b) => {
                a.columns(found);
                b.columns(found);
            }
            Self::Is(inner, ..) | Self::In(inner, ..) | Self::Like(inner, ..) => inner.columns(found),
            Self::Not(inner) | Self::Label(inner, _) | Self::Distinct(inner) | Self::Order(inner, _) => {
                inner.columns(found)
            }
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.columns(found)),
        }
    }
}

impl Element {
    fn listed(vm: &mut Vm, values: &Value) -> PyResult<Rc<[Sql]>> {
        if matches!(values, Value::Object(_)) {
            return Err(beyond("a query in `in_`"));
        }
        vm.collect(values)?.iter().map(Sql::of).collect()
    }

    fn call(&self, vm: &mut Vm, name: &str, args: Args) -> PyResult<Value> {
        let this = || self.0.clone();
        if !args.kw.is_empty() {
            return Err(beyond(&format!("keyword arguments of {name}()")));
        }
        let first = args.pos.first().cloned();
        let argument = |value: Option<Value>| {
            value.ok_or_else(|| type_error(format!("{name}() missing 1 required positional argument: 'other'")))
        };
        let text = |value: Option<Value>| match argument(value)? {
            Value::Str(text) => Ok(text.to_string()),
            _ => Err(beyond(&format!("{name}() of what is no text"))),
        };
        Ok(match name {
            "in_" => Expr::In(this(), Self::listed(vm, &argument(first)?)?, false),
            "not_in" | "notin_" => Expr::In(this(), Self::listed(vm, &argument(first)?)?, true),
            // SQLite's LIKE tells no capital letters from small ones.
            "like" | "ilike" => Expr::Like(this(), Sql::of(&argument(first)?)?, false),
            "not_like" | "notlike" => Expr::Like(this(), Sql::of(&argument(first)?)?, true),
            "is_" => Expr::Is(this(), Sql::of(&argument(first)?)?, false),
            "is_not" | "isnot" => Expr::Is(this(), Sql::of(&argument(first)?)?, true),
            "startswith" => Expr::Like(this(), Sql::Text(format!("{}%", text(first)?).into()), false),
            "endswith" => Expr::Like(this(), Sql::Text(format!("%{}", text(first)?).into()), false),
            "contains" => Expr::Like(this(), Sql::Text(format!("%{}%", text(first)?).into()), false),
            "between" => {
                let low = Expr::Compare(CompareOp::Ge, this(), Expr::of(&argument(first)?)?);
                let high = Expr::Compare(CompareOp::Le, this(), Expr::of(&argument(args.pos.get(1).cloned())?)?);
                Expr::And([Rc::new(low), Rc::new(high)].into())
            }
            "asc" => Expr::Order(this(), false),
            "desc" => Expr::Order(this(), true),
            "label" => Expr::Label(this(), text(first)?.into()),
            "distinct" => Expr::Distinct(this()),
            other => return Err(beyond(&format!("the operation '{other}'"))),
        }
        .value())
    }
}

impl Object for Element {
    fn class(&self) -> &'static BuiltinType {
        &COLUMN_ELEMENT
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        match (name, &*self.0) {
            ("key" | "name", expression) => Ok(expression.name().map(|name| Value::str(&*name))),
            (name, _) if name.starts_with("__") || METHODS.contains(&name) => Ok(None),
            (name, _) => Err(beyond(&format!("the attribute '{name}'"))),
        }
    }

    fn has_method(&self, name: &str) -> bool {
        METHODS.contains(&name)
    }

    fn call_method(&self, vm: &mut Vm, _: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        self.has_method(name).then(|| self.call(vm, name, std::mem::take(args)))
    }

    fn truthy(&self, _: &mut Vm) -> PyResult<bool> {
        // Of two columns that are compared SQLAlchemy tells whether they are the same.
        let same = |a: &Expr, b: &Expr| matches!((a, b), (Expr::Column(a), Expr::Column(b)) if a == b);
        match &*self.0 {
            Expr::Compare(CompareOp::Eq, a, b) => return Ok(same(a, b)),
            Expr::Compare(CompareOp::Ne, a, b) => return Ok(!same(a, b)),
            _ => {}
        }
        Err(type_error("Boolean value of this clause is not defined"))
    }

    fn compare(&self, _: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        Some(match (op, other) {
            (CompareOp::Eq, Value::None) => Ok(Expr::Is(self.0.clone(), Sql::Null, false).value()),
            (CompareOp::Ne, Value::None) => Ok(Expr::Is(self.0.clone(), Sql::Null, true).value()),
            _ => Expr::of(other).map(|other| Expr::Compare(op, self.0.clone(), other).value()),
        })
    }

    fn binary(&self, _: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        let both = || Ok::<_, crate::python::exception::Raised>(Rc::from([self.0.clone(), Expr::of(other)?]));
        Some(match method {
            "and" | "rand" => both().map(|parts| Expr::And(parts).value()),
            "or" | "ror" => both().map(|parts| Expr::Or(parts).value()),
            other => Err(beyond(&format!("the operator '{other}'"))),
        })
    }

    fn unary(&self, _: &mut Vm, method: &str) -> Option<PyResult<Value>> {
        Some(match method {
            "invert" => Ok(Expr::Not(self.0.clone()).value()),
            other => Err(beyond(&format!("the operator '{other}'"))),
        })
    }
}
