//! The versions of TPV whose answers tpvc gives, and what each has. A patch release is its minor version.
//!
//! What differs between versions is told here and nowhere else; `docs/versions.md` has a config that shows each difference.

use std::fmt;
use std::str::FromStr;

use bincode::{Decode, Encode};

use crate::{Amount, EntityClass, Field, Limit};

/// A version of TPV.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
pub enum Version {
    /// TPV 3.2.
    V3_2,
    /// TPV 3.3.
    #[default]
    V3_3,
}

/// The helpers that TPV 3.3 added.
const HELPERS_OF_3_3: [&str; 9] = [
    "COMPRESSED_EXTENSION_SUFFIXES",
    "DEFAULT_COMPRESSION_FACTOR",
    "HistoryDatasetAssociation",
    "_weighted_draw",
    "get_input_dataset",
    "get_input_datasets",
    "get_input_size",
    "re",
    "weighted_choice",
];

impl Version {
    /// All versions, the oldest first.
    pub const ALL: [Self; 2] = [Self::V3_2, Self::V3_3];

    /// The name: `3.2`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V3_2 => "3.2",
            Self::V3_3 => "3.3",
        }
    }

    /// Returns `true` if entities have the field. A field that a version lacks is kept as one that TPV does not know.
    pub fn has_field(self, field: Field) -> bool {
        match field {
            Field::Amount(Amount::Limit(limit)) => !Limit::CONCURRENT.contains(&limit) || self.has_pools(),
            _ => true,
        }
    }

    /// Returns `true` if configs have a section of this class.
    pub fn has_section(self, class: EntityClass) -> bool {
        class != EntityClass::PoolEntity || self.has_pools()
    }

    /// Returns `true` if there are resource pools: `pools`, `global.resource_pool_store`, `max_concurrent_*`.
    pub fn has_pools(self) -> bool {
        self >= Self::V3_3
    }

    /// Returns `true` if the target of a `resubmit` action, `destination`, is given to Galaxy as `environment`, which is the name
    /// that Galaxy reads. Before, Galaxy resubmits to the same destination.
    pub fn renames_resubmit(self) -> bool {
        self >= Self::V3_3
    }

    /// Returns `true` if `tpv.core.helpers` has a public name.
    pub fn has_helper(self, name: &str) -> bool {
        self >= Self::V3_3 || !HELPERS_OF_3_3.contains(&name)
    }

    /// Returns `true` if the RAM that a tool's wrapper asks for, in MiB, becomes a `mem` in GiB. Before, the number is taken as it is.
    pub fn converts_ram(self) -> bool {
        self >= Self::V3_3
    }

    /// Returns `true` if `weighted_random_sampling` clamps negative weights to 0 and draws without weights where all are 1 or 0.
    /// Before, a destination with a `weight` makes it draw by weights, with replacement.
    pub fn clamps_weights(self) -> bool {
        self >= Self::V3_3
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that names no version of TPV that tpvc knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownVersion;

impl fmt::Display for UnknownVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Version::ALL.map(Version::name);
        write!(f, "expected a version of TPV: {}", names.join(" or "))
    }
}

impl std::error::Error for UnknownVersion {}

/// `3.2`, or a patch release of it: `3.2.1`.
impl FromStr for Version {
    type Err = UnknownVersion;

    fn from_str(text: &str) -> Result<Self, UnknownVersion> {
        let is_patch = |rest: &str| {
            rest.is_empty()
                || rest.strip_prefix('.').is_some_and(|n| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let named = |version: &Self| text.strip_prefix(version.name()).is_some_and(is_patch);
        Self::ALL.into_iter().find(named).ok_or(UnknownVersion)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patch_releases_are_their_minor_version() {
        for version in Version::ALL {
            assert_eq!(version.name().parse(), Ok(version));
            assert_eq!(format!("{version}.17").parse(), Ok(version));
        }
        for text in ["", "3", "3.", "3.2.", "3.20", "3.2.x", "3.2.1.1", "v3.2", "9.9"] {
            assert_eq!(text.parse::<Version>(), Err(UnknownVersion), "{text}");
        }
    }
}
