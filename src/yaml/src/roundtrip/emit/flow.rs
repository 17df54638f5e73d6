//! Collections in brackets.

use super::{Context, Emitter, Event, State, WIDTH};
use crate::roundtrip::error::Result;

impl Emitter<'_> {
    pub(super) fn start_flow_sequence(&mut self, force_indent: bool) {
        if force_indent {
            self.writer.increase_indent(true, true, false);
        }
        let spaces = self.flow_align(force_indent);
        self.writer.write_indicator(&format!("{}[", " ".repeat(spaces)), true, true, false);
        if !force_indent {
            self.writer.increase_indent(true, true, false);
        }
        self.flow.push(Some('['));
        self.states.push(State::FlowItem { first: true });
    }

    pub(super) fn flow_item(&mut self, first: bool) -> Result<()> {
        if let Event::SequenceEnd(ending) = self.event()? {
            self.writer.decrease_indent();
            self.flow.pop();
            self.writer.write_indicator("]", false, false, false);
            return self.end_flow(ending.after, first);
        }
        if !first {
            self.writer.write_indicator(",", false, false, false);
        }
        if self.writer.column > WIDTH {
            self.writer.write_indent();
        }
        self.states.push(State::FlowItem { first: false });
        self.node(Context { sequence: true, ..Context::default() })
    }

    /// Writes the text after the closing bracket.
    fn end_flow(&mut self, comment: Option<usize>, empty: bool) -> Result<()> {
        if comment.is_some() {
            self.write_after(comment)?;
        } else if !empty {
            self.writer.no_newline = false;
        } else if !self.in_flow() {
            self.writer.write_line_break('\n');
        }
        Ok(())
    }

    pub(super) fn start_flow_mapping(&mut self, single: bool, force_indent: bool) {
        if force_indent {
            self.writer.increase_indent(true, false, false);
        }
        let spaces = " ".repeat(self.flow_align(force_indent));
        // A single pair in a sequence needs no braces.
        let brace = if single && self.flow.last() == Some(&Some('[')) { None } else { Some('{') };
        let indicator = brace.map_or(spaces.clone(), |brace| format!("{spaces}{brace}"));
        self.writer.write_indicator(&indicator, true, true, false);
        self.flow.push(brace);
        if !force_indent {
            self.writer.increase_indent(true, false, false);
        }
        self.states.push(State::FlowKey { first: true });
    }

    pub(super) fn flow_key(&mut self, first: bool) -> Result<()> {
        if let Event::MappingEnd(ending) = self.event()? {
            self.writer.decrease_indent();
            if self.flow.pop().flatten().is_some() {
                self.writer.write_indicator("}", false, false, false);
            }
            return self.end_flow(ending.after, first);
        }
        if !first {
            self.writer.write_indicator(",", false, false, false);
        }
        if self.writer.column > WIDTH {
            self.writer.write_indent();
        }
        if self.is_simple_key()? {
            self.states.push(State::FlowSimpleValue);
            self.node(Context { mapping: true, simple_key: true, ..Context::default() })
        } else {
            self.writer.write_indicator("?", true, false, false);
            self.states.push(State::FlowValue);
            self.node(Context { mapping: true, ..Context::default() })
        }
    }
}
