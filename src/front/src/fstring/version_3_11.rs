//! CPython 3.11's errors in f-strings: its own scanner for their fields, which accepts less than later versions.
//!
//! The syntax of later versions (PEP 701) is the subject of [`super::scanner`].

use crate::syntax::{Parse, ast};

use crate::diagnose;
use crate::error::PythonError;
use crate::parse::Text;
use crate::tokens::{Token, TokenKind, Tokens};

/// The maximum nesting of fields in format specs.
const MAX_NESTING: usize = 2;

/// The first thing that is wrong in the f-strings among the tokens. Where `deep`, the expressions in the fields are parsed,
/// else only their frame is looked at.
pub fn check(text: &Text, tokens: &Tokens, deep: bool) -> Option<PythonError> {
    let strings = tokens.tokens.iter().filter(|token| token.kind == TokenKind::String);
    strings.filter_map(|token| Scanner::new(text, token, deep)).find_map(|mut scanner| {
        let line = text.line(scanner.end);
        scanner.literal(0).err().map(|mut error| {
            if !scanner.within_expression {
                // CPython names the place of the token after the string.
                error.named_line = Some(line);
            }
            error
        })
    })
}

/// The prefix, quotes and content of a string token: offset of the content, its end, and the lower-case prefix.
pub fn content(source: &str, token: &Token) -> (usize, usize, String) {
    let all = token.text(source);
    let prefix = all.find(['"', '\'']).unwrap_or(0);
    let rest = all.get(prefix..).unwrap_or("");
    let quotes = if rest.len() >= 6 && (rest.starts_with("'''") || rest.starts_with("\"\"\"")) { 3 } else { 1 };
    let lower = all.get(..prefix).unwrap_or("").to_ascii_lowercase();
    (token.start + prefix + quotes, token.end - quotes, lower)
}

struct Scanner<'a> {
    text: &'a Text,
    at: usize,
    end: usize,
    raw: bool,
    deep: bool,
    /// `true` if the error is in the expression of a field and not in the frame.
    within_expression: bool,
}

type Scan = Result<(), PythonError>;

impl<'a> Scanner<'a> {
    fn new(text: &'a Text, token: &Token, deep: bool) -> Option<Self> {
        let (at, end, prefix) = content(&text.source, token);
        prefix.contains('f').then(|| Self { text, at, end, raw: prefix.contains('r'), deep, within_expression: false })
    }

    fn peek(&self) -> Option<char> {
        self.text.source.get(self.at..self.end)?.chars().next()
    }

    fn second(&self) -> Option<char> {
        self.text.source.get(self.at..self.end)?.chars().nth(1)
    }

