//! Replacing the text of a user's file, which keeps its owner, mode, hard links and line ends.

use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use super::error::{CliError, io_help};
use super::output::Output;
use super::temporary::backup;
use super::unfinished::Unfinished;

/// Converts `text` to CRLF if every line of `old` ends in CRLF.
pub(super) fn with_line_ends_of(old: &str, text: String) -> String {
    let lines = old.matches('\n').count();
    if lines == 0 || old.matches("\r\n").count() != lines {
        return text;
    }
    let mut out = String::with_capacity(text.len() + lines);
    for line in text.split_inclusive('\n') {
        match line.strip_suffix('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)) {
            Some(line) => {
                out.push_str(line);
                out.push_str("\r\n");
            }
            None => out.push_str(line),
        }
    }
    out
}

/// Replaces the text of a file. `what` names the new text in messages, such as `the formatted text`. On failure, the old text
/// survives in the file or in the backup that the error names.
///
/// # Errors
/// An error if the file cannot be written.
pub(super) fn rewrite(what: &str, path: &Path, text: &[u8]) -> Result<(), CliError> {
    let unwritable = |error: io::Error| CliError::unwritable(what, &error, path);
    let mut output = Output::replace(path).map_err(unwritable)?;
    if output.keeps_names_and_owner() {
        return output.write_all(text).and_then(|()| output.finish()).map_err(unwritable);
    }
    drop(output);
    in_place(what, path, text)
}

/// Writes over a file that has other names, or an owner that a new file cannot have. The old text is kept beside it until the
/// new one is on the disk; a signal waits until then.
fn in_place(what: &str, path: &Path, text: &[u8]) -> Result<(), CliError> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let kept = |error: io::Error| {
        let (reason, help) = io_help(&error, path);
        let help = format!("{help}; tpvc needs a writable folder for a backup copy");
        CliError::new(format!("{what} cannot be written to {reason}"), help)
    };
    let old = fs::read(&target).map_err(kept)?;
    let mut copy = Unfinished::create(|| backup(&target)).map_err(kept)?;
    copy.file().write_all(&old).and_then(|()| copy.file().as_file().sync_all()).map_err(kept)?;
    copy.finish(|copy| {
        // Not truncated first, so that the disk still has room for the old text.
        let written = File::options().write(true).open(&target).and_then(|file| write_over(&file, text));
        let Err(error) = written else { return Ok(()) };
        let restored = File::options().write(true).open(&target).and_then(|file| write_over(&file, &old));
        let (reason, help) = io_help(&error, path);
        match restored {
            Ok(()) => Err(CliError::new(
                format!("{what} cannot be written to {reason}"),
                format!("{help}; the file is unchanged"),
            )),
            Err(_) => Err(damaged(what, copy, &reason)),
        }
    })
}

fn damaged(what: &str, backup: NamedTempFile, reason: &str) -> CliError {
    let place = backup.path().display().to_string();
    // If this fails, the backup stays as well.
    let _ = backup.keep();
    let message = format!("{what} was only partly written: {reason}");
    CliError::new(message, format!("the old text is in `{place}`: copy it over the file"))
}

fn write_over(mut file: &File, text: &[u8]) -> io::Result<()> {
    file.rewind()?;
    file.write_all(text)?;
    file.set_len(text.len() as u64)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_are_those_of_the_old_text() {
        let with = |old: &str| with_line_ends_of(old, "a\nb\r\nc".to_owned());
        assert_eq!(with("x\r\ny\r\n"), "a\r\nb\r\nc");
        assert_eq!(with("x\r\ny\n"), "a\nb\r\nc");
        assert_eq!(with("x"), "a\nb\r\nc");
    }
}
