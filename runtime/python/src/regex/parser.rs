//! The parser of patterns: alternatives, sequences, sets and repeats.
//!
//! It follows CPython 3.11's `re._parser` step by step where that decides which error is reported, and where.

use super::ast::{At, Node, Pattern, RepeatKind, Sequence, SetItem, flag};
use super::error::CompileError;
use super::tokenizer::{Token, Tokenizer};
use super::width::{self, Width};

/// Levels of alternatives and sequences, two for each group. Deeper patterns raise `RecursionError`; CPython's bound is
/// that of its stack, some 300 groups. (The engine takes 64 levels at most.)
pub(super) const MAX_DEPTH: usize = 250;

/// CPython's `MAXREPEAT`: counts from here on raise `OverflowError`.
const MAX_REPEAT: u64 = 4_294_967_295;

/// Parses a pattern.
///
/// # Errors
/// The exception of `re.compile(text, flags)`.
pub fn parse(text: &str, flags: u32) -> Result<Pattern, CompileError> {
    let mut parser = Parser {
        source: Tokenizer::new(text)?,
        flags,
        names: Vec::new(),
        widths: vec![None],
        closing_order: Vec::new(),
        look_behind_groups: None,
        conditions: Vec::new(),
    };
    let body = parser.alternatives(flags & flag::VERBOSE != 0, 0)?;
    let flags = fix_flags(parser.flags)?;
    if parser.source.next.is_some() {
        return Err(parser.source.error("unbalanced parenthesis", 0));
    }
    for (group, position) in &parser.conditions {
        if *group as usize >= parser.widths.len() {
            return Err(parser.source.error_at(format!("invalid group reference {group}"), *position));
        }
    }
    check_look_behinds(&body, &parser.widths)?;
    let groups = u32::try_from(parser.widths.len() - 1).unwrap_or(u32::MAX);
    Ok(Pattern { body, flags, groups, names: parser.names, closing_order: parser.closing_order })
}

/// The state of the parser.
pub(super) struct Parser {
    pub(super) source: Tokenizer,
    /// The global flags so far.
    pub(super) flags: u32,
    /// Named groups.
    pub(super) names: Vec<(String, u32)>,
    /// The width of each group that has closed, by number.
    pub(super) widths: Vec<Option<Width>>,
    pub(super) closing_order: Vec<u32>,
    /// Inside a look-behind: the number of groups when it began.
    pub(super) look_behind_groups: Option<usize>,
    /// Groups that conditionals ask for, each with the place of its first mention: they may open later.
    pub(super) conditions: Vec<(u32, usize)>,
}

/// Flags that do not go together, and the default of `UNICODE`.
fn fix_flags(flags: u32) -> Result<u32, CompileError> {
    if flags & flag::LOCALE != 0 {
        return Err(CompileError::Value("cannot use LOCALE flag with a str pattern".to_owned()));
    }
    if flags & flag::ASCII == 0 {
        return Ok(flags | flag::UNICODE);
    }
    if flags & flag::UNICODE != 0 {
        return Err(CompileError::Value("ASCII and UNICODE flags are incompatible".to_owned()));
    }
    Ok(flags)
}

impl Parser {
    /// `a|b|c`, up to a closing parenthesis or the end.
    pub(super) fn alternatives(&mut self, verbose: bool, depth: usize) -> Result<Sequence, CompileError> {
        if depth > MAX_DEPTH {
            return Err(CompileError::Recursion);
        }
        let mut verbose = verbose;
        let mut branches = vec![self.sequence(verbose, depth + 1, depth == 0)?];
        while self.source.take('|')? {
            if depth == 0 {
                verbose = self.flags & flag::VERBOSE != 0;
            }
            branches.push(self.sequence(verbose, depth + 1, false)?);
        }
        match branches.len() {
            1 => Ok(branches.pop().unwrap_or_default()),
            _ => Ok(vec![Node::Branch(branches)]),
        }
    }

