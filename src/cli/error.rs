//! The error of all verbs, which `super::run` prints and turns into an exit status.

use std::io;
use std::path::Path;

use tpv_analysis::job_file::Unreadable;
use tpv_text::diagnostic::{Problem, REPORT_BUG};
pub(super) use tpv_text::system_error::explain as io_help;

/// The outcome of a verb that did its work.
pub(crate) enum Outcome {
    /// Done.
    Done,
    /// The input is bad, which has been reported.
    Bad,
}

/// The error of a command, with a help text.
#[derive(Debug)]
pub(super) struct CliError {
    /// The message.
    pub(super) message: String,
    /// The remedy.
    pub(super) help: String,
    /// The status that the process ends with.
    pub(super) status: u8,
    /// The whole of it, where it has a place in a file.
    pub(super) placed: Option<Box<Problem>>,
}

impl CliError {
    /// The input is bad, or cannot be read, or the output cannot be written: exit status 1.
    pub(super) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into(), status: 1, placed: None }
    }

    /// The command line is wrong: exit status 2.
    pub(super) fn misuse(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { status: 2, ..Self::new(message, help) }
    }

    /// A text that tpvc itself cannot form; `what` it is, such as `the matrix`.
    pub(super) fn bug(what: &str, error: &serde_json::Error) -> Self {
        Self::new(format!("{what} cannot be written: {error}"), REPORT_BUG)
    }

    /// An output cannot be written; `what` it is, such as `the answers`.
    pub(super) fn unwritable(what: &str, error: &io::Error, path: &Path) -> Self {
        let (reason, help) = write_help(error, path);
        Self::new(format!("{what} cannot be written to {reason}"), help)
    }
}

impl From<Problem> for CliError {
    fn from(problem: Problem) -> Self {
        let help = problem.diagnostic.help.clone().unwrap_or_default();
        let error = Self::new(problem.diagnostic.message.as_str(), help);
        Self { placed: Some(Box::new(problem)), ..error }
    }
}

impl From<tpv_analysis::git::Error> for CliError {
    fn from(error: tpv_analysis::git::Error) -> Self {
        Self::new(error.message, error.help)
    }
}

impl From<Unreadable> for CliError {
    fn from(unreadable: Unreadable) -> Self {
        Self::new(unreadable.message, unreadable.help)
    }
}

/// As [`io_help`], for a file that was to be written.
fn write_help(error: &io::Error, path: &Path) -> (String, String) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let (io::ErrorKind::NotFound, Some(folder)) = (error.kind(), folder)
        && !folder.exists()
    {
        let (path, folder) = (path.display(), folder.display());
        return (format!("`{path}`: no such folder: `{folder}`"), format!("make it: `mkdir -p {folder}`"));
    }
    let (what, help) = io_help(error, path);
    (what, help.to_owned())
}
