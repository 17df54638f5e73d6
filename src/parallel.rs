//! Independent work on all cores.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, available_parallelism, scope};

/// The stack of a thread in bytes: that of a process's first one on most systems.
const STACK: usize = 8 << 20;

/// The results of `work` for each item, in order. The calling thread takes part, alone if no other thread can be started.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = available_parallelism().map_or(1, NonZero::get).min(items.len());
    if threads <= 1 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let take_part = || {
        let taken = std::iter::from_fn(|| {
            let index = next.fetch_add(1, Ordering::Relaxed);
            Some((index, items.get(index)?))
        });
        taken.map(|(index, item)| (index, work(item))).collect::<Vec<_>>()
    };
    scope(|scope| {
        let others: Vec<_> =
            (1..threads).filter_map(|_| Builder::new().stack_size(STACK).spawn_scoped(scope, take_part).ok()).collect();
        let mut results = take_part();
        for other in others {
            results.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        results.sort_unstable_by_key(|(index, _)| *index);
        results.into_iter().map(|(_, result)| result).collect()
    })
}

/// The results of two pieces of work: the first is done on this thread, the second on another if one can be started.
pub fn both<A, B: Send>(here: impl FnOnce() -> A, other: impl Fn() -> B + Sync) -> (A, B) {
    scope(|scope| {
        let thread = Builder::new().stack_size(STACK).spawn_scoped(scope, &other).ok();
        let here = here();
        let other = thread.map_or_else(&other, |thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        (here, other)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_done() {
        assert_eq!(both(|| 1, || "two"), (1, "two"));
    }

    #[test]
    fn results_stand_in_the_order_of_the_items() {
        for count in [0, 1, 2, 1000] {
            let items: Vec<usize> = (0..count).collect();
            let doubled: Vec<usize> = items.iter().map(|item| item * 2).collect();
            assert_eq!(map(&items, |item| item * 2), doubled);
        }
    }
}
