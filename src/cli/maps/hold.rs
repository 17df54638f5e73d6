//! `tpvc maps hold` and `tpvc maps release`

use clap::Args;

use super::context::Context;
use super::select::{Components, Select};
use crate::cli::error::{CliError, Outcome};
use tpv_maps::engine::Action;

/// Hold components; running ones are stopped
#[derive(Args)]
pub(super) struct Hold {
    #[command(flatten)]
    tags: Select,
    #[command(flatten)]
    components: Components,
}

/// Release HELD components
#[derive(Args)]
pub(super) struct Release {
    #[command(flatten)]
    tags: Select,
    #[command(flatten)]
    components: Components,
}

impl Hold {
    pub(super) fn run(&self, context: &Context) -> Result<Outcome, CliError> {
        act(context, &self.tags, &self.components, Action::Hold)
    }
}

impl Release {
    pub(super) fn run(&self, context: &Context) -> Result<Outcome, CliError> {
        act(context, &self.tags, &self.components, Action::Release)
    }
}

/// Does something to the components that were chosen, in each map.
pub(super) fn act(
    context: &Context,
    tags: &Select,
    components: &Components,
    action: Action,
) -> Result<Outcome, CliError> {
    context.each(tags, |map| {
        let only = if components.is_all() { None } else { Some(components.of(map.tag(), &map.status()?)?) };
        Ok(map.act(action, only.as_deref())?)
    })
}
