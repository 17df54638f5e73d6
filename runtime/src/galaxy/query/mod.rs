//! Queries over Galaxy's job table as code writes them with SQLAlchemy's ORM, answered from the world's jobs.
//!
//! [`expression`] has columns and what is built from them, [`evaluate`] computes them as SQLite does, [`statement`] has
//! `session.query(...)` and `select(...)`, [`result`] rows and results. What goes beyond raises `HostUnavailable`: a
//! mapping must not guess what a database would answer.

pub mod evaluate;
pub mod expression;
pub mod result;
pub mod statement;

use crate::galaxy::errors::host_unavailable;
use crate::galaxy::modules::model;
use crate::python::exception::{EXCEPTION, Raised};
use crate::python::types::BuiltinType;
use crate::python::value::Value;

use expression::{Expr, Field};

/// The error for what only a database could answer.
pub(crate) fn beyond(what: &str) -> Raised {
    host_unavailable(format!("the world answers no query with {what}"))
}

/// `Job.state`: what a class of the model offers without an instance.
pub fn class_attribute(class: &'static BuiltinType, name: &str) -> Option<Value> {
    if !std::ptr::eq(class, &raw const model::JOB) {
        return None;
    }
    Some(Expr::Column(Field::named(name)?).value())
}

/// Declares SQLAlchemy's exceptions.
macro_rules! exceptions {
    ($($id:ident = $name:literal ($base:expr);)*) => {
        $(#[doc = concat!("`sqlalchemy.exc.", $name, "`")]
        pub static $id: BuiltinType = BuiltinType::new($name, "sqlalchemy.exc", $base);)*
    };
}

exceptions! {
    SQLALCHEMY_ERROR = "SQLAlchemyError" (&EXCEPTION);
    INVALID_REQUEST_ERROR = "InvalidRequestError" (&SQLALCHEMY_ERROR);
    NO_RESULT_FOUND = "NoResultFound" (&INVALID_REQUEST_ERROR);
    MULTIPLE_RESULTS_FOUND = "MultipleResultsFound" (&INVALID_REQUEST_ERROR);
}
