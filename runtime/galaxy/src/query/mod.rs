//! Queries of Galaxy's job table as code writes them with SQLAlchemy, answered from the world's jobs.
//!
//! [`columns`] has the table and [`states`] the states of jobs; [`expression`] is what is built from columns, [`element`] how code
//! builds it; [`statement`] is `session.query(...)` and `select(...)`; [`run`] and [`evaluate`] compute the answer as SQLite does;
//! [`rows`] and [`result`] are what code gets. Whatever else SQLAlchemy has raises `HostUnavailable`: a mapping must not guess
//! what a database would answer.

pub mod columns;
pub(crate) mod element;
mod evaluate;
pub(crate) mod expression;
pub(crate) mod like;
pub(crate) mod result;
pub(crate) mod rows;
mod run;
pub(crate) mod statement;
pub(crate) mod states;

use crate::errors::host_unavailable;
use crate::modules::model;
use tpv_python::exception::{EXCEPTION, PyResult, Raised};
use tpv_python::types::BuiltinType;
use tpv_python::value::Value;

/// The error for what only a database could answer.
pub(crate) fn beyond(what: &str) -> Raised {
    host_unavailable(format!("the world answers no query with {what}"))
}

/// The value of an attribute of a SQLAlchemy object that is not native: `None` for the names of Python's machinery.
///
/// # Errors
/// `HostUnavailable` for any other name.
pub(crate) fn further_attribute(class: &BuiltinType, name: &str) -> PyResult<Option<Value>> {
    if name.starts_with('_') { Ok(None) } else { Err(beyond(&format!("`{}.{name}`", class.name))) }
}

/// `Job.state`: what a class of the model offers without an instance. `None` where it has no such attribute.
///
/// # Errors
/// `HostUnavailable` for columns that the world does not know, and for all other tables.
pub fn class_attribute(class: &'static BuiltinType, name: &str) -> PyResult<Option<Value>> {
    if !model::CLASSES.iter().any(|known| std::ptr::eq(*known, class)) {
        return Ok(None);
    }
    if !std::ptr::eq(class, &raw const model::JOB) {
        return further_attribute(class, name);
    }
    match columns::element(name)? {
        Some(column) => Ok(Some(column)),
        None => Ok(job_class_attribute(name)),
    }
}

/// An attribute of Galaxy's class of jobs other than the columns.
fn job_class_attribute(name: &str) -> Option<Value> {
    match name {
        "table" => Some(columns::table()),
        "states" => Some(Value::object(states::States)),
        name => states::list(name),
    }
}

/// Declares SQLAlchemy's exceptions.
macro_rules! exceptions {
    ($($id:ident = $name:literal ($base:expr);)*) => {
        $(#[doc = concat!("`sqlalchemy.exc.", $name, "`")]
        pub static $id: BuiltinType = BuiltinType::new($name, "sqlalchemy.exc", $base);)*

        /// All of them.
        pub static EXCEPTIONS: &[&BuiltinType] = &[$(&$id),*];

        /// Their names.
        pub static EXCEPTION_NAMES: &[&str] = &[$($name),*];
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
