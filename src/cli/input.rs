//! Reading the files of a verb, but for configs, which `tpv_text::source` reads, and job files, which `tpv_analysis::job_file` reads. Sizes are
//! bounded, since a path may name a device or pipe that never ends.

use std::io::{self, Read};
use std::path::Path;

use super::error::{CliError, io_help};
use super::kind::Kind;
use tpv_text::open::{open, stdin};
use tpv_text::source::{is_url, read_limited};

/// The most bytes of a file that is read whole.
const MOST: u64 = 256 << 20;
/// The most bytes of an artifact from a pipe, whose size is not known before.
const MOST_ARTIFACT: u64 = 1 << 30;

/// The error of something that cannot be read; `what` it is, such as `the world`.
pub(super) fn unreadable(what: &str, path: &Path, error: &io::Error) -> CliError {
    let (place, help) = io_help(error, path);
    let help = if path.to_str().is_some_and(is_url) { "download it first: only configs are fetched" } else { help };
    CliError::new(format!("{what} cannot be read from {place}"), help)
}

/// The text of a file, `-` being stdin; `what` it is, such as `the world`.
///
/// # Errors
/// An error if the file cannot be read or is of another kind.
pub(super) fn text(what: &str, path: &Path) -> Result<String, CliError> {
    let read = || match path == Path::new("-") {
        true => read_limited(stdin(), MOST),
        false => read_limited(open(path)?, MOST),
    };
    let bytes = read().map_err(|error| unreadable(what, path, &error))?;
    let name = path.display();
    let bytes = bytes.ok_or_else(|| {
        CliError::new(
            format!("{what} cannot be read from `{name}`: it is larger than {} MiB", MOST >> 20),
            "check that this is the file that you mean",
        )
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let (at, known) = (error.utf8_error().valid_up_to() + 1, Kind::of(path));
        let message = match known {
            Kind::Unknown => format!("{what} cannot be read from `{name}`: byte {at} is not UTF-8"),
            known => format!("{what} cannot be read from `{name}`: it is {}", known.noun()),
        };
        CliError::new(message, "check that this is the file that you mean")
    })
}

/// The bytes of an artifact.
///
/// # Errors
/// An error if the file cannot be read or is of another kind.
pub(super) fn artifact(path: &Path) -> Result<Vec<u8>, CliError> {
    let read = open(path).and_then(|file| {
        let metadata = file.metadata()?;
        let most = if metadata.is_file() { metadata.len() } else { MOST_ARTIFACT };
        let mut bytes = Vec::new();
        (&file).take(5).read_to_end(&mut bytes)?;
        // A file that is not an artifact is read no further: it may be of any size.
        if b"\x89TPVC".starts_with(&bytes) {
            bytes.reserve_exact(if metadata.is_file() { usize::try_from(most).unwrap_or(0) } else { 0 });
            file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        }
        Ok((bytes.len() as u64 <= most).then_some(bytes))
    });
    match read {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(CliError::new(
            format!("the artifact cannot be read from `{}`: it does not end", path.display()),
            "check that this is the file that you mean",
        )),
        Err(error) => Err(unreadable("the artifact", path, &error)),
    }
}
