//! `--tpv`: the version of TPV whose answers are given, or two of them to compare.

use std::str::FromStr;

use tpv_model::{UnknownVersion, Version};

/// The value of `--tpv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tpv {
    /// One version.
    One(Version),
    /// The old version and the new one: `3.2..3.3`.
    Range(Version, Version),
}

impl FromStr for Tpv {
    type Err = UnknownVersion;

    fn from_str(text: &str) -> Result<Self, UnknownVersion> {
        match text.split_once("..") {
            Some((old, new)) => Ok(Self::Range(old.parse()?, new.parse()?)),
            None => text.parse().map(Self::One),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_version_or_two() {
        assert_eq!("3.2.1".parse(), Ok(Tpv::One(Version::V3_2)));
        assert_eq!("3.2..3.3".parse(), Ok(Tpv::Range(Version::V3_2, Version::V3_3)));
        assert_eq!("3.2..".parse::<Tpv>(), Err(UnknownVersion));
    }
}
