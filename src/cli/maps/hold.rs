//! `tpvc maps hold`, `release`, `pause`, `resume` and `vacate`.

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

/// Pause running components, to go on where they are (HTCondor)
#[derive(Args)]
pub(super) struct Pause {
    #[command(flatten)]
    tags: Select,
    #[command(flatten)]
    components: Components,
}

/// Let SUSPENDED components go on (HTCondor)
#[derive(Args)]
pub(super) struct Resume {
    #[command(flatten)]
    tags: Select,
    #[command(flatten)]
    components: Components,
}

/// Take components from their machines; they start anew (HTCondor)
#[derive(Args)]
pub(super) struct Vacate {
    #[command(flatten)]
    tags: Select,
    #[command(flatten)]
    components: Components,
}

impl Pause {
    pub(super) fn run(&self, context: &Context) -> Result<Outcome, CliError> {
        act(context, &self.tags, &self.components, Action::Pause)
    }
}

impl Resume {
    pub(super) fn run(&self, context: &Context) -> Result<Outcome, CliError> {
        act(context, &self.tags, &self.components, Action::Resume)
    }
}

impl Vacate {
    pub(super) fn run(&self, context: &Context) -> Result<Outcome, CliError> {
        act(context, &self.tags, &self.components, Action::Vacate)
    }
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
    context.each(tags, |map| Ok(map.act(action, components.chosen(&map)?.as_deref())?))
}
