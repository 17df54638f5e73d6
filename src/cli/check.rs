//! `tpvc check`

use std::time::Instant;

use clap::Args;

use super::error::CliError;
use super::findings::{self, Format};
use super::paths;
use super::{Common, Outcome};
use crate::check::check;
use crate::lint::Options;
use crate::settings::Settings;

/// Prove what no job can do by TPV config files: tools without a destination, rules that never apply
///
/// Nothing is mapped: what is reported holds for every job, user and role. The files are merged in the order given, later over
/// earlier; give all, since tags and destinations may come from any. What `tpvc lint` finds is not repeated. Exits 1 if there is an
/// error, 0 if there are only warnings.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc check tpv_rules_local.yml\n  \
    tpvc check https://gxy.io/tpv/db.yml rules/ --strict\n  \
    tpvc check rules/*.yml --format sarif")]
pub(super) struct Check {
    /// Config files, http/https URLs, folders (their .yml and .yaml files) or patterns with `*` [default: those of tpvc.toml]
    #[arg(value_name = "CONFIG")]
    configs: Vec<String>,
    /// Codes of warnings to leave out, joined by commas
    #[arg(long, value_name = "CODES")]
    ignore: Option<String>,
    /// How to print the findings
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Exit 1 for warnings too
    #[arg(long)]
    strict: bool,
}

impl Check {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        let started = Instant::now();
        let ignore = findings::ignored(self.ignore.as_deref(), common)?;
        let configs = paths::configs(&self.configs, common)?;
        let options = Options { ignore, limits: false, severities: Settings::read()?.severities };
        let checked = [check(&configs, &options)];
        findings::print(&checked, "tpvc check", self.format, self.strict, common)?;
        Ok(findings::outcome(&checked, configs.len(), self.strict, started, common))
    }
}
