//! Errors in artifacts.

use std::fmt;

use crate::artifact::format::{FORMAT_VERSION, TPVC_VERSION};

/// The error of reading an artifact. The text is for users.
///
/// ```
/// use tpv_runtime::{Error, Rules};
///
/// let error = Rules::load(b"").unwrap_err();
/// assert_eq!(error, Error::Empty);
/// assert_eq!(error.to_string(), "the file is empty");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// There are no bytes.
    Empty,
    /// The bytes are not an artifact, but another kind of file.
    Foreign,
    /// The artifact ends before it should.
    Truncated,
    /// Bytes of the artifact were changed; the part that does not agree with its checksum.
    Damaged(String),
    /// The artifact has another format version.
    OtherVersion {
        /// The artifact's format version.
        version: u32,
        /// The version of tpvc that wrote it, if that can be read.
        writer: Option<String>,
    },
    /// The artifact's checksums agree, but its contents make no sense.
    Invalid {
        /// The section.
        section: String,
        /// The reason.
        reason: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the file is empty"),
            Self::Foreign => f.write_str("the file is not a tpvc artifact"),
            Self::Truncated => f.write_str("the artifact is cut short"),
            Self::Damaged(part) => write!(f, "the artifact is damaged: its {part} does not agree with its checksum"),
            Self::OtherVersion { version, writer } => {
                write!(f, "the artifact has format version {version}")?;
                if let Some(writer) = writer {
                    write!(f, ", written by tpvc {writer}")?;
                }
                write!(f, "; this is tpvc {TPVC_VERSION}, which reads version {FORMAT_VERSION}")
            }
            Self::Invalid { section, reason } => write!(f, "the artifact's section `{section}` is not valid: {reason}"),
        }
    }
}

impl std::error::Error for Error {}
