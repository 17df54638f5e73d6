//! What the verbs that report findings share: the formats, `--ignore`, the summary, the exit status.

use std::collections::BTreeMap;
use std::io;
use std::time::Instant;

use clap::ValueEnum;

use super::error::CliError;
use super::output::print_stdout;
use super::report::count;
use super::{Common, Outcome};
use crate::config::suggest::{closest, did_you_mean};
use crate::lint::{Linted, codes, report};

/// How to print findings.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
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

/// Prints the findings of a verb.
///
/// # Errors
/// Where stdout cannot be written.
pub(super) fn print(
    runs: &[Linted],
    verb: &str,
    format: Format,
    strict: bool,
    common: &Common,
) -> Result<(), CliError> {
    print_stdout(match format {
        Format::Text => runs.iter().map(|linted| report::text(linted, common.colour_of(&io::stdout()))).collect(),
        Format::Json => report::json(runs),
        Format::Sarif => report::sarif(runs),
        Format::Github => runs.iter().map(report::github).collect::<String>(),
        Format::Junit => report::junit(runs, verb, strict),
    })
}

/// Tells on stderr how much was found in how many files, and gives the outcome.
pub(super) fn outcome(runs: &[Linted], files: usize, strict: bool, started: Instant, common: &Common) -> Outcome {
    let errors: usize = runs.iter().map(Linted::errors).sum();
    let warnings: usize = runs.iter().map(Linted::warnings).sum();
    // `--quiet` leaves out the summary alone.
    summary(common, files, errors, warnings);
    let hidden: usize = runs.iter().map(|linted| linted.limits).sum();
    if hidden > 0 {
        let what = if hidden == 1 { "1 thing".to_owned() } else { format!("{hidden} things") };
        common.note(&format!("{what} that compiled rules cannot do, and TPV inside Galaxy can: `--limits` shows them"));
    }
    if common.verbose > 0 {
        by_code(common, runs);
        common.note(&format!("in {:.0} ms", started.elapsed().as_secs_f64() * 1e3));
    }
    if errors > 0 || (strict && warnings > 0) { Outcome::Bad } else { Outcome::Done }
}

/// The codes of `--ignore`. A code that does not exist is an error: else findings that are meant to be left out would show.
pub(super) fn ignored(list: Option<&str>, common: &Common) -> Result<Vec<String>, CliError> {
    let list = list.unwrap_or("");
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
