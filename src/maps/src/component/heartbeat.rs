//! The progress that a component reports while it runs, so that an error report can say where it was killed.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The interval between two writes of the file.
const EVERY: Duration = Duration::from_secs(1);
/// The interval between two looks at the memory, if it is limited.
const LOOK: Duration = Duration::from_millis(20);

/// The line that is worked on, written to a file on the execute node now and then.
#[derive(Clone, Debug, Default)]
pub(super) struct Heartbeat(Arc<AtomicU64>);

impl Heartbeat {
    /// Starts to write the file: the line's number, a tab, and the most memory in use so far in KiB. When the memory exceeds the limit, `exceeded`
    /// is called, which ends the process.
    pub(super) fn start(
        path: Option<PathBuf>,
        limit_kib: Option<u64>,
        exceeded: impl FnOnce(&Self) + Send + 'static,
    ) -> Self {
        let beat = Self::default();
        let seen = beat.clone();
        if path.is_none() && limit_kib.is_none() {
            return beat;
        }
        // A small component may be done before its thread first runs, so the first look is here.
        let over = move || limit_kib.zip(memory_kib("VmRSS:")).is_some_and(|(limit, used)| used > limit);
        if over() {
            exceeded(&beat);
            return beat;
        }
        // Nothing waits for it: it ends with the process. If it cannot be started or write the file, a report lacks a line.
        let _ = std::thread::Builder::new().spawn(move || {
            let mut written: Option<Instant> = None;
            loop {
                if let Some(path) = path.as_ref().filter(|_| written.is_none_or(|written| written.elapsed() >= EVERY)) {
                    let memory = peak_kib().unwrap_or(0);
                    let _ = std::fs::write(path, format!("{}\t{memory}\n", seen.line()));
                    written = Some(Instant::now());
                }
                if over() {
                    return exceeded(&seen);
                }
                std::thread::sleep(if limit_kib.is_some() { LOOK } else { EVERY });
            }
        });
        beat
    }

    /// A line is being worked on.
    pub(super) fn at(&self, line: u64) {
        self.0.store(line, Ordering::Relaxed);
    }

    /// The line that is being worked on; 0 before the first.
    pub(super) fn line(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The most memory that this process had in use, in KiB.
pub(super) fn peak_kib() -> Option<u64> {
    memory_kib("VmHWM:")
}

/// A line of the system's about the memory of this process, in KiB.
fn memory_kib(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let value = status.lines().find_map(|line| line.strip_prefix(name))?;
    value.trim().strip_suffix("kB")?.trim().parse().ok()
}
