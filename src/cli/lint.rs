//! `tpvc lint`

use std::time::Instant;

use clap::Args;

use super::common::Common;
use super::error::{CliError, Outcome};
use super::findings::{Report, Reporting};
use super::{fixes, paths};
use tpv_analysis::lint::fix::{Fixed, fix};
use tpv_analysis::lint::{Linted, Options, lint_inputs};
use tpv_config::Input;
use tpv_model::Asked;

/// Find mistakes in TPV config files, and likely mistakes in their code
///
/// The files are merged in the order given, later over earlier, as TPV merges the files of `tpv_config_files`; those of a
/// folder or pattern in the order of their names. Give all files, because any of them may define names and tags. Exits 1 if there is an error, 0 if there are only warnings.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    tpvc lint tpv_rules_local.yml\n  \
    tpvc lint https://gxy.io/tpv/db.yml rules/ --ignore T102,T104\n  \
    tpvc lint --each 'rules/*.yml' --format github\n  \
    tpvc lint tpv_rules_local.yml --fix --diff\n  \
    tpvc lint tpv_rules_local.yml --baseline tpvc-baseline.json --update-baseline\n  \
    tpvc lint --tpv 3.3 --from 2.5 'rules/*.yml'\n  \
    tpvc explain-code T105")]
pub(super) struct Lint {
    /// Config files, http/https URLs, folders (their .yml and .yaml files) or patterns with `*` [default: those of tpvc.toml]
    #[arg(value_name = "CONFIG")]
    configs: Vec<String>,
    /// Also report what works inside Galaxy but not in compiled rules (T112, T130, T131), as `compile` does
    #[arg(long)]
    limits: bool,
    /// Also report what has had another meaning since this version of TPV, the one that the config was written for (T134)
    #[arg(long, value_name = "VERSION")]
    from: Option<Asked>,
    /// Lint each file by itself rather than all together
    #[arg(long)]
    each: bool,
    /// Fix findings with a single possible fix (T101, T104, T117, T124, T134, T136, T138, T141, T144, T146) in the files, and report the rest; fixes ignored findings, too
    #[arg(long, conflicts_with = "update_baseline")]
    fix: bool,
    /// With --fix: print what would change as a unified diff, and write nothing; exit 1 if anything would
    #[arg(long, requires = "fix")]
    diff: bool,
    #[command(flatten)]
    reporting: Reporting,
    /// Accepted because `tpv lint` has it; tpvc writes no temporary code
    #[arg(long, hide = true)]
    preserve_temp_code: bool,
}

impl Lint {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        let started = Instant::now();
        let settings = common.settings()?;
        let from = self.from.map(|asked| common.answering(asked));
        let options = Options { from, ..self.reporting.options(self.limits, &settings, common)? };
        let configs =
            if self.each { paths::each(&self.configs, common)? } else { paths::configs(&self.configs, common)? };
        let groups: Vec<Vec<Input>> = if self.each {
            configs.iter().map(|config| vec![Input::Named(config.clone())]).collect()
        } else {
            vec![Input::named(&configs)]
        };
        let texts = common.texts()?;
        let lint = |group: &Vec<Input>| lint_inputs(group, &texts, &options);
        let mut runs: Vec<Linted> = groups.iter().map(lint).collect();
        if self.fix {
            let fixed: Vec<Fixed> = groups.iter().zip(&runs).map(|(group, run)| fix(group, run, &options)).collect();
            if self.diff {
                return fixes::show(&fixed, common);
            }
            if fixes::write(&fixed, common)? {
                runs = groups.iter().map(lint).collect();
            }
        }
        if !common.is_version_given() && from.is_none() {
            runs.iter_mut().for_each(Linted::only_older);
        }
        let report =
            Report { verb: "tpvc lint", files: configs.len(), started, options: &options, settings: &settings };
        self.reporting.report(runs, &report, common)
    }
}
