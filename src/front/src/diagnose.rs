//! CPython's words for what the parser refuses.
//!
//! CPython's grammar has rules for common mistakes; this file recognizes the same mistakes from the tokens around the place
//! where the parser stopped.

use crate::syntax::lexer::LexicalErrorType;
use crate::syntax::{ParseError, ParseErrorType, Tok};

use super::error::{ErrorKind, PythonError, Stage};
use super::escapes;
use super::fstring;
use super::parse::Text;
use super::tokens::{Token, TokenKind, Tokens, tokenize};

/// The exception that CPython raises if our parser gives this error.
pub fn explain(text: &Text, error: &ParseError) -> PythonError {
    let tokens = tokenize(&text.source);
    let at = error.offset.to_usize();
    if let Some(error) = &tokens.error {
        return text.error(error.kind, Stage::Parse, error.at, error.message.clone());
    }
    if let Some(error) = fstring::check(text, &tokens, true) {
        return error;
    }
    if let Some(error) = unclosed(text, &tokens, at) {
        return error;
    }
    let syntax = |message: &str| text.error(ErrorKind::SyntaxError, Stage::Parse, at, message);
    match &error.error {
        ParseErrorType::Lexical(lexical) => self::lexical(text, &tokens, at, lexical),
        ParseErrorType::UnrecognizedToken(Tok::Indent, _) => {
            text.error(ErrorKind::IndentationError, Stage::Parse, at, "unexpected indent")
        }
        ParseErrorType::UnrecognizedToken(_, Some(expected)) if expected == "Indent" => {
            expected_block(text, &tokens, at)
        }
        _ => {
            let site = Site::new(&text.source, &tokens, at);
            site.mistake().map_or_else(
                || syntax("invalid syntax"),
                |(offset, message)| text.error(ErrorKind::SyntaxError, Stage::Parse, offset, message),
            )
        }
    }
}

fn lexical(text: &Text, tokens: &Tokens, at: usize, error: &LexicalErrorType) -> PythonError {
    let error_at = |stage: Stage, message: String| text.error(ErrorKind::SyntaxError, stage, at, message);
    match error {
        LexicalErrorType::IndentationError if at >= text.source.trim_end().len() => expected_block(text, tokens, at),
        LexicalErrorType::IndentationError => {
            text.error(ErrorKind::IndentationError, Stage::Parse, at, "unexpected indent")
        }
        LexicalErrorType::DefaultArgumentError => {
            error_at(Stage::Parse, "non-default argument follows default argument".to_owned())
        }
        LexicalErrorType::DuplicateArgumentError(name) => {
            error_at(Stage::Compile, format!("duplicate argument '{name}' in function definition"))
        }
        LexicalErrorType::DuplicateKeywordArgumentError(name) => {
            error_at(Stage::Compile, format!("keyword argument repeated: {name}"))
        }
        LexicalErrorType::PositionalArgumentError => {
            // CPython words it by what the argument follows.
            let before = text.source.get(..at).unwrap_or("");
            let unpacked = before.rfind("**").is_some_and(|stars| !before.get(stars..).unwrap_or("").contains('='));
            let after = if unpacked { "keyword argument unpacking" } else { "keyword argument" };
            error_at(Stage::Parse, format!("positional argument follows {after}"))
        }
        LexicalErrorType::UnicodeError | LexicalErrorType::StringError => {
            let message = escapes::refusal(text, tokens);
            message.unwrap_or_else(|| error_at(Stage::Parse, "invalid syntax".to_owned()))
        }
        LexicalErrorType::OtherError(message) if message.starts_with(|c: char| c.is_ascii_lowercase()) => {
            error_at(Stage::Parse, message.clone())
        }
        LexicalErrorType::UnpackedArgumentError => error_at(Stage::Parse, error.to_string()),
        _ => error_at(Stage::Parse, "invalid syntax".to_owned()),
    }
}

/// A bracket that is never closed, where the parser stopped after its line.
fn unclosed(text: &Text, tokens: &Tokens, at: usize) -> Option<PythonError> {
    let (open, bracket) = *tokens.open.last()?;
    let at_end = at >= text.source.trim_end().len();
    (at_end || text.line(at) > text.line(open))
        .then(|| text.error(ErrorKind::SyntaxError, Stage::Parse, open, format!("'{bracket}' was never closed")))
}

