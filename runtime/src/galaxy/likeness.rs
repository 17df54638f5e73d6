//! Which lines of jobs are alike, told without reading them.

use std::hash::Hasher;
use std::sync::LazyLock;

use memchr::memchr;
use memchr::memmem::Finder;

use crate::word_hash::WordHasher;

/// How much of a text after `"id":` is looked at, in bytes.
const LONGEST: usize = 512;

static TOOL: LazyLock<Finder> = LazyLock::new(|| Finder::new("\"tool\""));
static ID: LazyLock<Finder> = LazyLock::new(|| Finder::new("\"id\""));

/// A number that jobs of the same tool have in common: what a mapper learnt from one serves the others. It is a hint, and may be
/// wrong of a line that is no job, or that is written otherwise than most.
pub fn likeness(line: &[u8]) -> u64 {
    let mut hasher = WordHasher::default();
    hasher.write(tool_id(line).unwrap_or_default());
    hasher.finish()
}

/// The first text under `id` after the key `tool`.
fn tool_id(line: &[u8]) -> Option<&[u8]> {
    let tool = line.get(TOOL.find(line)?..)?;
    let after = tool.get(ID.find(tool)? + 4..)?;
    let text = after.get(memchr(b'"', after)? + 1..)?;
    let text = text.get(..LONGEST).unwrap_or(text);
    text.get(..memchr(b'"', text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_of_a_tool_are_alike() {
        let first = br#"{"id": "1", "tool": {"id": "bwa", "version": "1"}, "user": {"id": 2}}"#;
        let second = br#"{"user":null,"id":"2","tool":{"version":"2","id":"bwa"}}"#;
        assert_eq!(tool_id(first), Some(&b"bwa"[..]));
        assert_eq!(likeness(first), likeness(second));
        assert_ne!(likeness(first), likeness(br#"{"tool": {"id": "bowtie"}}"#));
    }

    #[test]
    fn any_line_has_a_likeness() {
        for line in [&b""[..], b"\"tool\"", b"\"tool\"\"id\"", b"\"tool\": {\"id\": \"", b"\xff\xfe"] {
            assert_eq!(likeness(line), likeness(b""));
        }
    }
}
