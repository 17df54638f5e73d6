//! Saying what went wrong: diagnostics on stderr, in one make.

use std::io::{self, IsTerminal};
use std::path::Path;

use clap::ColorChoice;

use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::source::{SourceMap, shown};

use super::output::tell;
use super::{Common, Outcome};

impl Common {
    /// Whether stderr gets colours: as asked, else on terminals unless `NO_COLOR` is set.
    pub(crate) fn colour(&self) -> bool {
        self.colour_of(&io::stderr())
    }

    /// The same for any stream.
    pub(crate) fn colour_of(&self, stream: &impl IsTerminal) -> bool {
        match self.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            }
        }
    }

    /// Prints diagnostics; with `--quiet` errors only.
    pub(crate) fn show(&self, diagnostics: &Diagnostics, sources: &SourceMap) {
        for diagnostic in diagnostics.iter() {
            if !self.quiet || diagnostic.severity == Severity::Error {
                tell(format_args!("{}\n", diagnostic.render(sources, self.colour()).trim_end()));
            }
        }
    }

    /// Prints an error that has no place in a config file.
    pub(crate) fn fail(&self, message: impl Into<String>, help: &str) {
        let diagnostic = Diagnostic::error(message).help(help);
        tell(diagnostic.render(&SourceMap::new(), self.colour()));
    }

    /// Says that the command line is wrong, and ends the process with the status for that.
    pub(crate) fn misuse(&self, message: impl Into<String>, help: &str) -> ! {
        self.fail(message, help);
        std::process::exit(2)
    }

    /// What a verb ended in; says what kept it from its work.
    pub(crate) fn end(&self, result: Result<Outcome, Trouble>) -> Outcome {
        result.unwrap_or_else(|trouble| {
            self.fail(trouble.message, &trouble.help);
            Outcome::Bad
        })
    }

    /// Prints a line about what was done, unless `--quiet`.
    pub(crate) fn say(&self, text: &str) {
        if !self.quiet {
            tell(text);
        }
    }
}

/// What an error of the operating system means for a path, and what to do about it.
pub(crate) fn io_help(error: &io::Error, path: &Path) -> (String, &'static str) {
    use io::ErrorKind::{
        AlreadyExists, IsADirectory, NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem, StorageFull,
    };
    let (what, help) = match error.kind() {
        NotFound => {
            ("there is no such file or folder".to_owned(), "check the path; it is relative to the present folder")
        }
        PermissionDenied => ("permission denied".to_owned(), "check the owner and the mode of the file and its folder"),
        IsADirectory => ("it is a folder".to_owned(), "name a file"),
        NotADirectory => ("a part of the path is no folder".to_owned(), "check the path"),
        StorageFull => ("the disk is full".to_owned(), "make room, or write to another disk"),
        ReadOnlyFilesystem => ("the file system is read-only".to_owned(), "write to another folder"),
        AlreadyExists => ("it exists already".to_owned(), "name another file"),
        _ => (error.to_string().to_lowercase(), "check the path"),
    };
    let name =
        if path == Path::new("-") { "stdout".to_owned() } else { format!("`{}`", shown(&path.to_string_lossy())) };
    (format!("{name}: {what}"), help)
}

/// As [`io_help`], for a file that was to be written.
pub(crate) fn write_help(error: &io::Error, path: &Path) -> (String, String) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let (io::ErrorKind::NotFound, Some(folder)) = (error.kind(), folder)
        && !folder.exists()
    {
        let (path, folder) = (path.display(), folder.display());
        return (format!("`{path}`: there is no folder `{folder}`"), format!("make it: `mkdir -p {folder}`"));
    }
    let (what, help) = io_help(error, path);
    (what, help.to_owned())
}

/// A count with its noun: `1 job`, `2 jobs`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{} {noun}s", grouped(number)) }
}

/// A number with its digits in groups of three: `12,345`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// What keeps a verb from its work, and what to do about it.
#[derive(Debug)]
pub(crate) struct Trouble {
    /// What is wrong.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) help: String,
}

impl Trouble {
    /// Trouble in words for the user.
    pub(crate) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }
}

impl From<Trouble> for (String, String) {
    fn from(trouble: Trouble) -> Self {
        (trouble.message, trouble.help)
    }
}

impl From<(String, String)> for Trouble {
    fn from((message, help): (String, String)) -> Self {
        Self { message, help }
    }
}
