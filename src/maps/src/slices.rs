//! Job files cut into slices of whole lines, each compressed on its own.

use std::io::{self, Read, Write};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use memchr::{memchr, memchr_iter};

use super::store::Digesting;

/// The level of zstd: the fastest of those that compress jobs to a tenth.
const LEVEL: i32 = 1;
/// The number of bytes of text read at once.
const BLOCK: usize = 1 << 20;
/// The number of blocks read ahead of those being compressed.
const AHEAD: usize = 3;

/// The most threads that compress. More than these would wait for the one that reads.
const MOST_THREADS: u32 = 4;

/// A slice: its place in the text of its file, and the facts about its written form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The first byte, from 0.
    pub start: u64,
    /// The size in bytes, more than 0.
    pub length: u64,
    /// The number of the first line, from 1.
    pub first_line: u64,
    /// The number of lines, blank ones included. The last may lack its end.
    pub lines: u64,
    /// The size of the compressed slice in bytes.
    pub stored: u64,
    /// The first 32 hexadecimal digits of the compressed slice's SHA-256.
    pub digest: String,
}

/// Cuts a text into slices, one after the other. Another thread reads ahead, and several compress.
///
/// The same text cut at the same places gives the same compressed bytes, however it was read and however many threads there are.
pub struct Cutter {
    threads: u32,
    full: Receiver<Piece>,
    empty: Sender<Vec<u8>>,
    block: Vec<u8>,
    /// The number of bytes of the block that have gone into slices.
    taken: usize,
    /// The next byte of the text.
    start: u64,
    /// The number of the next line.
    line: u64,
    has_ended: bool,
}

/// A message of the reading thread.
enum Piece {
    Block(Vec<u8>),
    End,
    Fault(io::Error),
}

/// The error of cutting a slice.
#[derive(Debug)]
pub enum CutError {
    /// The text could not be read on.
    Read(io::Error),
    /// The slice could not be written.
    Write(io::Error),
}

impl Cutter {
    /// Cuts what `reader` gives.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn new(reader: impl Read + Send + 'static) -> io::Result<Self> {
        let (send_full, full) = sync_channel(AHEAD);
        let (empty, empties) = channel();
        thread::Builder::new().name("reader".to_owned()).spawn(move || read_ahead(reader, &send_full, &empties))?;
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let threads = u32::try_from(threads).unwrap_or(MOST_THREADS).min(MOST_THREADS);
        Ok(Self { threads, full, empty, block: Vec::new(), taken: 0, start: 0, line: 1, has_ended: false })
    }

    /// Writes the next slice, compressed, to `output`: lines of at least `target` bytes in all, but for the last slice. Nothing at the end
    /// of the text, where nothing was written.
    ///
    /// # Errors
    /// Reading the text or writing the slice.
    pub fn cut(&mut self, target: u64, output: impl Write) -> Result<Option<Slice>, CutError> {
        if self.rest()?.is_empty() {
            return Ok(None);
        }
        let (start, first_line) = (self.start, self.line);
        let mut encoder = zstd::stream::write::Encoder::new(Digesting::new(output), LEVEL).map_err(CutError::Write)?;
        encoder.include_checksum(true).map_err(CutError::Write)?;
        // Also one thread: what it writes is what several write, and not what none writes.
        encoder.multithread(self.threads).map_err(CutError::Write)?;
        let (mut is_cut, mut ends_line) = (false, true);
        while !is_cut {
            // The slice ends with the line that the last byte wanted belongs to.
            let wanted = target.saturating_sub(1).saturating_sub(self.start - start);
            let rest = self.rest()?;
            let before = usize::try_from(wanted).unwrap_or(usize::MAX).min(rest.len());
            let end = memchr(b'\n', rest.get(before..).unwrap_or_default()).map(|end| before + end + 1);
            let part = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            encoder.write_all(part).map_err(CutError::Write)?;
            let (length, ends) = (part.len(), memchr_iter(b'\n', part).count());
            ends_line = part.last().map_or(ends_line, |last| *last == b'\n');
            is_cut = end.is_some() || part.is_empty();
            self.taken += length;
            self.start += length as u64;
            self.line += ends as u64;
        }
        let mut written = encoder.finish().map_err(CutError::Write)?;
        written.flush().map_err(CutError::Write)?;
        let (_, stored, digest) = written.into_parts();
        // The last line of a text may lack its end.
        let lines = self.line - first_line + u64::from(!ends_line);
        Ok(Some(Slice { start, length: self.start - start, first_line, lines, stored, digest: digest.into() }))
    }

    /// The text that was read and not yet taken: empty only at the end of the text.
    fn rest(&mut self) -> Result<&[u8], CutError> {
        while self.taken == self.block.len() && !self.has_ended {
            match self.full.recv() {
                Ok(Piece::Block(block)) => {
                    let empty = std::mem::replace(&mut self.block, block);
                    self.taken = 0;
                    // Where the reader has ended, nobody needs it.
                    let _ = self.empty.send(empty);
                }
                Ok(Piece::End) => self.has_ended = true,
                Ok(Piece::Fault(error)) => return Err(CutError::Read(error)),
                Err(_) => return Err(CutError::Read(io::Error::other("the thread that reads has ended early"))),
            }
        }
        Ok(self.block.get(self.taken..).unwrap_or_default())
    }
}

