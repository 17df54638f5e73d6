//! Outputs: stdout, or a file that appears whole or not at all.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::report::{Trouble, io_help};

/// Writes results to stdout. That the reader went away, such as `head`, is no failure.
///
/// # Errors
/// Everything else that keeps them from being written, as a full disk.
pub(crate) fn print(text: impl AsRef<[u8]>) -> Result<(), Trouble> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_ref()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let (what, help) = io_help(&error, Path::new("-"));
            Err(Trouble::new(format!("the results cannot be written to {what}"), help))
        }
        _ => Ok(()),
    }
}

/// Writes a line to stderr. Where nobody can be told, there is nobody to tell that.
pub(crate) fn tell(text: impl std::fmt::Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Where results go.
pub(crate) enum Output {
    /// Standard output.
    Stdout(io::Stdout),
    /// A temporary file beside its destination, renamed at the end: a failure leaves the old file as it was.
    File(NamedTempFile, PathBuf),
    /// A device or pipe, which cannot be replaced by renaming.
    Device(File),
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
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".tpvc-").suffix(".part");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // What a new file gets, or what the old one has: a temporary file is private otherwise.
            let mode = target.metadata().map_or(0o666, |metadata| metadata.permissions().mode() & 0o777);
            builder.permissions(std::fs::Permissions::from_mode(mode));
        }
        Ok(Self::File(builder.tempfile_in(folder)?, target))
    }

    /// Completes the output: only now does a file appear under its name.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self {
            Self::Stdout(mut stdout) => stdout.flush(),
            Self::Device(mut file) => file.flush(),
            Self::File(mut file, path) => {
                file.flush()?;
                file.persist(path).map(|_| ()).map_err(|error| error.error)
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::File(file, _) => file.write(bytes),
            Self::Device(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(stdout) => stdout.flush(),
            Self::File(file, _) => file.flush(),
            Self::Device(file) => file.flush(),
        }
    }
}