/// A compound statement without a body.
fn expected_block(text: &Text, tokens: &Tokens, at: usize) -> PythonError {
    let source = &text.source;
    let colon = tokens.tokens.iter().rposition(|token| token.start < at && token.text(source) == ":");
    let header = colon.and_then(|colon| logical_line(source, &tokens.tokens, colon));
    let message = match header {
        Some((word, start)) => {
            let what = match word {
                "def" => "function definition".to_owned(),
                "class" => "class definition".to_owned(),
                word => format!("'{word}' statement"),
            };
            format!("expected an indented block after {what} on line {}", text.line(start))
        }
        None => "expected an indented block".to_owned(),
    };
    // CPython names the line of the next token; at the end of the text there is none, and it names the last.
    let at = at.min(source.trim_end().len().saturating_sub(1));
    text.error(ErrorKind::IndentationError, Stage::Parse, at, message)
}

/// The first word of the logical line of a token, past `async`, and its offset.
fn logical_line<'a>(source: &'a str, tokens: &[Token], index: usize) -> Option<(&'a str, usize)> {
    let start = tokens.iter().take(index).rposition(|token| token.kind == TokenKind::Newline).map_or(0, |at| at + 1);
    let mut words = tokens.iter().skip(start).map(|token| (token.text(source), token.start));
    let first = words.next()?;
    if first.0 == "async" { words.next() } else { Some(first) }
}

/// The place where the parser stopped.
struct Site<'a> {
    source: &'a str,
    tokens: &'a [Token],
    /// The token that it could not place.
    index: usize,
}

impl<'a> Site<'a> {
    fn new(source: &'a str, tokens: &'a Tokens, at: usize) -> Self {
        let tokens = tokens.tokens.as_slice();
        let index = tokens.iter().position(|token| token.start >= at).unwrap_or(tokens.len().saturating_sub(1));
        Self { source, tokens, index }
    }

    fn token(&self, index: usize) -> Option<&Token> {
        self.tokens.get(index)
    }

