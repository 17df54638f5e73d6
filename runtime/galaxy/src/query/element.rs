//! Expressions of SQL in the hands of code: `Job.state == 'queued'`, `func.count(Job.id).label('n')`.

use std::rc::Rc;

use super::expression::{Expr, Sql};
use super::{ARGUMENT_ERROR, beyond, further_attribute};
use crate::standard;
use tpv_python::args::Args;
use tpv_python::exception::{PyResult, raise, type_error};
use tpv_python::object::Object;
use tpv_python::types::{BuiltinType, OBJECT};
use tpv_python::value::Value;
use tpv_python::vm::{CompareOp, Vm};

/// The class of `Job.state` and of everything built from it.
pub static COLUMN_ELEMENT: BuiltinType = BuiltinType::new("ColumnElement", "sqlalchemy.sql.elements", &OBJECT);

/// An expression as a Python object.
pub struct Element(pub Rc<Expr>);

/// The methods of an expression.
const METHODS: &[&str] = &[
    "asc",
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

impl Element {
    fn is_in(&self, vm: &mut Vm, values: &Value, not: bool) -> PyResult<Expr> {
        if let Value::Str(_) = values {
            let shown = vm.repr(values)?;
            let message =
                format!("IN expression list, SELECT construct, or bound parameter object expected, got {shown}.");
            return Err(raise(&ARGUMENT_ERROR, message));
        }
        if let Value::Object(_) = values
            && values.downcast::<super::statement::Statement>().is_some()
        {
            return Err(beyond("a query in a query"));
        }
        let values: PyResult<Rc<[Sql<'static>]>> = vm.collect(values)?.iter().map(Sql::of).collect();
        Ok(Expr::In(self.0.clone(), values?, not))
    }

    fn call(&self, vm: &mut Vm, name: &str, args: Args) -> PyResult<Value> {
        let this = self.0.clone();
        match name {
            "asc" | "desc" | "distinct" => {
                let [] = args.exactly(name)?;
                let made = if name == "distinct" { Expr::Distinct(this) } else { Expr::Order(this, name == "desc") };
                return made.value(vm);
            }
            _ => {}
        }
        if !args.kw.is_empty() {
            return Err(beyond(&format!("keyword arguments of {name}()")));
        }
        let [argument] = args.exactly(name)?;
        let like = |before: &str, after: &str| match Sql::of(&argument)? {
            Sql::Text(text) => {
                Ok(Expr::Like(self.0.clone(), format!("{before}{text}{after}").into(), name.starts_with("not")))
            }
            _ => Err(beyond(&format!("{name}() of something that isn't text"))),
        };
        let made = match name {
            "in_" => self.is_in(vm, &argument, false)?,
            "not_in" | "notin_" => self.is_in(vm, &argument, true)?,
            "is_" => Expr::Is(this, Sql::of(&argument)?, false),
            "is_not" | "isnot" => Expr::Is(this, Sql::of(&argument)?, true),
            "startswith" => like("", "%")?,
            "endswith" => like("%", "")?,
            "contains" => like("%", "%")?,
            "regexp_match" => Expr::Regex(this, standard::call(vm, "re", "compile", Args::one(argument))?),
            "label" => match &argument {
                Value::Str(name) => Expr::Label(this, name.as_str().into()),
                _ => return Err(beyond("a label that isn't text")),
            },
            // SQLite's LIKE tells no capital letters from small ones.
            _ => like("", "")?,
        };
        made.value(vm)
    }
}

impl Object for Element {
    fn class(&self) -> &'static BuiltinType {
        &COLUMN_ELEMENT
    }

    fn get_attr(&self, _: &mut Vm, _: &Value, name: &str) -> PyResult<Option<Value>> {
        match name {
            "key" | "name" => Ok(self.0.name().map(|name| Value::str(&*name))),
            name if METHODS.contains(&name) => Ok(None),
            name => further_attribute(&COLUMN_ELEMENT, name),
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
            Expr::Compare(CompareOp::Eq, a, b) => Ok(same(a, b)),
            Expr::Compare(CompareOp::Ne, a, b) => Ok(!same(a, b)),
            _ => Err(type_error("Boolean value of this clause is not defined")),
        }
    }

    fn compare(&self, vm: &mut Vm, op: CompareOp, other: &Value) -> Option<PyResult<Value>> {
        Some(Expr::of(other).and_then(|other| {
            let is_null = matches!(&*other, Expr::Literal(Sql::Null));
            match op {
                CompareOp::Eq if is_null => Expr::Is(self.0.clone(), Sql::Null, false),
                CompareOp::Ne if is_null => Expr::Is(self.0.clone(), Sql::Null, true),
                _ => Expr::Compare(op, self.0.clone(), other),
            }
            .value(vm)
        }))
    }

    fn binary(&self, vm: &mut Vm, method: &str, other: &Value) -> Option<PyResult<Value>> {
        Some(match method {
            "and" | "rand" => Expr::of(other).and_then(|other| Expr::And([self.0.clone(), other].into()).value(vm)),
            "or" | "ror" => Expr::of(other).and_then(|other| Expr::Or([self.0.clone(), other].into()).value(vm)),
            other => Err(beyond(&format!("the operator '{other}'"))),
        })
    }

    fn unary(&self, vm: &mut Vm, method: &str) -> Option<PyResult<Value>> {
        Some(match method {
            "invert" => Expr::Not(self.0.clone()).value(vm),
            other => Err(beyond(&format!("the operator '{other}'"))),
        })
    }

    fn hash(&self, _: &mut Vm) -> Option<PyResult<i64>> {
        None
    }
}
