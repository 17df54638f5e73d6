//! Independent work on all cores.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, available_parallelism, scope};

/// The stack of a thread in bytes: that of a process's first one on most systems.
const STACK: usize = 8 << 20;

/// The results of `work` for each item, in order. The calling thread takes part, alone if no other thread can be started.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    map_on(available_parallelism().map_or(1, NonZero::get), items, work)
}

/// The same on at most so many threads, for work that waits.
pub fn map_on<T: Sync, R: Send>(threads: usize, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = threads.min(items.len());
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

/// The address space that a thread of work takes: its stack, and what the allocator reserves for it.
const A_THREAD: usize = 128 << 20;

/// The threads of work, at least one and at most `wanted`, for which the process has address space (`ulimit -v`).
pub fn most_threads(wanted: usize) -> usize {
    let room = address_space_left().unwrap_or(usize::MAX);
    wanted.min(1 + room / A_THREAD)
}

/// The bytes that the process may still map, where the system limits them and reports it.
fn address_space_left() -> Option<usize> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let most = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let most: usize = most.split_whitespace().next()?.parse().ok()?;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let used = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    let used: usize = used.split_whitespace().next()?.parse().ok()?;
    Some(most.saturating_sub(used.saturating_mul(1024)))
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
