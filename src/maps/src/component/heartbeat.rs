//! The progress that a component reports while it runs, so that an error report can say where it was killed.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The interval between two writes of the file.
const EVERY: Duration = Duration::from_secs(1);

/// The line that is worked on, written to a file on the execute node now and then.
#[derive(Clone, Debug, Default)]
pub(super) struct Heartbeat(Arc<AtomicU64>);

impl Heartbeat {
    /// Starts to write the file: the line's number, a tab, and the most memory in use so far in KiB.
    pub(super) fn start(path: Option<PathBuf>) -> Self {
        let beat = Self::default();
        let seen = beat.clone();
        if let Some(path) = path {
            // Nothing waits for it: it ends with the process. Where it cannot be started or write the file, a report lacks a line.
            let _ = std::thread::Builder::new().spawn(move || {
                loop {
                    let memory = peak_kib().unwrap_or(0);
                    let _ = std::fs::write(&path, format!("{}\t{memory}\n", seen.line()));
                    std::thread::sleep(EVERY);
                }
            });
        }
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
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    peak.trim().strip_suffix("kB")?.trim().parse().ok()
}
