//! `tpvc maps path`

use clap::Args;

use super::{CliError, Context, Outcome};
use crate::cli::output::print_stdout;

/// Print where the files of a map are
#[derive(Args)]
pub(super) struct Path {
    /// The tag
    #[arg(value_name = "TAG")]
    tag: String,
}

impl Path {
    pub(super) fn run(&self, context: &Context) -> Result<Outcome, CliError> {
        print_stdout(format!("{}\n", context.root.load(&self.tag)?.path().display()))?;
        Ok(Outcome::Done)
    }
}
