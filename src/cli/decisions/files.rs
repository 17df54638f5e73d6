//! The files of a log: several handlers, rotated, compressed.

use std::path::{Path, PathBuf};

use clap::Args;
use tpv_analysis::decisions::Lines;
use tpv_analysis::job_file::JobFile;
use tpv_runtime::decision::Decision;
use tpv_text::figures::count;

use crate::cli::common::Common;
use crate::cli::error::CliError;
use crate::cli::input;

/// The logs of a verb.
#[derive(Args)]
pub(in crate::cli) struct Logs {
    /// Logs of decisions: files, plain or compressed with gzip or zstd, or folders, of which all files with `.jsonl` in their name are read; `-`
    /// is stdin
    #[arg(long = "log", value_name = "LOG", num_args = 1.., required = true)]
    pub(super) logs: Vec<PathBuf>,
}

/// The files that the arguments name, those of a folder in the order of their names.
///
/// # Errors
/// A file or folder cannot be read, or a folder has none.
pub(super) fn expanded(logs: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
    let mut files = Vec::new();
    for log in logs {
        if !log.is_dir() {
            if log != Path::new("-") {
                log.metadata().map_err(|error| input::unreadable("the log", log, &error))?;
            }
            files.push(log.clone());
            continue;
        }
        let entries = std::fs::read_dir(log).map_err(|error| input::unreadable("the folder", log, &error))?;
        let is_log = |path: &PathBuf| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            path.is_file() && name.contains(".jsonl")
        };
        let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_log).collect();
        if found.is_empty() {
            let message = format!("the folder `{}` has no logs of decisions", log.display());
            return Err(CliError::new(
                message,
                "name the files: `tpvc_decision_log` in `job_conf.yml` says where they are",
            ));
        }
        found.sort();
        files.extend(found);
    }
    Ok(files)
}

/// The logs in a message: the name of the only one, or their number.
pub(super) fn named(files: &[PathBuf]) -> String {
    match files {
        [file] => format!("the log `{}`", file.display()),
        _ => format!("the {}", count(files.len() as u64, "log")),
    }
}

/// Reads all decisions of some logs, one log after the other. Ends early if `each` returns `false`.
///
/// # Errors
/// A log cannot be read, or no line is a decision. What is damaged in it is noted, and the rest read.
pub(super) fn read(
    files: &[PathBuf],
    common: &Common,
    mut each: impl FnMut(&Path, Decision) -> Result<bool, CliError>,
) -> Result<(), CliError> {
    let (mut skipped, mut is_log) = (0, false);
    for path in files {
        let (file, _) = JobFile::open(path)?;
        let fault = file.fault();
        let mut lines = Lines::new(file);
        // A fault is told below.
        while let Ok(Some(decision)) = lines.read() {
            is_log = true;
            if !each(path, decision)? {
                return Ok(());
            }
        }
        if let Some(decision) = lines.rest() {
            is_log = true;
            each(path, decision)?;
        }
        skipped += lines.skipped.lines;
        if let Some(fault) = fault.get() {
            common.note(&format!("warning: {}; the lines before it were read", fault.message));
        }
    }
    if skipped > 0 {
        let lines = count(skipped, "line");
        if !is_log {
            let message = format!("no decision in {} ({lines} read)", named(files));
            return Err(CliError::new(message, "name a file that `tpvc_decision_log` or `tpvc map --decisions` wrote"));
        }
        common.note(&format!("skipped {lines} that are no decisions, or parts of one"));
    }
    Ok(())
}
