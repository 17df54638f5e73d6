//! Writing the lock and its cache: all of it, or nothing.

use std::io::Write;
use std::path::{Path, PathBuf};

use tpv_config::lock::Lock;
use tpv_text::source::Limits;

use crate::cli::common::Common;
use crate::cli::error::CliError;
use crate::cli::output::Output;

/// Keeps git from changing line ends, and thus digests.
const ATTRIBUTES: (&str, &str) = (".gitattributes", "*.yml -text\n");

/// Writes the texts, then the lock; afterwards texts that only the old lock had are removed. Returns `false` if all is as it was.
///
/// # Errors
/// Something cannot be written; then what was written is removed.
pub(super) fn write(old: &Lock, new: &Lock, common: &Common) -> Result<bool, CliError> {
    let mut written = Vec::new();
    let done = write_new(new, common, &mut written);
    match done {
        Ok(is_new) => {
            remove_old(old, new);
            Ok(is_new || !written.is_empty())
        }
        Err(error) => {
            for path in written {
                let _ = std::fs::remove_file(path);
            }
            Err(error)
        }
    }
}

fn write_new(new: &Lock, common: &Common, written: &mut Vec<PathBuf>) -> Result<bool, CliError> {
    let folder = new.folder();
    // Texts of another folder, if the settings name a new one, are found there.
    let own = Lock::new(&new.path, &new.cache);
    for (url, entry) in &new.entries {
        if matches!(own.cached(entry, &Limits::default()), Ok(Some(_))) {
            continue;
        }
        let bytes = match new.cached(entry, &Limits::default()) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => {
                common.note(&format!("the cache lacks the text of `{url}`, which was not fetched"));
                continue;
            }
            Err(error) => {
                common.note(&format!("`{url}` was not fetched, and its text cannot be used: {error}"));
                continue;
            }
        };
        std::fs::create_dir_all(&folder).map_err(|error| CliError::unwritable(WHAT, &error, &folder))?;
        let attributes = folder.join(ATTRIBUTES.0);
        if !attributes.exists() {
            put(&attributes, ATTRIBUTES.1.as_bytes(), written)?;
        }
        put(&folder.join(entry.file_name()), &bytes, written)?;
    }
    let text = new.text();
    if std::fs::read_to_string(&new.path).is_ok_and(|old| old == text) {
        return Ok(false);
    }
    if new.entries.is_empty() && !new.path.exists() {
        return Ok(false);
    }
    replace("the lock", &new.path, text.as_bytes())?;
    Ok(true)
}

/// Writes a file that this run may have read: the lock, or a text that was damaged.
fn replace(what: &str, path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let written = Output::replace(path).and_then(|mut output| {
        output.write_all(bytes)?;
        output.finish()
    });
    written.map_err(|error| CliError::unwritable(what, &error, path))
}

fn put(path: &Path, bytes: &[u8], written: &mut Vec<PathBuf>) -> Result<(), CliError> {
    let is_new = !path.exists();
    replace(WHAT, path, bytes)?;
    if is_new {
        written.push(path.to_owned());
    }
    Ok(())
}

/// Removes the texts of the old lock that the new one does not have. What cannot be removed is left.
fn remove_old(old: &Lock, new: &Lock) {
    for entry in old.entries.values() {
        let is_kept = new.entries.values().any(|kept| kept.sha256 == entry.sha256);
        if !is_kept || old.folder() != new.folder() {
            let _ = std::fs::remove_file(old.folder().join(entry.file_name()));
        }
    }
}

const WHAT: &str = "the locked texts";
