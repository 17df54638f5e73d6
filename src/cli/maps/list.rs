//! `tpvc maps list`

use clap::Args;

use super::context::Context;
use crate::cli::error::{CliError, Outcome};
use crate::cli::table::Format;
use tpv_text::rows::Rows;

/// List the tags of all maps
///
/// Does not ask the engines; `tpvc maps status` does.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc maps list\n  \
    tpvc maps list --format json")]
pub(super) struct List {
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,
}

impl List {
    pub(super) fn run(&self, context: &Context) -> Result<Outcome, CliError> {
        let mut rows = Rows::new(vec!["TAG", "ENGINE", "COMPONENTS", "KEPT"]);
        let mut outcome = Outcome::Done;
        for (tag, map) in context.root.tags()? {
            let map = match map {
                Ok(map) => map,
                Err(error) => {
                    context.common.show_error(&error.into());
                    outcome = Outcome::Bad;
                    continue;
                }
            };
            let kept = if map.is_transient() { "until `clean`" } else { "yes" };
            match (map.submit(), map.components()) {
                (Ok(submit), Ok(components)) => {
                    rows.push(vec![tag.into(), submit.engine.name().into(), u64::from(components).into(), kept.into()]);
                }
                (Err(error), _) | (_, Err(error)) => {
                    context.common.show_error(&error.into());
                    outcome = Outcome::Bad;
                }
            }
        }
        if rows.is_empty() && matches!(outcome, Outcome::Done) {
            context.common.note("no maps");
        }
        self.format.print(&rows)?;
        Ok(outcome)
    }
}
