//! The baseline of the verbs that report findings: which are left out, which are gone, and writing it.

use std::io::Write;
use std::path::Path;

use super::common::Common;
use super::error::{CliError, Outcome};
use super::findings::Report;
use super::input;
use super::output::Output;
use tpv_analysis::lint::Linted;
use tpv_analysis::lint::baseline::{Baseline, Known, files};
use tpv_text::code::{Code, Verb};
use tpv_text::figures::count;
use tpv_text::finding::Finding;
use tpv_text::source::is_url;

/// The number of missing findings listed by name.
const SHOWN: usize = 5;

/// Takes the findings of the baseline out of the runs, and tells those that are gone.
///
/// # Errors
/// The file cannot be read, or is no baseline.
pub(super) fn leave_out(
    path: &Path,
    runs: &mut [Linted],
    report: &Report<'_>,
    common: &Common,
) -> Result<(), CliError> {
    if !path.exists() {
        let message = format!("the baseline cannot be read from `{}`: no such file", path.display());
        return Err(CliError::new(message, format!("write it with `{} --update-baseline`", report.verb)));
    }
    let baseline = read(path)?;
    let folder = folder(path);
    let is_whole = !runs.iter().any(does_not_load);
    let (left_out, mut rest) = baseline.leave_out(runs, folder);
    let name = path.display();
    if left_out > 0 {
        common.note(&format!("{} of the baseline `{name}` left out", count(left_out as u64, "finding")));
    }
    rest.findings.retain(|known, _| is_covered(known, runs, folder, report));
    if is_whole && !rest.findings.is_empty() {
        let gone = rest.findings.values().sum::<usize>();
        let are = if gone == 1 { "is" } else { "are" };
        common.note(&format!(
            "{} of the baseline {are} gone: `{} --update-baseline` takes them out",
            count(gone as u64, "finding"),
            report.verb
        ));
        for known in rest.findings.keys().take(SHOWN) {
            common.note(&format!("  {} {}: {}", known.code, known.file, known.message));
        }
    }
    Ok(())
}

/// Writes the baseline: what was found, and of the old one what this verb did not look for.
///
/// # Errors
/// No file is named, or it cannot be read or written.
pub(super) fn update(
    path: Option<&Path>,
    runs: &[Linted],
    report: &Report<'_>,
    common: &Common,
) -> Result<Outcome, CliError> {
    let Some(path) = path else {
        let help = "name it with `--baseline FILE`, or as `baseline = \"...\"` under `[lint]` in `tpvc.toml`";
        return Err(CliError::misuse("`--update-baseline` needs the name of the baseline", help));
    };
    if runs.iter().any(does_not_load) {
        return Err(CliError::new(
            format!("the baseline `{}` was not written: the config does not load", path.display()),
            format!("`{}` shows why", report.verb),
        ));
    }
    let folder = folder(path);
    let mut baseline = Baseline::of(runs, folder);
    // Of a device or pipe there is nothing to keep.
    if path.is_file() {
        let old = read(path)?.findings.into_iter();
        baseline.findings.extend(old.filter(|(known, _)| !is_covered(known, runs, folder, report)));
    }
    let written = Output::replace(path).and_then(|mut output| {
        output.write_all(baseline.text().as_bytes())?;
        output.finish()
    });
    written.map_err(|error| CliError::unwritable("the baseline", &error, path))?;
    let all: usize = baseline.findings.values().sum();
    common.note(&format!("wrote {} to the baseline `{}`", count(all as u64, "finding"), path.display()));
    Ok(Outcome::Done)
}

fn read(path: &Path) -> Result<Baseline, CliError> {
    let text = input::text("the baseline", path)?;
    Baseline::parse(&text).map_err(|error| {
        let help = "write it anew: remove it, then `--update-baseline`";
        CliError::new(format!("`{}` is not a baseline: {error}", path.display()), help)
    })
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn does_not_load(linted: &Linted) -> bool {
    let loading = |finding: &Finding| finding.code.severity() == tpv_text::diagnostic::Severity::Error;
    linted.findings.iter().any(loading)
}

/// Returns `true` if the run would have found it: the verb has its code, nothing turns that off, and its file was read
/// or is gone.
fn is_covered(known: &Known, runs: &[Linted], folder: &Path, report: &Report<'_>) -> bool {
    let options = report.options;
    let code = Code::named(&known.code);
    // A code that there is no longer counts as one of `lint`.
    let is_of_verb = code.is_some_and(|code| code.verb() == Verb::Check) == (report.verb == super::check::VERB);
    let is_hidden = code.is_some_and(|code| Code::LIMITS.contains(&code)) && !options.limits;
    let is_off = code.is_some_and(|code| options.severities.is_off(code) || options.ignore.contains(&code));
    let is_gone = || !is_url(&known.file) && !folder.join(&known.file).exists();
    is_of_verb && !is_hidden && !is_off && (files(runs, folder).contains(&known.file) || is_gone())
}
