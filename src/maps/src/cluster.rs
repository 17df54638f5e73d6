//! A cluster: components that were submitted to an engine together.

use std::fmt::Write as _;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::engine::Kind;

/// A submission, written to disk before the engine hears of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cluster {
    /// Counts the submissions of a map from 0. Of two clusters with one component, the later has it.
    pub number: u32,
    /// The mark that the engine's job carries, so that it can be found if its id was not recorded.
    pub token: String,
    /// The engine.
    pub engine: Kind,
    /// The components, in ascending order; the place of one in this list is its *position*.
    pub components: Indices,
    /// The time of creation, in seconds from 1970-01-01 UTC.
    pub created: u64,
}

/// Indices of components, written as `0-99,103`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Indices(pub Vec<u32>);

impl Indices {
    /// The text form: ascending, ranges with `-`, joined by `,`.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let mut rest = self.0.as_slice();
        while let Some(&first) = rest.first() {
            let count = rest.iter().zip(first..).take_while(|&(&index, expected)| index == expected).count();
            let last = rest.get(count.saturating_sub(1)).copied().unwrap_or(first);
            rest = rest.get(count..).unwrap_or_default();
            let comma = if text.is_empty() { "" } else { "," };
            let _ = if first == last { write!(text, "{comma}{first}") } else { write!(text, "{comma}{first}-{last}") };
        }
        text
    }

    /// Reads the text form. `None` if it is not of that form.
    pub fn parse(text: &str) -> Option<Self> {
        let mut indices = Vec::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (first.trim().parse::<u32>().ok()?, last.trim().parse::<u32>().ok()?);
            if first > last || u64::from(last) >= MOST {
                return None;
            }
            indices.extend(first..=last);
        }
        indices.sort_unstable();
        indices.dedup();
        Some(Self(indices))
    }
}

/// The most components of a map.
pub const MOST: u64 = 10_000_000;

impl Serialize for Indices {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_text())
    }
}

impl<'de> Deserialize<'de> for Indices {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("`{text}` isn't a list of components")))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use super::*;

    #[test]
    fn indices_are_ranges_in_text() {
        for (indices, text) in [(vec![], ""), (vec![5], "5"), (vec![0, 1, 2, 7, 9, 10], "0-2,7,9-10")] {
            assert_eq!(Indices(indices.clone()).to_text(), text);
            assert_eq!(Indices::parse(text), Some(Indices(indices)));
        }
        assert_eq!(Indices::parse("3, 1-2,2").unwrap().0, [1, 2, 3]);
        for wrong in ["x", "2-1", "1-", "-1", "0-4000000000"] {
            assert_eq!(Indices::parse(wrong), None, "{wrong}");
        }
    }
}
