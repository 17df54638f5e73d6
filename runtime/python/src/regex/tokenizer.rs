//! Characters and escapes of a pattern, one ahead, as CPython's `Tokenizer` gives them.

use super::error::CompileError;

/// A character, or a backslash and a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A character.
    Char(char),
    /// A backslash and this character.
    Escape(char),
}

impl Token {
    /// Its length in code points.
    pub(super) fn len(self) -> usize {
        match self {
            Self::Char(_) => 1,
            Self::Escape(_) => 2,
        }
    }

    /// The character, if it is one.
    pub(super) fn char(self) -> Option<char> {
        match self {
            Self::Char(c) => Some(c),
            Self::Escape(_) => None,
        }
    }

    /// Its text.
    pub(super) fn push_to(self, text: &mut String) {
        if let Self::Escape(_) = self {
            text.push('\\');
        }
        let (Self::Char(c) | Self::Escape(c)) = self;
        text.push(c);
    }

    /// Its text, alone.
    pub(super) fn text(self) -> String {
        let mut text = String::new();
        self.push_to(&mut text);
        text
    }
}

/// The reader of tokens. It reads one ahead, so a lone backslash at the end is reported when its predecessor is taken,
/// as CPython does.
pub(super) struct Tokenizer {
    chars: Vec<char>,
    index: usize,
    /// The token ahead; `None` at the end.
    pub(super) next: Option<Token>,
}

impl Tokenizer {
    /// Starts at the first token.
    pub(super) fn new(text: &str) -> Result<Self, CompileError> {
        let mut tokenizer = Self { chars: text.chars().collect(), index: 0, next: None };
        tokenizer.advance()?;
        Ok(tokenizer)
    }

    fn advance(&mut self) -> Result<(), CompileError> {
        self.next = match self.chars.get(self.index) {
            None => None,
            Some('\\') => match self.chars.get(self.index + 1) {
                Some(c) => {
                    self.index += 2;
                    Some(Token::Escape(*c))
                }
                None => {
                    return Err(CompileError::Syntax {
                        message: "bad escape (end of pattern)".to_owned(),
                        position: Some(self.chars.len() - 1),
                    });
                }
            },
            Some(c) => {
                self.index += 1;
                Some(Token::Char(*c))
            }
        };
        Ok(())
    }

    /// Takes the next token.
    pub(super) fn get(&mut self) -> Result<Option<Token>, CompileError> {
        let token = self.next;
        self.advance()?;
        Ok(token)
    }

    /// Takes the next token if it is this character.
    pub(super) fn take(&mut self, c: char) -> Result<bool, CompileError> {
        let found = self.next == Some(Token::Char(c));
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// The next token's character, if it is one that `accept` takes.
    pub(super) fn peek(&self, accept: fn(&char) -> bool) -> Option<char> {
        self.next.and_then(Token::char).filter(accept)
    }

    /// Takes up to `most` characters that `accept` takes.
    pub(super) fn get_while(
        &mut self,
        most: usize,
        accept: fn(&char) -> bool,
        text: &mut String,
    ) -> Result<(), CompileError> {
        for _ in 0..most {
            let Some(c) = self.peek(accept) else { break };
            text.push(c);
            self.advance()?;
        }
        Ok(())
    }

    /// Takes a name up to a terminator, which is taken too.
    pub(super) fn get_until(&mut self, terminator: char, what: &str) -> Result<String, CompileError> {
        let mut name = String::new();
        loop {
            match self.get()? {
                None if name.is_empty() => return Err(self.error(format!("missing {what}"), 0)),
                None => {
                    return Err(self.error(format!("missing {terminator}, unterminated name"), name.chars().count()));
                }
                Some(Token::Char(c)) if c == terminator => {
                    if name.is_empty() {
                        return Err(self.error(format!("missing {what}"), 1));
                    }
                    return Ok(name);
                }
                Some(token) => token.push_to(&mut name),
            }
        }
    }

    /// The position of the token ahead, in code points.
    pub(super) fn tell(&self) -> usize {
        self.index - self.next.map_or(0, Token::len)
    }

    /// Goes back to a position that [`Tokenizer::tell`] gave.
    pub(super) fn seek(&mut self, position: usize) -> Result<(), CompileError> {
        self.index = position;
        self.advance()
    }

    /// An error `offset` code points before the token ahead.
    pub(super) fn error(&self, message: impl Into<String>, offset: usize) -> CompileError {
        CompileError::Syntax { message: message.into(), position: Some(self.tell().saturating_sub(offset)) }
    }

    /// An error at a position.
    pub(super) fn error_at(&self, message: impl Into<String>, position: usize) -> CompileError {
        CompileError::Syntax { message: message.into(), position: Some(position) }
    }
}
