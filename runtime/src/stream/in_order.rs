//! What threads made of their shares, in the order of the lines.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Output;
use super::batch::Batch;

/// A share of a batch that is done.
pub(super) struct Finished {
    pub(super) batch: Arc<Batch>,
    pub(super) share: usize,
    pub(super) output: Output,
}

/// Batches that are done or partly done.
pub(super) struct InOrder {
    threads: usize,
    /// The number of the batch that is written next.
    next: usize,
    waiting: BTreeMap<usize, Parts>,
}

struct Parts {
    batch: Arc<Batch>,
    /// By share.
    outputs: Vec<Option<Output>>,
    missing: usize,
}

impl InOrder {
    pub(super) fn new(threads: usize) -> Self {
        Self { threads, next: 0, waiting: BTreeMap::new() }
    }

    pub(super) fn add(&mut self, finished: Finished) {
        let Finished { batch, share, output } = finished;
        let threads = self.threads;
        let parts = self.waiting.entry(batch.number).or_insert_with(|| {
            let missing = (0..threads).filter(|share| batch.is_for(*share)).count();
            Parts { batch, outputs: (0..threads).map(|_| None).collect(), missing }
        });
        if let Some(place) = parts.outputs.get_mut(share) {
            *place = Some(output);
        }
        parts.missing -= 1;
    }

    /// The next batch, with the output of each share, where all of them are done.
    pub(super) fn next(&mut self) -> Option<(Arc<Batch>, Vec<Option<Output>>)> {
        let entry = self.waiting.first_entry()?;
        if *entry.key() != self.next || entry.get().missing > 0 {
            return None;
        }
        let Parts { batch, outputs, .. } = entry.remove();
        self.next += 1;
        Some((batch, outputs))
    }

    /// Whether nothing waits for another.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

/// Appends what belongs to the lines of a batch, in their order.
pub(super) fn put_together(batch: &Batch, parts: &[Option<Output>], text: &mut String) {
    let mut cursors: Vec<(usize, usize)> = vec![(0, 0); parts.len()];
    for share in batch.shares() {
        let (Some(Some(part)), Some((line, start))) = (parts.get(share), cursors.get_mut(share)) else { continue };
        let end = part.ends.get(*line).copied().unwrap_or(part.text.len());
        text.push_str(part.text.get(*start..end).unwrap_or_default());
        (*line, *start) = (*line + 1, end);
    }
}
