//! Reading job files: plain or compressed, from a path or from stdin, with lines of bounded size.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::decompress::{Damage, Text};
use crate::source::{is_url, redacted};
use crate::system_error;

/// The most bytes of a job's line.
const MOST_LINE: usize = 64 << 20;

/// The text of a job file, for a reader that takes it in pieces.
pub struct JobFile {
    reader: Text<Box<dyn Read + Send>>,
    /// The bytes of the line so far.
    line: usize,
    fault: Fault,
}

/// The error that ended reading a job file, apart from those of writing what was made of it.
#[derive(Clone)]
pub struct Fault {
    path: PathBuf,
    error: Arc<OnceLock<io::Error>>,
}

/// Why a job file could not be read, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

impl JobFile {
    /// Opens a job file, `-` being stdin; with the size of its text in bytes where that is known.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn open(path: &Path) -> Result<(Self, Option<u64>), Unreadable> {
        if path == Path::new("-") {
            return Ok((Self::new(path, io::stdin()), None));
        }
        let open = || {
            let file = File::open(path)?;
            let metadata = file.metadata()?;
            if metadata.is_dir() {
                return Err(io::Error::from(io::ErrorKind::IsADirectory));
            }
            let mut jobs = Self::new(path, file);
            // A pipe may have nothing to read yet.
            let is_plain = metadata.is_file() && !jobs.reader.is_compressed()?;
            Ok((jobs, is_plain.then_some(metadata.len())))
        };
        open().map_err(|error| unreadable(path, &error))
    }

    /// The text of a job file that is open already, or of a pipe; `path` is its name in messages.
    pub fn new(path: &Path, reader: impl Read + Send + 'static) -> Self {
        let fault = Fault { path: path.to_owned(), error: Arc::default() };
        Self { reader: Text::new(Box::new(reader)), line: 0, fault }
    }

    /// How many bytes of the file the text so far was made of: fewer than those of the text, where it is compressed.
    pub fn taken(&self) -> u64 {
        self.reader.taken()
    }

    /// Where the error that ends reading will be.
    pub fn fault(&self) -> Fault {
        self.fault.clone()
    }
}

impl Read for JobFile {
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
            let _ = self.fault.error.set(error);
            copy
        })
    }
}

impl Fault {
    /// The error that ended reading, where there was one.
    pub fn get(&self) -> Option<Unreadable> {
        self.error.get().map(|error| unreadable(&self.path, error))
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Unreadable {
    let name =
        if path == Path::new("-") { "stdin".to_owned() } else { format!("`{}`", redacted(&path.to_string_lossy())) };
    let damage = error.get_ref().and_then(|inner| inner.downcast_ref::<Damage>());
    let (what, help) = match damage {
        Some(damage) => (damage.to_string(), damage.help()),
        None if error.kind() == io::ErrorKind::InvalidData => {
            (error.to_string(), "a job file holds one JSON object a line, each a job".to_owned())
        }
        None => {
            let (what, help) = system_error::reason(error);
            let is_url = path.to_str().is_some_and(is_url);
            (what, if is_url { "download it first: only configs are fetched" } else { help }.to_owned())
        }
    };
    Unreadable { message: format!("the jobs cannot be read from {name}: {what}"), help }
}
