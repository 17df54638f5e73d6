//! A progress bar on terminals, for work that takes longer than a moment.

use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar, ProgressStyle};

use super::captured::is_captured;
use super::common::Common;
use tpv_analysis::job_file::{JobFile, Position};
use tpv_runtime::stream::Amount;
use tpv_text::figures::{count, grouped};

/// A bar that appears once work has taken half a second, and only on a terminal.
pub(crate) struct Progress {
    total: Option<u64>,
    shown: Option<ProgressBar>,
    started: Instant,
    enabled: bool,
    position: u64,
    jobs: u64,
    /// The place in the file of jobs, which counts in the place of what is reported.
    file: Option<Position>,
}

impl Progress {
    /// A bar over `total` bytes, where that is known.
    pub(crate) fn bytes(common: &Common, total: Option<u64>) -> Self {
        let enabled = !common.quiet && !is_captured() && std::io::stderr().is_terminal();
        Self { total, shown: None, started: Instant::now(), enabled, position: 0, jobs: 0, file: None }
    }

    /// A bar over a job file, compressed or not.
    pub(crate) fn of(common: &Common, jobs: &JobFile) -> Self {
        let file = jobs.position();
        Self { file: Some(file.clone()).filter(|file| file.size().is_some()), ..Self::bytes(common, file.size()) }
    }

    /// More jobs are done, each a line.
    pub(crate) fn advance_jobs(&mut self, amount: Amount) {
        self.jobs += amount.lines as u64;
        self.advance(amount.bytes as u64);
    }

    /// More bytes are done.
    pub(crate) fn advance(&mut self, bytes: u64) {
        self.position = self.file.as_ref().map_or(self.position + bytes, Position::taken);
        if !self.enabled {
            return;
        }
        if self.shown.is_none() && self.started.elapsed() > Duration::from_millis(500) {
            self.shown = Some(self.bar());
        }
        if let Some(bar) = &self.shown {
            bar.set_position(self.position);
            bar.set_message(shown(self.jobs, self.position, self.total, self.started.elapsed()));
        }
    }

    fn bar(&self) -> ProgressBar {
        let (bar, template) = match self.total {
            Some(total) => (ProgressBar::new(total), "{bar:20} {percent:>3} %  {wide_msg}"),
            None => (ProgressBar::no_length(), "{spinner} {wide_msg}"),
        };
        match ProgressStyle::with_template(template) {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

/// The state of work beside its bar: jobs and their rate, or else bytes, and the time that is left if the total is known.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounded")]
fn shown(jobs: u64, position: u64, total: Option<u64>, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64().max(0.001);
    let done = match (jobs, total) {
        (0, Some(total)) => format!("{} of {}", HumanBytes(position), HumanBytes(total)),
        (0, None) => HumanBytes(position).to_string(),
        _ => format!("{}, {} a second", count(jobs, "job"), grouped((jobs as f64 / seconds).round() as u64)),
    };
    let Some(total) = total.filter(|_| position > 0) else { return done };
    let left = (seconds * total.saturating_sub(position) as f64 / position as f64).ceil() as u64;
    let left = match left {
        0..120 => format!("{left} s"),
        120..7200 => format!("{} min", left.div_ceil(60)),
        _ => format!("{} h", grouped(left.div_ceil(3600))),
    };
    format!("{done}, {left} left")
}

/// A spinner beside work of which nobody knows how much is left. It appears after a second, and only on a terminal; dropped, it is gone.
pub(crate) struct Working(Option<(Sender<()>, JoinHandle<()>)>);

/// The time after which a spinner appears.
const MOMENT: Duration = Duration::from_secs(1);

impl Working {
    /// A spinner with what is being done.
    pub(crate) fn on(common: &Common, what: &'static str) -> Self {
        if common.quiet || is_captured() || !io::stderr().is_terminal() {
            return Self(None);
        }
        let (end, ended) = channel::<()>();
        let spin = move || {
            if ended.recv_timeout(MOMENT) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::new_spinner().with_message(what).with_elapsed(MOMENT);
            let bar = match ProgressStyle::with_template("{spinner} {msg}, {elapsed}") {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            };
            while ended.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout) {
                bar.tick();
            }
            bar.finish_and_clear();
        };
        Self(std::thread::Builder::new().spawn(spin).ok().map(|thread| (end, thread)))
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.0.take() {
            drop(end);
            let _ = thread.join();
        }
    }
}

/// A bar over a job file that several runs read, each from its beginning.
pub(crate) struct Readings(Mutex<Progress>);

impl Readings {
    /// A bar for so many runs over this file.
    pub(crate) fn new(common: &Common, path: &Path, runs: usize) -> Self {
        let size = path.metadata().ok().filter(std::fs::Metadata::is_file).map(|file| file.len() * runs as u64);
        Self(Mutex::new(Progress::bytes(common, size)))
    }

    /// The file of one run.
    pub(crate) fn over(&self, file: JobFile) -> impl Read + use<'_> {
        Reading { position: file.position(), file, last: 0, readings: self }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).finish();
    }
}

struct Reading<'r> {
    file: JobFile,
    position: Position,
    last: u64,
    readings: &'r Readings,
}

impl Read for Reading<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        let now = self.position.taken();
        self.readings.0.lock().unwrap_or_else(PoisonError::into_inner).advance(now.saturating_sub(self.last));
        self.last = now;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::shown;

    #[test]
    fn a_bar_says_jobs_or_bytes_and_the_time_that_is_left() {
        let shown = |jobs, position, total, seconds| shown(jobs, position, total, Duration::from_secs(seconds));
        assert_eq!(shown(12_345, 1 << 20, Some(4 << 20), 10), "12,345 jobs, 1,235 a second, 30 s left");
        assert_eq!(shown(0, 1 << 20, Some(61 << 20), 10), "1.00 MiB of 61.00 MiB, 10 min left");
        assert_eq!(shown(0, 1 << 20, Some(1 << 40), 10), "1.00 MiB of 1.00 TiB, 2,913 h left");
        assert_eq!(shown(1, 100, None, 10), "1 job, 0 a second");
        assert_eq!(shown(0, 0, Some(100), 1), "0 B of 100 B");
    }
}
