//! From a position inside a text back to the config file: Python's parser and interpreter know only the former.

use crate::config::value::Text;
use crate::source::{SourceMap, Span};

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ScalarStyle {
    /// Without quotes.
    #[default]
    Plain,
    /// In `'`, where `''` is a quote.
    SingleQuoted,
    /// In `"`, with escapes.
    DoubleQuoted,
    /// A `|` block: lines as they are.
    Literal,
    /// A `>` block: lines joined by blanks.
    Folded,
}

/// Where a text comes from.
#[derive(Clone, Copy, Debug)]
pub struct TextOrigin<'a> {
    text: &'a Text,
    sources: &'a SourceMap,
}

impl<'a> TextOrigin<'a> {
    /// The origin of `text`.
    pub fn new(text: &'a Text, sources: &'a SourceMap) -> Self {
        Self { text, sources }
    }

    /// The place in the file of a range of bytes of the text. The line is right for every style; the column too, unless
    /// an escape stands in the way.
    pub fn span(&self, range: std::ops::Range<usize>) -> Span {
        let start = self.offset(range.start);
        let end = if range.end > range.start { self.offset(range.end - 1) + 1 } else { start };
        let base = self.text.span;
        Span::new(base.source, start.min(base.range().end), end.min(base.range().end))
    }

    /// The place in the file of a line and a column (both from 1, the column in characters) of the text.
    pub fn place(&self, line: usize, column: usize) -> Span {
        let value = &*self.text.value;
        let start: usize = value.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
        let rest = value.get(start..).unwrap_or("");
        let into = rest.char_indices().nth(column.saturating_sub(1)).map_or(rest.len(), |(at, _)| at);
        self.span(start + into..start + into + 1)
    }

    /// The byte in the file that the byte `target` of the text was read from.
    fn offset(&self, target: usize) -> usize {
        let base = self.text.span.range();
        let mut walk = Walk { written: self.sources.text(self.text.span), at: 0, style: self.text.style, indent: 0 };
        let value = &*self.text.value;
        let mut leading = 0;
        if walk.is_block() {
            // The span starts at the first line that is not blank, which stands as deep as the block is indented.
            walk.indent = self.indent();
            leading = value.len() - value.trim_start_matches('\n').len();
        } else if self.text.style != ScalarStyle::Plain {
            walk.at = 1;
        }
        for (position, wanted) in value.char_indices().filter(|&(position, _)| position >= leading) {
            walk.align(wanted);
            if position + wanted.len_utf8() > target {
                break;
            }
            walk.step(wanted);
        }
        base.start + walk.at
    }

    /// How far the span's start is from the start of its line.
    fn indent(&self) -> usize {
        let start = self.text.span.range().start;
        let before = self.sources.get(self.text.span.source).and_then(|source| source.text.get(..start)).unwrap_or("");
        before.len() - before.rfind('\n').map_or(0, |newline| newline + 1)
    }
}

/// Walks the characters as written along with those that were read.
struct Walk<'a> {
    written: &'a str,
    at: usize,
    style: ScalarStyle,
    indent: usize,
}

impl Walk<'_> {
    fn is_block(&self) -> bool {
        matches!(self.style, ScalarStyle::Literal | ScalarStyle::Folded)
    }

    fn rest(&self) -> &str {
        self.written.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip_indent(&mut self) {
        let spaces = self.rest().bytes().take(self.indent).take_while(|&byte| byte == b' ').count();
        self.at += spaces;
    }

    /// Moves over what folding dropped, up to the character that `wanted` was read from.
    fn align(&mut self, wanted: char) {
        if wanted.is_whitespace() && self.peek().is_some_and(char::is_whitespace) {
            return;
        }
        loop {
            match self.peek() {
                Some('\\') if self.style == ScalarStyle::DoubleQuoted => {
                    // A backslash at the end of a line joins the lines.
                    if !self.rest().starts_with("\\\n") && !self.rest().starts_with("\\\r") {
                        return;
                    }
                    self.at += 1;
                }
                Some(found) if found != wanted && found.is_whitespace() => {
                    self.at += found.len_utf8();
                    if found == '\n' && self.is_block() {
                        self.skip_indent();
                    }
                }
                _ => return,
            }
        }
    }

    /// Moves over the characters that `read` was read from.
    fn step(&mut self, read: char) {
        let Some(found) = self.peek() else { return };
        match (self.style, found) {
            (ScalarStyle::DoubleQuoted, '\\') => self.at += self.escape_length(),
            (ScalarStyle::SingleQuoted, '\'') => self.at += 2,
            (_, '\r') if self.rest().starts_with("\r\n") => self.at += 2,
            // A fold reads as one character, or as one line end for each empty line.
            _ if found == read || found.is_whitespace() => self.at += found.len_utf8(),
            _ => {}
        }
        if matches!(found, '\n' | '\r') && self.is_block() {
            self.skip_indent();
        }
    }

    fn escape_length(&self) -> usize {
        match self.rest().chars().nth(1) {
            Some('x') => 4,
            Some('u') => 6,
            Some('U') => 10,
            Some(other) => 1 + other.len_utf8(),
            None => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use super::*;
    use crate::config::yaml;
    use crate::diagnostic::Diagnostics;

    /// Where the word `HERE` of the first value of a mapping stands in the file, found through the value's text.
    fn locate(yaml_text: &str) -> (String, String) {
        let mut sources = SourceMap::new();
        let id = sources.add("f", yaml_text);
        let mut problems = Diagnostics::new();
        let document = yaml::load(&sources, id, &mut problems).unwrap();
        let map = document.root.as_map().unwrap().clone();
        let text = map.entries[0].value.as_text().unwrap().clone();
        let at = text.value.find("HERE").unwrap();
        let span = TextOrigin::new(&text, &sources).span(at..at + 4);
        let line = text.value[..at].matches('\n').count() + 1;
        let column = text.value[..at].rsplit('\n').next().unwrap().chars().count() + 1;
        let place = TextOrigin::new(&text, &sources).place(line, column);
        assert_eq!(place.start, span.start);
        (sources.text(span).to_owned(), sources.locate(span))
    }

    #[test]
    fn every_style_leads_back_to_the_word() {
        let cases = [
            ("a: x HERE y\n", "f:1:6"),
            ("a: x\n  y\n\n  z HERE\n", "f:4:5"),
            ("a: 'it''s\n  b HERE'\n", "f:2:5"),
            ("a: \"x\\ty\\u00e9 HERE\"\n", "f:1:16"),
            ("a: \"x\\\n   y\n  z HERE\"\n", "f:3:5"),
            ("a: |\n  x = 1\n  if x:\n    HERE\n", "f:4:5"),
            ("a: |2-\n\n    x\n  é HERE\n", "f:4:5"),
            ("a: |\r\n  x\r\n  HERE\r\n", "f:3:3"),
            ("a: >\n  x\n  y\n\n  z\n    w\n  HERE\n", "f:7:3"),
            ("- x\n", ""),
        ];
        for (text, place) in cases.into_iter().filter(|(_, place)| !place.is_empty()) {
            assert_eq!(locate(text), ("HERE".to_owned(), place.to_owned()), "{text:?}");
        }
    }
}
