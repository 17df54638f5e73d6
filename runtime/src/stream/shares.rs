//! Who works on which lines.
//!
//! What one thread has learnt another does not know. So the lines with the same key are mostly one thread's, and it does not
//! learn twice what two would each learn once. A thread that has nothing left to do takes from one that has enough.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::batch::Batch;

/// The shares of all threads that wait to be worked on.
pub(super) struct Shares {
    state: Mutex<State>,
    changed: Condvar,
    threads: usize,
}

struct State {
    /// By thread: the batches with lines of its own.
    waiting: Vec<VecDeque<Arc<Batch>>>,
    is_closed: bool,
}

impl Shares {
    /// Nothing for some threads.
    pub(super) fn new(threads: usize) -> Self {
        let state = State { waiting: vec![VecDeque::new(); threads], is_closed: false };
        Self { state: Mutex::new(state), changed: Condvar::new(), threads }
    }

    /// Whose a key is.
    pub(super) fn of(&self, key: u64) -> usize {
        usize::try_from(key % self.threads as u64).unwrap_or_default()
    }

    /// Adds a batch to the shares of those who have lines in it.
    pub(super) fn add(&self, batch: Arc<Batch>) {
        let mut state = self.lock();
        for (own, waiting) in state.waiting.iter_mut().enumerate() {
            if batch.is_for(own) {
                waiting.push_back(batch.clone());
            }
        }
        drop(state);
        self.changed.notify_all();
    }

    /// The next batch for a thread and the share of it that it is to work on; nothing at the end.
    pub(super) fn next(&self, own: usize) -> Option<(Arc<Batch>, usize)> {
        let mut state = self.lock();
        loop {
            // Another's share, where that leaves the other one something to do.
            let least = usize::from(!state.is_closed);
            let fullest = state.waiting.iter().enumerate().filter(|(_, waiting)| waiting.len() > least);
            let other = fullest.max_by_key(|(_, waiting)| waiting.len()).map(|(share, _)| share);
            for share in [Some(own), other].into_iter().flatten() {
                if let Some(batch) = state.waiting.get_mut(share).and_then(VecDeque::pop_front) {
                    return Some((batch, share));
                }
            }
            if state.is_closed {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Says that nothing more will come.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Ends all threads where this one panics.
    pub(super) fn close_if_panicking(&self) -> impl Drop {
        CloseIfPanicking(self)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct CloseIfPanicking<'a>(&'a Shares);

impl Drop for CloseIfPanicking<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().waiting.iter_mut().for_each(VecDeque::clear);
            self.0.close();
        }
    }
}
