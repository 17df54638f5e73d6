//! Plain and quoted scalars.

use super::Scanner;
use crate::yaml::characters::{END, ends_word, is_break};
use crate::yaml::roundtrip::error::Result;
use crate::yaml::roundtrip::reader::Mark;
use crate::yaml::roundtrip::token::{Kind, Token};
use crate::yaml::style::ScalarStyle;

/// The text that replaces line breaks inside a scalar.
fn fold(first: char, breaks: &str) -> String {
    match (first, breaks) {
        ('\n', "") => " ".to_owned(),
        ('\n', breaks) => breaks.to_owned(),
        (first, breaks) => format!("{first}{breaks}"),
    }
}

impl Scanner {
    pub(super) fn fetch_quoted(&mut self, double: bool) -> Result<()> {
        self.save_simple_key()?;
        self.allow_simple_key = false;
        let start = self.reader.mark();
        let quote = self.reader.peek();
        self.reader.advance();
        let mut text = String::new();
        self.quoted_words(double, start, &mut text)?;
        while self.reader.peek() != quote {
            self.quoted_blanks(start, &mut text)?;
            self.quoted_words(double, start, &mut text)?;
        }
        self.reader.advance();
        let mut token = Token::new(Kind::Scalar, start, self.reader.mark()).with_text(text);
        token.style = if double { ScalarStyle::DoubleQuoted } else { ScalarStyle::SingleQuoted };
        self.tokens.push_back(token);
        Ok(())
    }

    fn quoted_words(&mut self, double: bool, start: Mark, text: &mut String) -> Result<()> {
        loop {
            *text += &self.reader.take_while(|ch| !ends_word(ch) && !matches!(ch, '\'' | '"' | '\\'));
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
            _ => return self.reader.error(format!("`\\{ch}` is no escape of a double-quoted string"), here),
        };
        text.push(simple);
        self.reader.advance();
        Ok(())
    }

    fn code(&mut self, digits: usize, here: Mark, text: &mut String) -> Result<()> {
        self.reader.advance();
        let code = self.reader.take(digits);
        let all_hex = code.len() == digits && code.bytes().all(|byte| byte.is_ascii_hexdigit());
        let value = u32::from_str_radix(&code, 16).ok().filter(|_| all_hex);
        // DIFFERENCE: Python strings may hold halves of surrogate pairs; here they are an error.
        match value.and_then(char::from_u32) {
            Some(ch) => text.push(ch),
            None => return self.reader.error("this escape is no character", here),
        }
        Ok(())
    }

    fn quoted_blanks(&mut self, start: Mark, text: &mut String) -> Result<()> {
        let spaces = self.reader.take_while(|ch| matches!(ch, ' ' | '\t'));
        if self.reader.peek() == END {
            return self.reader.error("this quoted string does not end", start);
        }
        match self.line_break() {
            Some(first) => {
                let breaks = self.quoted_breaks(start)?;
                *text += &fold(first, &breaks);
            }
            None => *text += &spaces,
        }
        Ok(())
    }

    fn quoted_breaks(&mut self, start: Mark) -> Result<String> {
        let mut breaks = String::new();
        loop {
            if self.at_any_separator() {
                return self.reader.error("the document ends inside this quoted string", start);
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
        let mut text = String::new();
        let mut blanks = String::new();
        while self.reader.peek() != '#' {
            let length = self.plain_length();
            if length == 0 {
                break;
            }
            self.allow_simple_key = false;
            text += &blanks;
            text += &self.reader.take(length);
            end = self.reader.mark();
            blanks = self.plain_blanks();
            if blanks.is_empty() || self.reader.peek() == '#' || (!self.in_flow() && self.column() < indent) {
                break;
            }
        }
        let mut token = Token::new(Kind::Scalar, start, end).with_text(text);
        if blanks.starts_with('\n') {
            token.add_after(self.comments.add(blanks + "\n", start));
        }
        self.tokens.push_back(token);
        Ok(())
    }

    /// The number of characters in the next word of a plain scalar.
    fn plain_length(&self) -> usize {
        let mut length = 0;
        loop {
            let ch = self.reader.peek_at(length);
            let ends = match ch {
                ':' => ends_word(self.reader.peek_at(length + 1)),
                ',' | '[' | ']' | '{' | '}' => self.in_flow(),
                _ => ends_word(ch),
            };
            if ends {
                return length;
            }
            length += 1;
        }
    }

    /// Blanks inside or after a plain scalar; nothing where the document ends after them.
    fn plain_blanks(&mut self) -> String {
        let spaces = self.reader.take_while(|ch| ch == ' ');
        let Some(first) = self.line_break() else { return spaces };
        self.allow_simple_key = true;
        if self.at_any_separator() {
            return String::new();
        }
        let mut breaks = String::new();
        loop {
            if self.reader.peek() == ' ' {
                self.reader.advance();
            } else if let Some(ch) = self.line_break() {
                breaks.push(ch);
                if self.at_any_separator() {
                    return String::new();
                }
            } else {
                return fold(first, &breaks);
            }
        }
    }
}
