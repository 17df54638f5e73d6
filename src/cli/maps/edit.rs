//! `tpvc maps edit`

use clap::Args;

use super::context::Context;
use super::limits::Limits;
use super::select::{Components, Select};
use crate::cli::error::{CliError, Outcome};

/// Change the limits of the components of maps
///
/// Applies to queued components, as far as the engine can change them, and to all that run later. `--components` and `--state` choose some, whose
/// limits then are their own.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc maps edit q3 --memory 4G && tpvc maps rerun q3\n  \
    tpvc maps edit q3 --state ERRORED --memory 4G --time 3600")]
pub(super) struct Edit {
    #[command(flatten)]
    tags: Select,
    #[command(flatten)]
    components: Components,
    #[command(flatten)]
    limits: Limits,
}

impl Edit {
    pub(super) fn run(&self, context: &Context) -> Result<Outcome, CliError> {
        let changes = self.limits.resources();
        if changes.is_empty() {
            return Err(CliError::misuse("no limit is given", "give `--memory`, `--time` or `--disk`"));
        }
        context.each(&self.tags, |mut map| {
            let only = self.components.chosen(&map)?;
            Ok(map.edit(changes, only.as_deref())?)
        })
    }
}
