//! `tpvc export-jobs`, which the Python package has: its command runs it before it comes here.

use std::ffi::OsString;

use clap::Args;

use super::error::{CliError, Outcome};

/// The way to the verbs that need Python.
pub(super) const INSTALL: &str =
    "install the Python package where Galaxy runs: `pip install ./python` in a checkout of tpvc";

/// Write a Galaxy database's job history as a job file (Python package only)
#[derive(Args)]
#[command(
    disable_help_flag = true,
    after_help = "Examples:\n  tpvc export-jobs sqlite:///database/universe.sqlite --since 2026-01-01 -o jobs.jsonl"
)]
pub(super) struct ExportJobs {
    /// The options of the Python package's `tpvc export-jobs`, shown by its own --help
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    _arguments: Vec<OsString>,
}

impl ExportJobs {
    /// Says where the verb is.
    ///
    /// # Errors
    /// Always: this program has no Python, and thus no drivers of databases.
    pub(super) fn run(&self) -> Result<Outcome, CliError> {
        Err(CliError::misuse("`export-jobs` reads Galaxy's database through SQLAlchemy, which needs Python", INSTALL))
    }
}
