//! A file to which lines are appended, each whole with one write, by any number of processes.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;

/// The time that a write may take, and for which lines are dropped after one that took longer: it may be the machine that was busy.
const SLOW: Duration = Duration::from_millis(100);
const SLOW_PAUSE: Duration = Duration::from_secs(1);

/// The file of a path. It is opened again after something took its place, such as logrotate, as Python's `WatchedFileHandler` does.
pub struct Appended {
    path: PathBuf,
    /// The time for which lines are dropped after one that could not be written.
    pause: Duration,
    /// The time that a write may take.
    slow: Duration,
    /// The open file, with its device and inode.
    file: Option<(File, (u64, u64))>,
    /// `true` if a write that a full disk cut short left half of a line.
    is_cut: bool,
    /// The time until which lines are dropped.
    until: Option<Instant>,
}

/// The end of a write.
#[derive(Debug, PartialEq, Eq)]
pub enum Written {
    /// The line is in the file.
    Whole,
    /// The line is in the file, the first after some that were dropped.
    Again,
    /// The line is in the file, but the next ones are dropped for a while: the reason.
    Slowly(String),
    /// The line is dropped, as those before it.
    Dropped,
    /// The line is dropped, and the next ones are for a while: the reason.
    Failed(String),
}

impl Appended {
    /// The file of a path, which is opened for the first line.
    pub fn new(path: PathBuf, pause: Duration, slow: Option<Duration>) -> Self {
        Self { path, pause, slow: slow.unwrap_or(SLOW), file: None, is_cut: false, until: None }
    }

    /// Appends a line, which ends in a line feed.
    pub fn write(&mut self, line: &str) -> Written {
        let started = Instant::now();
        if self.until.is_some_and(|until| started < until) {
            return Written::Dropped;
        }
        match self.append(line) {
            Ok(()) => {}
            Err(error) => {
                let message = error.to_string();
                let reason = message.rsplit_once(" (os error").map_or(message.as_str(), |(reason, _)| reason);
                return self.pause(started, self.pause, reason.to_owned()).map_or(Written::Dropped, Written::Failed);
            }
        }
        let took = started.elapsed();
        if took > self.slow {
            let reason = format!("a write took {:.1} s", took.as_secs_f64());
            let pause = SLOW_PAUSE.min(self.pause);
            return self.pause(started + took, pause, reason).map_or(Written::Whole, Written::Slowly);
        }
        if self.until.take().is_some() { Written::Again } else { Written::Whole }
    }

    /// Closes the file. The next line opens it again.
    pub fn close(&mut self) {
        self.file = None;
    }

    /// Drops lines for a while. Gives the reason back if lines were not dropped before.
    fn pause(&mut self, now: Instant, pause: Duration, reason: String) -> Option<String> {
        self.until.replace(now + pause).is_none().then_some(reason)
    }

    fn append(&mut self, line: &str) -> io::Result<()> {
        let found = match std::fs::metadata(&self.path) {
            Ok(found) => Some((found.dev(), found.ino())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let file = match &mut self.file {
            Some((file, is)) if found == Some(*is) => file,
            closed => {
                // `NONBLOCK` is for a pipe that nobody reads, at which opening would wait for good.
                let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits()).unwrap_or(0);
                let mut options = OpenOptions::new();
                let file = options.append(true).create(true).mode(0o640).custom_flags(flags).open(&self.path)?;
                let opened = file.metadata()?;
                self.is_cut = false;
                &mut closed.insert((file, (opened.dev(), opened.ino()))).0
            }
        };
        let whole;
        let bytes = match self.is_cut {
            true => {
                whole = ["\n", line].concat();
                whole.as_bytes()
            }
            false => line.as_bytes(),
        };
        let written = loop {
            match file.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                written => break written?,
            }
        };
        self.is_cut = written < bytes.len() && (written > 0 || self.is_cut);
        match written < bytes.len() {
            true => Err(rustix::io::Errno::NOSPC.into()),
            false => Ok(()),
        }
    }
}
