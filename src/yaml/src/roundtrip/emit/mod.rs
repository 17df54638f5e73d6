//! Events to text, as ruamel.yaml's `Emitter` writes them with TPV's settings: indents of two, lines of 80.

mod block;
mod block_scalar;
mod comments;
mod flow;
mod scalar;

use super::error::{Result, RoundTripError};
use super::represent::OutSlots;
use crate::read::comment::{Before, CommentId, Comments};
use crate::read::node::Tag;
use crate::style::ScalarStyle;
use crate::tag::prepare_tag;
use crate::write::analysis::Analysis;
use crate::write::writer::{INDENT, WIDTH, Writer};

/// Longer keys are written with `?`; TPV sets it.
const LONGEST_KEY: usize = 1024;

/// The properties of a scalar or of the start of a collection.
#[derive(Clone, Debug)]
pub(super) struct Start {
    pub anchor: Option<String>,
    pub tag: Tag,
    pub slots: Option<OutSlots>,
    /// `true` if a collection is in brackets.
    pub flow: bool,
    /// `true` for a key or a value of a set, which has no `:`.
    pub in_set: bool,
}

/// The comments at the end of a collection.
#[derive(Clone, Debug)]
pub(super) struct Ending {
    pub after: Option<CommentId>,
    pub before: Option<Vec<Before>>,
}

/// An event to be written.
#[derive(Clone, Debug)]
pub(super) enum Event {
    Alias(String),
    Scalar(Start, String, ScalarStyle),
    SequenceStart(Start),
    SequenceEnd(Ending),
    /// With the number of its pairs.
    MappingStart(Start, usize),
    MappingEnd(Ending),
}

/// The state that handles the next event.
#[derive(Clone, Copy, Debug)]
enum State {
    End,
    FlowItem { first: bool },
    FlowKey { first: bool },
    FlowSimpleValue,
    FlowValue,
    BlockItem { first: bool },
    BlockKey { first: bool },
    BlockSimpleValue,
    BlockValue,
}

/// The context of a node.
#[derive(Clone, Copy, Debug, Default)]
struct Context {
    sequence: bool,
    mapping: bool,
    simple_key: bool,
}

/// The writer and where it is.
struct Emitter<'a> {
    events: &'a [Event],
    at: usize,
    comments: &'a mut Comments,
    writer: Writer,
    states: Vec<State>,
    /// The open `[` and `{`; `None` is a mapping without braces.
    flow: Vec<Option<char>>,
    context: Context,
    /// The analysis of the scalar to be written.
    analysis: Option<Analysis>,
}

/// Writes the events of a document.
///
/// # Errors
/// Comments that ruamel.yaml cannot write.
pub(super) fn emit(events: &[Event], comments: &mut Comments) -> Result<String> {
    let mut emitter = Emitter {
        events,
        at: 0,
        comments,
        writer: Writer::new(None),
        states: vec![State::End],
        flow: Vec::new(),
        context: Context::default(),
        analysis: None,
    };
    emitter.node(Context::default())?;
    emitter.at += 1;
    while let Some(state) = emitter.states.pop() {
        emitter.step(state)?;
        emitter.at += 1;
    }
    Ok(emitter.writer.out)
}

