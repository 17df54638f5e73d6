//! The shared parts of verbs that report findings: options, formats, summary, exit status.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};

use super::baseline;
use super::common::Common;
use super::error::{CliError, Outcome};
use super::output::{print_lines, print_stdout};
use tpv_analysis::lint::{Linted, Options, report};
use tpv_settings::{FILE, Settings};
use tpv_text::code::Code;
use tpv_text::figures::count;
use tpv_text::listed::counted;
use tpv_text::printable::Form;
use tpv_text::source::{is_url, redacted};
use tpv_text::suggest::did_you_mean;

/// The format of findings.
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

/// The options of the verbs that report findings.
#[derive(Args)]
pub(super) struct Reporting {
    /// Codes of warnings to leave out, joined by commas
    #[arg(long, value_name = "CODES")]
    ignore: Option<String>,
    /// Output format of the findings
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Exit 1 for warnings too
    #[arg(long)]
    strict: bool,
    /// Show every finding of the codes that are otherwise reported once a file, with a count (T102), and those in files that come by URL or
    /// from outside the repository
    #[arg(long)]
    all: bool,
    /// Leave out the findings of this file, which `--update-baseline` wrote [default: that of tpvc.toml]
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Replace the baseline with the current findings
    #[arg(long)]
    update_baseline: bool,
}

/// The work of a verb that reports findings.
pub(super) struct Report<'a> {
    /// The verb.
    pub(super) verb: &'a str,
    /// The number of files read.
    pub(super) files: usize,
    /// The start time.
    pub(super) started: Instant,
    /// The findings it looked for.
    pub(super) options: &'a Options,
    /// The settings in `tpvc.toml`.
    pub(super) settings: &'a Settings,
}

impl Reporting {
    /// The options for the findings.
    ///
    /// # Errors
    /// An error for an unknown code.
    pub(super) fn options(&self, limits: bool, settings: &Settings, common: &Common) -> Result<Options, CliError> {
        let ignore = ignored(self.ignore.as_deref(), common)?;
        let (server, problems) = settings.server.read(&common.sources_of_names()?);
        // Without one of the server's files, everything else can still be found.
        for problem in problems {
            common.show_error(&problem.into());
        }
        Ok(Options { ignore, limits, from: None, severities: settings.severities.clone(), server })
    }

    /// Prints the findings of a verb, but for those of the baseline, and gives the outcome.
    ///
    /// # Errors
    /// An error if the baseline cannot be read or written, or stdout cannot be written.
    pub(super) fn report(
        &self,
        mut runs: Vec<Linted>,
        report: &Report<'_>,
        common: &Common,
    ) -> Result<Outcome, CliError> {
        let path = self.baseline.as_deref().or(report.settings.baseline.as_deref());
        if self.update_baseline {
            return baseline::update(path, &runs, report, common);
        }
        if let Some(path) = path {
            baseline::leave_out(path, &mut runs, report, common)?;
        }
        if !self.all {
            others(&mut runs, common);
            runs.iter_mut().for_each(report::group);
        }
        let colour = common.colour_of(&io::stdout());
        let (form, text) = match self.format {
            Format::Text => (Form::Styled, runs.iter().map(|linted| report::text(linted, colour)).collect()),
            Format::Json => (Form::Json, report::json(&runs)),
            Format::Sarif => (Form::Json, report::sarif(&runs)),
            Format::Github => (Form::Data, runs.iter().map(report::github).collect::<String>()),
            Format::Junit => (Form::Data, report::junit(&runs, report.verb, self.strict)),
        };
        if self.format == Format::Text {
            print_lines(form, &text)?
        } else {
            print_stdout(form, &text)?
        }
        let outcome = outcome(&runs, report.files, self.strict, report.started, common);
        Ok(if report.options.server.unread > 0 { Outcome::Bad } else { outcome })
    }
}

