//! `tpvc maps remove`

use clap::Args;

use super::context::Context;
use super::select::Select;
use crate::cli::error::{CliError, Outcome};
use tpv_maps::Map;

/// Remove maps: from the engine's queue and from the disk
///
/// The next `create`, `remove` or `clean` completes an interrupted removal.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc maps remove q3\n  \
    tpvc maps remove q3 --force")]
pub(super) struct Remove {
    #[command(flatten)]
    tags: Select,
    /// Also if the engine cannot be asked, or files of the map are damaged
    #[arg(long)]
    force: bool,
}

impl Remove {
    pub(super) fn run(&self, context: &Context) -> Result<Outcome, CliError> {
        let mut outcome = Outcome::Done;
        for tag in self.tags.tags(&context.root)? {
            let removed = if self.force { self.by_force(context, &tag) } else { remove(context, &tag) };
            if let Err(error) = removed {
                context.common.show_error(&error);
                outcome = Outcome::Bad;
            }
        }
        // A damaged tag stays as it is, so that whoever looks finds what was wrong.
        if matches!(outcome, Outcome::Done) {
            context.root.sweep()?;
        }
        Ok(outcome)
    }

    fn by_force(&self, context: &Context, tag: &str) -> Result<(), CliError> {
        let left = Map::remove_by_force(&context.root, tag)?;
        if !left.is_empty() {
            let left = left.join(", ");
            context.common.note(&format!(
                "{tag}: the engine may still have jobs of it, which end by themselves once they start: {left}"
            ));
        }
        Ok(())
    }
}

/// Removes a map.
pub(super) fn remove(context: &Context, tag: &str) -> Result<(), CliError> {
    let with_force =
        |error: CliError| CliError::new(error.message, format!("{}; `--force` removes it all the same", error.help));
    if context.root.find(tag)?.is_none() {
        // A removal that was interrupted is ended by sweeping; asked for twice, it was still to be removed.
        context.root.sweep()?;
    }
    context.load(tag)?.remove().map_err(|error| with_force(error.into()))
}
