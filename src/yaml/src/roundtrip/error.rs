//! Errors of reading, sorting and writing a text.

use std::fmt;

use crate::read::fault::{Fault, Problem};

/// A text that `tpv format` refuses too.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RoundTripError {
    /// The message: a lower-case sentence without a full stop.
    pub message: String,
    /// The place as a byte offset into the text; `None` if the fault belongs to no one place.
    pub offset: Option<usize>,
    /// The remedy.
    pub help: &'static str,
}

impl RoundTripError {
    /// An error without a place.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), offset: None, help: "change the text there: `tpv format` refuses it too" }
    }

    /// Sets the place: a byte offset into the text.
    pub fn at(mut self, offset: usize) -> Self {
        self.offset = Some(offset);
        self
    }

    /// Sets the remedy.
    pub fn help(mut self, help: &'static str) -> Self {
        self.help = help;
        self
    }
}

impl fmt::Display for RoundTripError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RoundTripError {}

/// The result of reading, sorting or writing.
pub type Result<T> = std::result::Result<T, RoundTripError>;

impl From<Fault> for RoundTripError {
    fn from(Fault { problem, message, at, .. }: Fault) -> Self {
        let error = Self::new(message).at(at);
        match problem {
            Problem::Comments => error.help("move a comment to another line: `tpv format` stops here too"),
            Problem::Character(_) => error.help("write it as an escape in a double-quoted string, or remove it"),
            _ => error,
        }
    }
}
