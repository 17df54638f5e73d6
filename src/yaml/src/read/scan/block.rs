//! Block scalars, literal `|` and folded `>`.

use super::Scanner;
use crate::characters::{END, ends_line};
use crate::read::comment::Before;
use crate::read::fault::{Problem, Result};
use crate::read::reader::Mark;
use crate::read::token::{Kind, Token};
use crate::style::ScalarStyle;

/// The mark of a folded scalar's line break in the value of its token.
pub(crate) const FOLD: char = '\u{7}';

/// The treatment of line breaks at the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomp {
    /// One is kept.
    Clip,
    /// None is kept (`-`).
    Strip,
    /// All are kept (`+`).
    Keep,
}

impl Scanner<'_> {
    pub(super) fn fetch_block_scalar(&mut self, folded: bool) -> Result<()> {
        self.allow_simple_key = true;
        self.remove_simple_key()?;
        let start = self.reader.mark();
        self.reader.advance();
        let (chomp, increment) = self.block_header(start)?;
        let header = self.block_comment(start)?;
        let outer = usize::try_from(self.indent + 1).unwrap_or(0);
        let (indent, mut breaks, mut end);
        match increment {
            None => {
                let found;
                (breaks, found, end) = self.block_indent()?;
                indent = outer.max(found);
            }
            Some(increment) => {
                indent = outer.max(1) + increment - 1;
                (breaks, end) = self.block_breaks(indent);
            }
        }
        let content = self.reader.mark().offset;
        let mut text = String::new();
        let mut line_break = None;
        while self.reader.column() == indent && self.reader.peek() != END {
            text += &breaks;
            let leading = !matches!(self.reader.peek(), ' ' | '\t');
            text += self.reader.take_while(|ch| !ends_line(ch));
            line_break = self.line_break();
            (breaks, end) = self.block_breaks(indent);
            let mark_ends = increment.is_none() && outer == 0 && self.reader.column() == 0 && self.at_any_separator();
            if mark_ends || self.reader.column() != indent || self.reader.peek() == END {
                break;
            }
            if folded && line_break == Some('\n') {
                text.push(FOLD);
            }
            if folded && line_break == Some('\n') && leading && !matches!(self.reader.peek(), ' ' | '\t') {
                if breaks.is_empty() {
                    text.push(' ');
                }
            } else {
                text.extend(line_break);
            }
        }
        if chomp != Chomp::Strip {
            text.extend(line_break);
        }
        let mut trailing = String::new();
        if chomp == Chomp::Keep {
            text += &breaks;
        } else {
            trailing = breaks;
        }
        let mut token = Token::new(Kind::Scalar, start, end).with_text(text);
        token.span = content..self.reader.mark().offset;
        token.style = if folded { ScalarStyle::Folded } else { ScalarStyle::Literal };
        if let Some(header) = header {
            token.slots.get_or_insert_default().before = Some(vec![Before::Header(header.into())]);
        }
        if !trailing.is_empty() {
            while let Some(found) = self.skip_blanks() {
                trailing += &" ".repeat(found.start.column);
                trailing += &found.text;
            }
            token.add_after(self.comments.add(trailing, end));
        }
        self.tokens.push_back(token);
        Ok(())
    }

    /// The chomping and indentation indicators.
    fn block_header(&mut self, start: Mark) -> Result<(Chomp, Option<usize>)> {
        let (mut chomp, mut increment) = (None, None);
        loop {
            match self.reader.peek() {
                '+' if chomp.is_none() => chomp = Some(Chomp::Keep),
                '-' if chomp.is_none() => chomp = Some(Chomp::Strip),
                ch @ '1'..='9' if increment.is_none() => increment = ch.to_digit(10).map(|digit| digit as usize),
                ch if ch == ' ' || ends_line(ch) => return Ok((chomp.unwrap_or(Chomp::Clip), increment)),
                _ => {
                    return self.reader.error(Problem::BlockHeader, "this isn't an indicator of a block scalar", start);
                }
            }
            self.reader.advance();
        }
    }

    /// The rest of the first line: the comment in it with the spaces before it.
    fn block_comment(&mut self, start: Mark) -> Result<Option<String>> {
        let spaces = self.reader.take_while(|ch| ch == ' ');
        let comment = if self.reader.peek() == '#' { self.comment_text() } else { "" };
        if !ends_line(self.reader.peek()) {
            return self.reader.error(
                Problem::BlockHeader,
                "the text of a block scalar starts on the next line",
                start,
            );
        }
        self.line_break();
        Ok((!comment.is_empty()).then(|| format!("{spaces}{comment}")))
    }

    /// The blank lines before the text, the depth of the deepest of their spaces and of the text's, and their end.
    fn block_indent(&mut self) -> Result<(String, usize, Mark)> {
        let (mut breaks, mut first, mut deepest) = (String::new(), 0, 0);
        let mut end = self.reader.mark();
        let mut seen = false;
        loop {
            if self.reader.peek() == ' ' {
                self.reader.advance();
                deepest = deepest.max(self.reader.column());
                continue;
            }
            let column = self.reader.column();
            let Some(ch) = self.line_break() else { break };
            if !seen {
                (seen, first) = (true, column);
            }
            breaks.push(ch);
            end = self.reader.mark();
        }
        if first > 0 && deepest > first {
            let message = "the first line of a block scalar is blank and indented less than the rest";
            return self.reader.error(Problem::Other, message, self.reader.mark());
        }
        Ok((breaks, deepest, end))
    }

    /// The blank lines between lines of the text, and their end.
    fn block_breaks(&mut self, indent: usize) -> (String, Mark) {
        let mut breaks = String::new();
        let mut end = self.reader.mark();
        loop {
            while self.reader.column() < indent && self.reader.peek() == ' ' {
                self.reader.advance();
            }
            let Some(ch) = self.line_break() else { return (breaks, end) };
            breaks.push(ch);
            end = self.reader.mark();
        }
    }
}