    fn bump(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    fn refuse(&self, message: impl Into<String>) -> Scan {
        let offset = u32::try_from(self.at).unwrap_or(u32::MAX);
        Err(self.text.syntax(offset.into(), message))
    }

    /// The text between fields; in a format spec (`nesting` above 0) up to its end.
    fn literal(&mut self, nesting: usize) -> Scan {
        while let Some(c) = self.peek() {
            match c {
                '\\' if !self.raw => {
                    self.bump();
                    if self.peek() == Some('N') && self.second() == Some('{') {
                        while self.peek().is_some_and(|c| c != '}') {
                            self.bump();
                        }
                        self.bump();
                    } else if !matches!(self.peek(), Some('{' | '}')) {
                        self.bump();
                    }
                }
                '{' if nesting == 0 && self.second() == Some('{') => self.at += 2,
                '}' if nesting == 0 && self.second() == Some('}') => self.at += 2,
                '}' if nesting == 0 => return self.refuse("f-string: single '}' is not allowed"),
                '}' => return Ok(()),
                '{' => self.field(nesting)?,
                _ => self.bump(),
            }
        }
        Ok(())
    }

    fn field(&mut self, nesting: usize) -> Scan {
        if nesting >= MAX_NESTING {
            return self.refuse("f-string: expressions nested too deeply");
        }
        self.bump();
        let start = self.at;
        self.expression()?;
        let Some(after) = self.peek() else { return self.refuse("f-string: expecting '}'") };
        self.parse(start, after)?;
        if self.peek() == Some('=') {
            self.bump();
            while self.peek().is_some_and(|c| c.is_ascii_whitespace()) {
                self.bump();
            }
        }
        if self.peek() == Some('!') {
            self.bump();
            match self.peek() {
                None => return self.refuse("f-string: expecting '}'"),
                Some('s' | 'r' | 'a') => self.bump(),
                Some(_) => {
                    return self.refuse("f-string: invalid conversion character: expected 's', 'r', or 'a'");
                }
            }
        }
        if self.peek() == Some(':') {
            self.bump();
            self.literal(nesting + 1)?;
        }
        if self.peek() != Some('}') {
            return self.refuse("f-string: expecting '}'");
        }
        self.bump();
        Ok(())
    }

    /// Goes to the end of a field's expression.
    fn expression(&mut self) -> Scan {
        let mut quote: Option<(char, usize)> = None;
        let mut open = Vec::new();
        while let Some(c) = self.peek() {
            if c == '\\' {
                return self.refuse("f-string expression part cannot include a backslash");
            }
            let tripled = |this: &Self| {
                let rest = this.text.source.get(this.at..this.end).unwrap_or("");
                rest.chars().take(3).filter(|next| *next == c).count() == 3
                    && rest.chars().take_while(|next| *next == c).count() >= 3
            };
            if let Some((inside, length)) = quote {
                if c == inside && (length == 1 || tripled(self)) {
                    self.at += length;
                    quote = None;
                } else {
                    self.bump();
                }
                continue;
            }
            match c {
                '"' | '\'' => {
                    let length = if tripled(self) { 3 } else { 1 };
                    quote = Some((c, length));
                    self.at += length;
                    continue;
                }
                '(' | '[' | '{' => open.push(c),
                '#' => return self.refuse("f-string expression part cannot include '#'"),
                '!' | ':' | '}' | '=' | '<' | '>' if open.is_empty() => {
                    if self.second() == Some('=') && matches!(c, '!' | '=' | '<' | '>') {
                        self.bump();
                    } else if !matches!(c, '<' | '>') {
                        break;
                    }
                }
                ')' | ']' | '}' => match open.pop() {
                    None => return self.refuse(format!("f-string: unmatched '{c}'")),
                    Some('(') if c == ')' => {}
                    Some('[') if c == ']' => {}
                    Some('{') if c == '}' => {}
                    Some(opening) => {
                        return self.refuse(format!(
                            "f-string: closing parenthesis '{c}' does not match opening parenthesis '{opening}'"
                        ));
                    }
                },
                _ => {}
            }
            self.bump();
        }
        if quote.is_some() {
            return self.refuse("f-string: unterminated string");
        }
        match open.pop() {
            Some(opening) => self.refuse(format!("f-string: unmatched '{opening}'")),
            None => Ok(()),
        }
    }

    /// Checks the expression from `start` to here, before `after`.
    fn parse(&mut self, start: usize, after: char) -> Scan {
        let expression = self.text.source.get(start..self.at).unwrap_or("");
        if expression.trim().is_empty() {
            return match after {
                '!' | ':' | '=' => self.refuse(format!("f-string: expression required before '{after}'")),
                _ => self.refuse("f-string: empty expression not allowed"),
            };
        }
        if !self.deep {
            return Ok(());
        }
        // The brackets keep line breaks inside from ending the expression; CPython adds them too.
        let inner = Text::plain(format!("({expression})"));
        let Err(error) = ast::Expr::parse(&inner.source, "") else { return Ok(()) };
        self.within_expression = true;
        let inner_error = diagnose::explain(&inner, &error);
        let offset = inner.offset(inner_error.line, inner_error.column);
        let at = (start + offset).saturating_sub(1).min(self.at);
        let message = if inner_error.message.starts_with("f-string") {
            inner_error.message
        } else {
            format!("f-string: {}", inner_error.message)
        };
        Err(self.text.error(inner_error.kind, inner_error.stage, at, message))
    }
}
