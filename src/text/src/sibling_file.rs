//! New files under temporary names in the folder of the file that they are to replace: a rename within a folder is atomic.

use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

/// The folder of a file: `.` for a bare name.
pub fn folder(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A new file in the folder of `target`, with a random name between `prefix` and `suffix`; the umask applies to `mode`.
///
/// # Errors
/// The folder is missing or cannot be written.
pub fn create(target: &Path, prefix: &str, suffix: &str, mode: u32) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).suffix(suffix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    let _ = mode;
    builder.tempfile_in(folder(target))
}
