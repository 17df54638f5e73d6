//! The characters of a text, one after another, with line and column (ruamel.yaml's `Reader`).

use super::fault::{Fault, Problem, Result};
use crate::characters::{END, ends_line, is_allowed};

/// A place in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The offset in bytes.
    pub offset: usize,
    /// The number of the line. Only `\n`, `\r\n` and `\r` end one: the other line breaks of YAML do not count here.
    pub line: usize,
    /// The number of the character in its line.
    pub column: usize,
}

/// A text being read. `\r\n` and `\r` count as `\n`: TPV opens files in text mode.
pub(super) struct Reader<'t> {
    text: &'t str,
    at: Mark,
}

impl<'t> Reader<'t> {
    /// Starts reading.
    ///
    /// # Errors
    /// Characters that YAML does not allow unescaped.
    pub(super) fn new(text: &'t str) -> Result<Self> {
        let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r'));
        match text.char_indices().find(|&(_, ch)| !is_plain && !is_allowed(ch)) {
            None => Ok(Self { text, at: Mark::default() }),
            Some((offset, ch)) => {
                let message = format!("the character U+{:04X} is not allowed in YAML", u32::from(ch));
                Err(Fault::new(Problem::Character(ch), message, Mark { offset, ..Mark::default() }))
            }
        }
    }

    /// The present place.
    pub(super) fn mark(&self) -> Mark {
        self.at
    }

    /// The column of the next character.
    pub(super) fn column(&self) -> usize {
        self.at.column
    }

    /// The text that is left.
    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at.offset..).unwrap_or("")
    }

    /// The text from a place up to the present one.
    pub(super) fn since(&self, start: Mark) -> &'t str {
        self.text.get(start.offset..self.at.offset).unwrap_or("")
    }

    /// The character `ahead` places after the next one, which may not be a line break if `ahead` is not 0.
    pub(super) fn peek_at(&self, ahead: usize) -> char {
        let bytes = self.text.as_bytes().get(self.at.offset..).unwrap_or_default();
        match bytes.get(ahead) {
            Some(b'\r') => '\n',
            Some(byte) if bytes.iter().take(ahead + 1).all(u8::is_ascii) => char::from(*byte),
            _ => match self.rest().chars().nth(ahead) {
                Some('\r') => '\n',
                ch => ch.unwrap_or(END),
            },
        }
    }

    /// The next character.
    pub(super) fn peek(&self) -> char {
        match self.text.as_bytes().get(self.at.offset) {
            None => END,
            Some(b'\r') => '\n',
            Some(byte) if byte.is_ascii() => char::from(*byte),
            Some(_) => self.rest().chars().next().unwrap_or(END),
        }
    }

    /// Returns `true` if the text continues with these characters.
    pub(super) fn starts_with(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    /// Goes past the next character, which is returned.
    pub(super) fn advance(&mut self) -> char {
        let ch = self.peek();
        match ch {
            END => {}
            '\n' => {
                self.at.offset += if self.starts_with("\r\n") { 2 } else { 1 };
                self.at.line += 1;
                self.at.column = 0;
            }
            _ => {
                self.at.offset += ch.len_utf8();
                self.at.column += usize::from(ch != '\u{feff}');
            }
        }
        ch
    }

    /// The characters before the next space or line break.
    pub(super) fn word(&self) -> impl Iterator<Item = char> {
        self.rest().chars().take_while(|&ch| ch != ' ' && !ends_line(ch) && ch != '\r')
    }

    /// Takes the next `count` characters, or those that are left.
    pub(super) fn take(&mut self, count: usize) -> &'t str {
        let start = self.at;
        for _ in 0..count {
            self.advance();
        }
        self.since(start)
    }

    /// Takes characters of one line as long as they satisfy `is`.
    pub(super) fn take_while(&mut self, is: impl Fn(char) -> bool) -> &'t str {
        let start = self.at;
        for ch in self.rest().chars() {
            if matches!(ch, '\n' | '\r') || !is(ch) {
                break;
            }
            self.at.offset += ch.len_utf8();
            self.at.column += usize::from(ch != '\u{feff}');
        }
        self.since(start)
    }

    /// An error at a place.
    pub(super) fn error<T>(&self, problem: Problem, message: impl Into<String>, mark: Mark) -> Result<T> {
        Err(Fault::new(problem, message, mark))
    }
}
