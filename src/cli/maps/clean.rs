//! `tpvc maps clean`

use clap::Args;

use super::context::Context;
use super::remove::remove;
use crate::cli::error::{CliError, Outcome};
use tpv_text::figures::count;

/// Remove maps that were made without a tag, and leftovers of interrupted commands
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc maps clean\n  \
    tpvc maps clean --all")]
pub(super) struct Clean {
    /// All maps, tagged ones too
    #[arg(long)]
    all: bool,
}

impl Clean {
    pub(super) fn run(&self, context: &Context) -> Result<Outcome, CliError> {
        context.root.sweep()?;
        let (mut outcome, mut removed) = (Outcome::Done, 0);
        for (tag, map) in context.root.tags()? {
            let result = match map {
                Ok(map) if !self.all && !map.is_transient() => continue,
                Ok(_) => remove(context, &tag),
                Err(error) => Err(error.into()),
            };
            match result {
                Ok(()) => removed += 1,
                Err(error) => {
                    context.common.show_error(&error);
                    outcome = Outcome::Bad;
                }
            }
        }
        context.common.note(&format!("removed {}", count(removed, "map")));
        Ok(outcome)
    }
}
