//! Lines in, lines out: work on the lines of a file or pipe on several threads, with the order kept and memory bounded.
//!
//! A batch is what one read gives up to its last full line, so that a pipe gets its answers as soon as its lines are there, and
//! a file is read in pieces of about [`BATCH`] bytes. Each thread has a share of every batch: the lines whose keys
//! ([`Work::key`]) are its own, so that what it learns from a line serves the lines like it. There are no threads but those
//! that work on lines: one that has nothing to do reads the next batch, and one that completes a batch writes it
//! ([`schedule`]). No more than a few batches a thread are under way, and their answers are put together again in the order
//! of the lines ([`in_order`]).

mod batch;
mod in_order;
mod schedule;

use std::io::{self, Read, Write};
use std::sync::{Mutex, PoisonError};
use std::thread;

use batch::{Batches, Buffers};
use in_order::Finished;
use schedule::{Next, Schedule};

/// The size of a batch read from a file, in bytes.
pub const BATCH: usize = 256 * 1024;

/// What is done with the lines.
pub trait Work: Sync {
    /// What a thread says of all its lines: counts, for instance.
    type Tally: Default + Send;

    /// Lines with equal keys are for one thread, as far as that keeps all threads busy.
    fn key(&self, line: &[u8]) -> u64;

    /// Works on a line with its number, from 1, and appends what is to be written for it. The line has no line end; blank
    /// lines are left out.
    fn line(&self, number: usize, line: &[u8], output: &mut String, tally: &mut Self::Tally);

    /// Ends the work of a thread other than the calling one.
    fn end_thread(&self) {}
}

/// What is to be written for the lines of a share.
#[derive(Default)]
struct Output {
    text: String,
    /// Where what belongs to each line ends.
    ends: Vec<usize>,
}

impl Output {
    fn clear(&mut self) {
        empty(&mut self.text);
        self.ends.clear();
    }
}

/// The room for answers, in bytes, that is kept for other batches.
const MAX_ROOM: usize = 8 * BATCH;

/// Empties a text; room for long answers is not kept.
fn empty(text: &mut String) {
    text.clear();
    text.shrink_to(MAX_ROOM);
}

/// Works on all lines of `reader` and writes what comes of them to `writer`, in the order of the lines. `done` gets the
/// number of bytes of each batch whose output is written. The calling thread is one of the threads.
///
/// The result is what each thread says of its lines.
///
/// # Errors
/// The first error of reading or writing.
pub fn run<R, W, K, D>(reader: R, writer: W, threads: usize, work: &K, done: D) -> io::Result<Vec<K::Tally>>
where
    R: Read + Send,
    W: Write + Send,
    K: Work,
    D: FnMut(usize) + Send,
{
    let (input, sink) = (Batches::new(reader), Sink { writer, done, text: String::new() });
    if threads <= 1 {
        return alone(input, sink, work).map(|tally| vec![tally]);
    }
    let crew = Crew { schedule: Schedule::new(threads), input: Mutex::new(input), sink: Mutex::new(sink), work };
    let tallies = thread::scope(|scope| {
        let crew = &crew;
        let others: Vec<_> = (1..threads)
            .map(|own| {
                scope.spawn(move || {
                    let tally = crew.work(own);
                    crew.work.end_thread();
                    tally
                })
            })
            .collect();
        let own = crew.work(0);
        let others =
            others.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        std::iter::once(own).chain(others).collect()
    });
    crew.schedule.into_result().map(|()| tallies)
}

/// All of it on one thread.
fn alone<R: Read, W: Write, K: Work, D: FnMut(usize)>(
    mut input: Batches<R>,
    mut sink: Sink<W, D>,
    work: &K,
) -> io::Result<K::Tally> {
    let mut tally = K::Tally::default();
    let mut buffers = Buffers::default();
    while let Some(batch) = input.next(buffers, |_| 0)? {
        empty(&mut sink.text);
        for (number, line) in batch.lines(0) {
            work.line(number, line, &mut sink.text, &mut tally);
        }
        sink.write(batch.size())?;
        buffers = batch.into_buffers();
    }
    Ok(tally)
}

/// Where answers go.
struct Sink<W, D> {
    writer: W,
    done: D,
    /// What is written next.
    text: String,
}

impl<W: Write, D: FnMut(usize)> Sink<W, D> {
    /// Writes the text, which is of a batch of this many bytes.
    fn write(&mut self, size: usize) -> io::Result<()> {
        self.writer.write_all(self.text.as_bytes())?;
        self.writer.flush()?;
        (self.done)(size);
        Ok(())
    }
}

/// What several threads share. The schedule lets no two of them read or write at once.
struct Crew<'a, R, W, K, D> {
    schedule: Schedule,
    input: Mutex<Batches<R>>,
    sink: Mutex<Sink<W, D>>,
    work: &'a K,
}

impl<R: Read, W: Write, K: Work, D: FnMut(usize)> Crew<'_, R, W, K, D> {
    /// What one thread does until nothing is left.
    fn work(&self, own: usize) -> K::Tally {
        // What a thread leaves undone nobody else does: without this, all others would wait for it.
        let _end = self.schedule.close_if_panicking();
        let mut tally = K::Tally::default();
        loop {
            match self.schedule.next(own) {
                Next::Share(batch, share, mut output) => {
                    output.clear();
                    for (number, line) in batch.lines(share) {
                        self.work.line(number, line, &mut output.text, &mut tally);
                        output.ends.push(output.text.len());
                    }
                    if self.schedule.finish(Finished { batch, share, output }) {
                        self.write();
                    }
                }
                Next::Read(buffers) => {
                    let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
                    let batch = input.next(buffers, |line| self.schedule.share_of(self.work.key(line)));
                    self.schedule.add(batch);
                }
                Next::End => return tally,
            }
        }
    }

    /// Writes all batches that are next.
    fn write(&self) {
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(answered) = self.schedule.next_to_write() {
            empty(&mut sink.text);
            answered.write(&mut sink.text);
            let written = sink.write(answered.batch.size());
            self.schedule.written(answered, written);
        }
    }
}

#[cfg(test)]
mod tests;
