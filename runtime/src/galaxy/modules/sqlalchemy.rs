//! `sqlalchemy`: queries as text, and what builds queries of the job table.

use std::rc::Rc;

use memchr::memmem;

use crate::galaxy::query;
use crate::galaxy::query::expression::{Aggregate, Expr, Function, Sql};
use crate::galaxy::query::{beyond, element, statement};
use crate::galaxy::signature;
use tpv_python::args::Args;
use tpv_python::exception::{PyResult, type_error};
use tpv_python::module::ModuleDef;
use tpv_python::object::Object;
use tpv_python::string::Str;
use tpv_python::types::{BuiltinType, OBJECT};
use tpv_python::value::{Builtin, Value};
use tpv_python::vm::Vm;

/// The names of `sqlalchemy.sql`; `sqlalchemy` itself has one more.
const NAMES: &[&str] = &[
    "and_",
    "asc",
    "bindparam",
    "case",
    "cast",
    "delete",
    "desc",
    "distinct",
    "exists",
    "extract",
    "false",
    "func",
    "insert",
    "join",
    "literal",
    "literal_column",
    "not_",
    "null",
    "or_",
    "outerjoin",
    "select",
    "text",
    "true",
    "union",
    "union_all",
    "update",
];

/// The names of `sqlalchemy`.
static TOP_NAMES: [&str; NAMES.len() + 1] = {
    let mut names = ["create_engine"; NAMES.len() + 1];
    let (_, rest) = names.split_at_mut(1);
    rest.copy_from_slice(NAMES);
    names
};

/// What of [`NAMES`] and of `sqlalchemy.orm` only a database could answer: calling it raises `HostUnavailable`.
pub const UNANSWERED: &[&str] = &[
    "Session",
    "aliased",
    "bindparam",
    "cast",
    "create_engine",
    "delete",
    "exists",
    "extract",
    "insert",
    "join",
    "joinedload",
    "literal_column",
    "outerjoin",
    "sessionmaker",
    "union",
    "union_all",
    "update",
];

const ORM_NAMES: &[&str] = &["Session", "aliased", "joinedload", "sessionmaker"];

/// `sqlalchemy`
pub static SQLALCHEMY: ModuleDef = ModuleDef {
    name: "sqlalchemy",
    get: |vm, name| match unanswered(&["create_engine"], name) {
        None => get(vm, name),
        engine => Ok(engine),
    },
    names: &TOP_NAMES,
};
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
pub static ORM: ModuleDef =
    ModuleDef { name: "sqlalchemy.orm", get: |_, name| Ok(unanswered(ORM_NAMES, name)), names: ORM_NAMES };

/// The names that the module does not only use itself.
const ORM_EXCEPTION_NAMES: &[&str] = &["MultipleResultsFound", "NoResultFound"];

const EXCEPTION_NAMES: &[&str] = &[
    "ArgumentError",
    "DBAPIError",
    "DatabaseError",
    "IntegrityError",
    "InvalidRequestError",
    "MultipleResultsFound",
    "NoResultFound",
    "OperationalError",
    "ProgrammingError",
    "SQLAlchemyError",
    "StatementError",
    "TimeoutError",
];

fn exceptions(_: &mut Vm, name: &str) -> PyResult<Option<Value>> {
    let class = query::EXCEPTIONS.iter().copied().find(|class| class.name == name);
    Ok(class.map(|class| Value::Type(class)))
}

