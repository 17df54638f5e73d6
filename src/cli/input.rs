//! Reading the files of a verb, but for configs, which `crate::source` reads. Sizes are bounded, since a path may name a device
//! or pipe that never ends.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::error::{CliError, io_help};
use super::kind::Kind;
use crate::source::{is_url, read_limited};

/// The most bytes of a file that is read whole.
const MOST: u64 = 256 << 20;
/// The most bytes of an artifact from a pipe, whose size is not known before.
const MOST_ARTIFACT: u64 = 1 << 30;
/// The most bytes of a job's line.
const MOST_LINE: usize = 64 << 20;

/// Opens a file; a folder is an error like any other.
fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() { Err(io::Error::from(io::ErrorKind::IsADirectory)) } else { Ok(file) }
}

fn unreadable(what: &str, path: &Path, error: &io::Error) -> CliError {
    let (place, help) = io_help(error, path);
    let help = if path.to_str().is_some_and(is_url) { "download it first: only configs are fetched" } else { help };
    CliError::new(format!("{what} cannot be read from {place}"), help)
}

/// The text of a file; `what` it is, such as `the world`.
///
/// # Errors
/// Where the file cannot be read or is of another kind.
pub(super) fn text(what: &str, path: &Path) -> Result<String, CliError> {
    let bytes = open(path).and_then(|file| read_limited(file, MOST)).map_err(|error| unreadable(what, path, &error))?;
    let name = path.display();
    let bytes = bytes.ok_or_else(|| {
        CliError::new(
            format!("{what} cannot be read from `{name}`: it is larger than {} MiB", MOST >> 20),
            "check that this is the file that you mean",
        )
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let (at, known) = (error.utf8_error().valid_up_to() + 1, Kind::of(path));
        let message = match known {
            Kind::Unknown => format!("{what} cannot be read from `{name}`: byte {at} is not UTF-8"),
            known => format!("{what} cannot be read from `{name}`: it is {}", known.noun()),
        };
        CliError::new(message, "check that this is the file that you mean")
    })
}

/// The bytes of an artifact.
///
/// # Errors
/// Where the file cannot be read or is of another kind.
pub(super) fn artifact(path: &Path) -> Result<Vec<u8>, CliError> {
    let read = open(path).and_then(|file| {
        let metadata = file.metadata()?;
        let most = if metadata.is_file() { metadata.len() } else { MOST_ARTIFACT };
        let mut bytes = Vec::new();
        (&file).take(5).read_to_end(&mut bytes)?;
        // A file that is not an artifact is read no further: it may be of any size.
        if b"\x89TPVC".starts_with(&bytes) {
            bytes.reserve_exact(if metadata.is_file() { usize::try_from(most).unwrap_or(0) } else { 0 });
            file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        }
        Ok((bytes.len() as u64 <= most).then_some(bytes))
    });
    match read {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(CliError::new(
            format!("the artifact cannot be read from `{}`: it does not end", path.display()),
            "check that this is the file that you mean",
        )),
        Err(error) => Err(unreadable("the artifact", path, &error)),
    }
}

/// The lines of a job file, for a reader that takes them in pieces.
pub(super) struct Jobs {
    reader: Box<dyn Read + Send>,
    /// The bytes of the line so far.
    line: usize,
    /// The error that ended reading, kept apart from errors of writing the answers.
    fault: Fault,
}

/// The error that ended reading a job file.
pub(super) type Fault = Arc<OnceLock<io::Error>>;

impl Jobs {
    /// Opens a job file, `-` being stdin; with its size where that is known.
    ///
    /// # Errors
    /// Where the file cannot be read or is of another kind.
    pub(super) fn open(path: &Path) -> Result<(Self, Option<u64>), CliError> {
        let new = |reader| Self { reader, line: 0, fault: Fault::default() };
        if path == Path::new("-") {
            return Ok((new(Box::new(io::stdin())), None));
        }
        let opened = open(path).and_then(|file| Ok((file.metadata()?, file)));
        let (metadata, file) = opened.map_err(|error| unreadable("the jobs", path, &error))?;
        Ok((new(Box::new(file)), metadata.is_file().then_some(metadata.len())))
    }

    /// Where the error that ends reading will be.
    pub(super) fn fault(&self) -> Fault {
        self.fault.clone()
    }
}

impl Read for Jobs {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer).and_then(|count| {
            let new = buffer.get(..count).unwrap_or_default();
            self.line = match new.iter().rposition(|byte| *byte == b'\n') {
                Some(end) => count - end - 1,
                None => self.line.saturating_add(count),
            };
            if self.line <= MOST_LINE {
                return Ok(count);
            }
            let message = format!("a line has more than {} MiB", MOST_LINE >> 20);
            Err(io::Error::new(io::ErrorKind::InvalidData, message))
        });
        read.map_err(|error| {
            if error.kind() == io::ErrorKind::Interrupted {
                return error;
            }
            let copy = io::Error::new(error.kind(), error.to_string());
            let _ = self.fault.set(error);
            copy
        })
    }
}

/// The message for a job file that could not be read to its end.
pub(super) fn unreadable_jobs(path: &Path, fault: &io::Error) -> CliError {
    if fault.kind() == io::ErrorKind::InvalidData {
        let name = if path == Path::new("-") { "stdin".to_owned() } else { format!("`{}`", path.display()) };
        let message = format!("the jobs cannot be read from {name}: {fault}");
        return CliError::new(message, "a job file holds one JSON object a line, each a job");
    }
    unreadable("the jobs", path, fault)
}
