//! What each thread does next: a share of its own, reading, another's share, or writing.
//!
//! What one thread has learnt another does not know. So the lines with the same key are mostly one thread's, and it does not
//! learn twice what two would each learn once. A thread that has nothing left to do reads on; where that cannot be, as another
//! reads or enough batches are under way, it takes from a thread that has enough.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::Output;
use super::batch::{Batch, Buffers};
use super::in_order::{Answered, Finished, InOrder};

/// Batches under way, for each thread.
const AHEAD: usize = 4;

/// What a thread is to do.
pub(super) enum Next {
    /// Work on this share of a batch; there is memory for what comes of it.
    Share(Arc<Batch>, usize, Output),
    /// Read a batch into this memory.
    Read(Buffers),
    /// Nothing, now or later.
    End,
}

/// Who does what.
pub(super) struct Schedule {
    state: Mutex<State>,
    changed: Condvar,
    threads: usize,
}

struct State {
    /// By thread: the batches with lines of its own that nobody has worked on.
    waiting: Vec<VecDeque<Arc<Batch>>>,
    /// A batch is under way while it has buffers, and there are no more than these.
    spare: Vec<Buffers>,
    outputs: Vec<Output>,
    in_order: InOrder,
    /// Whether a thread is reading.
    reads: bool,
    /// Whether a thread is writing.
    writes: bool,
    /// Whether all that is to be worked on has been read.
    is_ended: bool,
    error: Option<io::Error>,
}

impl Schedule {
    /// Nothing is read.
    pub(super) fn new(threads: usize) -> Self {
        let state = State {
            waiting: vec![VecDeque::new(); threads],
            spare: (0..threads * AHEAD).map(|_| Buffers::default()).collect(),
            outputs: Vec::new(),
            in_order: InOrder::new(threads),
            reads: false,
            writes: false,
            is_ended: false,
            error: None,
        };
        Self { state: Mutex::new(state), changed: Condvar::new(), threads }
    }

    /// Whose a key is.
    pub(super) fn share_of(&self, key: u64) -> usize {
        usize::try_from(key % self.threads as u64).unwrap_or_default()
    }

    /// What a thread does next. It waits where there is nothing to do yet.
    pub(super) fn next(&self, own: usize) -> Next {
        let mut state = self.lock();
        loop {
            if let Some(next) = state.next(own) {
                return next;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends reading: what was read is for those who have lines in it.
    pub(super) fn add(&self, read: io::Result<Option<Batch>>) {
        let owners = read.as_ref().ok().and_then(Option::as_ref).map(Batch::owners).unwrap_or_default();
        let mut state = self.lock();
        state.reads = false;
        match read {
            // What is read after everything has ended nobody asks for.
            Ok(Some(_)) if state.is_ended => {}
            Ok(Some(batch)) => state.add(Arc::new(batch), &owners),
            Ok(None) => state.is_ended = true,
            Err(error) => {
                state.is_ended = true;
                state.error.get_or_insert(error);
            }
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Takes a share that is done. Whether this thread is to write now.
    pub(super) fn finish(&self, finished: Finished) -> bool {
        let mut state = self.lock();
        state.in_order.add(finished);
        let writes = !state.writes && state.in_order.is_next_done();
        state.writes |= writes;
        writes
    }

    /// The batch that is written next; nothing where it is not done, or there is none: then this thread has written.
    pub(super) fn next_to_write(&self) -> Option<Answered> {
        let mut state = self.lock();
        let next = state.in_order.next();
        state.writes = next.is_some();
        next
    }

    /// Takes back the memory of a batch that was written. Where it could not be, everything ends.
    pub(super) fn written(&self, answered: Answered, written: io::Result<()>) {
        let Answered { batch, outputs } = answered;
        let mut state = self.lock();
        state.outputs.extend(outputs.into_iter().flatten());
        state.spare.extend(Arc::into_inner(batch).map(Batch::into_buffers));
        if let Err(error) = written {
            state.error.get_or_insert(error);
            state.close();
        }
        drop(state);
        self.changed.notify_all();
    }

    /// The first error.
    pub(super) fn into_result(self) -> io::Result<()> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).error.map_or(Ok(()), Err)
    }

    /// Ends all threads where this one panics.
    pub(super) fn close_if_panicking(&self) -> impl Drop {
        CloseIfPanicking(self)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// What a thread does next; nothing where it is to wait.
    fn next(&mut self, own: usize) -> Option<Next> {
        if let Some(next) = self.take(own) {
            return Some(next);
        }
        if !self.reads
            && !self.is_ended
            && let Some(buffers) = self.spare.pop()
        {
            self.reads = true;
            return Some(Next::Read(buffers));
        }
        // Another's share, where that leaves the other one something to do.
        let least = usize::from(!self.is_ended);
        let others = self.waiting.iter().enumerate().filter(|(_, waiting)| waiting.len() > least);
        if let Some((other, _)) = others.max_by_key(|(_, waiting)| waiting.len()) {
            return self.take(other);
        }
        (self.is_ended && !self.reads).then_some(Next::End)
    }

    fn take(&mut self, share: usize) -> Option<Next> {
        let batch = self.waiting.get_mut(share)?.pop_front()?;
        Some(Next::Share(batch, share, self.outputs.pop().unwrap_or_default()))
    }

    fn add(&mut self, batch: Arc<Batch>, owners: &[usize]) {
        for owner in owners {
            if let Some(waiting) = self.waiting.get_mut(*owner) {
                waiting.push_back(batch.clone());
            }
        }
        self.in_order.expect(batch, owners.len());
    }

    /// Leaves undone what nobody has begun, and unwritten what is not.
    fn close(&mut self) {
        self.is_ended = true;
        self.waiting.iter_mut().for_each(VecDeque::clear);
        self.in_order.clear();
    }
}

struct CloseIfPanicking<'a>(&'a Schedule);

impl Drop for CloseIfPanicking<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut state = self.0.lock();
            // It may be this thread that was reading.
            state.reads = false;
            state.close();
            drop(state);
            self.0.changed.notify_all();
        }
    }
}
