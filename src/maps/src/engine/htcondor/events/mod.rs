//! The event log of a cluster, in HTCondor's text form.
//!
//! An event is a line `CODE (CLUSTER.PROC.SUBPROC) DATE TIME TEXT`, lines that begin with a blank, and `...`. The schedd and the shadows
//! append events while this reads: what has no `...` yet is left for the next time.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::super::EngineState;
use crate::remedy;
use crate::store;

/// The number of bytes of a log read at once.
const PIECE: usize = 1 << 20;

/// The state of a cluster by its log. The process ids of a cluster are the positions of its components.
#[derive(Debug)]
pub(super) struct EventLog {
    cluster: u32,
    /// The states by position. `None` if the log has no event of the job.
    states: Vec<Option<EngineState>>,
    /// The reason that HTCondor creates no more jobs for now.
    paused: Option<String>,
    /// HTCondor will make no more jobs.
    over: bool,
    /// The end of the last whole event that was read, in bytes.
    end: u64,
}

impl EventLog {
    /// Of a cluster with so many components, before anything was read.
    pub(super) fn new(cluster: u32, components: usize) -> Self {
        Self { cluster, states: vec![None; components], paused: None, over: false, end: 0 }
    }

    /// The state of a component by the log; `None` if it has no event of its job.
    pub(super) fn state(&self, position: u32) -> Option<&EngineState> {
        self.states.get(usize::try_from(position).ok()?)?.as_ref()
    }

    /// The state of each component by the log, by position.
    pub(super) fn states(&self) -> &[Option<EngineState>] {
        &self.states
    }

    /// The reason that HTCondor creates no jobs for now, if so.
    pub(super) fn paused(&self) -> Option<&str> {
        self.paused.as_deref()
    }

    /// Returns `true` if HTCondor will create no more jobs.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Reads what was appended since the last time. A log that is not there has no events.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn follow(&mut self, path: &Path) -> io::Result<()> {
        let Some(mut file) = store::open(path)? else { return Ok(()) };
        file.seek(SeekFrom::Start(self.end))?;
        let mut text = Vec::with_capacity(2 * PIECE);
        loop {
            if (&mut file).take(PIECE as u64).read_to_end(&mut text)? == 0 {
                return Ok(());
            }
            let whole = self.read(&text);
            text.drain(..whole);
            self.end += whole as u64;
        }
    }

    /// Reads the whole events of a text, and gives where the last of them ends.
    fn read(&mut self, text: &[u8]) -> usize {
        let mut whole = 0;
        let mut start = 0;
        // The event that is being read, and the first line below its header.
        let mut event: Option<(Header, &[u8])> = None;
        for end in memchr::memchr_iter(b'\n', text) {
            let line = text.get(start..end).unwrap_or_default();
            start = end + 1;
            match line.first() {
                Some(b'.') if line == b"..." => {
                    if let Some((header, detail)) = event.take() {
                        self.note(&header, detail);
                    }
                    whole = start;
                }
                // A header before the end of an event: that one was cut off when its disk was full.
                Some(b'0'..=b'9') => event = Header::parse(line).map(|header| (header, [].as_slice())).or(event),
                _ => {
                    if let Some((_, detail @ [])) = &mut event {
                        *detail = line;
                    }
                }
            }
        }
        whole
    }

    fn note(&mut self, header: &Header, detail: &[u8]) {
        if header.cluster != self.cluster {
            return;
        }
        let detail = || String::from_utf8_lossy(detail).trim().to_owned();
        let Some(process) = header.process else {
            match header.code {
                code::CLUSTER_REMOVE => self.over = true,
                code::FACTORY_PAUSED => self.paused = Some(detail()),
                code::FACTORY_RESUMED => self.paused = None,
                _ => {}
            }
            return;
        };
        let state = match header.code {
            code::SUBMIT | code::EVICTED | code::SHADOW_EXCEPTION | code::RELEASED | code::RECONNECT_FAILED => {
                EngineState::Idle(String::new())
            }
            code::EXECUTE | code::UNSUSPENDED | code::RECONNECTED => EngineState::Running,
            code::SUSPENDED => EngineState::Suspended,
            code::HELD => EngineState::Held(detail()),
            code::TERMINATED => EngineState::Gone(termination(&detail())),
            code::ABORTED => EngineState::Removed(detail()),
            // Sizes, transfers, notes: they change no state.
            _ => return,
        };
        if let Some(known) = usize::try_from(process).ok().and_then(|position| self.states.get_mut(position)) {
            *known = Some(state);
        }
    }
}

