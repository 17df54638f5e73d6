//! Characters to tokens, as ruamel.yaml's `RoundTripScanner` does it.
//!
//! The scanner runs only as far ahead as its caller needs. That matters: which comments stick to a token depends on what
//! has been scanned when the token is taken, so the same steps are done here in the same order.

mod blanks;
mod block;
mod indicators;
mod property;
mod scalar;

pub(crate) use blanks::lost;
pub(crate) use block::FOLD;

use std::collections::VecDeque;

use super::comment::Comments;
use super::fault::{Problem, Result};
use super::reader::{Mark, Reader};
use super::token::{Kind, Token};
use crate::characters::{END, ends_word};

/// The maximum length of a key that is not marked with `?`, in characters.
const SIMPLE_KEY_LENGTH: usize = 1024;

/// The start of a possible key, which only its `:` will confirm.
#[derive(Clone, Copy)]
struct SimpleKey {
    /// The number of open flow collections around it.
    depth: usize,
    /// The number of the token it would start with.
    token: usize,
    /// `true` if anything but a key would be an error here.
    required: bool,
    mark: Mark,
}

/// The scanner.
pub(super) struct Scanner<'t> {
    pub(super) reader: Reader<'t>,
    pub(super) comments: Comments,
    tokens: VecDeque<Token<'t>>,
    /// The number of tokens that have left the queue.
    taken: usize,
    /// `true` if the first token of the queue is known to be the next one, with its comments.
    ready: bool,
    /// The end of the text has been scanned.
    done: bool,
    /// The open `[` and `{`.
    flow: Vec<char>,
    /// The column of the innermost block collection, -1 outside of all.
    indent: isize,
    indents: Vec<isize>,
    /// `true` if a key may start here.
    allow_simple_key: bool,
    /// At most one possible key for each depth of flow collections, the deepest last.
    simple_keys: Vec<SimpleKey>,
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str) -> Result<Self> {
        let reader = Reader::new(text)?;
        let start = Token::new(Kind::StreamStart, reader.mark(), reader.mark());
        Ok(Self {
            reader,
            comments: Comments::default(),
            tokens: VecDeque::from([start]),
            taken: 0,
            ready: false,
            done: false,
            flow: Vec::new(),
            indent: -1,
            indents: Vec::new(),
            allow_simple_key: true,
            simple_keys: Vec::new(),
        })
    }

    /// Returns `true` if more must be scanned to know the next token.
    fn needs_more(&mut self) -> Result<bool> {
        if self.done {
            return Ok(false);
        }
        if self.tokens.is_empty() {
            return Ok(true);
        }
        // The next token may turn out to be the start of a key, which would put another token before it.
        self.drop_stale_keys()?;
        Ok(self.simple_keys.iter().map(|key| key.token).min() == Some(self.taken))
    }

    /// Scans one more token (with the ends of blocks before it, if any) or comment.
    fn fetch(&mut self) -> Result<()> {
        if let Some(found) = self.skip_blanks() {
            self.push_comment(found);
            return Ok(());
        }
        self.drop_stale_keys()?;
        self.unwind(self.column());
        let reader = &self.reader;
        let next = reader.peek_at(1);
        match reader.peek() {
            END => self.fetch_stream_end(),
            '%' if reader.column() == 0 => self.fetch_directive(),
            '-' if self.at_document_mark("---") => self.fetch_document_mark(Kind::DocumentStart),
            '.' if self.at_document_mark("...") => self.fetch_document_mark(Kind::DocumentEnd),
            '[' => self.fetch_flow_start(Kind::FlowSequenceStart, '['),
            '{' => self.fetch_flow_start(Kind::FlowMappingStart, '{'),
            ']' => self.fetch_flow_end(Kind::FlowSequenceEnd),
            '}' => self.fetch_flow_end(Kind::FlowMappingEnd),
            ',' => self.fetch_flow_entry(),
            '-' if ends_word(next) => self.fetch_block_entry(),
            '?' if self.in_flow() || ends_word(next) => self.fetch_key(),
            ':' if self.at_value() => self.fetch_value(),
            '*' => self.fetch_anchor(Kind::Alias),
            '&' => self.fetch_anchor(Kind::Anchor),
            '!' => self.fetch_tag(),
            '|' if !self.in_flow() => self.fetch_block_scalar(false),
            '>' if !self.in_flow() => self.fetch_block_scalar(true),
            '\'' => self.fetch_quoted(false),
            '"' => self.fetch_quoted(true),
            _ if self.at_plain() => self.fetch_plain(),
            '\t' => reader.error(Problem::Tab, "a tab is not allowed before a token", reader.mark()),
            ch => reader.error(Problem::FirstCharacter, format!("nothing can start with `{ch}`"), reader.mark()),
        }
    }

    fn in_flow(&self) -> bool {
        !self.flow.is_empty()
    }

    fn column(&self) -> isize {
        isize::try_from(self.reader.column()).unwrap_or(isize::MAX)
    }

    fn push(&mut self, kind: Kind, start: Mark) {
        let token = Token::new(kind, start, self.reader.mark());
        self.tokens.push_back(token);
    }

    // Possible keys.

    /// Forgets possible keys that have become too long or have ended with their line.
    fn drop_stale_keys(&mut self) -> Result<()> {
        let here = self.reader.mark();
        let is_stale = |key: &SimpleKey| {
            key.mark.line != here.line || here.column.saturating_sub(key.mark.column) > SIMPLE_KEY_LENGTH
        };
        if self.simple_keys.iter().any(|key| key.required && is_stale(key)) {
            return self.missing_colon();
        }
        self.simple_keys.retain(|key| !is_stale(key));
        Ok(())
    }

    /// Remembers that the next token may start a key.
    fn save_simple_key(&mut self) -> Result<()> {
        if self.allow_simple_key {
            let required = !self.in_flow() && self.indent == self.column();
            self.remove_simple_key()?;
            let key = SimpleKey {
                depth: self.flow.len(),
                token: self.taken + self.tokens.len(),
                required,
                mark: self.reader.mark(),
            };
            self.simple_keys.push(key);
        }
        Ok(())
    }

    fn remove_simple_key(&mut self) -> Result<()> {
        match self.take_simple_key() {
            Some(key) if key.required => self.missing_colon(),
            _ => Ok(()),
        }
    }

    /// Takes the possible key in the innermost flow collection.
    fn take_simple_key(&mut self) -> Option<SimpleKey> {
        self.simple_keys.pop_if(|key| key.depth == self.flow.len())
    }

    /// The error for a key without its `:`, which is noticed at the token after it.
    fn missing_colon(&mut self) -> Result<()> {
        while self.skip_blanks().is_some() {}
        self.reader.error(Problem::MissingColon, "there must be a `:` before this", self.reader.mark())
    }

    // Indents.

    /// Ends the blocks that stand deeper than `column`.
    fn unwind(&mut self, column: isize) {
        if self.in_flow() {
            return;
        }
        while self.indent > column {
            self.indent = self.indents.pop().unwrap_or(-1);
            self.push(Kind::BlockEnd, self.reader.mark());
        }
    }

    /// Returns `true` if a new block starts at `column`.
    fn add_indent(&mut self, column: isize) -> bool {
        let deeper = self.indent < column;
        if deeper {
            self.indents.push(self.indent);
            self.indent = column;
        }
        deeper
    }

    // What stands next.

    fn at_document_mark(&self, mark: &str) -> bool {
        self.reader.column() == 0 && self.at_separator(mark)
    }

    /// `---` or `...`, wherever it stands.
    fn at_separator(&self, mark: &str) -> bool {
        self.reader.starts_with(mark) && ends_word(self.reader.peek_at(3))
    }

    fn at_any_separator(&self) -> bool {
        self.at_separator("---") || self.at_separator("...")
    }

    fn at_value(&self) -> bool {
        let spaced = ends_word(self.reader.peek_at(1));
        match self.flow.last() {
            None | Some('[') => spaced,
            // After a `:` of a flow mapping a second one belongs to the value.
            Some(_) => spaced || self.tokens.back().is_none_or(|token| token.kind != Kind::Value),
        }
    }

    fn at_plain(&self) -> bool {
        let (ch, next) = (self.reader.peek(), self.reader.peek_at(1));
        match ch {
            '-' => !ends_word(next),
            ':' if self.in_flow() => !matches!(next, ' ' | '\t'),
            ':' | '?' => !self.in_flow() && !ends_word(next),
            _ => !ends_word(ch) && !",[]{}#&*!|>'\"%@`".contains(ch),
        }
    }
}
