//! Comments and blank lines between tokens, and the tokens they are attached to.

use super::Scanner;
use crate::characters::{END, ends_line};
use crate::read::comment::{Before, CommentId};
use crate::read::fault::{Fault, Problem, Result};
use crate::read::reader::Mark;
use crate::read::token::{Kind, Token};

/// A comment or blank lines, and where it starts.
pub(super) struct Found {
    pub(super) text: String,
    pub(super) start: Mark,
}

impl<'t> Scanner<'t> {
    /// Returns `true` if the next token is one of `kinds`.
    pub(in crate::read) fn check(&mut self, kinds: &[Kind]) -> Result<bool> {
        Ok(kinds.contains(&self.peek()?.kind))
    }

    /// The next token.
    pub(in crate::read) fn peek(&mut self) -> Result<&mut Token<'t>> {
        if !self.ready {
            while self.needs_more()? {
                self.fetch()?;
            }
            self.gather()?;
            self.ready = true;
        }
        self.tokens.front_mut().ok_or_else(nothing_left)
    }

    /// Takes the next token, with the comments after it.
    pub(in crate::read) fn take(&mut self) -> Result<Token<'t>> {
        self.peek()?;
        let Some(first) = self.tokens.front() else { return Err(nothing_left()) };
        let (kind, end) = (first.kind, first.end);
        if let Some(next) = self.tokens.get(1).filter(|next| next.kind == Kind::Comment) {
            let one_line = matches!(kind, Kind::Scalar | Kind::Value | Kind::FlowSequenceEnd | Kind::FlowMappingEnd);
            let (comment, line, column) = (next.comment, next.start.line, next.start.column);
            if one_line && line == end.line {
                self.absorb(comment)?;
            } else if kind == Kind::Scalar {
                let lead = "\n".repeat(line.saturating_sub(end.line)) + &" ".repeat(column);
                if let Some(comment) = self.comments.get_mut(comment) {
                    comment.value.insert_str(0, &lead);
                }
                self.absorb(comment)?;
            }
        }
        self.ready = false;
        self.taken += 1;
        self.tokens.pop_front().ok_or_else(nothing_left)
    }

    /// Attaches the comment behind the next token, and all that follow it, to that token.
    fn absorb(&mut self, comment: CommentId) -> Result<()> {
        loop {
            self.taken += 1;
            self.tokens.remove(1);
            self.fetch()?;
            let Some(next) = self.tokens.get(1).filter(|next| next.kind == Kind::Comment) else { break };
            let (column, next) = (next.start.column, next.comment);
            let Some(next) = self.comments.get_mut(next) else { break };
            next.kept = true;
            let more = " ".repeat(column) + &next.value;
            if let Some(comment) = self.comments.get_mut(comment) {
                comment.value += &more;
            }
        }
        if let Some(first) = self.tokens.front_mut() {
            first.add_after(comment);
        }
        Ok(())
    }

    /// Attaches comments at the head of the queue to the token after them.
    fn gather(&mut self) -> Result<()> {
        let mut found = Vec::new();
        if self.tokens.is_empty() {
            return Ok(());
        }
        self.pop_comment(&mut found);
        while self.needs_more()? {
            self.fetch()?;
            self.pop_comment(&mut found);
        }
        if !found.is_empty() {
            let Some(first) = self.tokens.front_mut() else { return Ok(()) };
            let slots = first.slots.get_or_insert_default();
            if slots.before.is_some() || slots.is_moved() {
                return Err(lost(first.start));
            }
            slots.before = Some(found);
        }
        // The comment after a `:` and such must be in sight when that is taken.
        if !self.done && self.tokens.len() < 2 {
            self.fetch()?;
        }
        Ok(())
    }

    fn pop_comment(&mut self, found: &mut Vec<Before>) {
        if self.tokens.front().is_some_and(|token| token.kind == Kind::Comment) {
            self.taken += 1;
            found.extend(self.tokens.pop_front().map(|token| Before::Comment(token.comment)));
        }
    }

    /// Adds the token of a comment.
    pub(super) fn push_comment(&mut self, found: Found) {
        let Found { text, start } = found;
        // The indent of the next token is no part of blank lines.
        let value = text.trim_end_matches(' ').to_owned();
        let mut token = Token::new(Kind::Comment, start, self.reader.mark());
        token.comment = self.comments.add(value, start);
        self.tokens.push_back(token);
    }

    /// Goes to the next token or past the next comment or run of blank lines, which is returned.
    pub(super) fn skip_blanks(&mut self) -> Option<Found> {
        if self.reader.mark().offset == 0 && self.reader.peek() == '\u{feff}' {
            self.reader.advance();
        }
        loop {
            let in_flow = self.in_flow();
            self.reader.take_while(|ch| ch == ' ' || in_flow && ch == '\t');
            if self.reader.peek() == '#' {
                return Some(self.comment());
            }
            self.line_break()?;
            if !self.in_flow() {
                self.allow_simple_key = true;
            }
            if self.reader.peek() == '\n' {
                return Some(self.blank_lines());
            }
        }
    }

    fn comment(&mut self) -> Found {
        let start = self.reader.mark();
        let mut text = self.comment_text().to_owned();
        text.push(if self.reader.peek() == END { '\n' } else { self.reader.advance() });
        while let Some(ch) = self.line_break() {
            text.push(ch);
        }
        if !self.in_flow() {
            self.allow_simple_key = true;
        }
        Found { text, start }
    }

    /// Takes a comment up to the end of its line.
    pub(super) fn comment_text(&mut self) -> &'t str {
        let start = self.reader.mark();
        let text = self.reader.take_while(|ch| !ends_line(ch));
        self.comments.places.push(start.offset..self.reader.mark().offset);
        text
    }

    /// Blank lines and the indent of the line after them.
    fn blank_lines(&mut self) -> Found {
        let start = self.reader.mark();
        let mut text = String::new();
        loop {
            let ch = self.reader.peek();
            if matches!(ch, ' ' | '\t') {
                text.push(ch);
                self.reader.advance();
            } else if let Some(ch) = self.line_break() {
                text.push(ch);
            } else {
                break;
            }
        }
        if self.reader.peek() == '#' {
            // The indent belongs to the comment that follows.
            text.truncate(text.rfind('\n').map_or(0, |last| last + 1));
        }
        Found { text, start }
    }

    /// Takes a line break: `\n` stands for all but the two Unicode ones.
    pub(super) fn line_break(&mut self) -> Option<char> {
        let found = match self.reader.peek() {
            '\n' | '\r' | '\u{85}' => '\n',
            ch @ ('\u{2028}' | '\u{2029}') => ch,
            _ => return None,
        };
        self.reader.advance();
        Some(found)
    }
}

fn nothing_left() -> Fault {
    Fault::new(Problem::Other, "the text ends too early", Mark::default())
}

/// Comments from two sides meet where ruamel.yaml has room for one.
pub(crate) fn lost(at: Mark) -> Fault {
    Fault::new(Problem::Comments, "the comments before this have no place to be kept", at)
}
