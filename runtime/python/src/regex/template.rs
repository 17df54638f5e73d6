//! Replacement templates: `\1`, `\g<name>`, `\n`.

use super::engine::{Regex, Spans};
use super::error::CompileError;
use super::escape::control;
use super::group::{is_identifier, parse_group_number};
use super::tokenizer::{Token, Tokenizer};
use crate::exception::PyResult;
use crate::vm::Vm;
use tpv_literal::quoted::str_repr;

/// A parsed template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Group(usize),
}

/// The error of parsing a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateError {
    /// `re.error`
    Error(CompileError),
    /// `IndexError`: no group has this name.
    UnknownGroup(String),
}

impl From<CompileError> for TemplateError {
    fn from(error: CompileError) -> Self {
        Self::Error(error)
    }
}

impl Template {
    /// Parses a template for a pattern.
    ///
    /// # Errors
    /// `re.error` where an escape or a group number is wrong, `IndexError` for a name that is none.
    pub fn parse(text: &str, regex: &Regex) -> Result<Self, TemplateError> {
        let mut parser = Parser { source: Tokenizer::new(text)?, regex, parts: Vec::new(), text: String::new() };
        while let Some(token) = parser.source.get()? {
            match token {
                Token::Char(c) => parser.text.push(c),
                Token::Escape(c) => parser.escape(c)?,
            }
        }
        parser.flush();
        Ok(Self(parser.parts))
    }

    /// Appends the template with the groups of a match filled in; a group that took no part gives nothing.
    ///
    /// # Errors
    /// As [`Vm::charge_bytes`], which each part is paid by.
    pub fn expand(&self, vm: &mut Vm, text: &str, spans: &Spans, out: &mut String) -> PyResult<()> {
        for part in &self.0 {
            let part = match part {
                Part::Text(text) => text,
                Part::Group(group) => {
                    spans.get(*group).and_then(|(start, end)| text.get(start..end)).unwrap_or_default()
                }
            };
            vm.limit_bytes(out.len().saturating_add(part.len()))?;
            vm.charge_bytes(part.len())?;
            out.push_str(part);
        }
        Ok(())
    }
}

struct Parser<'r> {
    source: Tokenizer,
    regex: &'r Regex,
    parts: Vec<Part>,
    text: String,
}

impl Parser<'_> {
    fn flush(&mut self) {
        if !self.text.is_empty() {
            self.parts.push(Part::Text(std::mem::take(&mut self.text)));
        }
    }

    fn group(&mut self, index: u64, offset: usize) -> Result<(), TemplateError> {
        match usize::try_from(index) {
            Ok(group) if group <= self.regex.groups() => {
                self.flush();
                self.parts.push(Part::Group(group));
                Ok(())
            }
            _ => Err(self.source.error(format!("invalid group reference {index}"), offset).into()),
        }
    }

    fn escape(&mut self, c: char) -> Result<(), TemplateError> {
        let is_octal: fn(&char) -> bool = |c| matches!(c, '0'..='7');
        match c {
            'g' => self.named(),
            '0' => {
                let mut digits = String::from(c);
                self.source.get_while(2, is_octal, &mut digits)?;
                let code = u32::from_str_radix(&digits, 8).unwrap_or(0) & 0xff;
                self.text.extend(char::from_u32(code));
                Ok(())
            }
            '1'..='9' => {
                let mut digits = String::from(c);
                self.source.get_while(1, char::is_ascii_digit, &mut digits)?;
                let octal = digits.len() == 2 && digits.chars().all(|c| is_octal(&c));
                if octal && let Some(third) = self.source.peek(is_octal) {
                    self.source.get()?;
                    digits.push(third);
                    let code = u32::from_str_radix(&digits, 8).unwrap_or(0);
                    if code > 0o377 {
                        let message = format!("octal escape value \\{digits} outside of range 0-0o377");
                        return Err(self.source.error(message, digits.len() + 1).into());
                    }
                    self.text.extend(char::from_u32(code));
                    return Ok(());
                }
                self.group(digits.parse().unwrap_or(u64::MAX), digits.len())
            }
            c => {
                match control(c) {
                    Some(control) => self.text.push(control),
                    None if c.is_ascii_alphabetic() => {
                        return Err(self.source.error(format!("bad escape \\{c}"), 2).into());
                    }
                    None => {
                        self.text.push('\\');
                        self.text.push(c);
                    }
                }
                Ok(())
            }
        }
    }

    /// `\g<name>`
    fn named(&mut self) -> Result<(), TemplateError> {
        if !self.source.take('<')? {
            return Err(self.source.error("missing <", 0).into());
        }
        let name = self.source.get_until('>', "group name")?;
        let offset = name.chars().count() + 1;
        if is_identifier(&name) {
            return match self.regex.group_index(&name) {
                Some(group) => self.group(group as u64, offset),
                None => Err(TemplateError::UnknownGroup(format!("unknown group name {}", str_repr(&name)))),
            };
        }
        match parse_group_number(&name) {
            Some(group) => self.group(group, offset),
            None => Err(self.source.error(format!("bad character in group name {}", str_repr(&name)), offset).into()),
        }
    }
}
