//! Lines of a YAML text as their author sees them: indentation, key, value. For messages about texts that do not parse.

use std::ops::Range;

/// A line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// The whole text.
    all: &'a str,
    /// The start of the line in it.
    pub(super) start: usize,
    /// The line without its end.
    pub(super) text: &'a str,
}

impl<'a> Line<'a> {
    /// The line that holds the byte `at`.
    pub(super) fn around(all: &'a str, at: usize) -> Self {
        let before = all.get(..at).unwrap_or(all);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let rest = all.get(start..).unwrap_or("");
        Self { all, start, text: rest.split('\n').next().unwrap_or("").trim_end_matches('\r') }
    }

    /// The lines above, the nearest first, without empty ones and comments.
    pub(super) fn above(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.previous(), |line| line.previous()).filter(|line| !line.content().is_empty())
    }

    /// The lines below, the nearest first, without empty ones and comments.
    pub(super) fn below(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.next(), |line| line.next()).filter(|line| !line.content().is_empty())
    }

    fn next(self) -> Option<Self> {
        let end = self.start + self.all.get(self.start..)?.find('\n')? + 1;
        (end < self.all.len()).then(|| Self::around(self.all, end))
    }

    fn previous(self) -> Option<Self> {
        Some(Self::around(self.all, self.start.checked_sub(1)?))
    }

    /// The blanks it starts with.
    pub(super) fn margin(self) -> &'a str {
        let length = self.text.len() - self.text.trim_start_matches([' ', '\t']).len();
        self.text.get(..length).unwrap_or("")
    }

    /// The number of blanks that it starts with.
    pub(super) fn indent(self) -> usize {
        self.margin().len()
    }

    /// The line without its margin and a comment.
    pub(super) fn content(self) -> &'a str {
        let text = self.text.trim();
        if text.starts_with('#') {
            return "";
        }
        text.split_once(" #").map_or(text, |(text, _)| text).trim_end()
    }

    /// The range of [`Line::content`].
    pub(super) fn content_range(self) -> Range<usize> {
        let start = self.start + self.text.len() - self.text.trim_start().len();
        start..start + self.content().len()
    }

    /// Returns `true` if an item of a list starts here.
    pub(super) fn is_item(self) -> bool {
        self.content() == "-" || self.content().starts_with("- ")
    }

    /// The content behind the dashes of list items, and its column, from 0.
    pub(super) fn behind_dashes(self) -> (&'a str, usize) {
        let content = self.content();
        let mut rest = content;
        while let Some(next) = rest.strip_prefix("- ") {
            rest = next.trim_start();
        }
        (rest, self.indent() + content.len() - rest.len())
    }

    /// The key of the line, if it has one.
    pub(super) fn key(self) -> Option<&'a str> {
        let (rest, _) = self.behind_dashes();
        rest.split_once(": ").map(|(key, _)| key).or_else(|| rest.strip_suffix(':'))
    }

    /// The text after the first `key: `, or after the dash of an item without a key, with its range.
    pub(super) fn value(self) -> (&'a str, Range<usize>) {
        let (rest, _) = self.behind_dashes();
        let value = rest.split_once(": ").map_or(rest, |(_, value)| value).trim_start();
        let end = self.content_range().end;
        (value, end - value.len()..end)
    }

    /// Returns `true` if a block of text starts below: the line ends with `|` or `>`.
    pub(super) fn starts_block(self) -> bool {
        let last = self.content().rsplit(' ').next().unwrap_or("");
        last.starts_with(['|', '>']) && last.trim_start_matches(['|', '>', '-', '+', '1', '2', '4', '8']).is_empty()
    }
}

/// The text in quotes: in double ones, unless it holds some.
pub fn quoted(text: &str) -> String {
    // A text that is in quotes already is quoted anew.
    let bare = ['"', '\''].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    let text = bare.unwrap_or(text);
    if !text.contains(['"', '\\']) { format!("\"{text}\"") } else { format!("'{}'", text.replace('\'', "''")) }
}

