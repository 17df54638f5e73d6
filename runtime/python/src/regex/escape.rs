//! Escapes: `\d`, `\x41`, `\101`, `\1`.

use super::ast::{At, Category, Node, SetItem};
use super::error::CompileError;
use super::parser::Parser;
use tpv_literal::quoted::str_repr;

/// The escapes that stand for one character, in patterns, sets and templates alike. `\b` is one in sets only.
pub(super) fn control(c: char) -> Option<char> {
    Some(match c {
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        '\\' => '\\',
        _ => return None,
    })
}

fn category(c: char) -> Option<SetItem> {
    let kind = match c.to_ascii_lowercase() {
        'd' => Category::Digit,
        's' => Category::Space,
        'w' => Category::Word,
        _ => return None,
    };
    Some(SetItem::Category { kind, negated: c.is_ascii_uppercase() })
}

fn is_octal(c: &char) -> bool {
    matches!(c, '0'..='7')
}

fn octal(digits: &str) -> u32 {
    u32::from_str_radix(digits, 8).unwrap_or(0)
}

impl Parser {
    /// An escape in a pattern, its first character taken.
    pub(super) fn escape(&mut self, c: char) -> Result<Node, CompileError> {
        let place = match c {
            'A' => Some(At::BeginningOfText),
            'Z' => Some(At::EndOfText),
            'b' => Some(At::Boundary),
            'B' => Some(At::NonBoundary),
            _ => None,
        };
        if let Some(place) = place {
            return Ok(Node::At(place));
        }
        if let Some(item) = category(c) {
            return Ok(Node::Set { negated: false, items: vec![item] });
        }
        if let Some(c) = control(c) {
            return Ok(Node::Literal(u32::from(c)));
        }
        match c {
            'x' | 'u' | 'U' | 'N' => self.numbered(c).map(Node::Literal),
            '0' => {
                let mut digits = String::from(c);
                self.source.get_while(2, is_octal, &mut digits)?;
                Ok(Node::Literal(octal(&digits)))
            }
            '1'..='9' => self.reference(c),
            c if c.is_ascii_alphabetic() => Err(self.bad(&format!("\\{c}"))),
            c => Ok(Node::Literal(u32::from(c))),
        }
    }

    /// An escape in a set, its first character taken.
    pub(super) fn set_escape(&mut self, c: char) -> Result<SetItem, CompileError> {
        if let Some(c) = control(c) {
            return Ok(SetItem::Literal(u32::from(c)));
        }
        if let Some(item) = category(c) {
            return Ok(item);
        }
        match c {
            'x' | 'u' | 'U' | 'N' => self.numbered(c).map(SetItem::Literal),
            '0'..='7' => {
                let mut digits = String::from(c);
                self.source.get_while(2, is_octal, &mut digits)?;
                self.checked_octal(&digits).map(SetItem::Literal)
            }
            c if c.is_ascii_alphanumeric() => Err(self.bad(&format!("\\{c}"))),
            c => Ok(SetItem::Literal(u32::from(c))),
        }
    }

    fn bad(&self, escape: &str) -> CompileError {
        self.source.error(format!("bad escape {escape}"), escape.chars().count())
    }

    fn checked_octal(&self, digits: &str) -> Result<u32, CompileError> {
        match octal(digits) {
            value @ 0..=0o377 => Ok(value),
            _ => {
                let message = format!("octal escape value \\{digits} outside of range 0-0o377");
                Err(self.source.error(message, digits.len() + 1))
            }
        }
    }

    /// `\x41`, `\u0041`, `\U00000041`, `\N{...}`
    fn numbered(&mut self, c: char) -> Result<u32, CompileError> {
        let digits = match c {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => return self.named(),
        };
        let mut text = String::new();
        self.source.get_while(digits, char::is_ascii_hexdigit, &mut text)?;
        let escape = format!("\\{c}{text}");
        if text.len() != digits {
            return Err(self.source.error(format!("incomplete escape {escape}"), escape.len()));
        }
        match u32::from_str_radix(&text, 16) {
            Ok(value) if value <= 0x0010_ffff => Ok(value),
            _ => Err(self.bad(&escape)),
        }
    }

    /// DIFFERENCE: no name of a character is known.
    fn named(&mut self) -> Result<u32, CompileError> {
        if !self.source.take('{')? {
            return Err(self.source.error("missing {", 0));
        }
        let name = self.source.get_until('}', "character name")?;
        crate::lacking::note("tpvc knows no names of characters");
        let message = format!("undefined character name {}", str_repr(&name));
        Err(self.source.error(message, name.chars().count() + r"\N{}".len()))
    }

    /// `\1`, or three octal digits.
    fn reference(&mut self, c: char) -> Result<Node, CompileError> {
        let mut digits = String::from(c);
        if let Some(second) = self.source.peek(char::is_ascii_digit) {
            self.source.get()?;
            digits.push(second);
            if is_octal(&c)
                && is_octal(&second)
                && let Some(third) = self.source.peek(is_octal)
            {
                self.source.get()?;
                digits.push(third);
                return self.checked_octal(&digits).map(Node::Literal);
            }
        }
        let group: u32 = digits.parse().unwrap_or(u32::MAX);
        match self.widths.get(group as usize) {
            None => Err(self.source.error(format!("invalid group reference {group}"), digits.len())),
            Some(None) => Err(self.source.error("cannot refer to an open group", digits.len() + 1)),
            Some(Some(_)) => {
                self.check_look_behind_group(group)?;
                Ok(Node::Backreference(group))
            }
        }
    }
}
