//! The releases of TPV, and the version that answers for each.

use std::fmt;
use std::str::FromStr;

use crate::{Change, UnknownVersion, Version};

/// A release of TPV.
#[derive(Debug)]
pub struct Release {
    /// Major, minor and patch number.
    number: [u16; 3],
    /// The version whose answers tpvc gives for it.
    version: Version,
    /// The differences that it made to answers and to what loads, if `version` has them and the releases before it did not.
    changed: &'static str,
}

const fn release(number: [u16; 3], version: Version, changed: &'static str) -> Release {
    Release { number, version, changed }
}

const V3_1_2: Version = Version::V3_1.without(Change::ParentsFirst);
const V3_1_0: Version = V3_1_2.without(Change::FractionalGpus).without(Change::NoqaOnly);
const V3_2_0: Version = Version::V3_2.without(Change::DumpedNames);

/// All releases, the oldest first. What differs from the version that answers is what the releases between them changed.
const RELEASES: [Release; 29] = [
    release([1, 0, 0], Version::V1_4, ""),
    release([1, 1, 0], Version::V1_4, "rules may say `if` in place of `match`, and a tool without an entry is mapped"),
    release(
        [1, 2, 0],
        Version::V1_4,
        "the package is `tpv`, not `vortex`; all entries whose patterns match count, not the first alone; \
         `resubmit` and `context`; texts at any depth of `params` are evaluated",
    ),
    release(
        [1, 3, 0],
        Version::V1_4,
        "only `TryNextDestinationOrFail` and `TryNextDestinationOrWait` pass on to the next destination, no other exception; \
         a dataset that is given twice counts once in `input_size`; `destination_name_override` in `params`; \
         rules see the `context` of their entity",
    ),
    release([1, 4, 0], Version::V1_4, "`execute` may replace the entity"),
    release([1, 4, 1], Version::V1_4, "`yes`, `no`, `on` and `off` are strings in YAML"),
    release([2, 0, 0], Version::V2_5, ""),
    release([2, 0, 1], Version::V2_5, ""),
    release([2, 1, 0], Version::V2_5, "`env` may be a list, and its values become strings"),
    release([2, 2, 0], Version::V2_5, "`helpers.tag_values_match`"),
    release([2, 2, 1], Version::V2_5, "once a rule applies, `entity` is the entity with the fields of the rule"),
    release(
        [2, 2, 2],
        Version::V2_5,
        "an amount that a rule leaves out stays what the rules before it set; `helpers.tool_version_lt` and the like",
    ),
    release([2, 2, 3], Version::V2_5, ""),
    release([2, 2, 4], Version::V2_5, "a limit or an amount of 0 counts; `helpers.tool_version_eq`"),
    release(
        [2, 3, 0],
        Version::V2_5,
        "amounts are evaluated once the destination is known; jobs inherit from the entity in `default_inherits` first, \
         and from all that match it later",
    ),
    release([2, 3, 1], Version::V2_5, "destinations inherit from the destination in `default_inherits`"),
    release([2, 3, 2], Version::V2_5, "versions of tools compare as Galaxy compares them"),
    release([2, 3, 3], Version::V2_5, "`helpers.get_dataset_attributes`"),
    release([2, 4, 0], Version::V2_5, ""),
    release([2, 5, 0], Version::V2_5, ""),
    release([3, 0, 0], Version::V3_0, ""),
    release([3, 0, 1], Version::V3_0, ""),
    release([3, 1, 0], V3_1_0, ""),
    release([3, 1, 1], V3_1_2, ""),
    release([3, 1, 2], V3_1_2, ""),
    release([3, 1, 3], Version::V3_1, ""),
    release([3, 2, 0], V3_2_0, ""),
    release([3, 2, 1], Version::V3_2, ""),
    release([3, 3, 0], Version::V3_3, ""),
];

/// The name of a version that only some patch releases of its minor version are.
pub(crate) fn patch_name(version: Version) -> Option<&'static str> {
    [(V3_1_0, "3.1.0"), (V3_1_2, "3.1.2"), (V3_2_0, "3.2.0")]
        .into_iter()
        .find_map(|(patch, name)| (patch == version).then_some(name))
}

/// A number of TPV that somebody asked for, with the version that answers.
///
/// ```
/// use tpv_model::{Asked, Version};
///
/// let asked: Asked = "1.2".parse()?;
/// assert_eq!(asked.version, Version::V1_4);
/// assert!(asked.differs().is_some_and(|text| text.starts_with("TPV 1.2 is answered as 1.4")));
/// assert_eq!("3.1.0".parse::<Asked>()?.differs(), None);
/// # Ok::<(), tpv_model::UnknownVersion>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The version that answers.
    pub version: Version,
    /// The number that was asked for, with a patch number if it was given; `None` for a version that is none of the releases.
    number: Option<(u16, u16, Option<u16>)>,
}

