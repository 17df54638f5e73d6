//! `tpvc lint --fix`: what it would change, and writing it.

use std::path::Path;

use super::common::Common;
use super::error::{CliError, Outcome};
use super::output::print_stdout;
use super::rewrite::{rewrite, with_line_ends_of};
use tpv_analysis::lint::fix::Fixed;
use tpv_text::figures::count;
use tpv_text::printable::Form;
use tpv_text::text_diff;

/// Prints what would change as unified diffs.
///
/// # Errors
/// An error if stdout cannot be written.
pub(super) fn show(fixed: &[Fixed], common: &Common) -> Result<Outcome, CliError> {
    let mut findings = 0;
    for file in fixed.iter().flat_map(|fixed| &fixed.files) {
        findings += file.findings;
        let new = with_line_ends_of(&file.old, file.new.clone());
        print_stdout(Form::Diff, &text_diff::unified(&file.name, &format!("{} (fixed)", file.name), &file.old, &new))?;
    }
    common.note(&format!("{} would be fixed", count(findings as u64, "finding")));
    to_look_at(fixed, common);
    refused(fixed, common);
    Ok(if findings > 0 { Outcome::Bad } else { Outcome::Done })
}

/// Writes the files that change; whether there are any.
///
/// # Errors
/// An error if a file cannot be written; the files before it are.
pub(super) fn write(fixed: &[Fixed], common: &Common) -> Result<bool, CliError> {
    let mut has_changed = false;
    for file in fixed.iter().flat_map(|fixed| &fixed.files) {
        let new = with_line_ends_of(&file.old, file.new.clone());
        rewrite("the fixed text", Path::new(&file.name), new.as_bytes())?;
        common.note(&format!("fixed {} in `{}`", count(file.findings as u64, "finding"), file.name));
        has_changed = true;
    }
    to_look_at(fixed, common);
    refused(fixed, common);
    Ok(has_changed)
}

fn to_look_at(fixed: &[Fixed], common: &Common) {
    match fixed.iter().flat_map(|fixed| &fixed.files).map(|file| file.to_look_at).sum() {
        0 => {}
        1 => common.note("look at it: jobs may get something else after it"),
        some => common.note(&format!("look at {some} of them: jobs may get something else after these")),
    }
}

fn refused(fixed: &[Fixed], common: &Common) {
    let refused: usize = fixed.iter().map(|fixed| fixed.refused).sum();
    if refused > 0 {
        let findings = count(refused as u64, "finding");
        common.note(&format!("{findings} would cause others if fixed, and must be fixed by hand"));
    }
}
