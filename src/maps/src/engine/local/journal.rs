//! The event log of a cluster that runs on this machine: a line for each event, in the order in which they happened. It is all the state that
//! the engine has.
//!
//! A line is the time in seconds from 1970-01-01 UTC, the component or `-`, and the event. Runner and verbs append to it, each with one write. A
//! line without an end was cut off by a kill or a full disk, and does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use crate::Error;
use crate::clock::seconds;
use crate::store::{self, MapDir};

/// An event of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The cluster was created. This event belongs to no component.
    Submitted,
    /// It began to run.
    Started,
    /// It ended, and left its answers or an error report.
    Ended,
    /// The runner stopped it, because it was held or removed.
    Stopped,
    /// Its user holds it.
    Held,
    /// Its user lets it go on.
    Released,
    /// Its user removed it.
    Removed,
}

const NAMES: [(Event, &str); 7] = [
    (Event::Submitted, "submitted"),
    (Event::Started, "started"),
    (Event::Ended, "ended"),
    (Event::Stopped, "stopped"),
    (Event::Held, "held"),
    (Event::Released, "released"),
    (Event::Removed, "removed"),
];

impl Event {
    fn name(self) -> &'static str {
        NAMES.iter().find(|(event, _)| *event == self).map_or("", |(_, name)| name)
    }
}

/// The stage of a component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// It waits for a place to run.
    #[default]
    Waiting,
    /// It was started.
    Running,
    /// It is held.
    Held,
    /// It was removed.
    Removed,
    /// It ended.
    Ended,
}

/// The event log of a cluster, with the state read from it so far.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    /// The number of bytes read so far, always up to the end of a line.
    read: u64,
    stages: BTreeMap<u32, Stage>,
    /// The components that run. A held or removed component still runs until the runner has stopped it.
    running: BTreeSet<u32>,
}

impl Journal {
    /// The log of a cluster. The file need not exist yet, and is not read here.
    pub fn new(map: &MapDir, cluster: u32) -> Self {
        Self { path: map.event_log(cluster), read: 0, stages: BTreeMap::new(), running: BTreeSet::new() }
    }

    /// Appends events.
    ///
    /// # Errors
    /// The system's.
    pub fn append(&mut self, events: &[(Option<u32>, Event)]) -> Result<(), Error> {
        if events.is_empty() {
            return Ok(());
        }
        let (time, mut text) = (seconds(), String::new());
        for (component, event) in events {
            let name = event.name();
            let _ = match component {
                Some(component) => writeln!(text, "{time} {component} {name}"),
                None => writeln!(text, "{time} - {name}"),
            };
        }
        let file = File::options().create(true).read(true).append(true).open(&self.path);
        let written = file.and_then(|mut file| {
            // After a line that was cut off, the first event would be part of it.
            if !ends_with_line(&mut file)? {
                text.insert(0, '\n');
            }
            file.write_all(text.as_bytes())?;
            file.sync_data()
        });
        written.map_err(|error| Error::io("written", &self.path, &error))
    }

    /// Reads what was appended since the last time.
    fn catch_up(&mut self) -> Result<(), Error> {
        let file = store::open(&self.path).map_err(|error| Error::io("read", &self.path, &error))?;
        let Some(mut file) = file else { return Ok(()) };
        let mut bytes = Vec::new();
        let read = file.seek(SeekFrom::Start(self.read)).and_then(|_| file.read_to_end(&mut bytes));
        read.map_err(|error| Error::io("read", &self.path, &error))?;
        let whole = memchr::memrchr(b'\n', &bytes).map_or(0, |end| end + 1);
        self.read += whole as u64;
        let text = String::from_utf8_lossy(bytes.get(..whole).unwrap_or_default()).into_owned();
        for line in text.lines() {
            let mut words = line.splitn(3, ' ').skip(1);
            let (Some(Ok(component)), Some(name)) = (words.next().map(str::parse), words.next()) else { continue };
            if let Some((event, _)) = NAMES.iter().find(|(_, known)| *known == name) {
                self.apply(component, *event);
            }
        }
        Ok(())
    }

    fn apply(&mut self, component: u32, event: Event) {
        let stage = self.stages.entry(component).or_default();
        match event {
            Event::Started => {
                self.running.insert(component);
            }
            Event::Ended | Event::Stopped => {
                self.running.remove(&component);
            }
            _ => {}
        }
        *stage = match (*stage, event) {
            // No later event changes a component that has ended.
            (Stage::Ended, _) | (_, Event::Ended) => Stage::Ended,
            (Stage::Removed, _) | (_, Event::Removed) => Stage::Removed,
            (_, Event::Held) => Stage::Held,
            // The runner has not stopped it yet.
            (Stage::Held, Event::Released) if self.running.contains(&component) => Stage::Running,
            (Stage::Held, Event::Released) | (Stage::Running, Event::Stopped) => Stage::Waiting,
            (Stage::Held, _) => Stage::Held,
            (_, Event::Started) => Stage::Running,
            (stage, Event::Stopped | Event::Submitted | Event::Released) => stage,
        };
    }

    /// The stage of each component; those that are not in the map wait.
    ///
    /// # Errors
    /// The system's.
    pub fn stages(&mut self) -> Result<&BTreeMap<u32, Stage>, Error> {
        self.catch_up()?;
        Ok(&self.stages)
    }

    /// The components that were started and have neither ended nor been stopped.
    ///
    /// # Errors
    /// The system's.
    pub fn running(&mut self) -> Result<&BTreeSet<u32>, Error> {
        self.catch_up()?;
        Ok(&self.running)
    }
}

fn ends_with_line(file: &mut File) -> std::io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// The stage of a component after these events, and whether it runs.
    fn after(events: &[Event]) -> (Stage, bool) {
        let (path, stages, running) = (PathBuf::new(), BTreeMap::new(), BTreeSet::new());
        let mut journal = Journal { path, read: 0, stages, running };
        events.iter().for_each(|event| journal.apply(3, *event));
        (*journal.stages.get(&3).unwrap(), journal.running.contains(&3))
    }

    #[test]
    fn a_component_that_is_released_before_it_was_stopped_still_runs() {
        use Event::{Ended, Held, Released, Removed, Started, Stopped};
        assert_eq!(after(&[Started, Held, Released]), (Stage::Running, true));
        // The runner saw that it was held, and has stopped it after all.
        assert_eq!(after(&[Started, Held, Released, Stopped]), (Stage::Waiting, false));
        assert_eq!(after(&[Started, Held, Stopped, Released]), (Stage::Waiting, false));
        assert_eq!(after(&[Held, Released]), (Stage::Waiting, false));
        assert_eq!(after(&[Started, Held, Released, Held]), (Stage::Held, true));
        assert_eq!(after(&[Started, Held, Released, Removed]), (Stage::Removed, true));
        assert_eq!(after(&[Started, Held, Released, Ended]), (Stage::Ended, false));
    }
}
