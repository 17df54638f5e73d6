//! The states of a component.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Error;

/// The state of a component, in the words of HTMap and HTCondor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum State {
    /// It is not known: the engine cannot be asked, or the component was not submitted.
    Unknown,
    /// The engine has not made a job of it yet (late materialization).
    Unmaterialized,
    /// It waits for a place to run.
    Idle,
    /// It runs.
    Running,
    /// It was removed from the engine's queue.
    Removed,
    /// Its answers are there.
    Completed,
    /// It was put on hold.
    Held,
    /// It was stopped for a while.
    Suspended,
    /// It ended without its answers.
    Errored,
}

impl State {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 9] = [
        Self::Unknown,
        Self::Unmaterialized,
        Self::Idle,
        Self::Running,
        Self::Removed,
        Self::Completed,
        Self::Held,
        Self::Suspended,
        Self::Errored,
    ];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "UNKNOWN",
            Self::Unmaterialized => "UNMATERIALIZED",
            Self::Idle => "IDLE",
            Self::Running => "RUNNING",
            Self::Removed => "REMOVED",
            Self::Completed => "COMPLETED",
            Self::Held => "HELD",
            Self::Suspended => "SUSPENDED",
            Self::Errored => "ERRORED",
        }
    }

    /// Returns `true` if the component will finish without further commands.
    pub fn goes_on(self) -> bool {
        matches!(self, Self::Unmaterialized | Self::Idle | Self::Running | Self::Suspended)
    }
}

impl fmt::Display for State {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for State {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|state| state.name().eq_ignore_ascii_case(text)).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|state| state.name()).collect();
            Error::new(format!("unknown state `{text}`"), format!("write one of {}", names.join(", ")))
        })
    }
}