/// The events that change a state, as in HTCondor's manual, "Job Event Log Codes".
mod code {
    pub(super) const SUBMIT: u32 = 0;
    pub(super) const EXECUTE: u32 = 1;
    pub(super) const EVICTED: u32 = 4;
    pub(super) const TERMINATED: u32 = 5;
    pub(super) const SHADOW_EXCEPTION: u32 = 7;
    pub(super) const ABORTED: u32 = 9;
    pub(super) const SUSPENDED: u32 = 10;
    pub(super) const UNSUSPENDED: u32 = 11;
    pub(super) const HELD: u32 = 12;
    pub(super) const RELEASED: u32 = 13;
    pub(super) const RECONNECTED: u32 = 23;
    pub(super) const RECONNECT_FAILED: u32 = 24;
    pub(super) const CLUSTER_REMOVE: u32 = 36;
    pub(super) const FACTORY_PAUSED: u32 = 37;
    pub(super) const FACTORY_RESUMED: u32 = 38;
}

/// Parses the termination line of an event, `(0) Abnormal termination (signal 9)`. Empty if the job exited normally.
fn termination(detail: &str) -> String {
    let within = |before: &str| Some(detail.split_once(before)?.1.trim_end_matches(')').trim());
    match (within("(signal "), within("(return value ")) {
        (Some(signal), _) => format!("killed by signal {signal}"),
        (_, None | Some("0")) => String::new(),
        (_, Some(status)) => match status.parse().ok().and_then(remedy::of_status) {
            Some(meaning) => meaning.to_owned(),
            None => format!("ended with status {status}"),
        },
    }
}

/// The cluster that the first event of a log is about. `None` if there is none yet.
///
/// # Errors
/// The system's.
pub(super) fn cluster_of(path: &Path) -> io::Result<Option<u32>> {
    let Some(file) = store::open(path)? else { return Ok(None) };
    let mut text = Vec::new();
    file.take(PIECE as u64).read_to_end(&mut text)?;
    Ok(text.split(|&byte| byte == b'\n').find_map(Header::parse).map(|header| header.cluster))
}

/// The first line of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    code: u32,
    cluster: u32,
    /// `None` if the event is about the cluster as a whole: HTCondor writes -1.
    process: Option<u32>,
}

impl Header {
    fn parse(line: &[u8]) -> Option<Self> {
        let (code, rest) = number(line)?;
        let (cluster, rest) = number(rest.strip_prefix(b" (")?)?;
        let rest = rest.strip_prefix(b".")?;
        let whole_cluster = rest.strip_prefix(b"-");
        let (process, rest) = number(whole_cluster.unwrap_or(rest))?;
        let (_, rest) = number(rest.strip_prefix(b".")?)?;
        rest.strip_prefix(b") ")?;
        Some(Self { code, cluster, process: whole_cluster.is_none().then_some(process) })
    }
}

/// A number at the beginning of a text, and the rest.
fn number(text: &[u8]) -> Option<(u32, &[u8])> {
    let (digits, rest) = text.split_at(text.iter().take_while(|byte| byte.is_ascii_digit()).count());
    Some((std::str::from_utf8(digits).ok()?.parse().ok()?, rest))
}

#[cfg(test)]
mod tests;
