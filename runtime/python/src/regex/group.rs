//! The constructs that begin with a parenthesis.

use super::ast::{Node, Sequence, flag};
use super::error::CompileError;
use super::parser::{MAX_DEPTH, Parser};
use super::tokenizer::Token;
use super::width;
use tpv_literal::quoted::str_repr;
use tpv_literal::unicode;

/// CPython's `MAXGROUPS` on 64-bit machines.
const MAX_GROUPS: u32 = 1_073_741_823;

impl Parser {
    /// A group, from after its parenthesis; `None` for a comment or global flags.
    pub(super) fn group(&mut self, verbose: bool, depth: usize, at_start: bool) -> Result<Option<Node>, CompileError> {
        let start = self.source.tell() - 1;
        if !self.source.take('?')? {
            return self.capturing(None, verbose, depth, start).map(Some);
        }
        let Some(token) = self.source.get()? else {
            return Err(self.source.error("unexpected end of pattern", 0));
        };
        match token {
            Token::Char('P') => self.python_extension(verbose, depth, start).map(Some),
            Token::Char(':') => self.scoped((0, 0), verbose, depth, start).map(Some),
            Token::Char('>') => {
                let body = self.alternatives(verbose, depth + 1)?;
                self.close(start)?;
                Ok(Some(Node::Atomic(body)))
            }
            Token::Char('#') => loop {
                match self.source.get()? {
                    None => return Err(self.source.error_at("missing ), unterminated comment", start)),
                    Some(Token::Char(')')) => return Ok(None),
                    Some(_) => {}
                }
            },
            Token::Char(c @ ('=' | '!' | '<')) => self.look(c, verbose, depth, start).map(Some),
            Token::Char('(') => self.conditional(verbose, depth, start).map(Some),
            Token::Char(c) if c == '-' || flag::of(c).is_some() => match self.inline_flags(c)? {
                None if !at_start => {
                    Err(self.source.error_at("global flags not at the start of the expression", start))
                }
                None => Ok(None),
                Some(change) => self.scoped(change, verbose, depth, start).map(Some),
            },
            token => {
                let message = format!("unknown extension ?{}", token.text());
                Err(self.source.error(message, token.len() + 1))
            }
        }
    }

    fn close(&mut self, start: usize) -> Result<(), CompileError> {
        if self.source.take(')')? {
            Ok(())
        } else {
            Err(self.source.error_at("missing ), unterminated subpattern", start))
        }
    }

    fn capturing(
        &mut self,
        name: Option<String>,
        verbose: bool,
        depth: usize,
        start: usize,
    ) -> Result<Node, CompileError> {
        let index = u32::try_from(self.widths.len()).unwrap_or(u32::MAX);
        if let Some(name) = name {
            if let Some((_, other)) = self.names.iter().find(|(known, _)| *known == name) {
                let message =
                    format!("redefinition of group name {} as group {index}; was group {other}", str_repr(&name));
                return Err(self.source.error(message, name.chars().count() + 1));
            }
            self.names.push((name, index));
        }
        self.widths.push(None);
        let body = self.alternatives(verbose, depth + 1)?;
        self.close(start)?;
        let width = width::of_sequence(&body, &self.widths);
        if let Some(slot) = self.widths.get_mut(index as usize) {
            *slot = Some(width);
        }
        self.closing_order.push(index);
        Ok(Node::Group { index: Some(index), add: 0, remove: 0, body })
    }

    fn scoped(
        &mut self,
        (add, remove): (u32, u32),
        verbose: bool,
        depth: usize,
        start: usize,
    ) -> Result<Node, CompileError> {
        let verbose = (verbose || add & flag::VERBOSE != 0) && remove & flag::VERBOSE == 0;
        let body = self.alternatives(verbose, depth + 1)?;
        self.close(start)?;
        Ok(Node::Group { index: None, add, remove, body })
    }

    /// `(?P<name>...)`, `(?P=name)`
    fn python_extension(&mut self, verbose: bool, depth: usize, start: usize) -> Result<Node, CompileError> {
        if self.source.take('<')? {
            let name = self.source.get_until('>', "group name")?;
            self.check_name(&name)?;
            return self.capturing(Some(name), verbose, depth, start);
        }
        if self.source.take('=')? {
            let name = self.source.get_until(')', "group name")?;
            self.check_name(&name)?;
            let offset = name.chars().count() + 1;
            let group = self.named_group(&name)?;
            if self.widths.get(group as usize).copied().flatten().is_none() {
                return Err(self.source.error("cannot refer to an open group", offset));
            }
            self.check_look_behind_group(group)?;
            return Ok(Node::Backreference(group));
        }
        match self.source.get()? {
            None => Err(self.source.error("unexpected end of pattern", 0)),
            Some(token) => {
                let message = format!("unknown extension ?P{}", token.text());
                Err(self.source.error(message, token.len() + 2))
            }
        }
    }

    fn check_name(&self, name: &str) -> Result<(), CompileError> {
        if is_identifier(name) { Ok(()) } else { Err(self.bad_name(name)) }
    }

    fn bad_name(&self, name: &str) -> CompileError {
        self.source.error(format!("bad character in group name {}", str_repr(name)), name.chars().count() + 1)
    }

    fn named_group(&self, name: &str) -> Result<u32, CompileError> {
        match self.names.iter().find(|(known, _)| known == name) {
            Some((_, group)) => Ok(*group),
            None => {
                let message = format!("unknown group name {}", str_repr(name));
                Err(self.source.error(message, name.chars().count() + 1))
            }
        }
    }

