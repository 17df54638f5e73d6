//! Engines: what runs components. One trait, one folder an engine.
//!
//! An engine keeps no state of its own in this program: what it must remember stands in the map's directory, or with the engine's
//! daemons. Every call asks the engine's own programs, with a limit of time.

pub mod htcondor;
mod interface;
mod kind;
pub mod local;
pub(crate) mod program;
pub mod slurm;

use crate::Error;
pub use interface::{Action, Engine, EngineState, Options, Submission};
pub use kind::Kind;

/// Refuses options that an engine does not have or cannot be given: a line break in one would begin another line of a submit description.
///
/// # Errors
/// The first such option.
pub fn check_options(kind: Kind, options: &Options) -> Result<(), Error> {
    match options.iter().find(|(name, value)| name.chars().chain(value.chars()).any(char::is_control)) {
        None => of(kind).check_options(options),
        Some((name, _)) => Err(Error::new(
            format!("the option `{}` has a line break or another control character", name.escape_debug()),
            "write its name and value on one line, without control characters",
        )),
    }
}

/// The engine of a kind.
pub fn of(kind: Kind) -> Box<dyn Engine> {
    match kind {
        Kind::Local => Box::new(local::Local),
        Kind::Slurm => Box::new(slurm::Slurm),
        Kind::HtCondor => Box::new(htcondor::HtCondor),
    }
}