    /// One alternative. `first` is the first of the whole pattern, where global flags may stand.
    pub(super) fn sequence(&mut self, verbose: bool, depth: usize, first: bool) -> Result<Sequence, CompileError> {
        let mut verbose = verbose;
        let mut sequence = Sequence::new();
        while let Some(token) = self.source.next {
            if matches!(token, Token::Char('|' | ')')) {
                break;
            }
            self.source.get()?;
            let c = match token {
                Token::Escape(c) => {
                    let node = self.escape(c)?;
                    sequence.push(node);
                    continue;
                }
                Token::Char(c) => c,
            };
            if verbose {
                if matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c') {
                    continue;
                }
                if c == '#' {
                    while !matches!(self.source.get()?, None | Some(Token::Char('\n'))) {}
                    continue;
                }
            }
            match c {
                '[' => {
                    let set = self.set()?;
                    sequence.push(set);
                }
                '*' | '+' | '?' | '{' => self.repeat(c, &mut sequence)?,
                '.' => sequence.push(Node::Any),
                '^' => sequence.push(Node::At(At::Beginning)),
                '$' => sequence.push(Node::At(At::End)),
                '(' => match self.group(verbose, depth, first && sequence.is_empty())? {
                    Some(node) => sequence.push(node),
                    // A comment changes nothing; global flags may have turned verbose mode on.
                    None => verbose = verbose || (first && self.flags & flag::VERBOSE != 0),
                },
                c => sequence.push(Node::Literal(u32::from(c))),
            }
        }
        Ok(sequence)
    }

    /// A set, from after its opening bracket.
    fn set(&mut self) -> Result<Node, CompileError> {
        let here = self.source.tell() - 1;
        let unterminated =
            || CompileError::Syntax { message: "unterminated character set".to_owned(), position: Some(here) };
        let negated = self.source.take('^')?;
        let mut items: Vec<SetItem> = Vec::new();
        loop {
            let this = self.source.get()?.ok_or_else(unterminated)?;
            let low = match this {
                Token::Char(']') if !items.is_empty() => break,
                Token::Escape(c) => self.set_escape(c)?,
                Token::Char(c) => SetItem::Literal(u32::from(c)),
            };
            if !self.source.take('-')? {
                items.push(low);
                continue;
            }
            let that = self.source.get()?.ok_or_else(unterminated)?;
            let high = match that {
                Token::Char(']') => {
                    items.push(low);
                    items.push(SetItem::Literal(u32::from('-')));
                    break;
                }
                Token::Escape(c) => self.set_escape(c)?,
                Token::Char(c) => SetItem::Literal(u32::from(c)),
            };
            match (low, high) {
                (SetItem::Literal(low), SetItem::Literal(high)) if low <= high => {
                    items.push(SetItem::Range(low, high));
                }
                _ => {
                    let message = format!("bad character range {}-{}", this.text(), that.text());
                    return Err(self.source.error(message, this.len() + 1 + that.len()));
                }
            }
        }
        Ok(match items.as_slice() {
            [SetItem::Literal(c)] if !negated => Node::Literal(*c),
            _ => Node::Set { negated, items },
        })
    }

    /// A repeat of the last item of `sequence`, from after its first character `c`.
    fn repeat(&mut self, c: char, sequence: &mut Sequence) -> Result<(), CompileError> {
        let here = self.source.tell();
        let (min, max) = match c {
            '?' => (0, Some(1)),
            '*' => (0, None),
            '+' => (1, None),
            _ => match self.counts(here)? {
                Some(counts) => counts,
                None => {
                    sequence.push(Node::Literal(u32::from('{')));
                    return Ok(());
                }
            },
        };
        let nothing = |source: &Tokenizer, message: &str| source.error(message, source.tell() - here + 1);
        let item = match sequence.pop() {
            None | Some(Node::At(_)) => return Err(nothing(&self.source, "nothing to repeat")),
            Some(Node::Repeat { .. }) => return Err(nothing(&self.source, "multiple repeat")),
            Some(item) => item,
        };
        let kind = if self.source.take('?')? {
            RepeatKind::Lazy
        } else if self.source.take('+')? {
            RepeatKind::Possessive
        } else {
            RepeatKind::Greedy
        };
        sequence.push(Node::Repeat { min, max, kind, body: Box::new(item) });
        Ok(())
    }

    /// `{2,3}` from after its brace; `None` where it is no repeat and the brace stands for itself.
    fn counts(&mut self, here: usize) -> Result<Option<(u32, Option<u32>)>, CompileError> {
        if self.source.next == Some(Token::Char('}')) {
            return Ok(None);
        }
        let (mut low, mut high) = (String::new(), String::new());
        self.source.get_while(usize::MAX, char::is_ascii_digit, &mut low)?;
        if self.source.take(',')? {
            self.source.get_while(usize::MAX, char::is_ascii_digit, &mut high)?;
        } else {
            high.clone_from(&low);
        }
        if !self.source.take('}')? {
            self.source.seek(here)?;
            return Ok(None);
        }
        let min = count(&low)?.unwrap_or(0);
        let max = count(&high)?;
        if max.is_some_and(|max| max < min) {
            let offset = self.source.tell() - here;
            return Err(self.source.error("min repeat greater than max repeat", offset));
        }
        Ok(Some((min, max)))
    }
}

fn count(digits: &str) -> Result<Option<u32>, CompileError> {
    if digits.is_empty() {
        return Ok(None);
    }
    match digits.parse::<u64>() {
        Ok(count) if count < MAX_REPEAT => Ok(u32::try_from(count).ok()),
        _ => Err(CompileError::Overflow("the repetition number is too large".to_owned())),
    }
}

/// Look-behinds must have one width.
fn check_look_behinds(sequence: &[Node], widths: &[Option<Width>]) -> Result<(), CompileError> {
    for node in sequence {
        match node {
            Node::Look { behind, body, .. } => {
                if *behind {
                    let (low, high) = width::of_sequence(body, widths);
                    if low >= width::UNBOUNDED {
                        let message = "looks too much behind".to_owned();
                        return Err(CompileError::Syntax { message, position: None });
                    }
                    if low != high {
                        let message = "look-behind requires fixed-width pattern".to_owned();
                        return Err(CompileError::Syntax { message, position: None });
                    }
                }
                check_look_behinds(body, widths)?;
            }
            Node::Branch(branches) => {
                branches.iter().try_for_each(|branch| check_look_behinds(branch, widths))?;
            }
            Node::Group { body, .. } | Node::Atomic(body) => check_look_behinds(body, widths)?,
            Node::Repeat { body, .. } => check_look_behinds(std::slice::from_ref(&**body), widths)?,
            Node::Conditional { yes, no, .. } => {
                check_look_behinds(yes, widths)?;
                no.as_ref().map_or(Ok(()), |no| check_look_behinds(no, widths))?;
            }
            Node::Literal(_) | Node::Any | Node::Set { .. } | Node::At(_) | Node::Backreference(_) => {}
        }
    }
    Ok(())
}
