//! `sqlalchemy`: queries as text.

use crate::galaxy::signature;
use crate::python::args::Args;
use crate::python::exception::{PyResult, type_error};
use crate::python::module::ModuleDef;
use crate::python::object::Object;
use crate::python::string::Str;
use crate::python::types::{BuiltinType, OBJECT};
use crate::python::value::{Builtin, Value};
use crate::python::vm::Vm;

/// `sqlalchemy`
pub static SQLALCHEMY: ModuleDef = ModuleDef { name: "sqlalchemy", get, names: &["text"] };
/// `sqlalchemy.sql`
pub static SQL: ModuleDef = ModuleDef { name: "sqlalchemy.sql", get, names: &["text"] };

static TEXT: Builtin = Builtin { name: "text", call: text };

fn get(_: &mut Vm, name: &str) -> PyResult<Option<Value>> {
    Ok((name == "text").then_some(Value::Builtin(&TEXT)))
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
    while let Some((before, after)) = rest.split_once("\\:") {
        out.push_str(before);
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
