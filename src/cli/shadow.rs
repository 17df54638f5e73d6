//! `tpvc shadow`, which the Python package has: its command runs it before it comes here.

use std::ffi::OsString;

use clap::Args;

use super::error::{CliError, Outcome};
use super::export_jobs::INSTALL;

/// Show how the answers of TPV and tpvc compare for live jobs (Python package only)
#[derive(Args)]
#[command(disable_help_flag = true, after_help = "Examples:\n  tpvc shadow /srv/galaxy/database")]
pub(super) struct Shadow {
    /// The arguments of the Python package's `tpvc shadow`, shown by its own --help
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    _arguments: Vec<OsString>,
}

impl Shadow {
    /// Says where the verb is.
    ///
    /// # Errors
    /// Always: job handlers count with the Python package.
    pub(super) fn run(&self) -> Result<Outcome, CliError> {
        Err(CliError::misuse("`shadow` reads what the Python package counted in Galaxy's job handlers", INSTALL))
    }
}
