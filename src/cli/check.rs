//! `tpvc check`

use std::time::Instant;

use clap::Args;

use super::error::CliError;
use super::findings::{Report, Reporting};
use super::paths;
use super::{Common, Outcome};
use crate::check::check_inputs;
use crate::config::Input;
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
    #[command(flatten)]
    reporting: Reporting,
}

/// The name of the verb.
pub(super) const VERB: &str = "tpvc check";

impl Check {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        let started = Instant::now();
        let settings = Settings::read()?;
        let options = self.reporting.options(false, &settings, common)?;
        let configs = paths::configs(&self.configs, common)?;
        let checked = vec![check_inputs(&Input::named(&configs), &common.sources()?, &options)];
        let report = Report { verb: VERB, files: configs.len(), started, options: &options, settings: &settings };
        self.reporting.report(checked, &report, common)
    }
}
