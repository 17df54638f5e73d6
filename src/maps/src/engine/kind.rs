//! The engines by name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Error;

/// The engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The cores of this machine.
    Local,
    /// HTCondor.
    HtCondor,
    /// Slurm.
    Slurm,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Local, Self::HtCondor, Self::Slurm];

    /// The name in settings and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::HtCondor => "htcondor",
            Self::Slurm => "slurm",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == text)
            .ok_or_else(|| Error::new(format!("unknown engine `{text}`"), "write `local`, `htcondor` or `slurm`"))
    }
}
