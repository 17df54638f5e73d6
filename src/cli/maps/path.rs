//! `tpvc maps path`

use clap::Args;

use super::context::Context;
use crate::cli::error::{CliError, Outcome};
use crate::cli::output::print_stdout;
use tpv_text::printable::Form;

/// Print where the files of a map are
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    cd \"$(tpvc maps path q3)\"")]
pub(super) struct Path {
    /// The tag
    #[arg(value_name = "TAG")]
    tag: String,
}

impl Path {
    pub(super) fn run(&self, context: &Context) -> Result<Outcome, CliError> {
        // For `cd "$(tpvc maps path TAG)"`.
        print_stdout(Form::Data, &format!("{}\n", context.root.load(&self.tag)?.path().display()))?;
        Ok(Outcome::Done)
    }
}
