//! Lines in, lines out: work on the lines of a file or pipe on several threads, with the order kept and memory bounded.
//!
//! A batch is what one read gives up to its last full line, so that a pipe gets its answers as soon as its lines are there, and
//! a file is read in pieces of about [`BATCH`] bytes. There are no threads but those that work on lines: each reads a batch,
//! works on its lines and writes what comes of them once all batches before it are written ([`in_order`]).

mod batch;
mod in_order;

use std::io::{self, Read, Write};
use std::sync::{Mutex, PoisonError};
use std::thread;

use batch::{Batch, Batches};
use in_order::InOrder;

/// The size of a batch read from a file, in bytes.
pub const BATCH: usize = 128 * 1024;

/// The processing of the lines.
pub trait Work: Sync {
    /// A thread's report on all its lines, such as counts.
    type Tally: Default + Send;

    /// Works on a line with its number, from 1, and appends what is to be written for it. The line has no line end; blank
    /// lines are left out.
    fn line(&self, number: usize, line: &[u8], output: &mut String, tally: &mut Self::Tally);

    /// Ends the work of a thread other than the calling one.
    fn end_thread(&self) {}
}

/// An amount of input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Bytes.
    pub bytes: usize,
    /// Line ends.
    pub lines: usize,
}

/// Works on all lines of `reader` and writes what comes of them to `writer`, in the order of the lines. `done` gets the
/// amount of each batch whose output is written. The calling thread is one of the threads, and the only one if no other
/// can be started.
///
/// The result is what each thread says of its lines: one entry a thread.
///
/// # Errors
/// The first error of reading or writing.
pub fn run<R, W, K, D>(reader: R, writer: W, threads: usize, work: &K, done: D) -> io::Result<Vec<K::Tally>>
where
    R: Read + Send,
    W: Write + Send,
    K: Work,
    D: FnMut(Amount) + Send,
{
    let shared = Shared { input: Mutex::new(Batches::new(reader)), output: InOrder::new(writer, done, threads), work };
    let tallies = thread::scope(|scope| {
        let shared = &shared;
        let start = |_| {
            let work = move || {
                let tally = shared.work();
                shared.work.end_thread();
                tally
            };
            thread::Builder::new().spawn_scoped(scope, work).ok()
        };
        // The system may allow fewer threads; where it refuses one it refuses those after it.
        let others: Vec<_> = (1..threads).map_while(start).collect();
        let own = shared.work();
        let others =
            others.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        std::iter::once(own).chain(others).collect()
    });
    let read = shared.input.into_inner().unwrap_or_else(PoisonError::into_inner).into_result();
    shared.output.into_result().and(read).map(|()| tallies)
}

/// The state shared by the threads.
struct Shared<'a, R, W, K, D> {
    input: Mutex<Batches<R>>,
    output: InOrder<W, D>,
    work: &'a K,
}

impl<R: Read, W: Write, K: Work, D: FnMut(Amount)> Shared<'_, R, W, K, D> {
    /// Runs one thread until no lines are left.
    fn work(&self) -> K::Tally {
        // All others would wait for what a thread leaves undone.
        let _end = self.output.close_if_panicking();
        let mut tally = K::Tally::default();
        let (mut batch, mut text) = (Batch::default(), String::new());
        while !self.output.is_closed() && self.read(&mut batch) {
            for (number, line) in batch.lines() {
                self.work.line(number, line, &mut text, &mut tally);
            }
            self.output.write(batch.index(), batch.amount(), &mut text);
        }
        tally
    }

    /// Reads the next batch; false where there is none.
    fn read(&self, batch: &mut Batch) -> bool {
        self.input.lock().unwrap_or_else(PoisonError::into_inner).next(batch)
    }
}

#[cfg(test)]
mod tests;
