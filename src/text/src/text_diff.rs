//! The differences of two texts as a unified diff.

use crate::printable;
use similar::{Algorithm, TextDiff};

/// The number of lines shown around a change.
const CONTEXT: usize = 3;

/// A unified diff; empty where the texts are the same.
pub fn unified(old_name: &str, new_name: &str, old: &str, new: &str) -> String {
    // A line ends where a line feed is, as for git.
    let lines = |text| str::split_inclusive(text, '\n').collect::<Vec<_>>();
    TextDiff::configure()
        .algorithm(Algorithm::Myers)
        .newline_terminated(true)
        .diff_slices(&lines(old), &lines(new))
        .unified_diff()
        .context_radius(CONTEXT)
        .header(&printable::line(old_name), &printable::line(new_name))
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_has_hunks_with_context() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";
        let new = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n11\n12\n13";
        let expected = "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n@@ -10,3 +10,4 @@\n 10\n 11\n \
                        12\n+13\n\\ No newline at end of file\n";
        assert_eq!(unified("a", "b", old, new), expected);
        assert_eq!(unified("a", "b", old, old), "");
        assert_eq!(unified("a", "b", "", "x\n"), "--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n");
    }
}
