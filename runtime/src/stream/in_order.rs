//! What threads made of their shares, in the order of the lines.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Output;
use super::batch::Batch;

/// A share of a batch that is done.
pub(super) struct Finished {
    pub(super) batch: Arc<Batch>,
    pub(super) share: usize,
    pub(super) output: Output,
}

/// A batch that was read, with what was made of it.
pub(super) struct Answered {
    pub(super) batch: Arc<Batch>,
    /// By share; nothing of one that has no lines in the batch, or that is not done.
    pub(super) outputs: Vec<Option<Output>>,
}

/// Batches that were read and not written, in the order in which they were read.
pub(super) struct InOrder {
    threads: usize,
    /// With the number of shares that are not done.
    under_way: VecDeque<(Answered, usize)>,
}

impl InOrder {
    pub(super) fn new(threads: usize) -> Self {
        Self { threads, under_way: VecDeque::new() }
    }

    /// The batch read after all others so far, which so many threads work on.
    pub(super) fn expect(&mut self, batch: Arc<Batch>, shares: usize) {
        let outputs = (0..self.threads).map(|_| None).collect();
        self.under_way.push_back((Answered { batch, outputs }, shares));
    }

    /// Takes what was made of a share; nothing is done with it where its batch is not expected any more.
    pub(super) fn add(&mut self, finished: Finished) {
        let Finished { batch, share, output } = finished;
        let place = self.under_way.iter_mut().find(|(answered, _)| Arc::ptr_eq(&answered.batch, &batch));
        let Some((answered, missing)) = place else { return };
        if let Some(place) = answered.outputs.get_mut(share) {
            *place = Some(output);
        }
        *missing -= 1;
    }

    /// Expects nothing any more.
    pub(super) fn clear(&mut self) {
        self.under_way.clear();
    }

    /// Whether all shares of the batch that is written next are done.
    pub(super) fn is_next_done(&self) -> bool {
        self.under_way.front().is_some_and(|(_, missing)| *missing == 0)
    }

    /// The batch that is written next, where all its shares are done.
    pub(super) fn next(&mut self) -> Option<Answered> {
        if !self.is_next_done() {
            return None;
        }
        self.under_way.pop_front().map(|(answered, _)| answered)
    }
}

impl Answered {
    /// Appends what belongs to the lines, in their order.
    pub(super) fn write(&self, text: &mut String) {
        let mut cursors: Vec<(usize, usize)> = vec![(0, 0); self.outputs.len()];
        for share in self.batch.shares() {
            let output = self.outputs.get(share).and_then(Option::as_ref);
            let (Some(output), Some((line, start))) = (output, cursors.get_mut(share)) else { continue };
            let end = output.ends.get(*line).copied().unwrap_or(output.text.len());
            text.push_str(output.text.get(*start..end).unwrap_or_default());
            (*line, *start) = (*line + 1, end);
        }
    }
}
