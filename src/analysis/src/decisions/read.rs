//! The lines of a log.

use std::io::{self, Read};

use memchr::memchr;
use tpv_runtime::decision::{Decision, MAX_LINE};

/// The most bytes that a logger may put before a line.
const PREFIX: usize = 4096;
/// The bytes that are read at a time.
const CHUNK: usize = 64 << 10;

/// The decisions of a log, in its order. A line that is none is skipped and counted: half of one that a full disk left, or text of another
/// program.
pub struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    /// The bytes of the buffer that are consumed.
    from: usize,
    /// The lines that were skipped so far.
    pub skipped: Skipped,
}

/// The lines of a log that hold no decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Their number.
    pub lines: u64,
}

impl<R: Read> Lines<R> {
    /// The decisions of what a reader gives.
    pub fn new(reader: R) -> Self {
        Self { reader, buffer: Vec::new(), from: 0, skipped: Skipped::default() }
    }

    /// The next decision. `None` at the end of what there is: a log that is written to may have more later.
    ///
    /// # Errors
    /// The reader's.
    pub fn read(&mut self) -> io::Result<Option<Decision>> {
        loop {
            let Some(line) = self.line()? else { return Ok(None) };
            if line.is_empty() {
                continue;
            }
            let decision =
                if line.len() > MAX_LINE + PREFIX { None } else { Decision::read(&String::from_utf8_lossy(&line)) };
            match decision {
                Some(decision) => return Ok(Some(decision)),
                None => self.skipped.lines += 1,
            }
        }
    }

    /// The last line, which has no line feed: `None` if there is none.
    pub fn rest(&mut self) -> Option<Decision> {
        let rest = self.buffer.split_off(self.from.min(self.buffer.len()));
        let decision = Decision::read(&String::from_utf8_lossy(&rest));
        self.skipped.lines += u64::from(decision.is_none() && !rest.is_empty());
        decision
    }

    /// The next line without its line feed. What is too long for a decision is dropped up to its end.
    fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut searched = self.from;
        loop {
            if let Some(end) = memchr(b'\n', self.buffer.get(searched..).unwrap_or_default()) {
                let line = self.buffer.get(self.from..searched + end).unwrap_or_default().to_vec();
                self.from = searched + end + 1;
                return Ok(Some(line));
            }
            self.buffer.drain(..self.from.min(self.buffer.len()));
            self.from = 0;
            // One byte more than the longest line tells that it is too long.
            let most = MAX_LINE + PREFIX + 1;
            self.buffer.truncate(self.buffer.len().min(most));
            searched = self.buffer.len();
            let mut chunk = vec![0; CHUNK];
            let count = self.reader.read(&mut chunk)?;
            if count == 0 {
                return Ok(None);
            }
            self.buffer.extend_from_slice(chunk.get(..count).unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice)]
    use super::*;

    fn line(job: i64) -> String {
        format!("{{\"tpvc\": 1, \"time\": \"t\", \"job\": {job}, \"tool\": \"bwa\", \"destination\": \"d\"}}\n")
    }

    #[test]
    fn half_lines_and_foreign_ones_are_skipped() {
        let (half, first, third, fourth) = (line(2), line(1), line(3), line(4));
        let text = [
            first.as_str(),
            &half[..30],
            "\n",
            &third,
            "\u{1b}[2J\0 no decision\n",
            "\n",
            &"x".repeat(300_000),
            "\n",
            &fourth,
        ];
        let mut bytes = text.concat().into_bytes();
        bytes.extend(b"\xff\xfe\n");
        bytes.extend(&half.as_bytes()[..50]);
        let mut lines = Lines::new(&*bytes);
        let mut jobs = Vec::new();
        while let Some(decision) = lines.read().unwrap() {
            jobs.push(decision.head.job);
        }
        assert_eq!(jobs, [1, 3, 4].map(tpv_galaxy::Json::Int));
        assert_eq!(lines.rest(), None);
        assert_eq!(lines.skipped.lines, 5);
    }

    #[test]
    fn a_last_line_without_its_end_counts() {
        let text = line(1) + line(2).trim_end();
        let mut lines = Lines::new(text.as_bytes());
        assert!(lines.read().unwrap().is_some() && lines.read().unwrap().is_none());
        assert_eq!(lines.rest().unwrap().head.job, tpv_galaxy::Json::Int(2));
    }
}
