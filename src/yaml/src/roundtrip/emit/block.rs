//! Collections by indent.

use super::{Context, Emitter, Event, State};
use crate::read::comment::Before;
use crate::roundtrip::error::Result;

impl Emitter<'_> {
    /// The comments before the event, or those at the end that it brings.
    fn lines_before(&self) -> Result<Option<&[Before]>> {
        let before = match self.event()? {
            Event::Alias(_) => None,
            Event::Scalar(start, ..) | Event::SequenceStart(start) | Event::MappingStart(start, _) => {
                start.slots.as_ref().and_then(|slots| slots.before.as_deref())
            }
            Event::SequenceEnd(ending) | Event::MappingEnd(ending) => ending.before.as_deref(),
        };
        Ok(before.filter(|before| !before.is_empty()))
    }

    fn write_lines_before(&mut self) -> Result<()> {
        let starts = matches!(self.event()?, Event::SequenceStart(_) | Event::MappingStart(..));
        let before = self.lines_before()?.map(<[Before]>::to_vec);
        self.write_before(before.as_deref(), starts)?;
        Ok(())
    }

    pub(super) fn block_item(&mut self, first: bool) -> Result<()> {
        self.write_lines_before()?;
        if !first && matches!(self.event()?, Event::SequenceEnd(_)) {
            self.writer.decrease_indent();
            self.writer.no_newline = false;
            return Ok(());
        }
        let keeps_line = self.writer.column == 0 && self.writer.no_newline;
        self.writer.write_indent();
        self.writer.write_indicator("-", true, false, true);
        if keeps_line {
            self.writer.no_newline = true;
        }
        self.states.push(State::BlockItem { first: false });
        self.node(Context { sequence: true, ..Context::default() })
    }

    pub(super) fn block_key(&mut self, first: bool) -> Result<()> {
        self.write_lines_before()?;
        if !first && matches!(self.event()?, Event::MappingEnd(_)) {
            self.writer.decrease_indent();
            return Ok(());
        }
        self.writer.write_indent();
        if self.is_simple_key()? {
            if self.is_in_set() {
                self.writer.write_indicator("?", true, false, true);
            }
            self.states.push(State::BlockSimpleValue);
            self.node(Context { mapping: true, simple_key: true, ..Context::default() })?;
            if matches!(self.event()?, Event::Alias(_)) {
                // Else the `:` would be a part of the name.
                self.writer.out.push(' ');
            }
            Ok(())
        } else {
            self.writer.write_indicator("?", true, false, true);
            self.states.push(State::BlockValue);
            self.node(Context { mapping: true, ..Context::default() })
        }
    }
}
