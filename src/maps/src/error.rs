//! The error of everything that concerns maps.

use std::fmt;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use tpv_text::diagnostic::REPORT_BUG;

/// An error with a help text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Error {
    /// The message.
    pub message: String,
    /// The remedy.
    pub help: String,
}

impl Error {
    /// An error of these words.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }

    /// A text that tpvc itself cannot form; `what` it is, such as `the summary`.
    pub(super) fn bug(what: &str, error: &serde_json::Error) -> Self {
        Self::new(format!("{what} cannot be written: {error}"), REPORT_BUG)
    }

    /// A file or folder of a map could not be used; `what` was to be done with it, such as `written`.
    pub fn io(what: &str, path: &Path, error: &io::Error) -> Self {
        let (reason, help) = match error.kind() {
            io::ErrorKind::NotFound => {
                ("it is not there".to_owned(), "the map may have been removed: `tpvc maps list`")
            }
            io::ErrorKind::PermissionDenied => {
                ("permission denied".to_owned(), "check the owner and the mode of the file and its folders")
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => (
                "the disk is full".to_owned(),
                "make room (`tpvc maps clean` takes maps without a tag of their own), then `tpvc maps rerun`",
            ),
            io::ErrorKind::ReadOnlyFilesystem => {
                ("the file system is read-only".to_owned(), "name another folder with `--maps-dir`")
            }
            _ => (error.to_string().to_lowercase(), "check the path and its disk"),
        };
        Self::new(format!("`{}` cannot be {what}: {reason}", path.display()), help)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<tpv_analysis::git::Error> for Error {
    fn from(error: tpv_analysis::git::Error) -> Self {
        Self { message: error.message, help: error.help }
    }
}
