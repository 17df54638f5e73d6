//! Reading job files: plain or compressed, from a path or from stdin, with lines of bounded size.

use num_bigint::BigInt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tpv_runtime::Job;

use memchr::{memchr, memrchr};
use tpv_galaxy::job::MAX_LINE;

use tpv_text::decompress::{Damage, Text};
use tpv_text::open::{open, stdin};
use tpv_text::source::{is_url, redacted};
use tpv_text::system_error;

/// The job of a line, with the line's number as its seed if it brings none: so all rule sets that map it get the same chance.
/// `None` if the line is no job.
pub(crate) fn seeded(number: usize, line: &[u8]) -> Option<Job> {
    let mut job = Job::from_line(line).ok()?;
    job.seed.get_or_insert_with(|| BigInt::from(number));
    Some(job)
}

/// The bytes of a line after which a file counts as one without lines, and reading it ends.
const MOST_SKIPPED: usize = 1 << 30;

/// The text of a job file, for a reader that takes it in pieces. A line of more than [`MAX_LINE`] bytes is cut to one byte more, so that
/// memory stays bounded and [`Job::from_line`](tpv_galaxy::job::Job::from_line) refuses it.
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

/// The error of reading a job file, with a help text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The message.
    pub message: String,
    /// The remedy.
    pub help: String,
}

impl JobFile {
    /// Opens a job file, `-` being stdin; with the size of its text in bytes where that is known.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn open(path: &Path) -> Result<(Self, Option<u64>), Unreadable> {
        if path == Path::new("-") {
            return Ok((Self::new(path, stdin()), None));
        }
        let read = || {
            let file = open(path)?;
            let metadata = file.metadata()?;
            let mut jobs = Self::new(path, file);
            // A pipe may have nothing to read yet.
            let is_plain = metadata.is_file() && !jobs.reader.is_compressed()?;
            Ok((jobs, is_plain.then_some(metadata.len())))
        };
        read().map_err(|error| unreadable(path, &error))
    }

    /// The text of a job file that is open already, or of a pipe; `path` is its name in messages.
    pub fn new(path: &Path, reader: impl Read + Send + 'static) -> Self {
        let fault = Fault { path: path.to_owned(), error: Arc::default() };
        Self { reader: Text::new(Box::new(reader)), line: 0, fault }
    }

    /// The number of bytes of the file consumed for the text so far: fewer than those of the text if it is compressed.
    pub fn taken(&self) -> u64 {
        self.reader.taken()
    }

    /// The place of the error that ends reading.
    pub fn fault(&self) -> Fault {
        self.fault.clone()
    }
}

impl Read for JobFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.reader.read(buffer).map_err(|error| self.noted(error))?;
            let kept = self.cut(buffer.get_mut(..count).unwrap_or_default());
            if self.line > MOST_SKIPPED {
                let message = format!("a line has more than {} GiB", MOST_SKIPPED >> 30);
                return Err(self.noted(io::Error::new(io::ErrorKind::InvalidData, message)));
            }
            if kept > 0 || count == 0 {
                return Ok(kept);
            }
        }
    }
}

impl JobFile {
    /// Cuts what was read of lines that are too long, and returns the number of bytes that are left.
    fn cut(&mut self, new: &mut [u8]) -> usize {
        if self.line + new.len() <= MAX_LINE {
            self.line = memrchr(b'\n', new).map_or(self.line + new.len(), |end| new.len() - end - 1);
            return new.len();
        }
        let (mut from, mut kept) = (0, 0);
        while from < new.len() {
            let end = memchr(b'\n', new.get(from..).unwrap_or_default()).map_or(new.len(), |end| from + end);
            let room = (MAX_LINE + 1).saturating_sub(self.line).min(end - from);
            // The line's end is kept.
            let ends = usize::from(end < new.len());
            new.copy_within(from..from + room, kept);
            new.copy_within(end..end + ends, kept + room);
            kept += room + ends;
            self.line = if ends == 1 { 0 } else { self.line + (end - from) };
            from = end + 1;
        }
        kept
    }

    /// Notes the error that ends reading, and returns it.
    fn noted(&self, error: io::Error) -> io::Error {
        if error.kind() == io::ErrorKind::Interrupted {
            return error;
        }
        let copy = io::Error::new(error.kind(), error.to_string());
        let _ = self.fault.error.set(error);
        copy
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
