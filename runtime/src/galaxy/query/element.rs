//! Expressions of SQL in the hands of code: `Job.state == 'queued'`, `func.count(Job.id).label('n')`.

use std::rc::Rc;

use super::expression::{Expr, Sql};
use super::statement::{self, Statement};
use super::{argument_error, beyond};
use tpv_python::args::Args;
use tpv_python::exception::{PyResult, type_error};
use tpv_python::object::Object;
use tpv_python::types::{BuiltinType, OBJECT};
use tpv_python::value::Value;
use tpv_python::vm::{CompareOp, Vm};

/// What `Job.state` and everything built from it is to code.
pub static COLUMN_ELEMENT: BuiltinType = BuiltinType::new("ColumnElement", "sqlalchemy.sql.elements", &OBJECT);

/// An expression as a Python object.
pub struct Element(pub Rc<Expr>);

/// What can be called of an expression.
pub const METHODS: &[&str] = &[
    "asc",
    "between",
    "contains",
    "desc",
    "distinct",
    "endswith",
    "ilike",
    "in_",
    "is_",
    "is_not",
    "isnot",
    "label",
    "like",
    "not_in",
    "not_like",
    "notin_",
    "notlike",
    "regexp_match",
    "startswith",
];

/// What of an expression is no method.
pub const ATTRIBUTES: &[&str] = &["key", "name"];

/// What SQLAlchemy's expressions have beside that.
pub const UNANSWERED: &[&str] = &[
    "all_",
    "any",
    "any_",
    "bitwise_and",
    "bitwise_lshift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_rshift",
    "bitwise_xor",
    "bool_op",
    "cast",
    "collate",
    "comparator",
    "compare",
    "compile",
    "concat",
    "expression",
    "filter",
    "has",
    "icontains",
    "iendswith",
    "is_distinct_from",
    "is_not_distinct_from",
    "istartswith",
    "match",
    "not_ilike",
    "notilike",
    "nulls_first",
    "nulls_last",
    "nullsfirst",
    "nullslast",
    "op",
    "operate",
    "over",
    "parent",
    "property",
    "regexp_replace",
    "self_group",
    "table",
    "type",
    "within_group",
];

/// The character that escapes others in patterns that are made of plain text.
const ESCAPE: char = '/';

impl Element {
    fn listed(&self, vm: &mut Vm, values: &Value, not: bool) -> PyResult<Expr> {
        if values.downcast::<Statement>().is_some() {
            return Err(beyond("a query in a query"));
        }
        if let Value::Str(_) = values {
            let shown = vm.repr(values)?;
            return Err(argument_error(format!(
                "IN expression list, SELECT construct, or bound parameter object expected, got {shown}."
            )));
        }
        let values: PyResult<Rc<[Sql]>> = vm.collect(values)?.iter().map(Sql::of).collect();
        Ok(Expr::In(self.0.clone(), values?, not))
    }

    /// `LIKE` of a text with other text around it.
    fn like(&self, name: &str, mut args: Args) -> PyResult<Expr> {
        let mut option = |name: &str| {
            let at = args.kw.iter().position(|(known, _)| known.as_str() == name)?;
            Some(args.kw.remove(at).1)
        };
        let (escape, auto) = (option("escape"), option("autoescape"));
        if !args.kw.is_empty() {
            return Err(beyond(&format!("keyword arguments of {name}()")));
        }
        let mut escape = match &escape {
            Some(Value::Str(text)) => text.chars().next(),
            _ => None,
        };
        let [pattern] = args.exactly(name)?;
        let around = |before: &str, after: &str| -> PyResult<(Sql, Option<char>)> {
            let Sql::Text(text) = Sql::of(&pattern)? else {
                return Err(beyond(&format!("{name}() of what is no text")));
            };
            let mut text = text.to_string();
            let mut escape = escape;
            if matches!(auto, Some(Value::Bool(true))) {
                let with = *escape.get_or_insert(ESCAPE);
                let special = |char: char| matches!(char, '%' | '_') || char == with;
                text = text.chars().flat_map(|char| special(char).then_some(with).into_iter().chain([char])).collect();
            }
            Ok((Sql::Text(format!("{before}{text}{after}").into()), escape))
        };
        let pattern = match name {
            "startswith" => {
                let (made, with) = around("", "%")?;
                escape = with;
                made
            }
            "endswith" => {
                let (made, with) = around("%", "")?;
                escape = with;
                made
            }
            "contains" => {
                let (made, with) = around("%", "%")?;
                escape = with;
                made
            }
            _ => Sql::of(&pattern)?,
        };
        // SQLite's LIKE tells no capital letters from small ones.
        Ok(Expr::Like(self.0.clone(), pattern, name.starts_with("not"), escape))
    }

