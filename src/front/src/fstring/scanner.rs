//! Finds the f-strings of a text and their fields, by the rules of PEP 701, which CPython 3.12 and later follow.

use std::ops::Range;

use crate::syntax::ast::ConversionFlag;

/// The maximum nesting of fields in format specs.
const MAX_NESTING: usize = 2;
/// The maximum nesting of f-strings, as in CPython.
const MAX_FSTRINGS: usize = 150;

/// An f-string.
#[derive(Debug)]
pub(super) struct FString {
    /// Its prefix and opening quotes, such as `rf"`.
    pub(super) opening: Range<usize>,
    /// Its fields, in the order of the text, without those in format specs.
    pub(super) fields: Vec<Field>,
}

/// A field of an f-string. All places are byte offsets in the text.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// From `{` to after `}`.
    pub(super) range: Range<usize>,
    /// The expression.
    pub(super) expression: Range<usize>,
    /// The text that `=` shows: the expression and the white space and `=` after it.
    pub(super) shown: Option<Range<usize>>,
    /// `!s`, `!r` or `!a`.
    pub(super) conversion: ConversionFlag,
    /// The format spec after `:`, and the fields in it.
    pub(super) spec: Option<(Range<usize>, Vec<Field>)>,
}

/// The parts of a text besides its strings.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// The f-strings, in the order of the text, without those in fields of others.
    pub(super) strings: Vec<FString>,
    /// Comments, line breaks, and backslashes that join lines, outside of strings and fields.
    pub(super) blanks: Vec<Range<usize>>,
}

/// A malformed f-string: CPython 3.12's message, and the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// CPython 3.12's message.
    pub(super) message: String,
    /// Byte offset.
    pub(super) at: usize,
}

/// Finds the f-strings in a part of a text. `depth` is how many f-strings the part is in.
///
/// # Errors
/// The first thing that is not formed as strings and fields are.
pub(super) fn scan(source: &str, part: Range<usize>, depth: usize) -> Result<Scan, Refusal> {
    let mut scanner = Scanner { source: source.get(..part.end).unwrap_or(""), at: part.start, depth };
    let mut scan = Scan::default();
    while scanner.peek().is_some() {
        scanner.code(&mut scan)?;
    }
    Ok(scan)
}

struct Scanner<'a> {
    source: &'a str,
    at: usize,
    /// The number of f-strings that enclose the place.
    depth: usize,
}

/// The quotes around a string.
struct Quotes<'a> {
    text: &'a str,
    raw: bool,
}

