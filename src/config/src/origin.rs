//! From a position inside a text back to the config file: Python's parser and interpreter know only the former.

use std::ops::Range;

use tpv_runtime::artifact::site::{Piece, Site};

use tpv_text::source::{Source, SourceMap, Span};
use tpv_yaml::style::ScalarStyle;
use tpv_yaml::value::Text;

/// The origin of a text.
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

    /// The place in the file of a range of bytes of the text.
    pub fn span(&self, range: Range<usize>) -> Span {
        let visible = self.visible();
        let start = self.offset(&visible, range.start);
        let end = if range.end > range.start { self.offset(&visible, range.end - 1) + 1 } else { start };
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

    /// The text's notation, for the artifact.
    pub fn site(&self) -> Site {
        let span = self.text.span;
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        // Most texts are one line that is written as it is read.
        let is_filled = self.sources.get(span.source).is_some_and(Source::is_filled);
        let is_as_written =
            !is_filled && !self.text.value.contains(['\n', '\r']) && self.sources.text(span) == &*self.text.value;
        let pieces = if is_as_written { Vec::new() } else { self.pieces() };
        let (line, column) = match pieces.first() {
            // Where the text would start if nothing but this piece were known.
            Some(first) => {
                ((first.line + 1).saturating_sub(first.text_line), (first.column + 1).saturating_sub(first.text_column))
            }
            None => {
                let place = self.sources.place(span);
                (number(place.line), number(place.column))
            }
        };
        let mut site = Site { source: span.source.0, line: line.max(1), column: column.max(1), pieces: Vec::new() };
        if pieces.iter().any(|piece| site.locate(piece.text_line, piece.text_column) != (piece.line, piece.column)) {
            (site.line, site.column) = pieces.first().map_or((1, 1), |first| (first.line, first.column));
            site.pieces = pieces;
        }
        site
    }

    /// The pieces that the text was joined from.
    fn pieces(&self) -> Vec<Piece> {
        let file = self.sources.get(self.text.span.source).map_or("", |source| &*source.text);
        let filled = self.sources.get(self.text.span.source).filter(|source| source.is_filled());
        let start = self.sources.place(self.text.span);
        let mut read = Cursor { text: &self.text.value, at: 0, line: 1, column: 1 };
        let from = self.text.span.range().start;
        let mut written = Cursor { text: file, at: from, line: start.line, column: start.column };
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        let mut pieces: Vec<Piece> = Vec::new();
        for (position, offset) in self.visible() {
            read.go_to(position);
            let (text_line, text_column) = (number(read.line), number(read.column));
            let (line, column) = match filled {
                // Lines of a template may come several times, or not at all.
                Some(source) => {
                    let place = source.place(number(offset));
                    (number(place.line), number(place.column))
                }
                None => {
                    written.go_to(offset);
                    (number(written.line), number(written.column))
                }
            };
            let goes_on = pieces.last().is_some_and(|piece| {
                (piece.text_line, piece.line) == (text_line, line)
                    && text_column.checked_sub(piece.text_column) == column.checked_sub(piece.column)
            });
            if !goes_on {
                pieces.push(Piece { text_line, text_column, line, column });
            }
        }
        pieces
    }

    /// The byte in the file that the byte `target` of the text was read from, by the visible characters around it.
    fn offset(&self, visible: &[(usize, usize)], target: usize) -> usize {
        let after = visible.partition_point(|(position, _)| *position <= target);
        let next = visible.get(after).map_or(usize::MAX, |(_, offset)| *offset);
        match after.checked_sub(1).and_then(|index| visible.get(index)) {
            Some((position, offset)) => (offset + (target - position)).min(next),
            None => {
                let quote =
                    usize::from(matches!(self.text.style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted));
                (self.text.span.range().start + quote + target).min(next)
            }
        }
    }

    /// The visible characters of the text, in order: the byte of each in the text, and that in the file which it was read
    /// from. Folding and indentation change blanks only, so that all others stand in the file in the same order. Ends
    /// early where the text is not what the file says: numbers that became text.
    fn visible(&self) -> Vec<(usize, usize)> {
        let base = self.text.span.range().start;
        let written = Written { text: self.sources.text(self.text.span), style: self.text.style, at: 0 };
        let read = self.text.value.char_indices().filter(|(_, char)| !char.is_whitespace());
        let pairs = read.zip(written).take_while(|((_, char), (_, wrote))| wrote.is_none_or(|wrote| wrote == *char));
        pairs.map(|((position, _), (offset, _))| (position, base + offset)).collect()
    }
}

