//! `sqlalchemy`: queries as text, and what builds queries of the job table.

use std::rc::Rc;

use memchr::memmem;

use super::galaxy::none;
use crate::query;
use crate::query::expression::{Aggregate, Expr};
use crate::query::{beyond, statement};
use crate::signature;
use tpv_python::args::Args;
use tpv_python::exception::{PyResult, type_error};
use tpv_python::module::ModuleDef;
use tpv_python::object::Object;
use tpv_python::string::Str;
use tpv_python::types::{BuiltinType, OBJECT};
use tpv_python::value::{Builtin, Value};
use tpv_python::vm::Vm;

/// The names of `sqlalchemy`, and of the modules that hold the same.
const NAMES: &[&str] = &["and_", "asc", "desc", "distinct", "func", "not_", "or_", "select", "text"];

/// `sqlalchemy`
pub static SQLALCHEMY: ModuleDef = ModuleDef { name: "sqlalchemy", get, names: NAMES };
/// `sqlalchemy.sql`
pub static SQL: ModuleDef = ModuleDef { name: "sqlalchemy.sql", get, names: NAMES };
/// `sqlalchemy.sql.expression`
pub static EXPRESSION: ModuleDef = ModuleDef { name: "sqlalchemy.sql.expression", get, names: NAMES };
/// `sqlalchemy.exc`
pub static EXC: ModuleDef = ModuleDef { name: "sqlalchemy.exc", get: exceptions, names: query::EXCEPTION_NAMES };
/// `sqlalchemy.orm`
pub static ORM: ModuleDef = ModuleDef { name: "sqlalchemy.orm", get: none, names: &[] };
/// `sqlalchemy.orm.exc`
pub static ORM_EXC: ModuleDef = ModuleDef {
    name: "sqlalchemy.orm.exc",
    get: |vm, name| if ORM_EXCEPTION_NAMES.contains(&name) { exceptions(vm, name) } else { Ok(None) },
    names: ORM_EXCEPTION_NAMES,
};

/// The names that the module does not only use itself.
const ORM_EXCEPTION_NAMES: &[&str] = &["MultipleResultsFound", "NoResultFound"];

fn exceptions(_: &mut Vm, name: &str) -> PyResult<Option<Value>> {
    let class = query::EXCEPTIONS.iter().copied().find(|class| class.name == name);
    Ok(class.map(Value::Type))
}

static FUNCTIONS: &[Builtin] = &[
    Builtin::new("sqlalchemy", "and_", |vm, args| Expr::And(Expr::all(&args.pos)?).value(vm)),
    Builtin::new("sqlalchemy", "asc", |vm, args| Expr::Order(ordered(args, "asc")?, false).value(vm)),
    Builtin::new("sqlalchemy", "desc", |vm, args| Expr::Order(ordered(args, "desc")?, true).value(vm)),
    Builtin::new("sqlalchemy", "distinct", |vm, args| Expr::Distinct(one(args, "distinct")?).value(vm)),
    Builtin::new("sqlalchemy", "not_", |vm, args| Expr::Not(one(args, "not_")?).value(vm)),
    Builtin::new("sqlalchemy", "or_", |vm, args| Expr::Or(Expr::all(&args.pos)?).value(vm)),
    Builtin::new("sqlalchemy", "select", |_, args| statement::ask(None, &args)),
    Builtin::new("sqlalchemy", "text", text),
];

fn one(args: Args, function: &str) -> PyResult<Rc<Expr>> {
    let [value] = args.exactly(function)?;
    Expr::of(&value)
}

fn ordered(args: Args, function: &str) -> PyResult<Rc<Expr>> {
    let [value] = args.exactly(function)?;
    Expr::ordered(&value)
}

fn get(_: &mut Vm, name: &str) -> PyResult<Option<Value>> {
    if name == "func" {
        return Ok(Some(Value::object(Func)));
    }
    Ok(FUNCTIONS.iter().find(|function| function.name == name).map(Value::Builtin))
}

static FUNCTION_GENERATOR: BuiltinType = BuiltinType::new("_FunctionGenerator", "sqlalchemy.sql.functions", &OBJECT);

/// `sqlalchemy.func`, which has a function of any name.
struct Func;

impl Object for Func {
    fn class(&self) -> &'static BuiltinType {
        &FUNCTION_GENERATOR
    }

    fn has_method(&self, name: &str) -> bool {
        !name.starts_with("__")
    }

    fn call_method(&self, vm: &mut Vm, _: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        let function = Aggregate::named(name);
        let value = match (function, args.pos.as_slice()) {
            (Some(Aggregate::Count), [] | [_]) if args.pos.first().is_none_or(is_all) => {
                Ok(Expr::Aggregate(Aggregate::Count, None))
            }
            (Some(function), [value]) => Expr::of(value).map(|value| Expr::Aggregate(function, Some(value))),
            (None, [value]) if name == "distinct" => Expr::of(value).map(Expr::Distinct),
            _ => Err(beyond(&format!("this func.{name}()"))),
        };
        Some(value.and_then(|value| value.value(vm)))
    }
}

/// Returns `true` if whole rows are counted: `func.count('*')`, `func.count(Job)`.
fn is_all(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.as_str() == "*") || statement::is_table(value)
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
        match name {
            "text" => Ok(Some(Value::Str(self.0.clone()))),
            "bindparams" => Ok(None),
            name => query::further_attribute(&TEXT_CLAUSE, name),
        }
    }

    fn str(&self, _: &mut Vm, _: &Value) -> PyResult<String> {
        Ok(compiled(&self.0))
    }

    fn has_method(&self, name: &str) -> bool {
        name == "bindparams"
    }

    fn call_method(&self, _: &mut Vm, this: &Value, name: &str, args: &mut Args) -> Option<PyResult<Value>> {
        // Parameters by name change nothing: the world answers by the text.
        (self.has_method(name) && args.pos.is_empty()).then(|| Ok(this.clone()))
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
