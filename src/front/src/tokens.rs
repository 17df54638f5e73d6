//! The tokens of a text, as CPython's tokenizer cuts it, with its complaints.
//!
//! The parser has a tokenizer of its own. This one serves the messages: it finds what CPython's finds wrong, and gives the
//! tokens around a syntax error, from which [`super::diagnose`] guesses as CPython does.

mod number;
mod string;

use super::error::ErrorKind;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or keyword.
    Name,
    /// A number.
    Number,
    /// A string with its quotes and prefix.
    String,
    /// An operator or bracket.
    Operator,
    /// A character that starts no token.
    Stray,
    /// The end of a logical line.
    Newline,
    /// The end of the text.
    End,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The kind.
    pub kind: TokenKind,
    /// Byte offset of its start.
    pub start: usize,
    /// Byte offset of its end.
    pub end: usize,
    /// The number of brackets open before it.
    pub level: usize,
}

impl Token {
    /// Its text.
    pub fn text<'a>(&self, source: &'a str) -> &'a str {
        source.get(self.start..self.end).unwrap_or("")
    }
}

/// An error of the tokenizer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenError {
    /// The exception.
    pub kind: ErrorKind,
    /// CPython's message.
    pub message: String,
    /// Byte offset.
    pub at: usize,
}

/// The tokens of a text, and what ended them early.
pub struct Tokens {
    /// The tokens; the last is [`TokenKind::End`] where there was no error.
    pub tokens: Vec<Token>,
    /// The first error.
    pub error: Option<TokenError>,
    /// The brackets that are open at the end: offset and character.
    pub open: Vec<(usize, char)>,
}

/// Cuts a text into tokens.
pub fn tokenize(source: &str) -> Tokens {
    let mut tokenizer = Tokenizer { source, at: 0, tokens: Vec::new(), open: Vec::new(), indents: vec![(0, 0)] };
    let error = tokenizer.run().err();
    Tokens { tokens: tokenizer.tokens, error, open: tokenizer.open }
}

struct Tokenizer<'a> {
    source: &'a str,
    at: usize,
    tokens: Vec<Token>,
    open: Vec<(usize, char)>,
    /// Columns of the open indentations, with tabs as eight columns and as one.
    indents: Vec<(usize, usize)>,
}

type Done = Result<(), TokenError>;