static FUNCTIONS: &[Builtin] = &[
    Builtin::new("sqlalchemy", "and_", |_, args| Ok(Expr::And(element::expressions(&args)).value())),
    Builtin::new("sqlalchemy", "asc", |_, args| Ok(Expr::Order(ordered(args, "asc")?, false).value())),
    Builtin::new("sqlalchemy", "case", |_, args| element::case(args)),
    Builtin::new("sqlalchemy", "desc", |_, args| Ok(Expr::Order(ordered(args, "desc")?, true).value())),
    Builtin::new("sqlalchemy", "distinct", |_, args| Ok(Expr::Distinct(one(args, "distinct")?).value())),
    Builtin::new("sqlalchemy", "false", |_, _| Ok(Expr::Literal(Sql::Int(0)).value())),
    Builtin::new("sqlalchemy", "literal", |_, args| Ok(Value::object(element::Element(one(args, "literal")?)))),
    Builtin::new("sqlalchemy", "not_", |_, args| Ok(Expr::Not(one(args, "not_")?).value())),
    Builtin::new("sqlalchemy", "null", |_, _| Ok(Expr::Literal(Sql::Null).value())),
    Builtin::new("sqlalchemy", "or_", |_, args| Ok(Expr::Or(element::expressions(&args)).value())),
    Builtin::new("sqlalchemy", "select", |_, args| statement::select(&args)),
    Builtin::new("sqlalchemy", "text", text),
    Builtin::new("sqlalchemy", "true", |_, _| Ok(Expr::Literal(Sql::Int(1)).value())),
];

fn one(args: Args, function: &str) -> PyResult<Rc<Expr>> {
    let [value] = args.exactly(function)?;
    Ok(Expr::of(&value))
}

fn ordered(args: Args, function: &str) -> PyResult<Rc<Expr>> {
    let [value] = args.exactly(function)?;
    Ok(Expr::ordered(&value))
}

fn get(_: &mut Vm, name: &str) -> PyResult<Option<Value>> {
    if name == "func" {
        return Ok(Some(Value::object(Func)));
    }
    let function = FUNCTIONS.iter().find(|function| function.name == name).map(Value::Builtin);
    Ok(function.or_else(|| unanswered(NAMES, name)))
}

/// A function that only a database could answer.
struct Unanswered(&'static str);

fn unanswered(names: &[&'static str], name: &str) -> Option<Value> {
    let known = UNANSWERED.iter().find(|known| **known == name && names.contains(known))?;
    Some(Value::object(Unanswered(known)))
}

impl Object for Unanswered {
    fn class(&self) -> &'static BuiltinType {
        &tpv_python::types::FUNCTION
    }

    fn callable(&self) -> bool {
        true
    }

    fn call(&self, _: &mut Vm, _: &Value, _: Args) -> PyResult<Value> {
        Err(beyond(&format!("{}()", self.0)))
    }

    fn repr(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(format!("<function {}>", self.0))
    }
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
        if name == "distinct" {
            return Some(one(std::mem::take(args), name).map(|inner| Expr::Distinct(inner).value()));
        }
        if let Some(function) = Function::ALL.into_iter().find(|function| function.name() == name) {
            return Some(Ok(Expr::Call(function, element::expressions(args)).value()));
        }
        let Some(function) = Aggregate::ALL.into_iter().find(|function| function.name() == name) else {
            return Some(Ok(Expr::Unanswered(format!("func.{name}()").into()).value()));
        };
        Some(match args.pos.first() {
            None if function == Aggregate::Count => Ok(Expr::Aggregate(function, None).value()),
            Some(Value::Str(star)) if star.as_str() == "*" => Ok(Expr::Aggregate(function, None).value()),
            // Of whole rows.
            Some(table) if function == Aggregate::Count && element::of_table(table) => {
                Ok(Expr::Aggregate(function, None).value())
            }
            Some(value) if args.pos.len() == 1 => Ok(Expr::Aggregate(function, Some(Expr::of(value))).value()),
            _ => Err(beyond(&format!("these arguments of func.{name}()"))),
        })
    }
}

/// `sqlalchemy.sql.elements.TextClause`
pub static TEXT_CLAUSE: BuiltinType = BuiltinType::new("TextClause", "sqlalchemy.sql.elements", &OBJECT);

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

    fn has_method(&self, name: &str) -> bool {
        TEXT_METHODS.contains(&name)
    }

    fn call_method(&self, _: &mut Vm, this: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        if !self.has_method(name) {
            return None;
        }
        args.pos.clear();
        args.kw.clear();
        Some(Ok(this.clone()))
    }
}

/// What can be called of a query as text. It changes nothing that the world's answers depend on.
const TEXT_METHODS: &[&str] = &["bindparams", "columns", "execution_options"];

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
