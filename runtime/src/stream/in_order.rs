//! Writes the results of threads in the order of their batches.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::{Amount, BATCH};

/// The most bytes of room for text that go from one batch to the next.
const MAX_ROOM: usize = 8 * BATCH;

/// The number of batches that a thread may be ahead of the one written next.
const AHEAD: u64 = 4;

/// A writer of text in batch order.
pub(super) struct InOrder<W, D> {
    state: Mutex<State<W, D>>,
    written: Condvar,
    /// The number of batches that may wait.
    most: u64,
}

struct State<W, D> {
    writer: W,
    /// Gets the amount of each batch whose text is written.
    done: D,
    /// The batch that is written next.
    next: u64,
    /// The amount and the text of batches that come after it.
    waiting: BTreeMap<u64, (Amount, String)>,
    /// `true` if nothing more is written.
    is_closed: bool,
    result: io::Result<()>,
}

impl<W: Write, D: FnMut(Amount)> InOrder<W, D> {
    pub(super) fn new(writer: W, done: D, threads: usize) -> Self {
        let state = State { writer, done, next: 0, waiting: BTreeMap::new(), is_closed: false, result: Ok(()) };
        Self { state: Mutex::new(state), written: Condvar::new(), most: AHEAD * threads as u64 }
    }

    /// Writes the text of a batch once all before it are written; its memory, empty, comes back. Waits where too many wait.
    pub(super) fn write(&self, index: u64, amount: Amount, text: &mut String) {
        let mut state = self.lock();
        while !state.is_closed && index >= state.next.saturating_add(self.most) {
            state = self.written.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if index == state.next {
            state.write(amount, text);
            let mut next = state.next;
            while let Some((amount, text)) = state.waiting.remove(&next) {
                state.write(amount, &text);
                next = state.next;
            }
            self.written.notify_all();
        } else {
            state.waiting.insert(index, (amount, std::mem::take(text)));
        }
        text.clear();
        text.shrink_to(MAX_ROOM);
    }

    /// Returns `true` if nothing more is written.
    pub(super) fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    /// Lets nothing more be written where this thread panics.
    pub(super) fn close_if_panicking(&self) -> impl Drop {
        CloseIfPanicking(self)
    }

    /// The error of writing, where there was one.
    pub(super) fn into_result(self) -> io::Result<()> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).result
    }
}

impl<W, D> InOrder<W, D> {
    fn lock(&self) -> MutexGuard<'_, State<W, D>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Write, D: FnMut(Amount)> State<W, D> {
    /// Writes the text of the next batch. Nothing is written after an error: it would stand in the place of what was lost.
    fn write(&mut self, amount: Amount, text: &str) {
        self.next += 1;
        if self.is_closed {
            return;
        }
        let written = self.writer.write_all(text.as_bytes()).and_then(|()| self.writer.flush());
        match written {
            Ok(()) => (self.done)(amount),
            Err(error) => (self.is_closed, self.result) = (true, Err(error)),
        }
    }
}

struct CloseIfPanicking<'a, W, D>(&'a InOrder<W, D>);

impl<W, D> Drop for CloseIfPanicking<'_, W, D> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().is_closed = true;
            self.0.written.notify_all();
        }
    }
}
