//! `tpvc maps edit`

use clap::Args;

use super::context::Context;
use super::select::Select;
use crate::cli::error::{CliError, Outcome};

/// Change the limits of the components of maps
///
/// Applies to queued components, as far as the engine can change them, and to all that run later.
#[derive(Args)]
#[command(after_help = "Example:\n  tpvc maps edit q3 --memory 4000 && tpvc maps rerun q3")]
pub(super) struct Edit {
    #[command(flatten)]
    tags: Select,
    /// MiB of memory
    #[arg(long, value_name = "MIB", required_unless_present = "time", value_parser = clap::value_parser!(u64).range(1..))]
    memory: Option<u64>,
    /// Seconds of time
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    time: Option<u64>,
}

impl Edit {
    pub(super) fn run(&self, context: &Context) -> Result<Outcome, CliError> {
        context.each(&self.tags, |mut map| Ok(map.edit(self.memory, self.time)?))
    }
}
