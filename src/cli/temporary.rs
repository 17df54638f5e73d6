//! Temporary files beside outputs, and what processes that were killed left of them.

use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::NamedTempFile;

use tpv_text::sibling_file::{self, folder};

/// The beginning of the names of temporary files.
const PREFIX: &str = ".tpvc-";
/// The end of the names of outputs under construction, which are worth nothing once their process has ended.
const PART: &str = ".part";
/// The end of the names of copies of a user's text, which are never removed but by the process that made them.
const OLD: &str = ".old";

/// An output under construction in the folder of `target`, to be renamed to it. What processes that were killed left in that folder is removed.
///
/// # Errors
/// The system's, where the folder is missing or cannot be written.
pub fn temporary(target: &Path, mode: u32) -> io::Result<NamedTempFile> {
    let folder = folder(target);
    // Of a folder that is missing, this error has the system's number, which Python's exceptions take.
    folder.metadata()?;
    sweep(folder);
    loop {
        let file = sibling_file::create(target, PREFIX, PART, mode)?;
        // By its lock others see that this process lives. Where the file system has none, they don't remove it either.
        let is_taken = matches!(file.as_file().try_lock(), Err(TryLockError::WouldBlock));
        // Another process may have taken it for a leftover before it was locked.
        if !is_taken && is_there(&file)? {
            return Ok(file);
        }
    }
}

/// A file beside `target` for its old text while it is written over.
///
/// # Errors
/// The system's.
pub(super) fn backup(target: &Path) -> io::Result<NamedTempFile> {
    sibling_file::create(target, PREFIX, OLD, 0o600)
}

#[cfg(unix)]
fn is_there(file: &NamedTempFile) -> io::Result<bool> {
    Ok(std::os::unix::fs::MetadataExt::nlink(&file.as_file().metadata()?) > 0)
}

#[cfg(not(unix))]
fn is_there(file: &NamedTempFile) -> io::Result<bool> {
    file.path().try_exists()
}

/// Removes the outputs under construction in a folder whose processes have ended: a kill releases a lock. Each folder is looked through once, and
/// what cannot be read or removed is left.
fn sweep(folder: &Path) {
    static SWEPT: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if !swept.get_or_insert_default().insert(folder.to_owned()) {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_part = name.starts_with(PREFIX) && name.ends_with(PART);
        if !is_part || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        if let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            // Removed while it is locked, so that whoever just made it sees that it is taken or gone.
            let _ = fs::remove_file(entry.path());
        }
    }
}
