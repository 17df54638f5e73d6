//! Batches of whole lines.

use std::io::{self, BufRead};
use std::ops::Range;

use memchr::{memchr_iter, memrchr};

/// The memory of a batch, which goes from one to the next.
#[derive(Default)]
pub(super) struct Buffers {
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

/// Lines to work on.
pub(super) struct Batch {
    /// From 0, in the order of the input.
    pub(super) number: usize,
    buffers: Buffers,
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

    /// Whether a share has lines here. What has none at all is the first one's, so that it is not lost sight of.
    pub(super) fn is_for(&self, share: usize) -> bool {
        self.shares().any(|of| of == share) || share == 0 && self.buffers.lines.is_empty()
    }

    /// The size in bytes.
    pub(super) fn size(&self) -> usize {
        self.buffers.bytes.len()
    }

    /// The memory, for another batch.
    pub(super) fn into_buffers(self) -> Buffers {
        self.buffers
    }
}

/// Reads batches.
pub(super) struct Batches<R> {
    reader: R,
    number: usize,
    /// The number of the next line.
    line: usize,
    rest: Vec<u8>,
    ended: bool,
}

impl<R: BufRead> Batches<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, number: 0, line: 1, rest: Vec::new(), ended: false }
    }

    /// The next batch, in this memory; `share` tells whose a line is.
    pub(super) fn next(&mut self, buffers: Buffers, share: impl Fn(&[u8]) -> usize) -> io::Result<Option<Batch>> {
        if self.ended {
            return Ok(None);
        }
        let Buffers { mut bytes, mut lines } = buffers;
        bytes.clear();
        lines.clear();
        bytes.append(&mut self.rest);
        loop {
            let available = self.reader.fill_buf()?;
            if available.is_empty() {
                self.ended = true;
                break;
            }
            let count = available.len();
            let line_end = memrchr(b'\n', available);
            let old = bytes.len();
            bytes.extend_from_slice(available);
            self.reader.consume(count);
            if let Some(end) = line_end {
                self.rest.extend(bytes.drain(old + end + 1..));
                break;
            }
        }
        if bytes.is_empty() {
            return Ok(None);
        }
        let last = (bytes.last() != Some(&b'\n')).then_some(bytes.len());
        let mut start = 0;
        for end in memchr_iter(b'\n', &bytes).chain(last) {
            let line = bytes.get(start..end).unwrap_or_default();
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if !line.trim_ascii().is_empty() {
                lines.push(Line { number: self.line, range: start..start + line.len(), share: share(line) });
            }
            self.line += 1;
            start = end + 1;
        }
        let batch = Batch { number: self.number, buffers: Buffers { bytes, lines } };
        self.number += 1;
        Ok(Some(batch))
    }
}
