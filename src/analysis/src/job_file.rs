//! Reading job files: plain or compressed, from a path or from stdin, with lines of bounded size.

use num_bigint::BigInt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use tpv_runtime::Job;

use memchr::{memchr, memrchr};
use tpv_galaxy::job::MAX_LINE;

use tpv_text::decompress::{Damage, Text};
use tpv_text::interrupt::Interrupt;
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
    position: Position,
    /// Ends reading where a program ends the run.
    interrupt: Interrupt,
    /// Leaves out jobs of other dispatchers, if only those of one are asked for.
    of_dispatcher: Option<OfDispatcher>,
}

/// The lines of jobs of one dispatcher.
struct OfDispatcher {
    name: String,
    /// The line that is not complete yet.
    line: Vec<u8>,
    /// The lines that are complete and wanted, of which `taken` bytes were given.
    ready: Vec<u8>,
    taken: usize,
}

impl OfDispatcher {
    fn push(&mut self, mut text: &[u8]) {
        while let Some(end) = memchr(b'\n', text) {
            let (line, rest) = text.split_at_checked(end + 1).unwrap_or((text, &[]));
            self.line.extend_from_slice(line);
            self.end_line();
            text = rest;
        }
        self.line.extend_from_slice(text);
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let job = Job::from_line(line.trim_ascii_end());
        // A line that is no job gets its answer.
        if !job.is_ok_and(|job| job.is_of_another(&self.name)) {
            self.ready.extend_from_slice(&line);
        }
    }

    fn take(&mut self, buffer: &mut [u8]) -> usize {
        let rest = self.ready.get(self.taken..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        let (Some(to), Some(from)) = (buffer.get_mut(..count), rest.get(..count)) else { return 0 };
        to.copy_from_slice(from);
        self.taken += count;
        if self.taken == self.ready.len() {
            self.ready.clear();
            self.taken = 0;
        }
        count
    }
}

/// The place in a job file up to which it was read, for those who show it.
#[derive(Clone, Debug, Default)]
pub struct Position {
    taken: Arc<AtomicU64>,
    size: Option<u64>,
}

impl Position {
    /// The bytes of the file that were read, compressed ones if it is compressed.
    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// The bytes of the file. `None` of a pipe.
    pub fn size(&self) -> Option<u64> {
        self.size
    }
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
            jobs.position.size = metadata.is_file().then_some(metadata.len());
            // A pipe may have nothing to read yet.
            let is_plain = metadata.is_file() && !jobs.reader.is_compressed()?;
            Ok((jobs, is_plain.then_some(metadata.len())))
        };
        read().map_err(|error| unreadable(path, &error))
    }

    /// The text of a job file that is open already, or of a pipe; `path` is its name in messages.
    pub fn new(path: &Path, reader: impl Read + Send + 'static) -> Self {
        let fault = Fault { path: path.to_owned(), error: Arc::default() };
        Self {
            reader: Text::new(Box::new(reader)),
            line: 0,
            fault,
            position: Position::default(),
            interrupt: Interrupt::present(),
            of_dispatcher: None,
        }
    }

    /// The same file without jobs of other dispatchers than this one, and without those that went to a static destination; the whole file if `None`.
    #[must_use]
    pub fn of_dispatcher(mut self, name: Option<&str>) -> Self {
        self.of_dispatcher =
            name.map(|name| OfDispatcher { name: name.to_owned(), line: Vec::new(), ready: Vec::new(), taken: 0 });
        self
    }

    /// The place up to which it is read, also later.
    pub fn position(&self) -> Position {
        self.position.clone()
    }

    /// The place of the error that ends reading.
    pub fn fault(&self) -> Fault {
        self.fault.clone()
    }
}

impl Read for JobFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(mut filter) = self.of_dispatcher.take() else { return self.read_all(buffer) };
        let mut chunk = vec![0; CHUNK];
        let result = loop {
            let count = filter.take(buffer);
            if count > 0 || buffer.is_empty() {
                break Ok(count);
            }
            match self.read_all(&mut chunk) {
                Ok(0) if filter.line.is_empty() => break Ok(0),
                Ok(0) => filter.end_line(),
                Ok(count) => filter.push(chunk.get(..count).unwrap_or_default()),
                Err(error) => break Err(error),
            }
        };
        self.of_dispatcher = Some(filter);
        result
    }
}

/// The bytes that are read at a time to leave out lines.
const CHUNK: usize = 1 << 16;

/// The dispatchers that the first lines of a job file name, in the order of their names; none for a file that cannot be read twice.
pub fn dispatchers(path: &Path) -> Vec<String> {
    const LINES: usize = 1000;
    let mut names = std::collections::BTreeSet::new();
    if !path.is_file() {
        return Vec::new();
    }
    if let Ok((file, _)) = JobFile::open(path) {
        for line in io::BufRead::split(io::BufReader::new(file), b'\n').take(LINES) {
            let Ok(Ok(job)) = line.map(|line| Job::from_line(line.trim_ascii_end())) else { continue };
            names.extend(job.dispatcher.flatten().map(|name| job.text(name).to_owned()));
        }
    }
    names.into_iter().collect()
}

impl JobFile {
    fn read_all(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.interrupt.check().and_then(|()| self.reader.read(buffer));
            let count = read.map_err(|error| self.noted(error))?;
            self.position.taken.store(self.reader.taken(), Ordering::Relaxed);
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
