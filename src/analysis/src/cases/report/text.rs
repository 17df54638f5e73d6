//! Failing cases for people.

use super::Ran;
use crate::cases::expect::Mismatch;
use tpv_text::printable::put_line;
use tpv_text::source::SourceMap;

/// A failing case: its place and name, then each thing that does not hold and how it came about.
pub fn text(ran: Ran<'_>, sources: &SourceMap) -> String {
    let mut out = String::new();
    put_line!(out, "FAILED  {}:{}  {}", ran.file.name, ran.line(sources), ran.case.name);
    for mismatch in &ran.outcome.mismatches {
        out += &lines(mismatch);
    }
    out
}

/// A case that passes.
pub fn passed(ran: Ran<'_>, sources: &SourceMap) -> String {
    let mut out = String::new();
    put_line!(out, "passed  {}:{}  {}", ran.file.name, ran.line(sources), ran.case.name);
    out
}

/// The lines of a mismatch. What is long stands below one another, so that the eye finds the difference.
pub(super) fn lines(mismatch: &Mismatch) -> String {
    /// The most characters of an expected value that stands in one line with the one that the job got.
    const SHORT: usize = 40;
    let mut out = String::new();
    let name = mismatch.name();
    let is_short = |text: &str| text.chars().count() <= SHORT && !text.contains('\n');
    if mismatch.expected.is_empty() {
        put_line!(out, "    {name}: {}", mismatch.came);
    } else if is_short(&mismatch.expected) && is_short(&mismatch.came) {
        put_line!(out, "    {name}: expected {}, got {}", mismatch.expected, mismatch.came);
    } else {
        put_line!(out, "    {name}:");
        for (start, text) in [("expected", &mismatch.expected), ("got", &mismatch.came)] {
            for (index, line) in text.trim_end().split('\n').enumerate() {
                put_line!(out, "      {:<8}  {line}", if index == 0 { start } else { "" });
            }
        }
    }
    for why in &mismatch.why {
        put_line!(out, "        {why}");
    }
    out
}