/// Reads a text to its end, block by block.
fn read_ahead(mut reader: impl Read, full: &SyncSender<Piece>, empties: &Receiver<Vec<u8>>) {
    loop {
        let mut block = empties.try_recv().unwrap_or_default();
        block.resize(BLOCK, 0);
        let (mut length, mut end) = (0, None);
        while end.is_none() && length < BLOCK {
            match reader.read(block.get_mut(length..).unwrap_or_default()) {
                Ok(0) => end = Some(Piece::End),
                Ok(count) => length += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => end = Some(Piece::Fault(error)),
            }
        }
        block.truncate(length);
        // An error of sending: nobody cuts any more.
        if full.send(Piece::Block(block)).is_err() {
            return;
        }
        if let Some(end) = end {
            let _ = full.send(end);
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use super::super::store::Digest;
    use super::*;
    use crate::random::{Random, rounds, setting};

    /// Gives pieces of random size, and now and then a call that is interrupted.
    struct Slow(Vec<u8>, usize, Random);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.2.one_in(4) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let most = buffer.len().min(1 + self.2.below(1 << 17) as usize);
            let read = (&self.0[self.1..]).read(&mut buffer[..most])?;
            self.1 += read;
            Ok(read)
        }
    }

    fn cut(reader: impl Read + Send + 'static, threads: u32, mut target: impl FnMut() -> u64) -> Vec<(Slice, Vec<u8>)> {
        let mut cutter = Cutter { threads, ..Cutter::new(reader).unwrap() };
        let mut slices = Vec::new();
        loop {
            let mut stored = Vec::new();
            match cutter.cut(target(), &mut stored).unwrap() {
                Some(slice) => slices.push((slice, stored)),
                None => {
                    assert!(stored.is_empty());
                    return slices;
                }
            }
        }
    }

    fn ranges(text: &'static str, target: u64) -> Vec<(u64, u64, u64, u64)> {
        let slices = cut(text.as_bytes(), 2, || target).into_iter();
        slices.map(|(slice, _)| (slice.start, slice.length, slice.first_line, slice.lines)).collect()
    }

    #[test]
    fn slices_are_whole_lines() {
        assert_eq!(ranges("", 5), []);
        assert_eq!(ranges("\n", 5), [(0, 1, 1, 1)]);
        assert_eq!(ranges("a", 5), [(0, 1, 1, 1)]);
        assert_eq!(ranges("a\n\nbb\nc", 0), [(0, 2, 1, 1), (2, 1, 2, 1), (3, 3, 3, 1), (6, 1, 4, 1)]);
        assert_eq!(ranges("a\n\nbb\nc", 2), [(0, 2, 1, 1), (2, 4, 2, 2), (6, 1, 4, 1)]);
        assert_eq!(ranges("a\n\nbb\nc", 3), [(0, 3, 1, 2), (3, 3, 3, 1), (6, 1, 4, 1)]);
        assert_eq!(ranges("a\n\nbb\nc\n", u64::MAX), [(0, 8, 1, 4)]);
    }

    /// Texts at random, with lines of all lengths, blank ones and a last one without its end, however they are read and cut.
    #[test]
    fn slices_are_the_ranges_that_they_say() {
        let (seed, count) = (setting("TPVC_SEED", 20_261_122), rounds("TPVC_ROUNDS", 10));
        println!("seed {seed}, {count} texts (TPVC_SEED, TPVC_ROUNDS)");
        let mut random = Random::new(seed);
        for _ in 0..count {
            let mut text = Vec::new();
            for _ in 0..random.below(400) {
                let length = match random.below(60) {
                    0 => random.below(3 << 20),
                    1..10 => 0,
                    _ => random.below(2000),
                };
                text.extend((0..length).map(|at| b'a' + (at % 7) as u8));
                text.push(b'\n');
            }
            if random.one_in(2) {
                text.extend(b"the last");
            }
            let seeds: Vec<u64> = (0..2).map(|_| u64::from(random.below(1 << 30))).collect();
            let target_seed = u64::from(random.below(1 << 30));
            let cut_once = |seed: u64, threads: u32| {
                let mut targets = Random::new(target_seed);
                let most = 1 << (targets.below(23) + 1);
                cut(Slow(text.clone(), 0, Random::new(seed)), threads, move || u64::from(targets.below(most)))
            };
            let slices = cut_once(seeds[0], 1);
            let same = "the same bytes, however the text is read and however many threads compress";
            assert_eq!(cut_once(seeds[1], 3), slices, "{same}");
            let (mut start, mut line) = (0, 1);
            let mut targets = Random::new(target_seed);
            let most = 1 << (targets.below(23) + 1);
            let count = slices.len();
            for (index, (slice, stored)) in slices.into_iter().enumerate() {
                assert_eq!((slice.start, slice.first_line), (start, line));
                let range = &text[start as usize..(start + slice.length) as usize];
                assert!(zstd::decode_all(&stored[..]).unwrap() == range);
                assert_eq!(slice.stored, stored.len() as u64);
                let digest: String = Digest::of(&stored).into();
                assert_eq!(digest, slice.digest);
                let breaks = range.iter().filter(|byte| **byte == b'\n').count() as u64;
                let (is_last, ends_line) = (index + 1 == count, range.ends_with(b"\n"));
                assert!(is_last || ends_line);
                assert_eq!(slice.lines, breaks + u64::from(!ends_line));
                let target = u64::from(targets.below(most));
                assert!(is_last || slice.length >= target);
                let without_last =
                    range[..range.len() - 1].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
                assert!((without_last as u64) < target.max(1), "no line more than is wanted");
                (start, line) = (start + slice.length, line + slice.lines);
            }
            assert_eq!(start, text.len() as u64);
        }
    }

    #[test]
    fn a_text_that_cannot_be_read_ends_no_slice() {
        struct Failing(usize);
        impl Read for Failing {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.0 += 1;
                if self.0 == 3 {
                    return Err(io::ErrorKind::StaleNetworkFileHandle.into());
                }
                (&b"a line\n"[..]).read(buffer)
            }
        }
        let mut cutter = Cutter::new(Failing(0)).unwrap();
        assert_eq!(cutter.cut(5, io::sink()).unwrap().unwrap().length, 7);
        assert_eq!(cutter.cut(5, io::sink()).unwrap().unwrap().length, 7);
        let Err(CutError::Read(error)) = cutter.cut(5, io::sink()) else { panic!("no error") };
        assert_eq!(error.kind(), io::ErrorKind::StaleNetworkFileHandle);
        struct Panicking;
        impl Read for Panicking {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                panic!("a fault of the reader")
            }
        }
        assert!(matches!(Cutter::new(Panicking).unwrap().cut(5, io::sink()), Err(CutError::Read(_))));
    }

    #[test]
    fn a_slice_that_cannot_be_written_is_an_error() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let Err(CutError::Write(error)) = Cutter::new(&b"a\n"[..]).unwrap().cut(5, Full) else { panic!("no error") };
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
