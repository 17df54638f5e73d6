//! The note about the process that runs components on this machine: a file of a fixed size that is overwritten in place, so that it can be
//! written on a full disk.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::super::Error;
use super::directory::MapDir;
use super::whole;

/// The size of the file in bytes.
const SIZE: usize = 8192;
/// The most characters of a text in the file: escaped, two of them and the rest still fit.
const MOST: usize = 600;

/// The note about the process that runs components.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunnerNote {
    /// The number of processes that were started in a row and neither ran a component to its end nor found all of them ended.
    pub starts: u32,
    /// The reason that the last process could not run components, until another is asked for.
    pub fault: Option<Error>,
}

impl MapDir {
    fn runner_note_path(&self) -> PathBuf {
        self.path().join("runner.json")
    }

    /// The note. It is empty if there is none, or if a crash left a part of one.
    ///
    /// # Errors
    /// The system's.
    pub fn runner_note(&self) -> Result<RunnerNote, Error> {
        let path = self.runner_note_path();
        let bytes = whole::read(&path).map_err(|error| Error::io("read", &path, &error))?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default())
    }

    /// Overwrites the note. `make`: also if the file is not there, which needs room on the disk.
    ///
    /// # Errors
    /// The system's.
    pub fn write_runner_note(&self, note: &RunnerNote, make: bool) -> Result<(), Error> {
        let path = self.runner_note_path();
        let short = |text: &str| text.chars().take(MOST).collect::<String>();
        let fault = note.fault.as_ref().map(|fault| Error::new(short(&fault.message), short(&fault.help)));
        let written = serde_json::to_vec(&RunnerNote { starts: note.starts, fault }).map_err(io::Error::from);
        let written = written.and_then(|mut bytes| {
            bytes.resize(SIZE - 1, b' ');
            bytes.push(b'\n');
            let mut file = File::options().write(true).create(make).truncate(false).open(&path)?;
            file.write_all(&bytes)?;
            file.sync_data()
        });
        written.map_err(|error| Error::io("written", &path, &error))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use super::*;

    #[test]
    fn a_note_of_any_length_is_written_in_place() {
        let folder = tempfile::tempdir().unwrap();
        let map = MapDir::at(folder.path());
        assert_eq!(map.runner_note().unwrap(), RunnerNote::default());
        assert!(map.write_runner_note(&RunnerNote::default(), false).is_err(), "a map that was removed stays removed");
        for text in ["the disk is full".to_owned(), "\u{1}".repeat(100_000), "ü😀\"\\".repeat(10_000), String::new()]
        {
            let note = RunnerNote { starts: 7, fault: Some(Error::new(&*text, &*text)) };
            map.write_runner_note(&note, true).unwrap();
            assert_eq!(map.runner_note_path().metadata().unwrap().len(), SIZE as u64);
            let read = map.runner_note().unwrap();
            assert!(read.starts == 7 && text.starts_with(&read.fault.unwrap().message));
        }
        std::fs::write(map.runner_note_path(), "{\"starts\":7,\"fa").unwrap();
        assert_eq!(map.runner_note().unwrap(), RunnerNote::default());
    }
}
