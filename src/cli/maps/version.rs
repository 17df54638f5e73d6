//! `tpvc maps version`

use clap::Args;

use super::context::Context;
use crate::cli::error::{CliError, Outcome};
use crate::cli::table::Format;
use tpv_maps::engine::{self, Kind};
use tpv_maps::store::FORMAT;
use tpv_text::rows::Rows;

/// Print the versions of tpvc, of the format of maps, and of the engines on this machine
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc maps version")]
pub(super) struct Version {
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,
}

impl Version {
    pub(super) fn run(&self, _context: &Context) -> Result<Outcome, CliError> {
        let mut rows = Rows::new(vec!["WHAT", "VERSION"]);
        rows.push(vec!["tpvc".into(), env!("CARGO_PKG_VERSION").into()]);
        rows.push(vec!["maps".into(), format!("format {FORMAT}").into()]);
        for kind in Kind::ALL {
            let version = engine::of(kind)
                .version()
                .unwrap_or_else(|error| format!("not here: {}", error.message.lines().next().unwrap_or_default()));
            rows.push(vec![kind.name().into(), version.into()]);
        }
        self.format.print(&rows)?;
        Ok(Outcome::Done)
    }
}