/// The visible characters of a scalar as written, each with its byte; of an escape only that it is one.
struct Written<'a> {
    text: &'a str,
    style: ScalarStyle,
    at: usize,
}

impl Iterator for Written<'_> {
    type Item = (usize, Option<char>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.at == 0 && matches!(self.style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted) {
            self.at = 1;
        }
        loop {
            let rest = self.text.get(self.at..)?;
            let char = rest.chars().next()?;
            let start = self.at;
            self.at += char.len_utf8();
            match (self.style, char) {
                (ScalarStyle::DoubleQuoted, '\\') => {
                    let (length, is_visible) = escape(rest);
                    self.at = start + length;
                    if is_visible {
                        return Some((start, None));
                    }
                }
                (ScalarStyle::SingleQuoted, '\'') => {
                    self.at += 1;
                    return Some((start, Some(char)));
                }
                _ if char.is_whitespace() => {}
                _ => return Some((start, Some(char))),
            }
        }
    }
}

/// The bytes of the escape that a text starts with, and whether it stands for something visible.
fn escape(text: &str) -> (usize, bool) {
    let Some(kind) = text.chars().nth(1) else { return (1, false) };
    let digits = match kind {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        // Blanks, and a line end that joins lines.
        't' | 'n' | 'v' | 'f' | 'r' | 'N' | '_' | 'L' | 'P' => return (2, false),
        other => return (1 + other.len_utf8(), !other.is_whitespace()),
    };
    let code = text.get(2..2 + digits).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    (2 + digits, !code.and_then(char::from_u32).is_some_and(char::is_whitespace))
}

/// Counts lines, as Python ends them, and columns on the way through a text.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    column: usize,
}

impl Cursor<'_> {
    fn go_to(&mut self, target: usize) {
        let mut chars = self.text.get(self.at..target).unwrap_or("").chars().peekable();
        while let Some(char) = chars.next() {
            let ends_line = char == '\n' || (char == '\r' && chars.peek() != Some(&'\n'));
            (self.line, self.column) = if ends_line { (self.line + 1, 1) } else { (self.line, self.column + 1) };
        }
        self.at = self.at.max(target);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
    use super::*;
    use tpv_text::diagnostic::Diagnostics;

    /// The location in the file of the word `HERE` in the first value of a mapping, found through the value's text.
    fn locate(yaml_text: &str) -> (String, String) {
        let mut sources = SourceMap::new();
        let id = sources.add("f", yaml_text);
        let mut problems = Diagnostics::new();
        let document = tpv_yaml::load(&sources, id, &mut problems).unwrap();
        let map = document.root.as_map().unwrap().clone();
        let text = map.entries[0].value.as_text().unwrap_or_else(|| panic!("{yaml_text:?} is no text")).clone();
        let at = text.value.find("HERE").unwrap();
        let span = TextOrigin::new(&text, &sources).span(at..at + 4);
        let line = text.value[..at].matches('\n').count() + 1;
        let column = text.value[..at].rsplit('\n').next().unwrap().chars().count() + 1;
        let place = TextOrigin::new(&text, &sources).place(line, column);
        assert_eq!(place.start, span.start);
        let (here, site) = (sources.place(span), TextOrigin::new(&text, &sources).site());
        let number = |value: usize| u32::try_from(value).unwrap();
        let found = site.locate(number(line), number(column));
        assert_eq!(found, (number(here.line), number(here.column)), "{yaml_text:?} {site:?}");
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
            ("a: >\n  x\n   \n  HERE", "f:4:3"),
            ("a: &x >2\n      x\n    HERE\n", "f:3:5"),
            ("a: &x |2\n      x\n    HERE\n", "f:3:5"),
            ("a: \"x \\\n  \\ b \\x20\\tHERE\"\n", "f:2:13"),
            ("a: \"\\\"\\\\HERE\"\n", "f:1:9"),
            ("a: \'\'\'HERE\'\n", "f:1:7"),
            ("a: x\u{a0} HERE\n", "f:1:7"),
        ];
        for (text, place) in cases {
            assert_eq!(locate(text), ("HERE".to_owned(), place.to_owned()), "{text:?}");
        }
    }
}
