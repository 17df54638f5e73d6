//! Plain and quoted scalars.

use std::borrow::Cow;

use super::Scanner;
use crate::characters::{END, ends_line, ends_word, is_break};
use crate::read::fault::{Problem, Result};
use crate::read::reader::Mark;
use crate::read::token::{Kind, Token};
use crate::style::ScalarStyle;

/// The text that replaces line breaks inside a scalar.
fn fold(first: char, mut breaks: String) -> String {
    match (first, breaks.is_empty()) {
        ('\n', true) => breaks.push(' '),
        ('\n', false) => {}
        (first, _) => breaks.insert(0, first),
    }
    breaks
}

impl<'t> Scanner<'t> {
    pub(super) fn fetch_quoted(&mut self, double: bool) -> Result<()> {
        self.save_simple_key()?;
        self.allow_simple_key = false;
        let start = self.reader.mark();
        let quote = self.reader.advance();
        // Most are on one line and have no escapes: their text is that of the file.
        let first = self.reader.take_while(|ch| ch != quote && ch != '\\' && !ends_line(ch));
        let is_whole = self.reader.peek() == quote && (double || self.reader.peek_at(1) != quote);
        let at_break = ends_line(self.reader.peek());
        let mut text = Cow::Borrowed(if at_break { first.trim_end_matches([' ', '\t']) } else { first });
        if !is_whole {
            let text = text.to_mut();
            self.quoted_words(double, start, text)?;
            while self.reader.peek() != quote {
                self.quoted_blanks(start, text)?;
                self.quoted_words(double, start, text)?;
            }
        }
        self.reader.advance();
        let mut token = Token::new(Kind::Scalar, start, self.reader.mark()).with_text(text);
        token.style = if double { ScalarStyle::DoubleQuoted } else { ScalarStyle::SingleQuoted };
        self.tokens.push_back(token);
        self.end_of_quoted()
    }

    /// Refuses text behind a quoted scalar, which no token can make part of a value.
    fn end_of_quoted(&self) -> Result<()> {
        let mut at = self.reader.mark();
        let behind = self.reader.rest().trim_start_matches([' ', '\t']);
        let is_end = match behind.chars().next().unwrap_or(END) {
            ',' | ']' | '}' => self.in_flow(),
            ch => matches!(ch, ':' | '#' | '\r') || ends_line(ch),
        };
        let blanks = self.reader.rest().len() - behind.len();
        let has_tab = !self.in_flow() && self.reader.rest().get(..blanks).is_some_and(|blanks| blanks.contains('\t'));
        if is_end || has_tab {
            return Ok(());
        }
        at.offset += blanks;
        self.reader.error(Problem::BehindQuotes, "the value goes on behind its closing quotes", at)
    }

    fn quoted_words(&mut self, double: bool, start: Mark, text: &mut String) -> Result<()> {
        loop {
            *text += self.reader.take_while(|ch| !ends_word(ch) && !matches!(ch, '\'' | '"' | '\\'));
            match self.reader.peek() {
                '\'' if !double && self.reader.peek_at(1) == '\'' => {
                    text.push('\'');
                    self.reader.advance();
                }
                ch @ '\'' if double => text.push(ch),
                ch @ ('"' | '\\') if !double => text.push(ch),
                '\\' => {
                    self.escape(start, text)?;
                    continue;
                }
                _ => return Ok(()),
            }
            self.reader.advance();
        }
    }

    fn escape(&mut self, start: Mark, text: &mut String) -> Result<()> {
        let here = self.reader.mark();
        self.reader.advance();
        let ch = self.reader.peek();
        let simple = match ch {
            '0' => '\0',
            'a' => '\u{7}',
            'b' => '\u{8}',
            't' | '\t' => '\t',
            'n' => '\n',
            'v' => '\u{b}',
            'f' => '\u{c}',
            'r' => '\r',
            'e' => '\u{1b}',
            ' ' | '"' | '/' | '\\' => ch,
            'N' => '\u{85}',
            '_' => '\u{a0}',
            'L' => '\u{2028}',
            'P' => '\u{2029}',
            'x' => return self.code(2, here, text),
            'u' => return self.code(4, here, text),
            'U' => return self.code(8, here, text),
            _ if is_break(ch) => {
                self.line_break();
                *text += &self.quoted_breaks(start)?;
                return Ok(());
            }
            _ => {
                return self.reader.error(
                    Problem::Escape,
                    format!("`\\{ch}` isn't an escape of a double-quoted string"),
                    here,
                );
            }
        };
        text.push(simple);
        self.reader.advance();
        Ok(())
    }

