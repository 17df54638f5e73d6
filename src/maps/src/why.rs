//! Reasons: why a component waits, is held, was removed or ended without answers.

use serde::{Deserialize, Serialize};

use super::Error;

/// A reason with its remedy. The message is empty if no reason is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Why {
    /// The reason, in the words of whoever knows it.
    pub message: String,
    /// The remedy.
    pub help: String,
}

impl Why {
    /// A reason of these words.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }

    /// Returns `true` if a reason is known.
    pub fn is_known(&self) -> bool {
        !self.message.is_empty()
    }

    /// The reason and the remedy in one line.
    pub fn line(&self) -> String {
        match self.help.as_str() {
            "" => self.message.clone(),
            help => format!("{}; help: {help}", self.message),
        }
    }
}

impl From<Error> for Why {
    fn from(error: Error) -> Self {
        Self { message: error.message, help: error.help }
    }
}
