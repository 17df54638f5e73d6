//! Edits of a text.

use std::ops::Range;

/// The text with replacements for some of its ranges, which are in order and do not overlap.
pub fn splice<'a>(text: &str, edits: impl IntoIterator<Item = (Range<usize>, &'a str)>) -> String {
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for (range, replacement) in edits {
        out.push_str(text.get(at..range.start).unwrap_or_default());
        out.push_str(replacement);
        at = range.end;
    }
    out + text.get(at..).unwrap_or_default()
}
