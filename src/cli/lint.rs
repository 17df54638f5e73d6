//! `tpvc lint`

use std::time::Instant;

use clap::Args;

use super::error::CliError;
use super::findings::{self, Format};
use super::paths;
use super::{Common, Outcome};
use crate::lint::{Linted, Options, lint};
use crate::settings::Settings;

/// Find what is wrong in TPV config files, and what is likely wrong in their code
///
/// The files are merged in the order given, later over earlier, as TPV merges the files of `tpv_config_files`; those of a
/// folder or pattern in the order of their names. Give all, since names and tags may come from any. Exits 1 if there is an error, 0 if there are only warnings.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc lint tpv_rules_local.yml\n  \
    tpvc lint https://gxy.io/tpv/db.yml rules/ --ignore T102,T104\n  \
    tpvc lint --each 'rules/*.yml' --format github\n  \
    tpvc explain-code T105")]
pub(super) struct Lint {
    /// Config files, http/https URLs, folders (their .yml and .yaml files) or patterns with `*` [default: those of tpvc.toml]
    #[arg(value_name = "CONFIG")]
    configs: Vec<String>,
    /// Codes of warnings to leave out, joined by commas
    #[arg(long, value_name = "CODES")]
    ignore: Option<String>,
    /// Tell also what works inside Galaxy and not in compiled rules (T112, T130, T131), as `compile` does
    #[arg(long)]
    limits: bool,
    /// Lint each file by itself rather than all together
    #[arg(long)]
    each: bool,
    /// How to print the findings
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Exit 1 for warnings too
    #[arg(long)]
    strict: bool,
    /// Accepted because `tpv lint` has it; tpvc writes no temporary code
    #[arg(long, hide = true)]
    preserve_temp_code: bool,
}

impl Lint {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        let started = Instant::now();
        let ignore = findings::ignored(self.ignore.as_deref(), common)?;
        let configs =
            if self.each { paths::each(&self.configs, common)? } else { paths::configs(&self.configs, common)? };
        let options = Options { ignore, limits: self.limits, severities: Settings::read()?.severities };
        let groups: Vec<Vec<String>> =
            if self.each { configs.iter().map(|config| vec![config.clone()]).collect() } else { vec![configs.clone()] };
        let runs: Vec<Linted> = groups.iter().map(|group| lint(group, &options)).collect();
        findings::print(&runs, "tpvc lint", self.format, self.strict, common)?;
        Ok(findings::outcome(&runs, configs.len(), self.strict, started, common))
    }
}
