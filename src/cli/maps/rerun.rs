//! `tpvc maps rerun` and `tpvc maps retag`

use clap::{Args, Subcommand};

use super::context::Context;
use super::select::{Components, Select};
use crate::cli::error::{CliError, Outcome};
use tpv_text::figures::count;

/// Run components again
///
/// Without a subcommand, runs those that are ERRORED, REMOVED or were never submitted. The map contains everything that they need.
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  \
    tpvc maps rerun q3\n  \
    tpvc maps rerun components q3 --components 3,7-9\n  \
    tpvc maps rerun map q3"
)]
pub(super) struct Rerun {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    tags: Select,
}

#[derive(Subcommand)]
enum What {
    /// Some components, whatever their states
    Components(Chosen),
    /// All components
    Map(All),
}

#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc maps rerun components q3 --components 3,7-9")]
struct Chosen {
    #[command(flatten)]
    tags: Select,
    #[command(flatten)]
    components: Components,
}

#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc maps rerun map q3")]
struct All {
    #[command(flatten)]
    tags: Select,
}

impl Rerun {
    pub(super) fn run(&self, context: &Context) -> Result<Outcome, CliError> {
        let (tags, components, all) = match &self.what {
            None => (&self.tags, None, false),
            Some(What::Map(verb)) => (&verb.tags, None, true),
            Some(What::Components(verb)) => {
                (&verb.tags, Some(&verb.components).filter(|chosen| !chosen.is_all()), false)
            }
        };
        context.each(tags, |mut map| {
            let only = match components {
                Some(chosen) => Some(chosen.of(map.tag(), &map.status()?)?),
                None if all => Some((0..map.dir().components()?).collect()),
                None => None,
            };
            let number = map.rerun(only.as_deref())?;
            context.common.note(&format!("{}: {} submitted", map.tag(), count(number as u64, "component")));
            Ok(())
        })
    }
}

/// Give a map another tag
///
/// From then on, `clean` keeps a map that was made without a tag.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc maps retag q3 q3-before-the-upgrade")]
pub(super) struct Retag {
    /// The current tag
    #[arg(value_name = "TAG")]
    old: String,
    /// The new tag
    #[arg(value_name = "NEW")]
    new: String,
}

impl Retag {
    pub(super) fn run(&self, context: &Context) -> Result<Outcome, CliError> {
        context.load(&self.old)?.retag(&self.new)?;
        Ok(Outcome::Done)
    }
}
