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

/// Runs `f` with enough stack for a source of `bytes` bytes: on this thread if the source is small or the thread
/// is roomy already, else on a thread made for it. `None` if no thread could be made.
pub fn with_room<T: Send>(bytes: usize, f: impl FnOnce() -> T + Send) -> Option<T> {
    if bytes <= SMALL || ROOMY.get() {
        return Some(f());
    }
    roomy(bytes, f)
}

/// Runs `f` on a thread with stack for any source, so that what it compiles needs no thread of its own: on this one if it
/// is such a thread already. For whoever compiles many blocks. `None` if no thread could be made.
pub fn on_roomy_thread<T: Send>(f: impl FnOnce() -> T + Send) -> Option<T> {
    with_room(MAX_SOURCE, f)
}

fn roomy<T: Send>(bytes: usize, f: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let run = move || {
            ROOMY.set(true);
            f()
        };
        let thread = std::thread::Builder::new().stack_size(BASE + bytes.min(MAX_SOURCE) * PER_BYTE);
        match thread.spawn_scoped(scope, run).ok()?.join() {
            Ok(result) => Some(result),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