/// The fault of a line that was meant as a key, a value or an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The message.
    pub message: String,
    /// The text to write.
    pub help: String,
    /// The range of the fault in the text.
    pub at: Range<usize>,
}

/// The fault of a line that is neither `key: value` nor `- item`, if it is clear.
pub fn mistake(text: &str) -> Option<Mistake> {
    let first = text.split_whitespace().next()?;
    let mistake = |message: String, help: String, at: Range<usize>| Some(Mistake { message, help, at });
    if let Some(at) = text.find('\u{a0}') {
        let help = "write plain blanks; some editors and web pages put others".to_owned();
        return mistake("a no-break space (U+00A0) is here".to_owned(), help, at..at + '\u{a0}'.len_utf8());
    }
    if let Some(item) = text.strip_prefix('-').filter(|item| !item.starts_with(['-', ' ']) && !item.is_empty()) {
        let item = item.split(" -").next().unwrap_or(item);
        return mistake("a blank is missing after `-`".to_owned(), format!("write `- {item}`"), 0..1);
    }
    let is_word = |word: &str| {
        let mut characters = word.chars();
        characters.next().is_some_and(|c| c.is_alphabetic() || c == '_')
            && characters.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
    };
    if let Some((key, value)) = first.split_once(':')
        && is_word(key)
        && !value.is_empty()
        && !value.starts_with(['/', ':'])
    {
        let rest = text.get(key.len() + 1..).unwrap_or("").split(" -").next().unwrap_or("");
        let message = format!("a blank is missing after `{key}:`");
        return mistake(message, format!("write `{key}: {rest}`"), key.len()..key.len() + 1);
    }
    let rest = text.get(first.len()..).unwrap_or("").trim_start();
    let missing = |key: &str, help: String| mistake(format!("a `:` is missing after `{key}`"), help, 0..key.len());
    if let Some((key, value)) = text.split_once('=')
        && is_word(key.trim_end())
        && !value.starts_with('=')
    {
        let key = key.trim_end();
        return missing(key, format!("write `{key}: {}`", value.trim_start()));
    }
    if !is_word(first) {
        return None;
    }
    match rest.split_whitespace().count() {
        0 => missing(first, format!("write `{first}:`")),
        _ if rest.starts_with("- ") => missing(first, format!("write `{first}:`, with the list below it")),
        1 => missing(first, format!("write `{first}: {rest}`")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
    use super::*;

    #[test]
    fn mistakes_say_what_to_write() {
        let help = |text: &str| mistake(text).map(|mistake| mistake.help);
        assert_eq!(help("cores 2").unwrap(), "write `cores: 2`");
        assert_eq!(help("cores:2").unwrap(), "write `cores: 2`");
        assert_eq!(help("cores = 2").unwrap(), "write `cores: 2`");
        assert_eq!(help("bwa").unwrap(), "write `bwa:`");
        assert_eq!(help("-id: a").unwrap(), "write `- id: a`");
        assert_eq!(help("require - a").unwrap(), "write `require:`, with the list below it");
        for text in ["https://a.b/c", "a long sentence without any", "---", "x == y", "[a, b]", ""] {
            assert_eq!(help(text), None, "{text}");
        }
    }

    #[test]
    fn quotes_keep_the_text() {
        assert_eq!(quoted("a: b"), "\"a: b\"");
        assert_eq!(quoted("'a' in b"), "\"'a' in b\"");
        assert_eq!(quoted("\"a\" in 'b'"), "'\"a\" in ''b'''");
        assert_eq!(quoted("'it's'"), "\"it's\"");
    }

    #[test]
    fn lines_have_keys_and_values() {
        let text = "a:\n  - - b: c: d # e\n\n# f\n  g\n";
        let line = Line::around(text, text.find('c').unwrap());
        assert_eq!((line.key(), line.value().0, line.behind_dashes().1), (Some("b"), "c: d", 6));
        assert_eq!(&text[line.value().1], "c: d");
        let last = Line::around(text, text.len());
        let above: Vec<&str> = last.above().map(Line::content).collect();
        assert_eq!(above, ["g", "- - b: c: d", "a:"]);
    }
}
