//! Escapes in strings that CPython refuses.

use super::error::{ErrorKind, PythonError, Stage};
use super::fstring;
use super::parse::Text;
use super::tokens::{TokenKind, Tokens};

/// The first bad escape of the strings among the tokens.
pub(super) fn refusal(text: &Text, tokens: &Tokens) -> Option<PythonError> {
    for token in tokens.tokens.iter().filter(|token| token.kind == TokenKind::String) {
        let (start, end, prefix) = fstring::content(&text.source, token);
        if prefix.contains('r') {
            continue;
        }
        let content = text.source.get(start..end).unwrap_or("");
        let message = if prefix.contains('b') { bad_byte(content) } else { bad_character(content) };
        if let Some(message) = message {
            return Some(text.error(ErrorKind::SyntaxError, Stage::Parse, token.start, message));
        }
    }
    None
}

fn bad_byte(content: &str) -> Option<String> {
    let mut rest = content;
    while let Some(at) = rest.find('\\') {
        let escape = rest.get(at + 1..)?;
        if let Some(digits) = escape.strip_prefix('x')
            && digits.chars().take(2).take_while(char::is_ascii_hexdigit).count() < 2
        {
            let position = content.len() - rest.len() + at;
            return Some(format!("(value error) invalid \\x escape at position {position}"));
        }
        rest = escape.get(escape.chars().next()?.len_utf8()..)?;
    }
    None
}

fn bad_character(content: &str) -> Option<String> {
    // CPython counts positions after writing each character beyond ASCII as an escape of ten characters.
    let mut position = 0;
    let mut rest = content;
    while let Some(c) = rest.chars().next() {
        if c != '\\' {
            position += if c.is_ascii() { 1 } else { 10 };
            rest = rest.get(c.len_utf8()..)?;
            continue;
        }
        let escape = rest.get(1..)?;
        let kind = escape.chars().next()?;
        let problem = |length: usize, what: &str| {
            let last = position + length - 1;
            format!("(unicode error) 'unicodeescape' codec can't decode bytes in position {position}-{last}: {what}")
        };
        let wanted = match kind {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        let mut length = 1 + kind.len_utf8();
        if wanted > 0 {
            let digits: String = escape.chars().skip(1).take(wanted).take_while(char::is_ascii_hexdigit).collect();
            if digits.len() < wanted {
                let pattern = format!("truncated \\{kind}{} escape", "X".repeat(wanted));
                return Some(problem(2 + digits.len(), &pattern));
            }
            if u32::from_str_radix(&digits, 16).is_ok_and(|value| value > 0x0010_FFFF) {
                return Some(problem(2 + wanted, "illegal Unicode character"));
            }
            length += wanted;
        } else if kind == 'N' {
            let name = escape.get(1..).and_then(|name| name.strip_prefix('{'));
            match name.and_then(|name| name.find('}')) {
                None => return Some(problem(2, "malformed \\N character escape")),
                Some(end) => {
                    length += end + 2;
                    let name = name.and_then(|name| name.get(..end)).unwrap_or("");
                    if !is_character_name(name) {
                        return Some(problem(length, "unknown Unicode character name"));
                    }
                }
            }
        }
        position += length;
        rest = rest.get(length..)?;
    }
    None
}

/// Returns `true` if there is a character of this name: the parser knows.
fn is_character_name(name: &str) -> bool {
    use crate::syntax::{Parse, ast};
    ast::Expr::parse(&format!("'\\N{{{name}}}'"), "").is_ok()
}