/// Leaves out the findings in files of others, and says so on stderr.
fn others(runs: &mut [Linted], common: &Common) {
    let root = repository();
    // Without a repository, each file that is named is the user's own.
    let is_inside = |name: &str| {
        root.as_ref().is_none_or(|root| Path::new(name).canonicalize().is_ok_and(|path| path.starts_with(root)))
    };
    let mut left: BTreeMap<String, usize> = BTreeMap::new();
    for linted in runs {
        for (name, count) in report::leave_to_others(linted, |name| !is_url(name) && is_inside(name)) {
            *left.entry(name).or_default() += count;
        }
    }
    if !left.is_empty() {
        let all: usize = left.values().sum();
        let names: Vec<String> = left.keys().map(|name| format!("`{}`", redacted(name))).collect();
        let files = counted(&names, 2, "more files");
        common.note(&format!(
            "{} in {files}, which this repository does not hold: `--all` shows them",
            count(all as u64, "finding")
        ));
    }
}

/// The repository that the current folder belongs to: that of Git, else the folder of `tpvc.toml`.
fn repository() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?.canonicalize().ok()?;
    let above = |name: &str| here.ancestors().find(|folder| folder.join(name).exists()).map(Path::to_owned);
    above(".git").or_else(|| above(FILE))
}

/// Tells on stderr how much was found in how many files, and gives the outcome.
fn outcome(runs: &[Linted], files: usize, strict: bool, started: Instant, common: &Common) -> Outcome {
    let errors: usize = runs.iter().map(Linted::errors).sum();
    let warnings: usize = runs.iter().map(Linted::warnings).sum();
    // `--quiet` leaves out the summary alone.
    summary(common, files, errors, warnings);
    let hidden: usize = runs.iter().map(|linted| linted.limits).sum();
    if hidden > 0 {
        let places = count(hidden as u64, "place");
        common.note(&format!("code in {places} works inside Galaxy only, not in compiled rules: `--limits` shows it"));
    }
    let uncertain: usize = runs.iter().map(|linted| linted.uncertain).sum();
    if uncertain > 0 {
        let what = count(uncertain as u64, "finding");
        common.note(&format!(
            "{what} held back, which may only come from what could not be read: fix the errors, and run it again"
        ));
    }
    if common.verbose > 0 {
        by_code(common, runs);
        common.note(&format!("in {:.0} ms", started.elapsed().as_secs_f64() * 1e3));
    }
    if errors > 0 || (strict && warnings > 0) { Outcome::Bad } else { Outcome::Done }
}

/// The codes of `--ignore`. A code that does not exist is an error: else findings that are meant to be left out would show.
fn ignored(list: Option<&str>, common: &Common) -> Result<Vec<Code>, CliError> {
    let list = list.unwrap_or("");
    let mut ignored = Vec::new();
    for code in list.split(',').map(str::trim).filter(|code| !code.is_empty()) {
        let Some(known) = Code::named(code) else {
            let help = match Code::near(code) {
                Some(near) => did_you_mean(near),
                None => "`tpvc explain-code` lists all codes; several are joined by commas".to_owned(),
            };
            return Err(CliError::misuse(format!("`--ignore {list}`: unknown code `{code}`"), help));
        };
        if known.severity() == tpv_text::diagnostic::Severity::Error {
            common.note(&format!("--ignore: {code} is an error, which cannot be ignored"));
        }
        ignored.push(known);
    }
    Ok(ignored)
}

fn summary(common: &Common, files: usize, errors: usize, warnings: usize) {
    let files = count(files as u64, "file");
    common.note(&match (errors, warnings) {
        (0, 0) => format!("no findings in {files}"),
        (0, _) => format!("{} in {files}", count(warnings as u64, "warning")),
        (_, 0) => format!("{} in {files}", count(errors as u64, "error")),
        _ => format!("{} and {} in {files}", count(errors as u64, "error"), count(warnings as u64, "warning")),
    });
}

fn by_code(common: &Common, runs: &[Linted]) {
    let mut counts: BTreeMap<Code, u64> = BTreeMap::new();
    for finding in runs.iter().flat_map(|linted| &linted.findings) {
        *counts.entry(finding.code).or_default() += 1;
    }
    for (code, number) in counts {
        common.note(&format!("{number:6} {code}  {}", code.title()));
    }
}
