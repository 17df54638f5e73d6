//! Lines in, lines out: work on the lines of a file or pipe on several threads, with the order kept and memory bounded.
//!
//! A batch is what the reader had at hand up to its last full line, so that a pipe gets its answers as soon as its lines
//! are there, and a file is read in pieces of [`BATCH`] bytes. No more than a few batches a thread are under way.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::iter::once;
use std::mem::{replace, take};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use memchr::{memchr_iter, memrchr};

/// The size of a batch read from a file, in bytes.
pub const BATCH: usize = 256 * 1024;
/// Batches under way, for each thread.
const AHEAD: usize = 4;

/// Lines to work on.
pub struct Batch {
    number: usize,
    /// The number of the first line, from 1.
    pub first_line: usize,
    bytes: Vec<u8>,
}

impl Batch {
    /// The lines with their numbers, without line ends; blank ones are left out.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let ends = memchr_iter(b'\n', &self.bytes).chain(once(self.bytes.len()));
        let lines = ends.scan(0, |start, end| self.bytes.get(replace(start, end + 1)..end));
        lines
            .enumerate()
            .filter(|(_, line)| !line.trim_ascii().is_empty())
            .map(|(index, line)| (self.first_line + index, line.strip_suffix(b"\r").unwrap_or(line)))
    }

    /// The size in bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// The memory of a batch and its output, which goes from one to the next.
#[derive(Default)]
struct Buffers {
    bytes: Vec<u8>,
    output: String,
}

/// Reads batches of whole lines.
struct Batches<R> {
    reader: R,
    number: usize,
    line: usize,
    rest: Vec<u8>,
    ended: bool,
}

impl<R: BufRead> Batches<R> {
    /// The next batch, in this memory.
    fn next(&mut self, mut bytes: Vec<u8>) -> io::Result<Option<Batch>> {
        if self.ended {
            return Ok(None);
        }
        bytes.clear();
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
        let batch = Batch { number: self.number, first_line: self.line, bytes };
        self.number += 1;
        self.line += memchr_iter(b'\n', &batch.bytes).count();
        Ok(Some(batch))
    }
}

/// Works on all lines of `reader` and writes what `work` appends for each batch to `writer`, in the order of the lines.
///
/// `work` gets a batch and the buffer for its output, and gives a value that `done` receives, in order, once the batch's
/// output is written. With one thread everything happens on the calling one.
///
/// # Errors
/// The first error of reading or writing.
pub fn run<R, W, T>(
    reader: R,
    writer: &mut W,
    threads: usize,
    work: impl Fn(&Batch, &mut String) -> T + Sync,
    mut done: impl FnMut(&Batch, T),
) -> io::Result<()>
where
    R: io::Read + Send,
    W: Write,
    T: Send,
{
    let reader = io::BufReader::with_capacity(BATCH, reader);
    let mut batches = Batches { reader, number: 0, line: 1, rest: Vec::new(), ended: false };
    if threads <= 1 {
        let mut buffers = Buffers::default();
        while let Some(batch) = batches.next(take(&mut buffers.bytes))? {
            buffers.output.clear();
            let result = work(&batch, &mut buffers.output);
            writer.write_all(buffers.output.as_bytes())?;
            writer.flush()?;
            done(&batch, result);
            buffers.bytes = batch.bytes;
        }
        return Ok(());
    }
    let ahead = threads * AHEAD;
    // A batch is under way while it has buffers; there are no more than these.
    let (spare, spares) = sync_channel::<Buffers>(ahead);
    for _ in 0..ahead {
        let _ = spare.send(Buffers::default());
    }
    let (to_workers, batches_in) = sync_channel::<(Batch, String)>(ahead);
    let (to_writer, finished) = sync_channel::<(Batch, String, T)>(ahead);
    let batches_in = Mutex::new(batches_in);
    thread::scope(|scope| {
        let reading = scope.spawn(move || read_all(&mut batches, &spares, &to_workers));
        for _ in 0..threads {
            let (to_writer, batches_in, work) = (to_writer.clone(), &batches_in, &work);
            scope.spawn(move || {
                loop {
                    let next = batches_in.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((batch, mut output)) = next else { break };
                    output.clear();
                    let result = work(&batch, &mut output);
                    if to_writer.send((batch, output, result)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(to_writer);
        let written = write_all(writer, &finished, &spare, &mut done);
        // Closing these ends the reader and the workers where writing failed.
        drop(finished);
        drop(spare);
        let read = reading.join().unwrap_or_else(|_| Err(io::Error::other("the reader ended early")));
        written.and(read)
    })
}

fn read_all<R: BufRead>(
    batches: &mut Batches<R>,
    spares: &Receiver<Buffers>,
    to_workers: &SyncSender<(Batch, String)>,
) -> io::Result<()> {
    while let Ok(Buffers { bytes, output }) = spares.recv() {
        let Some(batch) = batches.next(bytes)? else { break };
        if to_workers.send((batch, output)).is_err() {
            break;
        }
    }
    Ok(())
}

fn write_all<T>(
    writer: &mut impl Write,
    finished: &Receiver<(Batch, String, T)>,
    spare: &SyncSender<Buffers>,
    done: &mut impl FnMut(&Batch, T),
) -> io::Result<()> {
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    while let Ok((batch, output, result)) = finished.recv() {
        waiting.insert(batch.number, (batch, output, result));
        while let Some((batch, output, result)) = waiting.remove(&next) {
            writer.write_all(output.as_bytes())?;
            done(&batch, result);
            next += 1;
            let _ = spare.try_send(Buffers { bytes: batch.bytes, output });
        }
        if waiting.is_empty() {
            writer.flush()?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn upper(input: &[u8], threads: usize) -> String {
        let mut output = Vec::new();
        let work = |batch: &Batch, output: &mut String| {
            for (number, line) in batch.lines() {
                let line = str::from_utf8(line).unwrap().to_ascii_uppercase();
                output.push_str(&format!("{number}:{line}\n"));
            }
        };
        run(input, &mut output, threads, work, |_, ()| {}).unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn order_is_kept_and_blank_lines_are_counted_but_not_worked_on() {
        for threads in [1, 2, 5] {
            assert_eq!(upper(b"a\n\nb\r\nc", threads), "1:A\n3:B\n4:C\n");
            assert_eq!(upper(b"", threads), "");
        }
        let many: String = (0..200_000).map(|n| format!("line {n}\n")).collect();
        assert_eq!(upper(many.as_bytes(), 2), upper(many.as_bytes(), 1));
    }

    #[test]
    fn a_failing_writer_ends_everything() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::Error::from(io::ErrorKind::StorageFull))
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let many = "x\n".repeat(2_000_000);
        let work = |batch: &Batch, output: &mut String| output.push_str(str::from_utf8(&batch.bytes).unwrap());
        let result = run(many.as_bytes(), &mut Full, 2, work, |_, ()| {});
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