/// The numbers of all releases, the oldest first.
pub fn releases() -> impl DoubleEndedIterator<Item = [u16; 3]> {
    RELEASES.iter().map(|release| release.number)
}

impl From<Version> for Asked {
    fn from(version: Version) -> Self {
        Self { version, number: None }
    }
}

impl Asked {
    /// The differences between the release that was asked for and the version that answers, as a warning; `None` if there are none.
    pub fn differs(self) -> Option<String> {
        let (major, minor, patch) = self.number?;
        let latest = latest(major, minor)?;
        let asked = [major, minor, patch.unwrap_or(latest.number[2])];
        if asked > latest.number {
            return Some(format!(
                "TPV {self} is answered as {}: tpvc knows TPV {major}.{minor} up to {}",
                self.version,
                Number(latest.number)
            ));
        }
        let later = RELEASES.iter().filter(|release| release.number > asked && release.version == self.version);
        let changes: Vec<&str> = later.map(|release| release.changed).filter(|text| !text.is_empty()).collect();
        (!changes.is_empty())
            .then(|| format!("TPV {self} is answered as {}, which differs: {}", self.version, changes.join("; ")))
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            None => self.version.fmt(f),
            Some((major, minor, None)) => write!(f, "{major}.{minor}"),
            Some((major, minor, Some(patch))) => write!(f, "{major}.{minor}.{patch}"),
        }
    }
}

/// The number of a release: `3.2.1`.
struct Number([u16; 3]);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.0;
        write!(f, "{major}.{minor}.{patch}")
    }
}

/// The latest release of a minor version.
fn latest(major: u16, minor: u16) -> Option<&'static Release> {
    RELEASES.iter().rfind(|release| release.number[..2] == [major, minor])
}

/// `3.2`, which is its latest release, a release such as `3.2.1`, or `next`.
impl FromStr for Asked {
    type Err = UnknownVersion;

    fn from_str(text: &str) -> Result<Self, UnknownVersion> {
        if text == Version::NEXT.name() {
            return Ok(Version::NEXT.into());
        }
        let part = |text: &str| {
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
            is_number.then(|| text.parse().ok()).flatten()
        };
        let parts: Option<Vec<u16>> = text.split('.').map(part).collect();
        let unknown = UnknownVersion { nearest: None };
        let (major, minor, patch) = match parts.as_deref() {
            Some([major, minor]) => (*major, *minor, None),
            Some([major, minor, patch]) => (*major, *minor, Some(*patch)),
            _ => return Err(unknown),
        };
        let Some(latest) = latest(major, minor) else {
            let before = RELEASES.iter().rfind(|release| release.number[..2] < [major, minor][..]);
            return Err(UnknownVersion { nearest: Some(before.unwrap_or(&RELEASES[0]).version) });
        };
        let number = [major, minor, patch.unwrap_or(u16::MAX)];
        let release = RELEASES.iter().find(|release| release.number == number).unwrap_or(latest);
        Ok(Self { version: release.version, number: Some((major, minor, patch)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_release_is_answered() {
        assert!(RELEASES.is_sorted_by_key(|release| release.number));
        for release in &RELEASES {
            let asked: Result<Asked, _> = Number(release.number).to_string().parse();
            assert_eq!(asked.map(|asked| asked.version), Ok(release.version));
        }
        let differs = |text: &str| text.parse::<Asked>().ok().and_then(Asked::differs);
        for exact in ["1.4", "1.4.1", "2.4", "2.5", "3.0.0", "3.1", "3.1.0", "3.1.2", "3.2.0", "3.3", "3.3.0", "next"] {
            assert_eq!(differs(exact), None, "{exact}");
        }
        for near in ["1.0", "1.3", "1.3.0", "1.4.0", "2.0", "2.2.4", "2.3.2", "3.3.17"] {
            assert!(
                differs(near).is_some_and(|text| text.starts_with(&format!("TPV {near} is answered as"))),
                "{near}"
            );
        }
        assert!(differs("2.3.1").is_some_and(|text| !text.contains("default_inherits") && text.contains("Galaxy")));
    }

    #[test]
    fn patch_releases_have_their_names() {
        for text in ["3.1.0", "3.1.2", "3.2.0"] {
            assert_eq!(text.parse::<Version>().map(Version::name), Ok(text));
        }
        assert_eq!("3.1.1".parse::<Version>().map(Version::name), Ok("3.1.2"));
        assert_eq!("3.1.3".parse(), Ok(Version::V3_1));
    }
}
