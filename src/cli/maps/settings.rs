//! `tpvc maps settings`

use clap::Args;

use super::context::Context;
use crate::cli::error::{CliError, Outcome};
use crate::cli::table::Format;
use tpv_text::rows::Rows;

/// Print the settings that count for new maps, and where each comes from
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc maps settings\n  \
    tpvc maps settings --maps-dir /data/maps")]
pub(super) struct Settings {
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,
}

impl Settings {
    pub(super) fn run(&self, context: &Context) -> Result<Outcome, CliError> {
        let mut rows = Rows::new(vec!["NAME", "VALUE", "FROM"]);
        for setting in context.settings.effective()? {
            rows.push(vec![setting.name.into(), setting.value.into(), setting.source.into()]);
        }
        self.format.print(&rows)?;
        Ok(Outcome::Done)
    }
}