    fn call(&self, vm: &mut Vm, name: &str, args: Args) -> PyResult<Value> {
        let this = || self.0.clone();
        if name.ends_with("like") || name.ends_with("with") || name.ends_with("contains") {
            return self.like(name, args).map(Expr::value);
        }
        if !args.kw.is_empty() {
            return Err(beyond(&format!("keyword arguments of {name}()")));
        }
        let argument = |index: usize| {
            let value = args.pos.get(index);
            value.ok_or_else(|| type_error(format!("{name}() missing 1 required positional argument: 'other'")))
        };
        Ok(match name {
            "in_" => self.listed(vm, argument(0)?, false)?,
            "not_in" | "notin_" => self.listed(vm, argument(0)?, true)?,
            "is_" => Expr::Is(this(), Expr::of(argument(0)?), false),
            "is_not" | "isnot" => Expr::Is(this(), Expr::of(argument(0)?), true),
            "between" => {
                let low = Expr::Compare(CompareOp::Ge, this(), Expr::of(argument(0)?));
                let high = Expr::Compare(CompareOp::Le, this(), Expr::of(argument(1)?));
                Expr::And([Rc::new(low), Rc::new(high)].into())
            }
            "regexp_match" => {
                let pattern = crate::galaxy::standard::call(vm, "re", "compile", Args::one(argument(0)?.clone()))?;
                Expr::Regex(this(), pattern)
            }
            "asc" => Expr::Order(this(), false),
            "desc" => Expr::Order(this(), true),
            "label" => match argument(0)? {
                Value::Str(name) => Expr::Label(this(), name.as_str().into()),
                _ => return Err(beyond("a label that is no text")),
            },
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
        match name {
            "key" | "name" => Ok(self.0.name().map(|name| Value::str(&*name))),
            name if UNANSWERED.contains(&name) => Err(beyond(&format!("the attribute '{name}'"))),
            _ => Ok(None),
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
        let other = Expr::of(other);
        let is_null = matches!(&*other, Expr::Literal(Sql::Null));
        Some(Ok(match op {
            CompareOp::Eq if is_null => Expr::Is(self.0.clone(), other, false),
            CompareOp::Ne if is_null => Expr::Is(self.0.clone(), other, true),
            _ => Expr::Compare(op, self.0.clone(), other),
        }
        .value()))
    }

    fn binary(&self, _: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        let (this, other) = (self.0.clone(), Expr::of(other));
        Some(Ok(match method {
            "and" | "rand" => Expr::And([this, other].into()),
            "or" | "ror" => Expr::Or([this, other].into()),
            other => Expr::Unanswered(format!("the operator '{other}'").into()),
        }
        .value()))
    }

    fn unary(&self, _: &mut Vm, method: &str) -> Option<PyResult<Value>> {
        Some(match method {
            "invert" => Ok(Expr::Not(self.0.clone()).value()),
            other => Err(beyond(&format!("the operator '{other}'"))),
        })
    }

    fn hash(&self, _: &mut Vm) -> Option<PyResult<i64>> {
        None
    }
}

/// The expressions that several arguments stand for.
pub fn expressions(args: &Args) -> Rc<[Rc<Expr>]> {
    args.pos.iter().map(Expr::of).collect()
}

/// `case((condition, value), ..., else_=value)`
///
/// # Errors
/// `HostUnavailable` for the forms of other versions.
pub fn case(args: Args) -> PyResult<Value> {
    let mut other = None;
    for (name, value) in &args.kw {
        match name.as_str() {
            "else_" => other = Some(Expr::of(value)),
            name => return Err(beyond(&format!("case() with '{name}'"))),
        }
    }
    let pair = |value: &Value| match value {
        Value::Tuple(tuple) => match tuple.items.as_slice() {
            [condition, value] => Ok((Expr::of(condition), Expr::of(value))),
            _ => Err(beyond("this case()")),
        },
        _ => Err(beyond("this case()")),
    };
    let cases: PyResult<Rc<[_]>> = args.pos.iter().map(pair).collect();
    Ok(Expr::Case(cases?, other).value())
}

/// What is asked for in one place.
pub fn of_table(value: &Value) -> bool {
    value.downcast::<super::columns::Table>().is_some() || statement::is_job(value)
}
