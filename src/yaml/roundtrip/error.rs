//! Why a text could not be read, sorted or written again.

use std::fmt;

/// A text that `tpv format` refuses too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundTripError {
    /// The message: a lower-case sentence without a full stop.
    pub message: String,
    /// The place as a byte offset into the text; `None` if the fault belongs to no one place.
    pub offset: Option<usize>,
    /// The remedy.
    pub help: &'static str,
}

impl RoundTripError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), offset: None, help: "change the text there: `tpv format` refuses it too" }
    }

    pub(crate) fn at(mut self, offset: usize) -> Self {
        self.offset = Some(offset);
        self
    }

    pub(crate) fn help(mut self, help: &'static str) -> Self {
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

pub(crate) type Result<T> = std::result::Result<T, RoundTripError>;
