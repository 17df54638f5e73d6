//! Outputs: stdout, or a file that appears whole or not at all.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::error::{CliError, io_help};
use super::unfinished::Unfinished;

/// Writes results to stdout. A reader that went away, such as `head`, is not an error.
///
/// # Errors
/// Any other reason, such as a full disk.
pub(crate) fn print_stdout(text: impl AsRef<[u8]>) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_ref()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let (what, help) = io_help(&error, Path::new("-"));
            Err(CliError::new(format!("the results cannot be written to {what}"), help))
        }
        _ => Ok(()),
    }
}

/// Writes a text to a path, `-` being stdout; `what` it is, such as `the report`. A reader that went away is not an error.
///
/// # Errors
/// It cannot be written; a file is then as it was.
pub(super) fn write_text(what: &str, path: &Path, text: &str) -> Result<(), CliError> {
    let written = Output::create(path).and_then(|mut output| {
        output.write_all(text.as_bytes())?;
        output.finish()
    });
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CliError::unwritable(what, &error, path)),
        _ => Ok(()),
    }
}

/// Writes a line to stderr; failing to is ignored, since there is nowhere left to report it.
pub(crate) fn print_stderr(text: impl std::fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Where results go.
pub(crate) enum Output {
    /// Standard output.
    Stdout(io::Stdout),
    /// A temporary file beside its destination, renamed at the end: a failure leaves the old file as it was.
    File(Unfinished, PathBuf),
    /// A device or pipe, which cannot be replaced by renaming.
    Device(File),
}

/// A temporary file in the folder of another, to be renamed to it.
///
/// # Errors
/// The system's, where the folder is missing or cannot be written.
pub fn temporary(target: &Path, mode: u32) -> io::Result<NamedTempFile> {
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Of a folder that is missing, this error has the system's number, which Python's exceptions take.
    folder.metadata()?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".tpvc-").suffix(".part");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    let _ = mode;
    builder.tempfile_in(folder)
}

/// Gives a file the owner and the mode of another, as far as the user may.
#[cfg(unix)]
fn take_after(file: &File, old: &std::fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let new = file.metadata()?;
    if new.uid() != old.uid() || new.gid() != old.gid() {
        // Only the administrator may give files away; the group goes with less.
        let _ = fchown(file, Some(old.uid()), Some(old.gid())).or_else(|_| fchown(file, None, Some(old.gid())));
    }
    file.set_permissions(old.permissions())
}

#[cfg(not(unix))]
fn take_after(file: &File, old: &std::fs::Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}

impl Output {
    /// The output for a path, `-` being stdout.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::Stdout(io::stdout()));
        }
        if path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
            return Ok(Self::Device(File::options().write(true).open(path)?));
        }
        if path.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        // A link is followed, so that what it points to is replaced and not the link.
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let mut file = Unfinished::create(|| temporary(&target, 0o666))?;
        if let Ok(old) = target.metadata() {
            take_after(file.file().as_file(), &old)?;
        }
        Ok(Self::File(file, target))
    }

    /// Whether the file that replaces the present one will have its owner and all of its hard links.
    #[cfg(unix)]
    pub(super) fn keeps_names_and_owner(&mut self) -> bool {
        use std::os::unix::fs::MetadataExt;
        let Self::File(file, target) = self else { return true };
        let (Ok(old), Ok(new)) = (target.metadata(), file.file().as_file().metadata()) else { return true };
        old.nlink() <= 1 && old.uid() == new.uid() && old.gid() == new.gid()
    }

    /// Whether the file that replaces the present one will have its owner and all of its hard links.
    #[cfg(not(unix))]
    pub(super) fn keeps_names_and_owner(&mut self) -> bool {
        true
    }

    /// Completes the output: only now does a file appear under its name.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self {
            Self::Stdout(mut stdout) => stdout.flush(),
            Self::Device(mut file) => file.flush(),
            Self::File(mut file, path) => {
                file.file().flush()?;
                file.finish(|file| file.persist(path).map(|_| ()).map_err(|error| error.error))
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::File(file, _) => file.file().write(bytes),
            Self::Device(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.flush(),
            Self::File(file, _) => file.file().flush(),
            Self::Device(file) => file.flush(),
        }
    }
}
