//! `--tpv`: the version of TPV whose answers are given, or two of them to compare.

use std::str::FromStr;

use tpv_model::{Asked, UnknownVersion};

/// The value of `--tpv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tpv {
    /// One version.
    One(Asked),
    /// The old version and the new one: `3.2..3.3`.
    Range(Asked, Asked),
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
    use tpv_model::Version;

    use super::*;

    #[test]
    fn one_version_or_two() {
        let one = |text: &str| match text.parse() {
            Ok(Tpv::One(asked)) => Some(asked.version),
            _ => None,
        };
        assert_eq!(one("3.2.1"), Some(Version::V3_2));
        assert!(
            matches!("3.2..3.3".parse(), Ok(Tpv::Range(old, new)) if (old.version, new.version) == (Version::V3_2, Version::V3_3))
        );
        assert_eq!("3.2..".parse::<Tpv>(), Err(UnknownVersion { nearest: None }));
    }
}