    fn code(&mut self, digits: usize, here: Mark, text: &mut String) -> Result<()> {
        self.reader.advance();
        let code = self.reader.take(digits);
        let all_hex = code.len() == digits && code.bytes().all(|byte| byte.is_ascii_hexdigit());
        let value = u32::from_str_radix(code, 16).ok().filter(|_| all_hex);
        // DIFFERENCE: Python strings may hold halves of surrogate pairs; here they are an error.
        match value.and_then(char::from_u32) {
            Some(ch) => text.push(ch),
            None => return self.reader.error(Problem::Escape, "this escape isn't a character", here),
        }
        Ok(())
    }

    fn quoted_blanks(&mut self, start: Mark, text: &mut String) -> Result<()> {
        let spaces = self.reader.take_while(|ch| matches!(ch, ' ' | '\t'));
        if self.reader.peek() == END {
            return self.reader.error(Problem::OpenQuotes, "this quoted string does not end", start);
        }
        match self.line_break() {
            Some(first) => {
                let breaks = self.quoted_breaks(start)?;
                *text += &fold(first, breaks);
            }
            None => *text += spaces,
        }
        Ok(())
    }

    fn quoted_breaks(&mut self, start: Mark) -> Result<String> {
        let mut breaks = String::new();
        loop {
            if self.at_any_separator() {
                return self.reader.error(Problem::OpenQuotes, "the document ends inside this quoted string", start);
            }
            self.reader.take_while(|ch| matches!(ch, ' ' | '\t'));
            match self.line_break() {
                Some(ch) => breaks.push(ch),
                None => return Ok(breaks),
            }
        }
    }

    pub(super) fn fetch_plain(&mut self) -> Result<()> {
        self.save_simple_key()?;
        self.allow_simple_key = false;
        let start = self.reader.mark();
        let mut end = start;
        let indent = self.indent + 1;
        let mut text = Cow::Borrowed("");
        let mut blanks = Cow::Borrowed("");
        while self.reader.peek() != '#' {
            let word = self.plain_word();
            if word.is_empty() {
                break;
            }
            self.allow_simple_key = false;
            match (&mut text, &blanks) {
                // Without a line break so far, the text is that of the file.
                (Cow::Borrowed(text), Cow::Borrowed(_)) => *text = self.reader.since(start),
                (text, blanks) => {
                    let text = text.to_mut();
                    *text += blanks;
                    *text += word;
                }
            }
            end = self.reader.mark();
            blanks = self.plain_blanks();
            if blanks.is_empty() || self.reader.peek() == '#' || (!self.in_flow() && self.column() < indent) {
                break;
            }
        }
        let mut token = Token::new(Kind::Scalar, start, end).with_text(text);
        if blanks.starts_with('\n') {
            token.add_after(self.comments.add(blanks.into_owned() + "\n", start));
        }
        self.tokens.push_back(token);
        Ok(())
    }

    /// Takes the next word of a plain scalar.
    fn plain_word(&mut self) -> &'t str {
        let start = self.reader.mark();
        let in_flow = self.in_flow();
        loop {
            self.reader.take_while(|ch| match ch {
                ',' | '[' | ']' | '{' | '}' => !in_flow,
                _ => ch != ':' && !ends_word(ch),
            });
            if self.reader.peek() != ':' || ends_word(self.reader.peek_at(1)) {
                return self.reader.since(start);
            }
            self.reader.advance();
        }
    }

    /// Blanks inside or after a plain scalar. Empty if the document ends after them.
    fn plain_blanks(&mut self) -> Cow<'t, str> {
        let spaces = self.reader.take_while(|ch| ch == ' ');
        let Some(first) = self.line_break() else { return Cow::Borrowed(spaces) };
        self.allow_simple_key = true;
        if self.at_any_separator() {
            return Cow::Borrowed("");
        }
        let mut breaks = String::new();
        loop {
            if self.reader.peek() == ' ' {
                self.reader.advance();
            } else if let Some(ch) = self.line_break() {
                breaks.push(ch);
                if self.at_any_separator() {
                    return Cow::Borrowed("");
                }
            } else {
                return Cow::Owned(fold(first, breaks));
            }
        }
    }
}
