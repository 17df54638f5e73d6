//! The outcomes of components, for many at once.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::super::Error;
use super::super::component::completion::{Completion, Head};
use super::super::component::error_report::ErrorReport;
use super::directory::MapDir;
use super::whole;

/// The bytes of a completion that hold its head.
const HEAD: usize = 128;

impl MapDir {
    /// The head of a component's completion, where that and the output are whole: then the component is done. An engine that copies
    /// files may have left a part of one.
    ///
    /// # Errors
    /// The system's.
    pub fn done(&self, component: u32) -> Result<Option<Head>, Error> {
        let path = self.summary(component);
        let head = read_head(&path).map_err(|error| Error::io("read", &path, &error))?;
        let Some(head) = head else { return Ok(None) };
        let output = self.output(component);
        match output.metadata() {
            Ok(metadata) => Ok((metadata.len() == head.output_bytes).then_some(head)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io("read", &output, &error)),
        }
    }

    /// The completion of a component that is done. The inner error is the reason that it is not what was written.
    ///
    /// # Errors
    /// The system's.
    pub fn completion(&self, component: u32) -> Result<Option<Result<Completion, String>>, Error> {
        if self.done(component)?.is_none() {
            return Ok(None);
        }
        let path = self.summary(component);
        let bytes = whole::read(&path).map_err(|error| Error::io("read", &path, &error))?;
        let Some(bytes) = bytes else { return Ok(None) };
        let damaged = |why: &dyn Display| format!("`{}` is damaged: {why}", path.display());
        Ok(Some(match serde_json::from_slice::<Completion>(&bytes) {
            Ok(completion) if completion.is_whole() => Ok(completion),
            Ok(_) => Err(damaged(&"its counts are not what was written")),
            Err(error) => Err(damaged(&error)),
        }))
    }

    /// The error report of a component. `None` if there is none, or a part of one.
    ///
    /// # Errors
    /// The system's.
    pub fn error_report(&self, component: u32) -> Result<Option<ErrorReport>, Error> {
        let text = self.optional_text(&self.error(component))?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Writes an error report, for a component whose script could not.
    ///
    /// # Errors
    /// The system's.
    pub fn write_error(&self, report: &ErrorReport) -> Result<(), Error> {
        let text = serde_json::to_string(report).map_err(|error| Error::bug("an error report", &error))?;
        self.write(&self.error(report.component), (text + "\n").as_bytes())
    }
}

/// The head of a completion that is whole: its last byte is the end of its line.
fn read_head(path: &Path) -> io::Result<Option<Head>> {
    let Some(mut file) = whole::open(path)? else { return Ok(None) };
    let mut bytes = [0; HEAD];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read(rest)? {
            0 => break,
            count => filled += count,
        }
    }
    let text = String::from_utf8_lossy(bytes.get(..filled).unwrap_or_default()).into_owned();
    let Some(head) = Head::parse(&text) else { return Ok(None) };
    Ok(ends(&mut file)?.then_some(head))
}

fn ends(file: &mut File) -> io::Result<bool> {
    use std::io::{Seek, SeekFrom};
    let mut end = [0; 2];
    file.seek(SeekFrom::End(-2))?;
    file.read_exact(&mut end)?;
    Ok(end == *b"}\n")
}
