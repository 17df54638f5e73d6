//! Batches of whole lines.

use std::io::{self, Read};
use std::ops::Range;

use memchr::{memchr_iter, memrchr};

use super::BATCH;

/// The memory of a batch, which goes from one to the next.
#[derive(Default)]
pub(super) struct Buffers {
    /// The bytes of the batch, and what is read over.
    bytes: Vec<u8>,
    lines: Vec<Line>,
}

/// A line that is not blank.
struct Line {
    /// From 1, in the whole of the input.
    number: usize,
    /// Its bytes in the batch, without the line end.
    range: Range<usize>,
    share: usize,
}

/// The bytes of memory that go from one batch to the next. One with a long line has more.
const MAX_ROOM: usize = 4 * BATCH;

/// Lines to work on.
pub(super) struct Batch {
    buffers: Buffers,
    /// In bytes.
    size: usize,
}

impl Batch {
    /// The lines of a share with their numbers.
    pub(super) fn lines(&self, share: usize) -> impl Iterator<Item = (usize, &[u8])> {
        let lines = self.buffers.lines.iter().filter(move |line| line.share == share);
        lines.filter_map(|line| Some((line.number, self.buffers.bytes.get(line.range.clone())?)))
    }

    /// The share of each line.
    pub(super) fn shares(&self) -> impl Iterator<Item = usize> {
        self.buffers.lines.iter().map(|line| line.share)
    }

    /// Which shares have lines here. What has none at all is the first one's, so that it is not lost sight of.
    pub(super) fn owners(&self) -> Vec<usize> {
        let mut owners: Vec<usize> = self.shares().collect();
        owners.sort_unstable();
        owners.dedup();
        if owners.is_empty() {
            owners.push(0);
        }
        owners
    }

    /// The size in bytes.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// The memory, for another batch.
    pub(super) fn into_buffers(self) -> Buffers {
        let mut buffers = self.buffers;
        if buffers.bytes.len() > MAX_ROOM {
            buffers.bytes = Vec::new();
        }
        buffers
    }
}

/// Reads batches.
pub(super) struct Batches<R> {
    reader: R,
    /// The number of the next line.
    line: usize,
    /// What was read of a line that has not ended.
    rest: Vec<u8>,
    ended: bool,
}

impl<R: Read> Batches<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, line: 1, rest: Vec::new(), ended: false }
    }

    /// The next batch, in this memory; `share` tells whose a line is.
    pub(super) fn next(&mut self, buffers: Buffers, share: impl Fn(&[u8]) -> usize) -> io::Result<Option<Batch>> {
        let Buffers { mut bytes, mut lines } = buffers;
        let size = self.fill(&mut bytes)?;
        if size == 0 {
            return Ok(None);
        }
        let read = bytes.get(..size).unwrap_or_default();
        let last = (read.last() != Some(&b'\n')).then_some(size);
        let mut start = 0;
        lines.clear();
        for end in memchr_iter(b'\n', read).chain(last) {
            let line = read.get(start..end).unwrap_or_default();
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if !line.trim_ascii().is_empty() {
                lines.push(Line { number: self.line, range: start..start + line.len(), share: share(line) });
            }
            self.line += 1;
            start = end + 1;
        }
        Ok(Some(Batch { buffers: Buffers { bytes, lines }, size }))
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