impl<'a> Tokenizer<'a> {
    fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip(&mut self, while_true: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !while_true(c)).unwrap_or(rest.len());
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        let level = self.open.len();
        self.tokens.push(Token { kind, start, end: self.at, level });
    }

    fn error<T>(&self, at: usize, message: impl Into<String>) -> Result<T, TokenError> {
        Err(TokenError { kind: ErrorKind::SyntaxError, message: message.into(), at })
    }

    fn run(&mut self) -> Done {
        self.indentation()?;
        while let Some(c) = self.peek() {
            let start = self.at;
            match c {
                ' ' | '\t' | '\x0c' => self.at += 1,
                '#' => self.skip(|c| c != '\n'),
                '\n' => {
                    self.at += 1;
                    if self.open.is_empty() {
                        if self.tokens.last().is_some_and(|last| last.kind != TokenKind::Newline) {
                            self.push(TokenKind::Newline, start);
                        }
                        self.indentation()?;
                    }
                }
                '\\' => self.continuation()?,
                '"' | '\'' => self.string(start)?,
                '0'..='9' => self.number()?,
                '.' if self.rest().chars().nth(1).is_some_and(|c| c.is_ascii_digit()) => self.number()?,
                c if c == '_' || c.is_ascii_alphabetic() || !c.is_ascii() => self.name()?,
                _ => self.operator(c)?,
            }
        }
        let start = self.at;
        if self.open.is_empty() && self.tokens.last().is_some_and(|last| last.kind != TokenKind::Newline) {
            self.push(TokenKind::Newline, start);
        }
        self.push(TokenKind::End, start);
        Ok(())
    }

    /// The white space at the start of a logical line.
    fn indentation(&mut self) -> Done {
        loop {
            let (mut column, mut alternative) = (0, 0);
            while let Some(c) = self.peek() {
                match c {
                    ' ' => (column, alternative) = (column + 1, alternative + 1),
                    '\t' => (column, alternative) = ((column / 8 + 1) * 8, alternative + 1),
                    '\x0c' => (column, alternative) = (0, 0),
                    _ => break,
                }
                self.at += 1;
            }
            match self.peek() {
                Some('#') => {
                    self.skip(|c| c != '\n');
                    self.at += usize::from(self.peek().is_some());
                    continue;
                }
                Some('\n') => {
                    self.at += 1;
                    continue;
                }
                None | Some('\\') => return Ok(()),
                Some(_) => return self.indent(column, alternative),
            }
        }
    }

    fn indent(&mut self, column: usize, alternative: usize) -> Done {
        let tabs = |at: usize| TokenError {
            kind: ErrorKind::TabError,
            message: "inconsistent use of tabs and spaces in indentation".to_owned(),
            at,
        };
        let top = self.indents.last().copied().unwrap_or_default();
        if column > top.0 {
            if alternative <= top.1 {
                return Err(tabs(self.at));
            }
            self.indents.push((column, alternative));
            return Ok(());
        }
        while self.indents.len() > 1 && self.indents.last().is_some_and(|indent| column < indent.0) {
            self.indents.pop();
        }
        let top = self.indents.last().copied().unwrap_or_default();
        if column != top.0 {
            return Err(TokenError {
                kind: ErrorKind::IndentationError,
                message: "unindent does not match any outer indentation level".to_owned(),
                at: self.at,
            });
        }
        if alternative == top.1 { Ok(()) } else { Err(tabs(self.at)) }
    }

    fn continuation(&mut self) -> Done {
        let start = self.at;
        self.at += 1;
        match self.peek() {
            Some('\n') => {
                self.at += 1;
                if self.peek().is_none() {
                    return self.error(start, "unexpected EOF while parsing");
                }
                Ok(())
            }
            None => self.error(start, "unexpected EOF while parsing"),
            Some(_) => self.error(start, "unexpected character after line continuation character"),
        }
    }

    fn name(&mut self) -> Done {
        let start = self.at;
        self.skip(|c| c == '_' || c.is_ascii_alphanumeric() || !c.is_ascii());
        let text = self.source.get(start..self.at).unwrap_or("");
        for (offset, c) in text.char_indices() {
            if c.is_ascii() || c.is_alphanumeric() || (offset > 0 && is_mark(c)) {
                continue;
            }
            let message = if c.is_control() || c.is_whitespace() {
                format!("invalid non-printable character U+{:04X}", u32::from(c))
            } else {
                format!("invalid character '{c}' (U+{:04X})", u32::from(c))
            };
            return self.error(start + offset, message);
        }
        if matches!(self.peek(), Some('"' | '\''))
            && matches!(text.to_ascii_lowercase().as_str(), "r" | "u" | "b" | "f" | "br" | "rb" | "fr" | "rf")
        {
            return self.string(start);
        }
        self.push(TokenKind::Name, start);
        Ok(())
    }

    fn operator(&mut self, c: char) -> Done {
        let start = self.at;
        let rest = self.rest();
        const LONG: [&str; 23] = [
            "**=", "//=", ">>=", "<<=", "...", "!=", "==", "<=", ">=", "<>", "->", "+=", "-=", "*=", "/=", "%=", "&=",
            "|=", "^=", "@=", ":=", "**", "//",
        ];
        let length = LONG.iter().find(|op| rest.starts_with(**op)).map_or_else(
            || if rest.starts_with("<<") || rest.starts_with(">>") { 2 } else { c.len_utf8() },
            |op| op.len(),
        );
        match c {
            '(' | '[' | '{' => {
                self.at += 1;
                self.push(TokenKind::Operator, start);
                self.open.push((start, c));
                return Ok(());
            }
            ')' | ']' | '}' => {
                let Some((at, opening)) = self.open.pop() else {
                    return self.error(start, format!("unmatched '{c}'"));
                };
                if !matches!((opening, c), ('(', ')') | ('[', ']') | ('{', '}')) {
                    let line = |offset: usize| {
                        self.source.get(..offset).unwrap_or("").bytes().filter(|byte| *byte == b'\n').count() + 1
                    };
                    let mut message =
                        format!("closing parenthesis '{c}' does not match opening parenthesis '{opening}'");
                    if line(at) != line(start) {
                        message.push_str(&format!(" on line {}", line(at)));
                    }
                    return self.error(start, message);
                }
            }
            _ => {}
        }
        self.at += length;
        let stray = length == 1 && matches!(c, '$' | '?' | '!' | '`') || c.is_control();
        self.push(if stray { TokenKind::Stray } else { TokenKind::Operator }, start);
        Ok(())
    }
}

/// Returns `true` if the character can continue a name though it is not a letter: combining marks and connectors.
fn is_mark(c: char) -> bool {
    matches!(u32::from(c), 0x300..=0x36F | 0x200C | 0x200D | 0xB7 | 0x203F | 0x2040 | 0x483..=0x487 | 0x591..=0x5BD
        | 0x610..=0x61A | 0x64B..=0x65F | 0x900..=0x903 | 0x93A..=0x94F | 0x20D0..=0x20FF | 0xFE00..=0xFE0F
        | 0xE0100..=0xE01EF)
}
