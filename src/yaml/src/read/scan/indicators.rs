//! The tokens that are indicators: `- ? : , [ ] { } --- ...` and the ends.

use super::Scanner;
use crate::read::fault::{Problem, Result};
use crate::read::token::{Kind, Token};

impl Scanner<'_> {
    pub(super) fn fetch_stream_end(&mut self) -> Result<()> {
        self.unwind(-1);
        self.remove_simple_key()?;
        self.allow_simple_key = false;
        self.simple_keys.clear();
        self.push(Kind::StreamEnd, self.reader.mark());
        self.done = true;
        Ok(())
    }

    pub(super) fn fetch_document_mark(&mut self, kind: Kind) -> Result<()> {
        self.unwind(-1);
        self.remove_simple_key()?;
        self.allow_simple_key = false;
        self.take_indicator(kind, 3);
        Ok(())
    }

    /// Adds the token of the next `length` characters.
    fn take_indicator(&mut self, kind: Kind, length: usize) {
        let start = self.reader.mark();
        for _ in 0..length {
            self.reader.advance();
        }
        self.push(kind, start);
    }

    pub(super) fn fetch_flow_start(&mut self, kind: Kind, bracket: char) -> Result<()> {
        self.save_simple_key()?;
        self.flow.push(bracket);
        self.allow_simple_key = true;
        self.take_indicator(kind, 1);
        Ok(())
    }

    pub(super) fn fetch_flow_end(&mut self, kind: Kind) -> Result<()> {
        self.remove_simple_key()?;
        if self.flow.pop().is_none() {
            return self.reader.error(Problem::Bracket, "this bracket has no opening bracket", self.reader.mark());
        }
        self.allow_simple_key = false;
        self.take_indicator(kind, 1);
        Ok(())
    }

    pub(super) fn fetch_flow_entry(&mut self) -> Result<()> {
        self.allow_simple_key = true;
        self.remove_simple_key()?;
        self.take_indicator(Kind::FlowEntry, 1);
        Ok(())
    }

    pub(super) fn fetch_block_entry(&mut self) -> Result<()> {
        self.start_block(Kind::BlockSequenceStart, Problem::Dash, "a sequence item is not allowed here")?;
        self.allow_simple_key = true;
        self.remove_simple_key()?;
        self.take_indicator(Kind::BlockEntry, 1);
        Ok(())
    }

    pub(super) fn fetch_key(&mut self) -> Result<()> {
        self.start_block(Kind::BlockMappingStart, Problem::Other, "a key is not allowed here")?;
        self.allow_simple_key = !self.in_flow();
        self.remove_simple_key()?;
        self.take_indicator(Kind::Key, 1);
        Ok(())
    }

    /// In block context: starts a collection here unless it has started.
    fn start_block(&mut self, kind: Kind, problem: Problem, otherwise: &str) -> Result<()> {
        if self.in_flow() {
            return Ok(());
        }
        if !self.allow_simple_key {
            return self.reader.error(problem, otherwise, self.reader.mark());
        }
        if self.add_indent(self.column()) {
            self.push(kind, self.reader.mark());
        }
        Ok(())
    }

    pub(super) fn fetch_value(&mut self) -> Result<()> {
        if let Some(key) = self.take_simple_key() {
            // What was scanned since then was a key.
            let at = key.token.saturating_sub(self.taken).min(self.tokens.len());
            self.tokens.insert(at, Token::new(Kind::Key, key.mark, key.mark));
            let column = isize::try_from(key.mark.column).unwrap_or(isize::MAX);
            if !self.in_flow() && self.add_indent(column) {
                self.tokens.insert(at, Token::new(Kind::BlockMappingStart, key.mark, key.mark));
            }
            self.allow_simple_key = false;
        } else {
            self.start_block(Kind::BlockMappingStart, Problem::Colon, "a `:` is not allowed here")?;
            self.allow_simple_key = !self.in_flow();
            self.remove_simple_key()?;
        }
        self.take_indicator(Kind::Value, 1);
        Ok(())
    }
}
