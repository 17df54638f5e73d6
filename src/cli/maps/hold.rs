//! `tpvc maps hold`, `release`, `pause`, `resume` and `vacate`.

use clap::Args;

use super::context::Context;
use super::select::{Components, Select};
use crate::cli::error::{CliError, Outcome};
use tpv_maps::engine::Action;

/// The components that something is done to.
#[derive(Args)]
pub(super) struct Acting {
    #[command(flatten)]
    tags: Select,
    #[command(flatten)]
    components: Components,
}

impl Acting {
    pub(super) fn run(&self, context: &Context, action: Action) -> Result<Outcome, CliError> {
        act(context, &self.tags, &self.components, action)
    }
}

/// Does something to the components that were chosen, in each map.
pub(super) fn act(
    context: &Context,
    tags: &Select,
    components: &Components,
    action: Action,
) -> Result<Outcome, CliError> {
    context.each(tags, |map| Ok(map.act(action, components.chosen(&map)?.as_deref())?))
}
