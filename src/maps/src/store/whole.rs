//! Files that are whole or absent.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use tpv_text::sibling_file::{self, folder};

/// The beginning of the names of files that are being written. A kill leaves such a file; whatever lists a folder passes it over.
pub(super) const PART: &str = ".part-";

fn temporary(path: &Path) -> io::Result<NamedTempFile> {
    // Other users may look at a map, as the umask allows, and an execute node may run as another user.
    sibling_file::create(path, PART, "", 0o666)
}

/// Makes the names in a folder durable.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Writes a file in the place of what was there.
///
/// # Errors
/// The system's.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = temporary(path)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_folder(folder(path))
}

/// Writes a file that must not be there yet; false if it is. `within` is a folder on the same file system, in which a kill may leave
/// what it interrupts.
pub(super) fn write_new(path: &Path, bytes: &[u8], within: &Path) -> io::Result<bool> {
    let mut file = temporary(&within.join("new"))?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Ok(_) => sync_folder(folder(path)).map(|()| true),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.error),
    }
}

/// Opens a file of a map for reading. `None` if it is not there.
///
/// # Errors
/// The system's; what is no regular file, such as a pipe, which would be waited for.
pub fn open(path: &Path) -> io::Result<Option<File>> {
    match tpv_text::open::regular(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The content of a file of a map. `None` if it is not there.
///
/// # Errors
/// As those of [`open`].
pub fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let Some(mut file) = open(path)? else { return Ok(None) };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Removes a file, if it is there.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A file that is written piece by piece and appears when it is finished.
#[derive(Debug)]
pub struct WholeFile {
    file: NamedTempFile,
    path: PathBuf,
}

impl WholeFile {
    /// Begins a file.
    ///
    /// # Errors
    /// The system's.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self { file: temporary(path)?, path: path.to_owned() })
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// The system's.
    pub fn finish(self) -> io::Result<()> {
        let path = self.path.clone();
        self.finish_as(&path)
    }

    /// Puts the file in another place of its folder.
    ///
    /// # Errors
    /// The system's.
    pub fn finish_as(self, path: &Path) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        self.file.persist(path).map_err(|error| error.error)?;
        sync_folder(folder(path))
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