    /// Refuses a reference, inside a look-behind, to a group that is open or began in the look-behind.
    pub(super) fn check_look_behind_group(&self, group: u32) -> Result<(), CompileError> {
        let Some(groups) = self.look_behind_groups else { return Ok(()) };
        if self.widths.get(group as usize).copied().flatten().is_none() {
            return Err(self.source.error("cannot refer to an open group", 0));
        }
        if group as usize >= groups {
            let message = "cannot refer to group defined in the same lookbehind subpattern";
            return Err(self.source.error(message, 0));
        }
        Ok(())
    }

    /// `(?=...)`, `(?!...)`, `(?<=...)`, `(?<!...)`
    fn look(&mut self, c: char, verbose: bool, depth: usize, start: usize) -> Result<Node, CompileError> {
        let mut sign = c;
        let behind = c == '<';
        let outer = self.look_behind_groups;
        if behind {
            sign = match self.source.get()? {
                None => return Err(self.source.error("unexpected end of pattern", 0)),
                Some(Token::Char(c @ ('=' | '!'))) => c,
                Some(token) => {
                    let message = format!("unknown extension ?<{}", token.text());
                    return Err(self.source.error(message, token.len() + 2));
                }
            };
            if outer.is_none() {
                self.look_behind_groups = Some(self.widths.len());
            }
        }
        let body = self.alternatives(verbose, depth + 1)?;
        self.look_behind_groups = outer;
        self.close(start)?;
        Ok(Node::Look { behind, negated: sign == '!', body })
    }

    /// `(?(1)yes|no)`
    fn conditional(&mut self, verbose: bool, depth: usize, start: usize) -> Result<Node, CompileError> {
        let name = self.source.get_until(')', "group name")?;
        let offset = name.chars().count() + 1;
        let group = if is_identifier(&name) {
            self.named_group(&name)?
        } else {
            let Some(group) = parse_group_number(&name) else { return Err(self.bad_name(&name)) };
            if group == 0 {
                return Err(self.source.error("bad group number", offset));
            }
            if group >= u64::from(MAX_GROUPS) {
                return Err(self.source.error(format!("invalid group reference {group}"), offset));
            }
            let group = u32::try_from(group).unwrap_or(MAX_GROUPS);
            if !self.conditions.iter().any(|(known, _)| *known == group) {
                self.conditions.push((group, self.source.tell().saturating_sub(offset)));
            }
            group
        };
        self.check_look_behind_group(group)?;
        if depth > MAX_DEPTH {
            return Err(CompileError::Recursion);
        }
        let yes = self.sequence(verbose, depth + 1, false)?;
        let mut no: Option<Sequence> = None;
        if self.source.take('|')? {
            no = Some(self.sequence(verbose, depth + 1, false)?);
            if self.source.next == Some(Token::Char('|')) {
                return Err(self.source.error("conditional backref with more than two branches", 0));
            }
        }
        self.close(start)?;
        Ok(Node::Conditional { group, yes, no })
    }

    /// `(?i)`, which is global: `None`; `(?i-s:`, which is scoped: the flags added and removed.
    fn inline_flags(&mut self, first: char) -> Result<Option<(u32, u32)>, CompileError> {
        let (mut add, mut remove) = (0, 0);
        let mut c = first;
        if c != '-' {
            loop {
                let bit = flag::of(c).unwrap_or(0);
                if bit == flag::LOCALE {
                    return Err(self.source.error("bad inline flags: cannot use 'L' flag with a str pattern", 0));
                }
                add |= bit;
                if bit & flag::TYPES != 0 && add & flag::TYPES != bit {
                    return Err(self.source.error("bad inline flags: flags 'a', 'u' and 'L' are incompatible", 0));
                }
                c = self.flag_letter("missing -, : or )", &[')', '-', ':'])?;
                if matches!(c, ')' | '-' | ':') {
                    break;
                }
            }
        }
        if c == ')' {
            self.flags |= add;
            return Ok(None);
        }
        if add & flag::GLOBAL != 0 {
            return Err(self.source.error("bad inline flags: cannot turn on global flag", 1));
        }
        if c == '-' {
            c = self.flag_letter("missing flag", &[])?;
            loop {
                let bit = flag::of(c).unwrap_or(0);
                if bit & flag::TYPES != 0 {
                    let message = "bad inline flags: cannot turn off flags 'a', 'u' and 'L'";
                    return Err(self.source.error(message, 0));
                }
                remove |= bit;
                c = self.flag_letter("missing :", &[':'])?;
                if c == ':' {
                    break;
                }
            }
        }
        if remove & flag::GLOBAL != 0 {
            return Err(self.source.error("bad inline flags: cannot turn off global flag", 1));
        }
        if add & remove != 0 {
            return Err(self.source.error("bad inline flags: flag turned on and off", 1));
        }
        Ok(Some((add, remove)))
    }

    /// The next character among flags: a flag, or one of `ends`.
    fn flag_letter(&mut self, missing: &str, ends: &[char]) -> Result<char, CompileError> {
        match self.source.get()? {
            None => Err(self.source.error(missing, 0)),
            Some(Token::Char(c)) if ends.contains(&c) || flag::of(c).is_some() => Ok(c),
            Some(token) => {
                let message = if token.char().is_some_and(char::is_alphabetic) { "unknown flag" } else { missing };
                Err(self.source.error(message, token.len()))
            }
        }
    }
}

/// `name.isidentifier()`
pub(super) fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(unicode::is_id_start) && chars.all(unicode::is_id_continue)
}

/// `int(name)` where it gives a number that is not negative. Python also takes a sign, spaces around and single
/// underscores between digits, with a warning.
pub(super) fn parse_group_number(name: &str) -> Option<u64> {
    let text = name.trim();
    let digits = text.strip_prefix('+').unwrap_or(text);
    let grouped = digits.split('_').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    if !grouped {
        return None;
    }
    Some(digits.replace('_', "").parse().unwrap_or(u64::MAX))
}
