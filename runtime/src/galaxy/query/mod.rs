//! Queries over Galaxy's job table as code writes them with SQLAlchemy's ORM, answered from the world's jobs.
//!
//! [`columns`] has the table and [`states`] the states of jobs, [`expression`] what is built from columns and [`element`] how
//! code builds it, [`evaluate`] computes it as SQLite does, [`statement`] has `session.query(...)` and `select(...)`, [`rows`]
//! and [`result`] what they give. What goes beyond raises `HostUnavailable`: a mapping must not guess what a database would
//! answer.

pub mod columns;
pub mod element;
pub mod evaluate;
pub mod expression;
pub mod result;
pub mod rows;
pub mod statement;
pub mod states;

use crate::galaxy::errors::host_unavailable;
use crate::galaxy::modules::model;
use tpv_python::exception::{EXCEPTION, PyResult, Raised, raise};
use tpv_python::types::BuiltinType;
use tpv_python::value::Value;

use columns::Field;
use expression::Expr;

/// The error for what only a database could answer.
pub(crate) fn beyond(what: &str) -> Raised {
    host_unavailable(format!("the world answers no query with {what}"))
}

/// Raises `ArgumentError`.
fn argument_error(message: impl Into<String>) -> Raised {
    raise(&ARGUMENT_ERROR, message)
}

/// Raises `InvalidRequestError`.
fn invalid_request(message: impl Into<String>) -> Raised {
    raise(&INVALID_REQUEST_ERROR, message)
}

/// `Job.state`: what a class of the model offers without an instance. `None` where it has no such attribute.
///
/// # Errors
/// `HostUnavailable` for what only a database could answer.
pub fn class_attribute(class: &'static BuiltinType, name: &str) -> PyResult<Option<Value>> {
    if !model::CLASSES.iter().any(|known| std::ptr::eq(*known, class)) {
        return Ok(None);
    }
    if !std::ptr::eq(class, &raw const model::JOB) {
        let is_name = !name.starts_with('_');
        return if is_name { Err(beyond(&format!("the table of {}", class.name))) } else { Ok(None) };
    }
    if let Some(field) = Field::named(name) {
        return Ok(Some(Expr::Column(field).value()));
    }
    if columns::UNANSWERED.contains(&name) {
        return Err(beyond(&format!("`Job.{name}`")));
    }
    match name {
        "table" => Ok(Some(columns::table())),
        "states" => Ok(Some(Value::object(states::States))),
        name => Ok(states::list(name)),
    }
}

/// Declares SQLAlchemy's exceptions.
macro_rules! exceptions {
    ($($id:ident = $name:literal ($base:expr);)*) => {
        $(#[doc = concat!("`sqlalchemy.exc.", $name, "`")]
        pub static $id: BuiltinType = BuiltinType::new($name, "sqlalchemy.exc", $base);)*

        /// All of them.
        pub static EXCEPTIONS: &[&BuiltinType] = &[$(&$id),*];
    };
}

exceptions! {
    SQLALCHEMY_ERROR = "SQLAlchemyError" (&EXCEPTION);
    ARGUMENT_ERROR = "ArgumentError" (&SQLALCHEMY_ERROR);
    STATEMENT_ERROR = "StatementError" (&SQLALCHEMY_ERROR);
    DBAPI_ERROR = "DBAPIError" (&STATEMENT_ERROR);
    DATABASE_ERROR = "DatabaseError" (&DBAPI_ERROR);
    OPERATIONAL_ERROR = "OperationalError" (&DATABASE_ERROR);
    PROGRAMMING_ERROR = "ProgrammingError" (&DATABASE_ERROR);
    INTEGRITY_ERROR = "IntegrityError" (&DATABASE_ERROR);
    TIMEOUT_ERROR = "TimeoutError" (&SQLALCHEMY_ERROR);
    INVALID_REQUEST_ERROR = "InvalidRequestError" (&SQLALCHEMY_ERROR);
    NO_RESULT_FOUND = "NoResultFound" (&INVALID_REQUEST_ERROR);
    MULTIPLE_RESULTS_FOUND = "MultipleResultsFound" (&INVALID_REQUEST_ERROR);
}
