//! Files that are being written under a temporary name: they are removed when a signal ends the process.

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use tempfile::NamedTempFile;

use super::captured::is_captured;

/// The files.
static FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn files() -> MutexGuard<'static, Vec<PathBuf>> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file under construction.
pub(super) struct Unfinished(NamedTempFile);

impl Unfinished {
    /// Makes the file. A signal waits until the file is on the list.
    pub(super) fn create(make: impl FnOnce() -> io::Result<NamedTempFile>) -> io::Result<Self> {
        static WATCH: Once = Once::new();
        // A captured run is a part of a program, whose own handlers decide what a signal does.
        if !is_captured() {
            WATCH.call_once(watch);
        }
        let mut files = files();
        let file = make()?;
        files.push(file.path().to_owned());
        Ok(Self(file))
    }

    /// The file.
    pub(super) fn file(&mut self) -> &mut NamedTempFile {
        &mut self.0
    }

    /// Takes the file off the list and does something with it; a signal waits until that is done.
    pub(super) fn finish<T>(self, end: impl FnOnce(NamedTempFile) -> T) -> T {
        let mut files = files();
        let path = self.0.path().to_owned();
        let done = end(self.0);
        files.retain(|file| *file != path);
        done
    }
}

/// Removes unfinished files when a signal ends the process, which then ends as it would without this handler.
#[cfg(unix)]
fn watch() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    let ignored = ignored();
    let signals = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let Ok(mut signals) = Signals::new(signals) else { return };
    // Where no thread can be started, a signal ends the process at once.
    let _ = std::thread::Builder::new().spawn(move || {
        if let Some(signal) = signals.forever().next() {
            let files = files();
            for file in files.iter() {
                let _ = std::fs::remove_file(file);
            }
            // The process must end as the signal ends one: a shell shows 128 and the signal's number.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
}

#[cfg(not(unix))]
fn watch() {}

/// Has a write past the limit on the sizes of files fail, as it does in Python, where the system would end the process.
pub(super) fn survive_limits() {
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
}

/// The signals that the process was started to ignore, one bit each, as `nohup` does with SIGHUP: a handler would end that.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
