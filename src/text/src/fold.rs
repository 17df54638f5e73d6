//! Lines of whole words.

use std::borrow::Cow;
use std::ops::Range;

/// The indentation of a line that goes on, beside that of its beginning.
const GOES_ON: usize = 4;

/// The lines of a text, broken at blanks: the first has at most `first` characters, each other one `rest`. A longer word has a line of its own. Blanks
/// between the words of a line stay as they are, colours take no room, and a command of tpvc between backticks is one word.
pub fn lines(text: &str, first: usize, rest: usize) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    let mut used = 0;
    let commands = commands(text);
    let is_within = |at: &usize| commands.iter().any(|command| command.contains(at));
    let ends = text.match_indices(' ').map(|(at, _)| at).filter(|at| !is_before_unit(text, *at) && !is_within(at));
    let mut next = 0;
    for end in ends.chain([text.len()]) {
        let start = std::mem::replace(&mut next, end + 1);
        let word = text.get(start..end).unwrap_or_default();
        if word.is_empty() {
            continue;
        }
        let length = visible(word);
        let room = if lines.len() > 1 { rest } else { first };
        match lines.last_mut() {
            Some(line) if used + (start - line.end) + length <= room => {
                used += start - line.end + length;
                line.end = end;
            }
            None => {
                used = start + length;
                lines.push(0..end);
            }
            Some(_) => {
                used = length;
                lines.push(start..end);
            }
        }
    }
    lines
}

/// The commands of tpvc between backticks.
fn commands(text: &str) -> Vec<Range<usize>> {
    let mut commands: Vec<Range<usize>> = Vec::new();
    for (start, _) in text.match_indices("`tpvc ") {
        let length = text.get(start + 1..).and_then(|rest| rest.find('`'));
        commands.extend(length.map(|length| start..start + 1 + length));
    }
    commands
}

/// The units that stay on the line of their number.
const UNITS: [&str; 5] = ["%", "GiB", "MiB", "core·h", "GPU·h"];

/// Returns `true` for the blank between a number and its unit.
fn is_before_unit(text: &str, blank: usize) -> bool {
    let Some((before, rest)) = text.split_at_checked(blank) else { return false };
    let behind = rest.strip_prefix(' ').unwrap_or(rest);
    before.ends_with(|c: char| c.is_ascii_digit()) && UNITS.iter().any(|unit| behind.starts_with(unit))
}

/// A text, which may have colours, in lines of at most `width` characters, if there is a width. Excerpts and jobs to copy stay as they are; a longer
/// word, or command, has a line of its own.
pub fn fold(text: &str, width: Option<usize>) -> Cow<'_, str> {
    let Some(width) = width.filter(|width| text.lines().any(|line| visible(line) > *width)) else {
        return Cow::Borrowed(text);
    };
    let mut out = String::with_capacity(text.len() + 64);
    for line in text.split_inclusive('\n') {
        let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
        if visible(body) <= width || is_kept(body) {
            out.push_str(body);
        } else {
            folded(&mut out, body, width);
        }
        out.push_str(end);
    }
    Cow::Owned(out)
}

/// The number of characters that show: those of colours do not.
fn visible(line: &str) -> usize {
    plain(line).chars().count()
}

/// A line without its colours.
fn plain(line: &str) -> Cow<'_, str> {
    if !line.contains('\x1b') {
        return Cow::Borrowed(line);
    }
    let mut parts = line.split('\x1b');
    let first = parts.next().unwrap_or_default().to_owned();
    Cow::Owned(parts.fold(first, |text, part| text + part.split_once('m').map_or("", |(_, rest)| rest)))
}

/// Returns `true` for lines that are copied, or that others above or below point to.
fn is_kept(line: &str) -> bool {
    let line = plain(line);
    let text = line.trim_start();
    let is_excerpt = text.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().starts_with('|');
    is_excerpt || text.starts_with(['{', '$']) || text.starts_with("-->")
}

fn folded(out: &mut String, line: &str, width: usize) {
    let shown = plain(line);
    let text = shown.trim_start_matches(' ');
    // Notes go on below their first word.
    let head = ["= note: ", "= help: "].iter().find(|head| text.starts_with(**head)).map_or(GOES_ON, |head| head.len());
    let indent = (shown.len() - text.len() + head).min(width / 2);
    for (at, place) in lines(line, width, width - indent).into_iter().enumerate() {
        if at > 0 {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
        }
        out.push_str(line.get(place).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        let text = "one two three four\n  = note: five six seven\n7 | a long line of a config\nshort\n";
        assert_eq!(
            fold(text, Some(16)),
            "one two three\n    four\n  = note: five\n        six\n        seven\n7 | a long line of a config\nshort\n"
        );
        assert_eq!(fold(text, None), text);
        assert_eq!(fold("try `tpvc lint a.yml` now", Some(10)), "try\n    `tpvc lint a.yml`\n    now");
        assert_eq!(fold("of `tpvc lint a.yml", Some(10)), "of `tpvc\n    lint\n    a.yml");
        assert_eq!(fold("a an-id-of-many-letters b", Some(10)), "a\n    an-id-of-many-letters\n    b");
        assert_eq!(fold("\x1b[1mone\x1b[0m two", Some(7)), "\x1b[1mone\x1b[0m two");
        assert_eq!(fold("it saves 71 % now", Some(12)), "it saves\n    71 % now");
        assert_eq!(fold("  FIRED   large  tpv.yml", Some(17)), "  FIRED   large\n      tpv.yml");
    }
}
