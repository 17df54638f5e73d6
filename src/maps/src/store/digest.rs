//! Digests: what the inputs of maps are named by, and what outputs are known by.

use std::fmt::Write as _;
use std::io::{self, Write};

use sha2::{Digest as _, Sha256};

/// The name of an input: the first 32 hexadecimal digits of the SHA-256 of its bytes as they are stored.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(String);

impl Digest {
    /// The digest of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self::of_sha(&Sha256::digest(bytes))
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn of_sha(sha: &[u8]) -> Self {
        let mut text = String::with_capacity(32);
        for byte in sha.iter().take(16) {
            let _ = write!(text, "{byte:02x}");
        }
        Self(text)
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.0
    }
}

/// A writer that counts and digests what passes through it.
pub struct Digesting<W> {
    output: W,
    size: u64,
    sha: Sha256,
}

impl<W: Write> Digesting<W> {
    /// Creates a writer to which nothing has been written yet.
    pub fn new(output: W) -> Self {
        Self { output, size: 0, sha: Sha256::new() }
    }

    /// The output, its size in bytes, and its digest. Nothing is flushed.
    pub fn into_parts(self) -> (W, u64, Digest) {
        (self.output, self.size, Digest::of_sha(&self.sha.finalize()))
    }
}

impl<W: Write> Write for Digesting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.output.write(bytes)?;
        self.sha.update(bytes.get(..count).unwrap_or_default());
        self.size += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