impl Quotes<'_> {
    fn is_triple(&self) -> bool {
        self.text.len() == 3
    }
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    fn bump(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    fn refuse<T>(&self, message: impl Into<String>) -> Result<T, Refusal> {
        self.refuse_at(self.at, message)
    }

    fn refuse_at<T>(&self, at: usize, message: impl Into<String>) -> Result<T, Refusal> {
        Err(Refusal { message: message.into(), at })
    }

    /// One token of code, roughly: what matters is where strings, comments and line breaks are.
    fn code(&mut self, scan: &mut Scan) -> Result<(), Refusal> {
        let start = self.at;
        match self.peek() {
            Some('#') => {
                let rest = self.rest();
                self.at += rest.find('\n').unwrap_or(rest.len());
                scan.blanks.push(start..self.at);
            }
            Some('\n') => {
                self.bump();
                scan.blanks.push(start..self.at);
            }
            Some('\\') => {
                self.bump();
                if self.peek() != Some('\n') {
                    return self.refuse("unexpected character after line continuation character");
                }
                self.bump();
                scan.blanks.push(start..self.at);
            }
            Some('"' | '\'') => self.string(start, scan)?,
            Some(c) if c == '_' || c.is_alphanumeric() => {
                let rest = self.rest();
                let end = rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
                self.at += end;
                let word = rest.get(..end).unwrap_or("").to_ascii_lowercase();
                let is_prefix = matches!(word.as_str(), "r" | "u" | "b" | "f" | "br" | "rb" | "fr" | "rf");
                if is_prefix && matches!(self.peek(), Some('"' | '\'')) {
                    self.string(start, scan)?;
                }
            }
            _ => self.bump(),
        }
        Ok(())
    }

    /// A string whose prefix, if any, starts at `start`; the place is that of its quotes.
    fn string(&mut self, start: usize, scan: &mut Scan) -> Result<(), Refusal> {
        let opening = self.at;
        let prefix = self.source.get(start..opening).unwrap_or("").to_ascii_lowercase();
        let rest = self.rest();
        let length = if rest.starts_with("'''") || rest.starts_with("\"\"\"") { 3 } else { 1 };
        let quotes = Quotes { text: rest.get(..length).unwrap_or(""), raw: prefix.contains('r') };
        self.at += length;
        if !prefix.contains('f') {
            return self.plain(start, &quotes);
        }
        if self.depth >= MAX_FSTRINGS {
            return self.refuse_at(start, "too many nested f-strings");
        }
        self.depth += 1;
        let mut fields = Vec::new();
        self.literal(start, &quotes, 0, &mut fields)?;
        self.depth -= 1;
        self.at += length;
        scan.strings.push(FString { opening: start..opening + length, fields });
        Ok(())
    }

    /// The content of a string without fields, and its closing quotes.
    fn plain(&mut self, start: usize, quotes: &Quotes<'_>) -> Result<(), Refusal> {
        while !self.rest().starts_with(quotes.text) {
            match self.peek() {
                None => return self.unterminated(start, quotes, "string"),
                Some('\n') if !quotes.is_triple() => return self.unterminated(start, quotes, "string"),
                Some('\\') => self.bump(),
                Some(_) => {}
            }
            self.bump();
        }
        self.at += quotes.text.len();
        Ok(())
    }

    fn unterminated<T>(&self, start: usize, quotes: &Quotes<'_>, what: &str) -> Result<T, Refusal> {
        let triple = if quotes.is_triple() { "triple-quoted " } else { "" };
        self.refuse_at(start, format!("unterminated {triple}{what} literal"))
    }

    /// The text between fields, up to the closing quotes; in a format spec (`nesting` above 0) up to its end.
    fn literal(
        &mut self,
        start: usize,
        quotes: &Quotes<'_>,
        nesting: usize,
        fields: &mut Vec<Field>,
    ) -> Result<(), Refusal> {
        loop {
            if self.rest().starts_with(quotes.text) {
                return if nesting == 0 { Ok(()) } else { self.refuse("f-string: expecting '}', or format specs") };
            }
            match (self.peek(), self.second()) {
                (None, _) => return self.unterminated(start, quotes, "f-string"),
                // A line break ends a spec, though not the string.
                (Some('\n'), _) if nesting > 0 && !quotes.is_triple() => return Ok(()),
                (Some('\n'), _) if !quotes.is_triple() => return self.unterminated(start, quotes, "f-string"),
                (Some('\\'), Some('N')) if !quotes.raw && self.rest().starts_with("\\N{") => {
                    let rest = self.rest();
                    self.at += rest.find('}').map_or(rest.len(), |end| end + 1);
                }
                (Some('\\'), Some('{' | '}')) => self.bump(),
                (Some('\\'), _) => {
                    self.bump();
                    self.bump();
                }
                (Some('{'), Some('{')) | (Some('}'), Some('}')) if nesting == 0 => self.at += 2,
                (Some('}'), _) if nesting == 0 => return self.refuse("f-string: single '}' is not allowed"),
                (Some('}'), _) => return Ok(()),
                (Some('{'), _) => fields.push(self.field(start, quotes, nesting)?),
                (Some(_), _) => self.bump(),
            }
        }
    }

    /// A field; the place is that of its `{`.
    fn field(&mut self, start: usize, quotes: &Quotes<'_>, nesting: usize) -> Result<Field, Refusal> {
        if nesting > MAX_NESTING {
            return self.refuse("f-string: expressions nested too deeply");
        }
        let opening = self.at;
        self.bump();
        let expression = self.expression(opening)?;
        let mut shown = None;
        if self.peek() == Some('=') {
            self.bump();
            self.white_space()?;
            shown = Some(expression.start..self.at);
        }
        let conversion = self.conversion()?;
        let mut spec = None;
        if self.peek() == Some(':') {
            self.bump();
            let from = self.at;
            let mut fields = Vec::new();
            self.literal(start, quotes, nesting + 1, &mut fields)?;
            spec = Some((from..self.at, fields));
            self.white_space()?;
        }
        match self.peek() {
            Some('}') => self.bump(),
            None => return self.refuse_at(opening, "'{' was never closed"),
            Some(_) if spec.is_some() => return self.refuse("f-string: expecting '}', or format specs"),
            Some(_) if conversion != ConversionFlag::None => return self.refuse("f-string: expecting ':' or '}'"),
            Some(_) => return self.refuse("f-string: expecting '!', or ':', or '}'"),
        }
        Ok(Field { range: opening..self.at, expression, shown, conversion, spec })
    }

    fn white_space(&mut self) -> Result<(), Refusal> {
        let mut ignored = Scan::default();
        while self.peek().is_some_and(|c| c.is_ascii_whitespace() || matches!(c, '#' | '\\')) {
            self.code(&mut ignored)?;
        }
        Ok(())
    }

    fn conversion(&mut self) -> Result<ConversionFlag, Refusal> {
        if self.peek() != Some('!') {
            return Ok(ConversionFlag::None);
        }
        self.bump();
        let rest = self.rest();
        let end = rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
        let flag = match rest.get(..end).unwrap_or("") {
            "s" => ConversionFlag::Str,
            "r" => ConversionFlag::Repr,
            "a" => ConversionFlag::Ascii,
            "" if rest.starts_with(|c: char| c.is_ascii_whitespace()) => {
                return self.refuse("f-string: conversion type must come right after the exclamation mark");
            }
            "" => return self.refuse("f-string: missing conversion character"),
            other => {
                let message = format!("f-string: invalid conversion character '{other}': expected 's', 'r', or 'a'");
                return self.refuse(message);
            }
        };
        self.at += end;
        self.white_space()?;
        Ok(flag)
    }

    /// Goes to the end of a field's expression.
    fn expression(&mut self, opening: usize) -> Result<Range<usize>, Refusal> {
        let start = self.at;
        let mut open = Vec::new();
        let mut ignored = Scan::default();
        let mut empty = true;
        loop {
            let Some(c) = self.peek() else { return self.refuse_at(opening, "'{' was never closed") };
            match c {
                '!' | '=' | '<' | '>' if self.second() == Some('=') => self.at += 2,
                '!' | ':' | '=' | '}' if open.is_empty() => break,
                '(' | '[' | '{' => {
                    open.push(c);
                    self.bump();
                }
                ')' | ']' | '}' => {
                    match open.pop() {
                        None => return self.refuse(format!("f-string: unmatched '{c}'")),
                        Some('(') if c == ')' => {}
                        Some('[') if c == ']' => {}
                        Some('{') if c == '}' => {}
                        Some(bracket) => {
                            return self.refuse(format!(
                                "closing parenthesis '{c}' does not match opening parenthesis '{bracket}'"
                            ));
                        }
                    }
                    self.bump();
                }
                _ => self.code(&mut ignored)?,
            }
            empty &= c.is_ascii_whitespace() || matches!(c, '#' | '\\');
        }
        if empty {
            let found = self.peek().unwrap_or('}');
            return self.refuse(format!("f-string: valid expression required before '{found}'"));
        }
        Ok(start..self.at)
    }
}
