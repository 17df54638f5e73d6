//! Errors of the operating system in words.

use std::io;
use std::path::Path;

use crate::source::redacted;

/// The meaning of an error of the operating system for a path that is written, `-` being stdout, and the remedy.
pub fn explain(error: &io::Error, path: &Path) -> (String, &'static str) {
    let (what, help) = reason(error);
    let name =
        if path == Path::new("-") { "stdout".to_owned() } else { format!("`{}`", redacted(&path.to_string_lossy())) };
    (format!("{name}: {what}"), help)
}

/// The meaning of an error of the operating system, and the remedy.
pub fn reason(error: &io::Error) -> (String, &'static str) {
    use io::ErrorKind::{
        AlreadyExists, FileTooLarge, InvalidInput, IsADirectory, NotADirectory, NotFound, PermissionDenied,
        QuotaExceeded, ReadOnlyFilesystem, StorageFull, TimedOut,
    };
    match error.kind() {
        NotFound => ("no such file or folder".to_owned(), "check the path; relative paths start in the current folder"),
        PermissionDenied => ("permission denied".to_owned(), "check the owner and the mode of the file and its folder"),
        IsADirectory => ("it is a folder".to_owned(), "name a file"),
        NotADirectory => ("a part of the path isn't a folder".to_owned(), "check the path"),
        StorageFull => ("the disk is full".to_owned(), "make room, or write to another disk"),
        QuotaExceeded => ("the quota is exceeded".to_owned(), "make room, or write to another disk"),
        FileTooLarge => ("file too large".to_owned(), "raise the limit on the sizes of files: `ulimit -f`"),
        InvalidInput | TimedOut => (error.to_string().to_lowercase(), "name another file"),
        ReadOnlyFilesystem => ("the file system is read-only".to_owned(), "write to another folder"),
        AlreadyExists => ("it exists already".to_owned(), "name another file"),
        _ => (error.to_string().to_lowercase(), "check the path"),
    }
}
