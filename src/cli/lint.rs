//! `tpvc lint`

use std::collections::BTreeMap;
use std::io;
use std::time::Instant;

use clap::{Args, ValueEnum};

use super::error::CliError;
use super::output::print_stdout;
use super::paths;
use super::report::count;
use super::{Common, Outcome};
use crate::config::suggest::{closest, did_you_mean};
use crate::lint::{Linted, Options, codes, lint, report};

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
    /// Config files, http/https URLs, folders (their .yml and .yaml files) or patterns with `*`
    #[arg(required = true, value_name = "CONFIG")]
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

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people: each finding with its place, an excerpt and what to write instead
    Text,
    /// An array of objects
    Json,
    /// SARIF 2.1.0, for code hosts
    Sarif,
    /// Annotations in GitHub's workflows
    Github,
    /// JUnit XML, for the test reports of CI servers
    Junit,
}

impl Lint {
    pub(super) fn run(&self, common: &Common) -> Result<Outcome, CliError> {
        let started = Instant::now();
        let ignore = self.ignored(common)?;
        let configs = if self.each { paths::each(&self.configs)? } else { paths::configs(&self.configs, common)? };
        let options = Options { ignore, limits: self.limits };
        let groups: Vec<Vec<String>> =
            if self.each { configs.iter().map(|config| vec![config.clone()]).collect() } else { vec![configs.clone()] };
        // `--quiet` leaves out the summary alone.
        let runs: Vec<Linted> = groups.iter().map(|group| lint(group, &options)).collect();
        let out = match self.format {
            Format::Text => runs.iter().map(|linted| report::text(linted, common.colour_of(&io::stdout()))).collect(),
            Format::Json => report::json(&runs),
            Format::Sarif => report::sarif(&runs),
            Format::Github => runs.iter().map(report::github).collect::<String>(),
            Format::Junit => report::junit(&runs, self.strict),
        };
        print_stdout(out)?;
        let errors: usize = runs.iter().map(Linted::errors).sum();
        let warnings: usize = runs.iter().map(Linted::warnings).sum();
        summary(common, configs.len(), errors, warnings);
        let hidden: usize = runs.iter().map(|linted| linted.limits).sum();
        if hidden > 0 {
            let what = if hidden == 1 { "1 thing".to_owned() } else { format!("{hidden} things") };
            common.note(&format!(
                "{what} that compiled rules cannot do, and TPV inside Galaxy can: `--limits` shows them"
            ));
        }
        if common.verbose > 0 {
            by_code(common, &runs);
            common.note(&format!("in {:.0} ms", started.elapsed().as_secs_f64() * 1e3));
        }
        Ok(if errors > 0 || (self.strict && warnings > 0) { Outcome::Bad } else { Outcome::Done })
    }

    /// The codes of `--ignore`. A code that does not exist is an error: else findings that are meant to be left out would show.
    fn ignored(&self, common: &Common) -> Result<Vec<String>, CliError> {
        let list = self.ignore.as_deref().unwrap_or("");
        let given: Vec<String> =
            list.split(',').map(|code| code.trim().to_owned()).filter(|code| !code.is_empty()).collect();
        for code in &given {
            let Some(known) = codes::CODES.iter().find(|known| known.code == code) else {
                let help = match closest(code, codes::CODES.iter().map(|known| known.code)) {
                    Some(near) => did_you_mean(near),
                    None => "`tpvc explain-code` lists all codes; several are joined by commas".to_owned(),
                };
                return Err(CliError::misuse(format!("`--ignore {list}`: there is no code `{code}`"), help));
            };
            if known.severity == crate::diagnostic::Severity::Error {
                common.note(&format!("--ignore: {code} is an error, which cannot be ignored"));
            }
        }
        Ok(given)
    }
}

fn summary(common: &Common, files: usize, errors: usize, warnings: usize) {
    let files = count(files as u64, "file");
    common.note(&match (errors, warnings) {
        (0, 0) => format!("nothing found in {files}"),
        (0, _) => format!("{} in {files}", count(warnings as u64, "warning")),
        (_, 0) => format!("{} in {files}", count(errors as u64, "error")),
        _ => format!("{} and {} in {files}", count(errors as u64, "error"), count(warnings as u64, "warning")),
    });
}

fn by_code(common: &Common, runs: &[Linted]) {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for finding in runs.iter().flat_map(|linted| &linted.findings) {
        *counts.entry(finding.code).or_default() += 1;
    }
    for (code, number) in counts {
        common.note(&format!("{number:6} {code}  {}", codes::find(code).map_or("", |code| code.title)));
    }
}
