//! The differences of two texts as a unified diff.

use std::fmt::Write;

use crate::printable::put_line;

/// The number of lines shown around a change.
const CONTEXT: usize = 3;
/// The number of differing lines beyond which everything between the first and the last of them counts as changed: the
/// memory of the search grows with its square.
const MOST_EDITS: usize = 3000;

/// A run of lines.
#[derive(Clone, Copy)]
struct Change {
    /// The lines of the old text that are gone.
    old: (usize, usize),
    /// The lines of the new text in their place.
    new: (usize, usize),
}

/// A unified diff; empty where the texts are the same.
pub(crate) fn unified(old_name: &str, new_name: &str, old: &str, new: &str) -> String {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let changes = changes(&old, &new);
    let mut out = String::new();
    if changes.is_empty() {
        return out;
    }
    put_line!(out, "--- {old_name}");
    put_line!(out, "+++ {new_name}");
    let mut rest = changes.as_slice();
    while let Some(first) = rest.first() {
        // Changes whose context touches belong to one hunk.
        let joined = rest.windows(2).take_while(|pair| match pair {
            [a, b] => b.old.0 - a.old.1 <= 2 * CONTEXT,
            _ => false,
        });
        let count = joined.count() + 1;
        let (hunk, more) = rest.split_at_checked(count).unwrap_or((rest, &[]));
        rest = more;
        let last = hunk.last().unwrap_or(first);
        let before = first.old.0.min(CONTEXT);
        let after = (old.len() - last.old.1).min(CONTEXT);
        let old_range = (first.old.0 - before, last.old.1 + after);
        let new_range = (first.new.0 - before, last.new.1 + after);
        let _ = writeln!(out, "@@ -{} +{} @@", range(old_range), range(new_range));
        let mut at = old_range.0;
        for change in hunk {
            lines(&mut out, ' ', &old, (at, change.old.0));
            lines(&mut out, '-', &old, change.old);
            lines(&mut out, '+', &new, change.new);
            at = change.old.1;
        }
        lines(&mut out, ' ', &old, (at, old_range.1));
    }
    out
}

/// A range of lines in the form of a hunk's header.
fn range((start, end): (usize, usize)) -> String {
    match end - start {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        count => format!("{},{count}", start + 1),
    }
}

fn lines(out: &mut String, mark: char, text: &[&str], (start, end): (usize, usize)) {
    for line in text.get(start..end).unwrap_or(&[]) {
        out.push(mark);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// The changes, by Myers' greedy algorithm between what both texts start and end with.
fn changes(old: &[&str], new: &[&str]) -> Vec<Change> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (a, b) = (old.get(head..).unwrap_or(&[]), new.get(head..).unwrap_or(&[]));
    let tail = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let a = a.get(..a.len() - tail).unwrap_or(&[]);
    let b = b.get(..b.len() - tail).unwrap_or(&[]);
    if a.is_empty() && b.is_empty() {
        return Vec::new();
    }
    let mut changes = match kept(a, b) {
        None => vec![Change { old: (0, a.len()), new: (0, b.len()) }],
        Some(kept) => {
            let mut changes = Vec::new();
            let (mut x, mut y) = (0, 0);
            for (keep_x, keep_y) in kept.into_iter().chain([(a.len(), b.len())]) {
                if keep_x > x || keep_y > y {
                    changes.push(Change { old: (x, keep_x), new: (y, keep_y) });
                }
                (x, y) = (keep_x + 1, keep_y + 1);
            }
            changes
        }
    };
    for change in &mut changes {
        change.old = (change.old.0 + head, change.old.1 + head);
        change.new = (change.new.0 + head, change.new.1 + head);
    }
    changes
}

/// The pairs of lines that stay, in order; `None` where too much differs.
fn kept(a: &[&str], b: &[&str]) -> Option<Vec<(usize, usize)>> {
    let limit = (a.len() + b.len()).min(MOST_EDITS);
    // How far each diagonal reaches, `limit + 1` being the one of the start; a copy for each number of edits.
    let centre = limit + 1;
    let mut reach = vec![0usize; 2 * limit + 3];
    let mut history: Vec<Vec<usize>> = Vec::new();
    let at = |reach: &[usize], index: usize| reach.get(index).copied().unwrap_or(0);
    for edits in 0..=limit {
        history.push(reach.get(centre - edits..=centre + edits).unwrap_or(&[]).to_vec());
        for index in (centre - edits..=centre + edits).step_by(2) {
            let (below, above) = (at(&reach, index - 1), at(&reach, index + 1));
            let down = index == centre - edits || index != centre + edits && below < above;
            let mut x = if down { above } else { below + 1 };
            let mut y = (x + centre).wrapping_sub(index);
            while x < a.len() && a.get(x) == b.get(y) {
                x += 1;
                y += 1;
            }
            if let Some(place) = reach.get_mut(index) {
                *place = x;
            }
            if x >= a.len() && y >= b.len() {
                return Some(trace(&history, centre, a.len(), b.len()));
            }
        }
    }
    None
}

/// The way back from the ends of the texts.
fn trace(history: &[Vec<usize>], centre: usize, x: usize, y: usize) -> Vec<(usize, usize)> {
    let (mut x, mut y) = (x, y);
    let mut kept = Vec::new();
    for (edits, reach) in history.iter().enumerate().rev() {
        let index = x + centre - y;
        // What was reached with one edit less; the copy starts at the lowest diagonal of this number of edits.
        let at = |index: usize| index.checked_sub(centre - edits).and_then(|at| reach.get(at)).copied().unwrap_or(0);
        let down = index == centre - edits || index != centre + edits && at(index - 1) < at(index + 1);
        let (from_x, from_index) = if down { (at(index + 1), index + 1) } else { (at(index - 1), index - 1) };
        let start = match edits {
            0 => (0, 0),
            _ if down => (from_x, from_x + centre - from_index + 1),
            _ => (from_x + 1, from_x + centre - from_index),
        };
        while x > start.0 && y > start.1 {
            (x, y) = (x - 1, y - 1);
            kept.push((x, y));
        }
        if edits > 0 {
            (x, y) = (from_x, from_x + centre - from_index);
        }
    }
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use super::*;

    /// Rebuilds the new text from the old one and the changes.
    fn apply(old: &[&str], new: &[&str]) -> Vec<String> {
        let mut out = Vec::new();
        let mut at = 0;
        for change in changes(old, new) {
            out.extend(old[at..change.old.0].iter().map(|line| (*line).to_owned()));
            out.extend(new[change.new.0..change.new.1].iter().map(|line| (*line).to_owned()));
            at = change.old.1;
        }
        out.extend(old[at..].iter().map(|line| (*line).to_owned()));
        out
    }

    #[test]
    fn changes_lead_from_the_old_text_to_the_new_one() {
        // All pairs of texts of up to five lines over three letters would be many: a fixed walk through them.
        let mut state = 1u32;
        let mut text = || {
            let mut next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as usize
            };
            let length = next() % 9;
            (0..length).map(|_| ["a\n", "b\n", "c\n"][next() % 3]).collect::<Vec<_>>()
        };
        for _ in 0..3000 {
            let (old, new) = (text(), text());
            assert_eq!(apply(&old, &new), new, "{old:?}");
        }
    }

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
