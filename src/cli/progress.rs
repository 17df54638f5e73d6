//! A progress bar on terminals, for work that takes longer than a moment.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::common::Common;

/// A bar that appears once work has taken half a second, and only on a terminal.
pub(crate) struct Progress {
    total: Option<u64>,
    shown: Option<ProgressBar>,
    started: Instant,
    enabled: bool,
    position: u64,
}

impl Progress {
    /// A bar over `total` bytes, where that is known.
    pub(crate) fn bytes(common: &Common, total: Option<u64>) -> Self {
        let enabled = !common.quiet && std::io::stderr().is_terminal();
        Self { total, shown: None, started: Instant::now(), enabled, position: 0 }
    }

    /// More bytes are done.
    pub(crate) fn advance(&mut self, bytes: u64) {
        self.position += bytes;
        if !self.enabled {
            return;
        }
        if self.shown.is_none() && self.started.elapsed() > Duration::from_millis(500) {
            self.shown = Some(self.bar());
        }
        if let Some(bar) = &self.shown {
            bar.set_position(self.position);
        }
    }

    fn bar(&self) -> ProgressBar {
        let (bar, template) = match self.total {
            Some(total) => (ProgressBar::new(total), "{bar:40} {percent:>3} %  {bytes} of {total_bytes}, {eta} left"),
            None => (ProgressBar::no_length(), "{spinner} {bytes}, {elapsed}"),
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
