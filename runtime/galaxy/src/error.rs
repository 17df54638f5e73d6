//! Errors in lines of job files and in world files.

use std::fmt;

/// The error of reading a job or a world. The text is for users.
///
/// ```
/// use tpv_galaxy::{Error, Job};
///
/// let error = Job::parse(r#"{"tool": {}}"#).unwrap_err();
/// assert_eq!(error, Error::Job("tool.id: missing".to_owned()));
/// assert_eq!(error.to_string(), "tool.id: missing");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A line of a job file is no job: the first field that is missing or of the wrong type.
    Job(String),
    /// A world file is no world.
    World {
        /// The line, from 1.
        line: usize,
        /// The column, from 1, in characters.
        column: usize,
        /// The field and what is wrong with it.
        message: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Job(message) => f.write_str(message),
            Self::World { line, column, message } => write!(f, "line {line}, column {column}: {message}"),
        }
    }
}

impl std::error::Error for Error {}