    fn text(&self, index: usize) -> &'a str {
        self.token(index).map_or("", |token| token.text(self.source))
    }

    fn before(&self, back: usize) -> &'a str {
        self.index.checked_sub(back).map_or("", |index| self.text(index))
    }

    /// The offset and message of a mistake that CPython knows.
    fn mistake(&self) -> Option<(usize, String)> {
        let token = *self.token(self.index)?;
        let here = |message: &str| Some((token.start, message.to_owned()));
        let found = token.text(self.source);
        let (first, first_at) = logical_line(self.source, self.tokens, self.index).unwrap_or(("", 0));
        if token.kind == TokenKind::Stray {
            return None;
        }
        if token.kind == TokenKind::Newline || token.kind == TokenKind::End {
            if is_compound(first) && self.header_could_end(first) {
                return here("expected ':'");
            }
            if first == "from" && self.before(1) == "," {
                return here("trailing comma not allowed without surrounding parentheses");
            }
        }
        if matches!(first, "print" | "exec")
            && self.text_after(first_at) == Some(self.index)
            && starts_value(&token, found)
        {
            let message = format!("Missing parentheses in call to '{first}'. Did you mean {first}(...)?");
            return Some((first_at, message));
        }
        if let Some(mistake) = self.walrus_target().or_else(|| self.dict_mistake()) {
            return Some(mistake);
        }
        if let Some(message) = self.parameter_mistake(first) {
            return here(message);
        }
        if let Some(message) = self.after_try() {
            return here(message);
        }
        if first == "except" && found == "," {
            return Some((first_at, "multiple exception types must be parenthesized".to_owned()));
        }
        if found == "=" && self.index.checked_sub(1).is_some_and(|index| self.ends_value(index)) {
            return self.stray_assignment(first);
        }
        if self.lacks_else(found) {
            return here("expected 'else' after 'if' expression");
        }
        if token.level > 0 {
            if found == "for" {
                let stars = self.opening().map_or("", |open| self.text(open + 1));
                match stars {
                    "**" => return here("dict unpacking cannot be used in dict comprehension"),
                    "*" => return here("iterable unpacking cannot be used in comprehension"),
                    _ => {}
                }
                if self.before(2) == "=" {
                    return self
                        .index
                        .checked_sub(3)
                        .and_then(|at| self.token(at))
                        .map(|t| (t.start, GUESS.to_owned()));
                }
                return here("Generator expression must be parenthesized").filter(|_| self.in_call());
            }
            if self.index.checked_sub(1).is_some_and(|index| self.ends_value(index))
                && starts_value(&token, found)
                && !(self.kind_before() == Some(TokenKind::Name) && token.kind == TokenKind::String)
            {
                return here("invalid syntax. Perhaps you forgot a comma?");
            }
        }
        None
    }

    fn kind_before(&self) -> Option<TokenKind> {
        self.index.checked_sub(1).and_then(|index| self.token(index)).map(|token| token.kind)
    }

    /// The index of the token after the one at this offset.
    fn text_after(&self, start: usize) -> Option<usize> {
        self.tokens.iter().position(|token| token.start > start)
    }

    /// Returns `true` if the token can be the last of an expression.
    fn ends_value(&self, index: usize) -> bool {
        let text = self.text(index);
        match self.token(index).map(|token| token.kind) {
            Some(TokenKind::Name) => !is_keyword(text) || matches!(text, "None" | "True" | "False"),
            Some(TokenKind::Number | TokenKind::String) => true,
            Some(TokenKind::Operator) => matches!(text, ")" | "]" | "}" | "..."),
            _ => false,
        }
    }

    /// Returns `true` if a compound statement can get its colon here.
    fn header_could_end(&self, first: &str) -> bool {
        let words = self.before(1);
        match first {
            "else" | "try" | "finally" => words == first,
            "for" => self.line_has("in") && self.index.checked_sub(1).is_some_and(|index| self.ends_value(index)),
            _ => self.index.checked_sub(1).is_some_and(|index| self.ends_value(index)) || words == "except",
        }
    }

    fn line_has(&self, word: &str) -> bool {
        let start = self
            .tokens
            .iter()
            .take(self.index)
            .rposition(|token| token.kind == TokenKind::Newline)
            .map_or(0, |at| at + 1);
        (start..self.index).any(|index| self.text(index) == word)
    }

    /// The statement before is a `try` that has no handler yet.
    fn after_try(&self) -> Option<&'static str> {
        let lines = self.source.get(..self.token(self.index)?.start)?;
        let column = |line: &str| line.len() - line.trim_start().len();
        let own = lines.rsplit('\n').next().unwrap_or("");
        let last = self.tokens.iter().skip(self.index).all(|t| matches!(t.kind, TokenKind::Newline | TokenKind::End));
        let own_column = if last { 0 } else { column(own).min(own.len()) };
        let blank = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        let mut earlier = lines.split('\n').collect::<Vec<_>>();
        if own.trim().is_empty() {
            earlier.pop();
        }
        let opener = earlier.iter().rev().filter(|line| blank(line)).find(|line| column(line) <= own_column)?;
        let inside = earlier.last().is_some_and(|line| column(line) > own_column);
        (inside && opener.trim_start().starts_with("try:")).then_some("expected 'except' or 'finally' block")
    }

    /// `=` where there can be no assignment.
    fn stray_assignment(&self, first: &str) -> Option<(usize, String)> {
        let token = self.token(self.index)?;
        let target = self.index.checked_sub(1)?;
        let start = self.token(target)?.start;
        if !(token.level > 0 || matches!(first, "if" | "elif" | "while" | "assert" | "return")) {
            return None;
        }
        let simple = |index: usize| {
            let before = index.checked_sub(1).map_or("", |index| self.text(index));
            before != "." && self.token(index).is_some_and(|token| token.kind == TokenKind::Name)
        };
        let text = self.text(target);
        if matches!(text, "None" | "True" | "False") {
            return Some((start, format!("cannot assign to {text}")));
        }
        if self.in_call() {
            return Some((start, "expression cannot contain assignment, perhaps you meant \"==\"?".to_owned()))
                .filter(|_| !simple(target) || self.before(2) != "(" && self.before(2) != ",")
                .or_else(|| Some((start, GUESS.to_owned())));
        }
        if simple(target) {
            return Some((start, GUESS.to_owned()));
        }
        let what = match self.token(target)?.kind {
            TokenKind::Name => "attribute",
            TokenKind::Number | TokenKind::String => "literal",
            _ if text == ")" => "function call",
            _ if text == "]" => "subscript",
            _ => "expression",
        };
        Some((start, format!("cannot assign to {what} here. Maybe you meant '==' instead of '='?")))
    }

    /// The index of the innermost open bracket.
    fn opening(&self) -> Option<usize> {
        let level = self.inner_level();
        (0..self.index).rev().find(|index| self.token(*index).is_some_and(|token| token.level < level))
    }

    /// The number of brackets open right before the place: a closing bracket counts as inside its own pair.
    fn inner_level(&self) -> usize {
        let closes = matches!(self.text(self.index), ")" | "]" | "}");
        self.token(self.index).map_or(0, |token| token.level + usize::from(closes))
    }

    /// The tokens right inside the innermost open bracket, up to the place.
    fn inside(&self) -> Vec<&'a str> {
        let Some(open) = self.opening() else { return Vec::new() };
        let level = self.inner_level();
        (open + 1..self.index)
            .filter(|index| self.token(*index).is_some_and(|token| token.level == level))
            .map(|index| self.text(index))
            .collect()
    }

    /// `(1 := 2)`
    fn walrus_target(&self) -> Option<(usize, String)> {
        if self.text(self.index) != ":=" {
            return None;
        }
        let target = self.index.checked_sub(1)?;
        let start = self.token(target)?.start;
        let what = match self.token(target)?.kind {
            TokenKind::Name if self.before(2) == "." => "attribute",
            TokenKind::Name if matches!(self.text(target), "None" | "True" | "False") => self.text(target),
            TokenKind::Name => return None,
            TokenKind::Number | TokenKind::String => "literal",
            _ => {
                let level = self.token(target)?.level;
                let open = (0..target).rev().find(|at| self.token(*at).is_some_and(|token| token.level <= level))?;
                let callee = open.checked_sub(1).is_some_and(|callee| self.ends_value(callee));
                match self.text(open) {
                    "(" if callee => "function call",
                    "[" if callee => "subscript",
                    "(" => "tuple",
                    "[" => "list",
                    _ => return None,
                }
            }
        };
        Some((start, format!("cannot use assignment expressions with {what}")))
    }

    /// Keys without values in dicts.
    fn dict_mistake(&self) -> Option<(usize, String)> {
        if self.opening().map(|open| self.text(open)) != Some("{") {
            return None;
        }
        let token = self.token(self.index)?;
        let found = self.text(self.index);
        let inside = self.inside();
        if self.before(1) == ":" {
            return match found {
                "*" => Some((token.start, "cannot use a starred expression in a dictionary value".to_owned())),
                "}" | "," => {
                    let colon = self.token(self.index - 1)?;
                    Some((colon.start, "expression expected after dictionary key and ':'".to_owned()))
                }
                _ => None,
            };
        }
        let entry = inside.iter().rposition(|text| *text == ",").map_or(0, |at| at + 1);
        let keyed = |texts: &[&str]| texts.contains(&":");
        let (earlier, last) = inside.split_at_checked(entry)?;
        (matches!(found, "}" | ",") && keyed(earlier) && !keyed(last) && !last.is_empty() && !last.contains(&"**"))
            .then(|| (token.start, "':' expected after dictionary key".to_owned()))
    }

    /// Parameters in an order or form that there is not.
    fn parameter_mistake(&self, first: &str) -> Option<&'static str> {
        let found = self.text(self.index);
        if found == "(" && self.before(1) == "lambda" {
            return Some("Lambda expression parameters cannot be parenthesized");
        }
        if first != "def" || self.token(self.index)?.level != 1 {
            return None;
        }
        let inside = self.inside();
        let count = |text: &str| inside.iter().filter(|other| **other == text).count();
        match found {
            "(" if matches!(self.before(1), "(" | ",") => Some("Function parameters cannot be parenthesized"),
            _ if count("**") > 0 && self.before(1) == "," => Some("arguments cannot follow var-keyword argument"),
            "*" if count("*") > 0 => Some("* argument may appear only once"),
            "/" if count("/") > 0 => Some("/ may appear only once"),
            "/" if inside.is_empty() => Some("at least one argument must precede /"),
            _ => None,
        }
    }

    /// Returns `true` if the innermost open bracket is that of a call.
    fn in_call(&self) -> bool {
        self.opening().is_some_and(|open| {
            self.text(open) == "(" && open.checked_sub(1).is_some_and(|callee| self.ends_value(callee))
        })
    }

    /// `a if b` without `else`.
    fn lacks_else(&self, found: &str) -> bool {
        if matches!(found, "else" | ":") {
            return false;
        }
        let Some(level) = self.token(self.index).map(|token| token.level) else { return false };
        for index in (0..self.index).rev() {
            let Some(token) = self.token(index) else { return false };
            if token.level < level || token.kind == TokenKind::Newline {
                return false;
            }
            if token.level > level {
                continue;
            }
            match self.text(index) {
                "if" => {
                    return index > 0
                        && self.ends_value(index - 1)
                        && self.ends_value(self.index - 1)
                        && !self.line_has("for");
                }
                "else" | "for" | "," | ":" | "=" => return false,
                _ => {}
            }
        }
        false
    }
}

const GUESS: &str = "invalid syntax. Maybe you meant '==' or ':=' instead of '='?";

/// Returns `true` if the token can be the first of an expression.
fn starts_value(token: &Token, text: &str) -> bool {
    match token.kind {
        TokenKind::Name => !is_keyword(text) || matches!(text, "None" | "True" | "False" | "lambda"),
        TokenKind::Number | TokenKind::String => true,
        TokenKind::Operator => matches!(text, "{" | "~" | "..."),
        _ => false,
    }
}

fn is_compound(word: &str) -> bool {
    const WORDS: [&str; 11] =
        ["if", "elif", "else", "while", "for", "def", "class", "try", "except", "finally", "with"];
    WORDS.contains(&word)
}

/// Returns `true` if the word is one of Python's keywords.
pub fn is_keyword(word: &str) -> bool {
    const WORDS: [&str; 35] = [
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
        "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
        "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
    ];
    WORDS.contains(&word)
}
