//! The result of a completed component: its place is `summaries/<component>.json`, and it is written after the answers.

use serde::{Deserialize, Serialize};

use super::super::store::Digest;
use tpv_analysis::summary::Summary;

/// The record of a component that is done. The order of the fields is the file's: [`Head`] is read without the rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Completion {
    /// The facts that show whether the output is whole, and what it cost.
    #[serde(flatten)]
    pub head: Head,
    /// The digest of the output as it is stored.
    pub output_digest: String,
    /// The component.
    pub component: u32,
    /// The number of the cluster that it ran in.
    pub cluster: u32,
    /// The name of the execute node.
    pub node: String,
    /// The time of completion, in seconds from 1970-01-01 UTC.
    pub time: u64,
    /// The digest of the summary's text, by which a changed byte is found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary_digest: Option<String>,
    /// The answers in numbers.
    pub summary: Summary,
}

impl Completion {
    /// The digest of a summary.
    pub fn digest(summary: &Summary) -> Option<String> {
        serde_json::to_vec(summary).ok().map(|text| Digest::of(&text).into())
    }

    /// Returns `true` if the summary is what was written, as far as its digest was.
    pub fn is_whole(&self) -> bool {
        self.summary_digest.is_none() || self.summary_digest == Self::digest(&self.summary)
    }
}

/// The beginning of a [`Completion`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The size of the output as it is stored, in bytes.
    pub output_bytes: u64,
    /// The component's run time, in milliseconds.
    pub milliseconds: u64,
    /// The peak memory in KiB, if the system reports it.
    pub memory_kib: Option<u64>,
}

impl Head {
    /// Reads the head from the first bytes of a file. `None` if they are not those of a [`Completion`].
    pub fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.strip_prefix("{\"output_bytes\":")?.splitn(4, ',');
        let output_bytes = numbers.next()?.parse().ok()?;
        let milliseconds = numbers.next()?.strip_prefix("\"milliseconds\":")?.parse().ok()?;
        // Before tpvc had it here, it was further below. The last number may be cut off.
        let memory = numbers.next()?.strip_prefix("\"memory_kib\":");
        let memory_kib = memory.filter(|_| numbers.next().is_some()).and_then(|memory| memory.parse().ok());
        Some(Self { output_bytes, milliseconds, memory_kib })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
    use super::*;

    #[test]
    fn the_head_is_read_without_the_rest() {
        let head = Head { output_bytes: 12, milliseconds: 345, memory_kib: Some(678) };
        let completion = Completion {
            head,
            output_digest: "0".repeat(32),
            component: 7,
            cluster: 0,
            node: "node1".to_owned(),
            time: 0,
            summary_digest: None,
            summary: Summary::default(),
        };
        let text = serde_json::to_string(&completion).unwrap();
        assert_eq!(Head::parse(&text), Some(head));
        assert_eq!(serde_json::from_str::<Completion>(&text).unwrap(), completion);
        // As an earlier tpvc wrote it.
        let old = text.replace("\"memory_kib\":678,", "").replace("\"time\":0", "\"time\":0,\"memory_kib\":678");
        assert_eq!(Head::parse(&old), Some(Head { memory_kib: None, ..head }));
        assert_eq!(serde_json::from_str::<Completion>(&old).unwrap(), completion);
        for end in 0.."{\"output_bytes\":12,\"milliseconds\":345".len() {
            assert_eq!(Head::parse(&text[..end]), None, "{}", &text[..end]);
        }
    }
}
