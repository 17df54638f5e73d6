//! Lines in, lines out: work on the lines of a file or pipe on several threads, with the order kept and memory bounded.
//!
//! A batch is what the reader had at hand up to its last full line, so that a pipe gets its answers as soon as its lines
//! are there, and a file is read in pieces of [`BATCH`] bytes. Each thread has a share of every batch: the lines whose keys
//! ([`Work::key`]) are its own, so that what it learns from a line serves the lines like it ([`shares`]). No more than a few
//! batches a thread are under way, and their answers are put together again in the order of the lines ([`in_order`]).

mod batch;
mod in_order;
mod shares;

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use batch::{Batches, Buffers};
use in_order::{Finished, InOrder};
use shares::Shares;

/// The size of a batch read from a file, in bytes.
pub const BATCH: usize = 256 * 1024;
/// Batches under way, for each thread.
const AHEAD: usize = 4;

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
        self.text.clear();
        self.ends.clear();
    }
}

/// Works on all lines of `reader` and writes what comes of them to `writer`, in the order of the lines. `done` gets the
/// number of bytes of each batch whose output is written.
///
/// With one thread everything happens on the calling one. The result is what each thread says of its lines.
///
/// # Errors
/// The first error of reading or writing.
pub fn run<R, W, K>(
    reader: R,
    writer: &mut W,
    threads: usize,
    work: &K,
    mut done: impl FnMut(usize),
) -> io::Result<Vec<K::Tally>>
where
    R: io::Read + Send,
    W: Write,
    K: Work,
{
    let mut batches = Batches::new(io::BufReader::with_capacity(BATCH, reader));
    if threads <= 1 {
        let mut tally = K::Tally::default();
        let (mut buffers, mut output) = (Buffers::default(), String::new());
        while let Some(batch) = batches.next(buffers, |_| 0)? {
            output.clear();
            for (number, line) in batch.lines(0) {
                work.line(number, line, &mut output, &mut tally);
            }
            writer.write_all(output.as_bytes())?;
            writer.flush()?;
            done(batch.size());
            buffers = batch.into_buffers();
        }
        return Ok(vec![tally]);
    }
    let ahead = threads * AHEAD;
    // A batch is under way while it has buffers; there are no more than these.
    let (spare, spares) = sync_channel::<Buffers>(ahead);
    for _ in 0..ahead {
        let _ = spare.send(Buffers::default());
    }
    let (to_writer, finished) = sync_channel::<Finished>(ahead * threads);
    let (shares, outputs) = (Shares::new(threads), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        let reading = scope.spawn(|| {
            let read = read_all(&mut batches, spares, &shares, |line| work.key(line));
            shares.close();
            read
        });
        let working: Vec<_> = (0..threads)
            .map(|own| {
                let (to_writer, shares, outputs) = (to_writer.clone(), &shares, &outputs);
                scope.spawn(move || work_on(own, work, shares, outputs, &to_writer))
            })
            .collect();
        drop(to_writer);
        let written = write_all(writer, &finished, &spare, &outputs, threads, &mut done);
        // Closing these ends the reader and the threads where writing failed.
        drop((finished, spare));
        let read = reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let tallies =
            working.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        let tallies = tallies.collect();
        written.and(read).map(|()| tallies)
    })
}

fn read_all<R: io::BufRead>(
    batches: &mut Batches<R>,
    spares: Receiver<Buffers>,
    shares: &Shares,
    key: impl Fn(&[u8]) -> u64,
) -> io::Result<()> {
    while let Ok(buffers) = spares.recv() {
        let Some(batch) = batches.next(buffers, |line| shares.of(key(line)))? else { break };
        shares.add(Arc::new(batch));
    }
    Ok(())
}

fn work_on<K: Work>(
    own: usize,
    work: &K,
    shares: &Shares,
    outputs: &Mutex<Vec<Output>>,
    to_writer: &SyncSender<Finished>,
) -> K::Tally {
    // What a thread leaves undone nobody else does: without this, all others would wait for it.
    let _end = shares.close_if_panicking();
    let mut tally = K::Tally::default();
    while let Some((batch, share)) = shares.next(own) {
        let mut output = outputs.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        output.clear();
        for (number, line) in batch.lines(share) {
            work.line(number, line, &mut output.text, &mut tally);
            output.ends.push(output.text.len());
        }
        if to_writer.send(Finished { batch, share, output }).is_err() {
            break;
        }
    }
    work.end_thread();
    tally
}

fn write_all(
    writer: &mut impl Write,
    finished: &Receiver<Finished>,
    spare: &SyncSender<Buffers>,
    outputs: &Mutex<Vec<Output>>,
    threads: usize,
    done: &mut impl FnMut(usize),
) -> io::Result<()> {
    let mut in_order = InOrder::new(threads);
    let mut text = String::new();
    while let Ok(finished) = finished.recv() {
        in_order.add(finished);
        while let Some((batch, parts)) = in_order.next() {
            text.clear();
            in_order::put_together(&batch, &parts, &mut text);
            writer.write_all(text.as_bytes())?;
            done(batch.size());
            outputs.lock().unwrap_or_else(PoisonError::into_inner).extend(parts.into_iter().flatten());
            if let Some(batch) = Arc::into_inner(batch) {
                let _ = spare.try_send(batch.into_buffers());
            }
        }
        if in_order.is_empty() {
            writer.flush()?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
