//! `sqlalchemy`: queries as text, and what builds queries of the job table.

use std::rc::Rc;

use memchr::memmem;

use crate::galaxy::query::expression::{Aggregate, Expr};
use crate::galaxy::query::{self, beyond, statement};
use crate::galaxy::signature;
use crate::python::args::Args;
use crate::python::exception::{PyResult, type_error};
use crate::python::module::ModuleDef;
use crate::python::object::Object;
use crate::python::string::Str;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::value::{Builtin, Value};
use crate::python::vm::Vm;

const NAMES: &[&str] = &["and_", "asc", "case", "desc", "distinct", "func", "not_", "or_", "select", "text"];

/// `sqlalchemy`
pub static SQLALCHEMY: ModuleDef = ModuleDef { name: "sqlalchemy", get, names: NAMES };
/// `sqlalchemy.sql`
pub static SQL: ModuleDef = ModuleDef { name: "sqlalchemy.sql", get, names: NAMES };
/// `sqlalchemy.sql.expression`
pub static EXPRESSION: ModuleDef = ModuleDef { name: "sqlalchemy.sql.expression", get, names: NAMES };
/// `sqlalchemy.exc`
pub static EXC: ModuleDef = ModuleDef { name: "sqlalchemy.exc", get: exceptions, names: EXCEPTION_NAMES };
/// `sqlalchemy.orm.exc`
pub static ORM_EXC: ModuleDef = ModuleDef {
    name: "sqlalchemy.orm.exc",
    get: |vm, name| if ORM_EXCEPTION_NAMES.contains(&name) { exceptions(vm, name) } else { Ok(None) },
    names: ORM_EXCEPTION_NAMES,
};
/// `sqlalchemy.orm`
pub static ORM: ModuleDef = ModuleDef { name: "sqlalchemy.orm", get: |_, _| Ok(None), names: &[] };

/// The names that the module does not only use itself.
const ORM_EXCEPTION_NAMES: &[&str] = &["MultipleResultsFound", "NoResultFound"];
const EXCEPTION_NAMES: &[&str] = &["InvalidRequestError", "MultipleResultsFound", "NoResultFound", "SQLAlchemyError"];

fn exceptions(_: &mut Vm, name: &str) -> PyResult<Option<Value>> {
    let classes = [
        &query::SQLALCHEMY_ERROR,
        &query::INVALID_REQUEST_ERROR,
        &query::NO_RESULT_FOUND,
        &query::MULTIPLE_RESULTS_FOUND,
    ];
    Ok(classes.into_iter().find(|class| class.name == name).map(|class| Value::Type(class.into())))
}

static FUNCTIONS: &[Builtin] = &[
    Builtin { name: "and_", call: |_, args| parts(&args).map(|parts| Expr::And(parts).value()) },
    Builtin { name: "asc", call: |_, args| Ok(Expr::Order(one(args, "asc")?, false).value()) },
    Builtin { name: "case", call: |_, _| Err(beyond("case()")) },
    Builtin { name: "desc", call: |_, args| Ok(Expr::Order(one(args, "desc")?, true).value()) },
    Builtin { name: "distinct", call: |_, args| Ok(Expr::Distinct(one(args, "distinct")?).value()) },
    Builtin { name: "not_", call: |_, args| Ok(Expr::Not(one(args, "not_")?).value()) },
    Builtin { name: "or_", call: |_, args| parts(&args).map(|parts| Expr::Or(parts).value()) },
    Builtin { name: "select", call: |_, args| statement::select(&args) },
    Builtin { name: "text", call: text },
];

fn parts(args: &Args) -> PyResult<Rc<[Rc<Expr>]>> {
    args.pos.iter().map(Expr::of).collect()
}

fn one(args: Args, function: &str) -> PyResult<Rc<Expr>> {
    let [value] = args.exactly(function)?;
    Expr::of(&value)
}

fn get(_: &mut Vm, name: &str) -> PyResult<Option<Value>> {
    if name == "func" {
        return Ok(Some(Value::object(Func)));
    }
    Ok(FUNCTIONS.iter().find(|function| function.name == name).map(Value::Builtin))
}

static FUNCTION_GENERATOR: BuiltinType = BuiltinType::new("_FunctionGenerator", "sqlalchemy.sql.functions", &OBJECT);

/// `sqlalchemy.func`
struct Func;

impl Object for Func {
    fn class(&self) -> &'static BuiltinType {
        &FUNCTION_GENERATOR
    }

    fn has_method(&self, name: &str) -> bool {
        !name.starts_with("__")
    }

    fn call_method(&self, _: &mut Vm, _: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        const AGGREGATES: [Aggregate; 5] =
            [Aggregate::Count, Aggregate::Sum, Aggregate::Max, Aggregate::Min, Aggregate::Average];
        let Some(function) = AGGREGATES.into_iter().find(|function| function.name() == name) else {
            return Some(Err(beyond(&format!("func.{name}()"))));
        };
        Some(match args.pos.first() {
            None if function == Aggregate::Count => Ok(Expr::Aggregate(function, None, false).value()),
            Some(Value::Str(star)) if star.as_str() == "*" => Ok(Expr::Aggregate(function, None, false).value()),
            Some(value) if args.pos.len() == 1 => {
                Expr::of(value).map(|inner| Expr::Aggregate(function, Some(inner), false).value())
            }
            _ => Err(beyond(&format!("these arguments of func.{name}()"))),
        })
    }
}

/// `sqlalchemy.sql.elements.TextClause`
pub static TEXT_CLAUSE: BuiltinType = BuiltinType {
    name: "TextClause",
    module: "sqlalchemy.sql.elements",
    base: Some(&OBJECT),
    construct: None,
    methods: &[],
    statics: &[],
};

/// A query as text.
struct TextClause(Str);

/// `text(text)`
fn text(_: &mut Vm, args: Args) -> PyResult<Value> {
    let [text] = signature::bind(args, "text", ["text"], 1)?;
    match text.unwrap_or(Value::None) {
        Value::Str(text) => Ok(Value::object(TextClause(text))),
        other => {
            let found = other.type_name();
            Err(type_error(format!("expected string or bytes-like object, got '{}'", found.as_str())))
        }
    }
}

impl Object for TextClause {
    fn class(&self) -> &'static BuiltinType {
        &TEXT_CLAUSE
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        Ok((name == "text").then(|| Value::Str(self.0.clone())))
    }

    fn str(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(compiled(&self.0))
    }

    fn attributes(&self) -> &'static [&'static str] {
        &["text"]
    }
}

/// The SQL with `\:name` as `:name`: a backslash keeps SQLAlchemy from reading a colon as a parameter.
fn compiled(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len());
    let mut rest = sql;
    // Rank code does this for each job, mostly with a long text in which there is none.
    while let Some((before, after)) = memmem::find(rest.as_bytes(), b"\\:").and_then(|at| rest.split_at_checked(at)) {
        out.push_str(before);
        let after = after.get(2..).unwrap_or_default();
        let word = |char: char| char == '_' || char == '$' || char.is_alphanumeric();
        if after.trim_start_matches(word).starts_with(':') {
            out.push('\\');
        }
        out.push(':');
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_colons() {
        assert_eq!(compiled("a :b and :c::int \\:c"), "a :b and :c::int :c");
        assert_eq!(compiled("select '12\\:30' x\\:y:z"), "select '12:30' x\\:y:z");
    }
}
