//! Stack room: source nests as deep as its author likes, and parser, tree and compiler recurse with it.

use std::cell::Cell;

thread_local! {
    static ROOMY: Cell<bool> = const { Cell::new(false) };
}

/// Sources up to this many bytes are compiled on the caller's stack: they cannot nest deep enough to harm.
const SMALL: usize = 200;

/// Room for the compiler's own recursion, which [`super::validate::MAX_DEPTH`] bounds.
const BASE: usize = 128 << 20;

/// Room for each byte of source: dropping the tree recurses once for each level of nesting, unbounded.
const PER_BYTE: usize = 1 << 10;

/// The longest source of one block in bytes.
pub const MAX_SOURCE: usize = 1 << 20;

/// Runs `f` where there is stack for a source of `bytes` bytes: on this thread where the source is small or the thread
/// is roomy already, else on a thread made for it. `None` where no thread could be made.
pub fn with_room<T: Send>(bytes: usize, f: impl FnOnce() -> T + Send) -> Option<T> {
    if bytes <= SMALL || ROOMY.get() {
        return Some(f());
    }
    roomy(bytes, f, || ()).0
}

/// Runs `f` on a thread with stack for any source, so that what it compiles needs no thread of its own. For whoever compiles
/// many blocks. `None` where no thread could be made.
pub fn on_roomy_thread<T: Send>(f: impl FnOnce() -> T + Send) -> Option<T> {
    roomy(MAX_SOURCE, f, || ()).0
}

/// The same, with `meanwhile` run on this thread at the same time.
pub fn on_roomy_thread_while<T: Send, U>(
    f: impl FnOnce() -> T + Send,
    meanwhile: impl FnOnce() -> U,
) -> (Option<T>, U) {
    roomy(MAX_SOURCE, f, meanwhile)
}

fn roomy<T: Send, U>(bytes: usize, f: impl FnOnce() -> T + Send, meanwhile: impl FnOnce() -> U) -> (Option<T>, U) {
    std::thread::scope(|scope| {
        let run = move || {
            ROOMY.set(true);
            f()
        };
        let thread = std::thread::Builder::new().stack_size(BASE + bytes.min(MAX_SOURCE) * PER_BYTE);
        let spawned = thread.spawn_scoped(scope, run).ok();
        let done = meanwhile();
        let result = spawned.map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        (result, done)
    })
}
