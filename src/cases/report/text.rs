//! Failing cases for people.

use std::fmt::Write;

use super::Ran;
use crate::cases::expect::Mismatch;
use crate::source::SourceMap;

/// A failing case: its place and name, then each thing that does not hold and how it came about.
pub fn text(ran: Ran<'_>, sources: &SourceMap) -> String {
    let mut out = format!("FAILED  {}:{}  {}\n", ran.file.name, ran.line(sources), ran.case.name);
    for mismatch in &ran.outcome.mismatches {
        out += &lines(mismatch);
    }
    out
}

/// A case that passes.
pub fn passed(ran: Ran<'_>, sources: &SourceMap) -> String {
    format!("passed  {}:{}  {}\n", ran.file.name, ran.line(sources), ran.case.name)
}

/// The lines of a mismatch. What is long stands below one another, so that the eye finds the difference.
pub(super) fn lines(mismatch: &Mismatch) -> String {
    /// So many characters of what was expected stand in one line with what came.
    const SHORT: usize = 40;
    let mut out = String::new();
    let name = mismatch.subject.as_ref().map_or_else(|| "answer".to_owned(), |subject| subject.name());
    let is_short = |text: &str| text.chars().count() <= SHORT && !text.contains('\n');
    let _ = if mismatch.expected.is_empty() {
        writeln!(out, "    {name}: {}", mismatch.came)
    } else if is_short(&mismatch.expected) && is_short(&mismatch.came) {
        writeln!(out, "    {name}: expected {}, came {}", mismatch.expected, mismatch.came)
    } else {
        let indented = |text: &str| text.trim_end().replace('\n', "\n                ");
        writeln!(
            out,
            "    {name}:\n      expected  {}\n      came      {}",
            indented(&mismatch.expected),
            indented(&mismatch.came)
        )
    };
    for why in &mismatch.why {
        let _ = writeln!(out, "        {why}");
    }
    out
}
