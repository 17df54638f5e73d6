//! The characters of a text, one after another, with line and column (ruamel.yaml's `Reader`).

use super::error::{Result, RoundTripError};
use crate::yaml::characters::{END, is_allowed};

/// A place in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// The number of the character.
    pub index: usize,
    /// The number of the line. Only `\n` ends one: the other line breaks of YAML do not count here.
    pub line: usize,
    /// The number of the character in its line.
    pub column: usize,
}

/// A text being read.
pub(super) struct Reader {
    chars: Vec<char>,
    /// The start of each character in the text, in bytes.
    offsets: Vec<usize>,
    at: Mark,
}

impl Reader {
    /// Starts reading. `\r\n` and `\r` count as `\n`: TPV opens the file in text mode.
    ///
    /// # Errors
    /// Characters that YAML does not allow unescaped.
    pub(super) fn new(text: &str) -> Result<Self> {
        let mut chars = Vec::with_capacity(text.len());
        let mut offsets = Vec::with_capacity(text.len() + 1);
        let mut before = ' ';
        for (offset, ch) in text.char_indices() {
            if !is_allowed(ch) {
                return Err(RoundTripError::new(format!(
                    "the character U+{:04X} is not allowed in YAML",
                    u32::from(ch)
                ))
                .at(offset)
                .help("write it as an escape in a double-quoted string, or remove it"));
            }
            if !(ch == '\n' && before == '\r') {
                chars.push(if ch == '\r' { '\n' } else { ch });
                offsets.push(offset);
            }
            before = ch;
        }
        offsets.push(text.len());
        Ok(Self { chars, offsets, at: Mark::default() })
    }

    /// The present place.
    pub(super) fn mark(&self) -> Mark {
        self.at
    }

    /// The column of the next character.
    pub(super) fn column(&self) -> usize {
        self.at.column
    }

    /// The character `ahead` places after the next one.
    pub(super) fn peek_at(&self, ahead: usize) -> char {
        self.chars.get(self.at.index + ahead).copied().unwrap_or(END)
    }

    /// The next character.
    pub(super) fn peek(&self) -> char {
        self.peek_at(0)
    }

    /// Returns `true` if the text continues with these characters.
    pub(super) fn starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, ch)| self.peek_at(ahead) == ch)
    }

    /// Goes past the next character.
    pub(super) fn advance(&mut self) {
        let Some(&ch) = self.chars.get(self.at.index) else { return };
        self.at.index += 1;
        if ch == '\n' {
            self.at.line += 1;
            self.at.column = 0;
        } else if ch != '\u{feff}' {
            self.at.column += 1;
        }
    }

    /// Takes the next `count` characters.
    pub(super) fn take(&mut self, count: usize) -> String {
        let mut taken = String::with_capacity(count);
        for _ in 0..count {
            if self.peek() == END {
                break;
            }
            taken.push(self.peek());
            self.advance();
        }
        taken
    }

    /// Takes characters as long as they satisfy `is`.
    pub(super) fn take_while(&mut self, is: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while self.peek() != END && is(self.peek()) {
            taken.push(self.peek());
            self.advance();
        }
        taken
    }

    /// The position of a place in the text, in bytes.
    pub(super) fn offset(&self, mark: Mark) -> usize {
        self.offsets.get(mark.index).or(self.offsets.last()).copied().unwrap_or(0)
    }

    /// An error at a place.
    pub(super) fn error<T>(&self, message: impl Into<String>, mark: Mark) -> Result<T> {
        Err(RoundTripError::new(message).at(self.offset(mark)))
    }
}
