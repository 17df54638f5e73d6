//! `tpvc maps run`: the process that runs the components of a map on this machine. Engine `local` starts it.

use std::path::PathBuf;

use clap::Args;

use crate::cli::error::{CliError, Outcome};
use tpv_maps::engine::local::runner;
use tpv_maps::store::MapDir;

/// Run what waits in a map on this machine
#[derive(Args)]
pub(super) struct Run {
    /// The map's directory
    #[arg(long, value_name = "FOLDER")]
    map: PathBuf,
}

impl Run {
    pub(super) fn run(&self) -> Result<Outcome, CliError> {
        runner::run(&MapDir::at(&self.map))?;
        Ok(Outcome::Done)
    }
}