impl<'a> Emitter<'a> {
    fn event(&self) -> Result<&'a Event> {
        self.events.get(self.at).ok_or_else(|| RoundTripError::new("there is nothing more to write"))
    }

    fn step(&mut self, state: State) -> Result<()> {
        match state {
            State::End => {
                self.writer.write_indent();
                if self.writer.open_ended {
                    self.writer.write_indicator("...", true, false, false);
                    self.writer.write_indent();
                }
                Ok(())
            }
            State::FlowItem { first } => self.flow_item(first),
            State::FlowKey { first } => self.flow_key(first),
            State::FlowSimpleValue => {
                if !self.is_in_set() {
                    self.writer.write_indicator(":", false, false, false);
                }
                self.states.push(State::FlowKey { first: false });
                self.node(Context { mapping: true, ..Context::default() })
            }
            State::FlowValue => {
                if self.writer.column > WIDTH {
                    self.writer.write_indent();
                }
                self.writer.write_indicator(":", true, false, false);
                self.states.push(State::FlowKey { first: false });
                self.node(Context { mapping: true, ..Context::default() })
            }
            State::BlockItem { first } => self.block_item(first),
            State::BlockKey { first } => self.block_key(first),
            State::BlockSimpleValue => {
                if !self.is_in_set() {
                    self.writer.write_indicator(":", false, false, false);
                }
                self.states.push(State::BlockKey { first: false });
                self.node(Context { mapping: true, ..Context::default() })
            }
            State::BlockValue => {
                self.writer.write_indent();
                self.writer.write_indicator(":", true, false, true);
                self.states.push(State::BlockKey { first: false });
                self.node(Context { mapping: true, ..Context::default() })
            }
        }
    }

    fn is_in_set(&self) -> bool {
        matches!(self.events.get(self.at), Some(Event::Scalar(start, ..)) if start.in_set)
    }

    fn in_flow(&self) -> bool {
        !self.flow.is_empty()
    }

    /// Returns `true` if the collections at the top of the indents are both sequences.
    fn is_sequence_in_sequence(&self) -> bool {
        matches!(self.writer.indents.as_slice(), [.., (_, true), (_, true)])
    }

    /// The number of spaces that align brackets.
    fn flow_align(&self, after_comment: bool) -> usize {
        let top = self.writer.indents.last();
        if (self.writer.indents.len() < 2 || !top.is_some_and(|top| top.1))
            && (self.writer.indents.is_empty() || !after_comment)
        {
            return 0;
        }
        let base = top.and_then(|top| top.0).unwrap_or(0) + INDENT;
        if after_comment { base } else { base.saturating_sub(self.writer.column + 1) }
    }

    /// Writes a node: a scalar whole, of a collection the start.
    fn node(&mut self, context: Context) -> Result<()> {
        self.context = context;
        match self.event()? {
            Event::Alias(name) => {
                self.writer.write_indicator(&format!("*{name}"), true, false, false);
                self.writer.no_newline = false;
                Ok(())
            }
            Event::Scalar(start, text, style) => {
                if self.write_anchor(start) {
                    self.context.sequence = false;
                }
                let style = self.write_scalar_tag(start, text, *style)?;
                self.scalar(start, style)
            }
            Event::SequenceStart(start) => self.sequence(start),
            Event::MappingStart(start, count) => self.mapping(start, *count),
            Event::SequenceEnd(_) | Event::MappingEnd(_) => Err(RoundTripError::new("a value is missing")),
        }
    }

    fn write_anchor(&mut self, start: &Start) -> bool {
        let Some(anchor) = &start.anchor else { return false };
        self.writer.write_indicator(&format!("&{anchor}"), true, false, false);
        self.writer.no_newline = false;
        true
    }

    fn write_collection_tag(&mut self, start: &Start, kind: &str) {
        if start.tag.kind() != Some(kind) {
            self.writer.write_indicator(&prepare_tag(&start.tag.name()), true, false, false);
        }
    }

    fn sequence(&mut self, start: &Start) -> Result<()> {
        self.write_anchor(start);
        self.write_collection_tag(start, "seq");
        let was_indention = self.writer.indention;
        let mut force_indent = false;
        if let Some(slots) = &start.slots {
            if !start.flow && self.write_after(slots.after)? {
                self.writer.indention = false;
                self.writer.no_newline = true;
            }
            let column = self.writer.column;
            if self.write_before(slots.before.as_deref(), true)? {
                if start.flow {
                    let Some((_, sequence)) = self.writer.indents.last() else {
                        return Err(RoundTripError::new("a comment before the brackets has no place to be kept"));
                    };
                    force_indent = !sequence;
                }
                self.writer.indention = was_indention;
                self.writer.no_newline = !self.writer.indention;
            }
            if start.flow {
                self.writer.column = column;
            }
        }
        if self.in_flow() || start.flow || self.is_empty_collection() {
            self.start_flow_sequence(force_indent);
        } else {
            let indentless = self.context.mapping && !self.writer.indention;
            self.writer.increase_indent(false, true, indentless);
            self.states.push(State::BlockItem { first: true });
        }
        if self.is_sequence_in_sequence() {
            self.writer.indention = true;
            self.writer.no_newline = false;
        }
        Ok(())
    }

    fn mapping(&mut self, start: &Start, count: usize) -> Result<()> {
        self.write_anchor(start);
        self.write_collection_tag(start, "map");
        let mut force_indent = false;
        if let Some(slots) = &start.slots {
            if !start.flow {
                self.write_after(slots.after)?;
            }
            if slots.before.as_ref().is_some_and(|before| !before.is_empty()) {
                self.write_before(slots.before.as_deref(), true)?;
                if let (true, Some((_, sequence))) = (start.flow, self.writer.indents.last()) {
                    force_indent = !sequence;
                }
            }
        }
        if self.in_flow() || start.flow || self.is_empty_collection() {
            self.start_flow_mapping(count == 1, force_indent);
        } else {
            self.writer.increase_indent(false, false, false);
            self.states.push(State::BlockKey { first: true });
        }
        Ok(())
    }

    /// Returns `true` if the collection that starts here ends at once.
    fn is_empty_collection(&self) -> bool {
        matches!(
            (self.events.get(self.at), self.events.get(self.at + 1)),
            (Some(Event::SequenceStart(_)), Some(Event::SequenceEnd(_)))
                | (Some(Event::MappingStart(..)), Some(Event::MappingEnd(_)))
        )
    }

    /// Returns `true` if the key can do without `?`.
    fn is_simple_key(&mut self) -> Result<bool> {
        let mut length = 0;
        let event = self.event()?;
        if let Event::Scalar(start, ..) | Event::SequenceStart(start) | Event::MappingStart(start, _) = event {
            length += start.anchor.as_ref().map_or(0, |anchor| anchor.chars().count());
            length += prepare_tag(&start.tag.name()).chars().count();
        }
        let simple = match event {
            Event::Alias(name) => {
                length += name.chars().count();
                true
            }
            Event::Scalar(_, text, _) => {
                let analysis = Analysis::of(text);
                length += text.chars().count();
                let multiline = analysis.multiline;
                self.analysis = Some(analysis);
                !multiline
            }
            Event::SequenceStart(start) | Event::MappingStart(start, _) => start.flow || self.is_empty_collection(),
            Event::SequenceEnd(_) | Event::MappingEnd(_) => false,
        };
        Ok(simple && length < LONGEST_KEY)
    }
}
