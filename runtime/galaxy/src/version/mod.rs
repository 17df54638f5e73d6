//! Versions of tools, compared as Galaxy's `galaxy.tool_util.version` does: by PEP 440 where both follow it, and by the
//! older rules of setuptools else; what does not follow PEP 440 sorts before all that does.

mod legacy;
mod object;
mod pep440;

use std::cmp::Ordering;

pub(crate) use object::strict;
pub use object::{INVALID_VERSION, LEGACY_VERSION, VERSION, VersionObject, parse_version};
pub use pep440::Pep440;

/// A version, as parsed from a text that it borrows.
#[derive(Clone, Debug)]
pub enum Version<'a> {
    /// Follows PEP 440.
    Pep440(Pep440<'a>),
    /// Does not: Galaxy's `LegacyVersion`.
    Legacy(&'a str),
}

impl<'a> Version<'a> {
    /// Galaxy's `parse_version`, which takes any text.
    pub fn parse(text: &'a str) -> Self {
        match Pep440::parse(text) {
            Some(version) => Self::Pep440(version),
            None => Self::Legacy(text),
        }
    }

    /// Compares two versions.
    pub fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Pep440(a), Self::Pep440(b)) => a.compare(b),
            (Self::Legacy(_), Self::Pep440(_)) => Ordering::Less,
            (Self::Pep440(_), Self::Legacy(_)) => Ordering::Greater,
            (Self::Legacy(a), Self::Legacy(b)) => legacy::key(a).cmp(&legacy::key(b)),
        }
    }
}

/// Compares two version texts as Galaxy does.
pub fn compare(a: &str, b: &str) -> Ordering {
    Version::parse(a).compare(&Version::parse(b))
}
