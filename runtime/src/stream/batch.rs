//! Batches of whole lines.

use std::io::{self, Read};

use memchr::{memchr_iter, memrchr};

use super::{Amount, BATCH};

/// The most bytes of a buffer that go from one batch to the next. One with a long line has more.
const MAX_ROOM: usize = 4 * BATCH;

/// Lines to work on, and the memory for the next ones.
#[derive(Default)]
pub(super) struct Batch {
    /// The bytes of the batch, and what is read over.
    bytes: Vec<u8>,
    size: usize,
    /// The number of batches before it.
    index: u64,
    /// The number of its first line, from 1, in the whole of the input.
    first: usize,
    /// The number of its line ends.
    line_ends: usize,
}

impl Batch {
    /// The lines that are not blank, with their numbers, without line ends.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let read = self.read();
        let mut start = 0;
        let lines = memchr_iter(b'\n', read).chain([self.size]).zip(self.first..).map(move |(end, number)| {
            let line = read.get(start..end).unwrap_or_default();
            start = end + 1;
            (number, line.strip_suffix(b"\r").unwrap_or(line))
        });
        lines.filter(|(_, line)| !line.trim_ascii().is_empty())
    }

    /// The number of batches before it.
    pub(super) fn index(&self) -> u64 {
        self.index
    }

    /// The size in bytes and lines.
    pub(super) fn amount(&self) -> Amount {
        Amount { bytes: self.size, lines: self.line_ends }
    }

    fn read(&self) -> &[u8] {
        self.bytes.get(..self.size).unwrap_or_default()
    }
}

/// Reads batches.
pub(super) struct Batches<R> {
    reader: R,
    /// The number of batches read.
    count: u64,
    /// The number of the next line.
    line: usize,
    /// The start of a line that has not ended.
    rest: Vec<u8>,
    ended: bool,
    result: io::Result<()>,
}

impl<R: Read> Batches<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, count: 0, line: 1, rest: Vec::new(), ended: false, result: Ok(()) }
    }

    /// Reads the next batch in the place of another; false at the end, and after an error.
    pub(super) fn next(&mut self, batch: &mut Batch) -> bool {
        if self.result.is_err() {
            return false;
        }
        if batch.bytes.len() > MAX_ROOM {
            batch.bytes = Vec::new();
        }
        match self.fill(&mut batch.bytes) {
            Ok(size) => batch.size = size,
            Err(error) => {
                self.result = Err(error);
                return false;
            }
        }
        (batch.index, batch.first) = (self.count, self.line);
        self.count += 1;
        batch.line_ends = memchr_iter(b'\n', batch.read()).count();
        self.line += batch.line_ends;
        batch.size > 0
    }

    /// The error of reading, where there was one.
    pub(super) fn into_result(self) -> io::Result<()> {
        self.result
    }

    /// Reads up to a line end or the end of all, and tells how many bytes of the buffer these are.
    fn fill(&mut self, bytes: &mut Vec<u8>) -> io::Result<usize> {
        let mut filled = self.rest.len();
        if bytes.len() < filled + BATCH {
            bytes.resize(filled + BATCH, 0);
        }
        if let Some(start) = bytes.get_mut(..filled) {
            start.copy_from_slice(&self.rest);
        }
        self.rest.clear();
        self.rest.shrink_to(BATCH);
        while !self.ended {
            if filled == bytes.len() {
                bytes.resize(filled * 2, 0);
            }
            let free = bytes.get_mut(filled..).unwrap_or_default();
            let count = match self.reader.read(free) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                count => count?,
            };
            self.ended = count == 0;
            let read = free.get(..count).unwrap_or_default();
            if let Some(end) = memrchr(b'\n', read) {
                self.rest.extend_from_slice(read.get(end + 1..).unwrap_or_default());
                return Ok(filled + end + 1);
            }
            filled += count;
        }
        Ok(filled)
    }
}
