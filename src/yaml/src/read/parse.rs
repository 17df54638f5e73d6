//! Tokens to nodes: the grammar of YAML, and where the comments of tokens go.
//!
//! ruamel.yaml moves the comments of tokens that leave no trace (`-`, `?`, `:`, anchors) to the next token, and those at
//! the end of a collection to the collection. The moves are done here as there, odd ones included: what they lose, the
//! formatted text loses.

use std::borrow::Cow;
use std::collections::HashMap;

use super::attach::{for_indentless, for_sequence, move_comments};
use super::comment::{Before, Slots};
use super::fault::{Fault, Problem, Result};
use super::node::{Child, Content, Node, NodeId, NodeTree, Tag, WrittenTag};
use super::reader::Mark;
use super::scan::Scanner;
use super::token::{Kind, Token};
use crate::resolve::resolve;
use crate::style::ScalarStyle;
use crate::tag::YAML_TAGS;

/// The properties before the content of a node.
struct Properties<'t> {
    anchor: Option<Cow<'t, str>>,
    tag: Option<Tag>,
    start: Option<Mark>,
    /// The offset of the end of the last.
    end: usize,
}

pub(super) struct Parser<'t> {
    scanner: Scanner<'t>,
    nodes: Vec<Node<'t>>,
    anchors: HashMap<Cow<'t, str>, NodeId>,
    /// The prefixes of the handles of tags.
    handles: HashMap<String, String>,
    /// The offsets of the open brackets, `None` for a block collection.
    open: Vec<Option<usize>>,
    max_depth: usize,
}

impl<'t> Parser<'t> {
    pub(super) fn new(scanner: Scanner<'t>, max_depth: usize) -> Self {
        let (nodes, anchors, handles, open) = (Vec::new(), HashMap::new(), HashMap::new(), Vec::new());
        Self { scanner, nodes, anchors, handles, open, max_depth }
    }

    /// The one document of the text.
    pub(super) fn document(mut self) -> Result<NodeTree<'t>> {
        match self.root() {
            Ok(root) => Ok(NodeTree { nodes: self.nodes, root, comments: self.scanner.comments }),
            Err(fault) => Err(Fault { bracket: self.open.last().copied().flatten(), ..fault }),
        }
    }

    fn root(&mut self) -> Result<Option<NodeId>> {
        self.scanner.take()?;
        let mut root = None;
        let explicit = self.scanner.check(&[Kind::Directive, Kind::DocumentStart])?;
        self.default_handles();
        if explicit {
            self.directives()?;
            if !self.scanner.check(&[Kind::DocumentStart])? {
                return self.unexpected(Problem::ExpectedEnd, "`---`");
            }
            let token = self.scanner.take()?;
            let empty = [Kind::Directive, Kind::DocumentStart, Kind::DocumentEnd, Kind::StreamEnd];
            let is_empty = self.scanner.check(&empty)?;
            root = Some(if is_empty { self.empty(token.end, None) } else { self.node(true, false)? });
        } else if !self.scanner.check(&[Kind::StreamEnd])? {
            root = Some(self.node(true, false)?);
        }
        let ends = root.is_some() && self.scanner.check(&[Kind::DocumentEnd])?;
        if ends {
            self.scanner.take()?;
        }
        if !self.scanner.check(&[Kind::StreamEnd])? {
            if !ends && !self.scanner.check(&[Kind::DocumentStart, Kind::Directive])? {
                return self.unexpected(Problem::ExpectedEnd, "the end of the text");
            }
            let place = self.scanner.peek()?.start;
            let message = "a config must be one YAML document: here starts another";
            return self.scanner.reader.error(Problem::SecondDocument, message, place);
        }
        Ok(root.map(|root| root.id))
    }

    fn default_handles(&mut self) {
        for (handle, prefix) in [("!", "!"), ("!!", YAML_TAGS)] {
            self.handles.entry(handle.to_owned()).or_insert_with(|| prefix.to_owned());
        }
    }

    fn directives(&mut self) -> Result<()> {
        self.handles.clear();
        let mut has_version = false;
        while self.scanner.check(&[Kind::Directive])? {
            let token = self.scanner.take()?;
            if token.handle.is_none() && !token.text.is_empty() && std::mem::replace(&mut has_version, true) {
                return self.scanner.reader.error(Problem::Other, "the version is given twice", token.start);
            }
            if let Some(handle) = token.handle
                && self.handles.insert(handle.to_owned(), token.text.into_owned()).is_some()
            {
                return self.scanner.reader.error(Problem::Other, "this handle is declared twice", token.start);
            }
        }
        self.default_handles();
        Ok(())
    }

    fn unexpected<T>(&mut self, problem: Problem, expected: &str) -> Result<T> {
        let token = self.scanner.peek()?;
        let (name, start) = (token.kind.name(), token.start);
        self.scanner.reader.error(problem, format!("expected {expected} but found {name}"), start)
    }

    fn add(&mut self, node: Node<'t>) -> Child {
        let id = self.nodes.len();
        if let Some(anchor) = &node.anchor {
            self.anchors.insert(anchor.clone(), id);
        }
        self.nodes.push(node);
        Child { id, alias: None }
    }

    /// A value that is not there.
    fn empty(&mut self, start: Mark, slots: Option<Box<Slots>>) -> Child {
        let content = Content::Scalar(Cow::Borrowed(""), ScalarStyle::Plain);
        let (tag, span) = (Tag::Implicit("null"), start.offset..start.offset);
        self.add(Node { content, tag, flow: false, anchor: None, slots, start, span })
    }

    fn properties(&mut self) -> Result<Properties<'t>> {
        let mut found = Properties { anchor: None, tag: None, start: None, end: 0 };
        let first = [Kind::Anchor, Kind::Tag];
        let mut rest: &[Kind] = &first;
        while !rest.is_empty() && self.scanner.check(rest)? {
            let mut token = self.scanner.take()?;
            if found.start.is_none() {
                // The comments of the second of the two are lost.
                self.scanner.peek()?;
                let moved = move_comments(&mut token, &mut self.scanner, false);
                if token.kind == Kind::Anchor {
                    moved?;
                }
                found.start = Some(token.start);
            }
            found.end = token.end.offset;
            if token.kind == Kind::Anchor {
                rest = if found.tag.is_some() { &[] } else { &[Kind::Tag] };
                found.anchor = Some(token.text);
            } else {
                rest = if found.anchor.is_some() { &[] } else { &[Kind::Anchor] };
                found.tag = Some(self.tag(token)?);
            }
        }
        Ok(found)
    }

    fn tag(&self, token: Token<'t>) -> Result<Tag> {
        let Token { handle, text: suffix, start, .. } = token;
        let prefix = match handle {
            None => "",
            Some(handle) => match self.handles.get(handle) {
                Some(prefix) => prefix,
                None => {
                    let message = format!("the handle `{handle}` is not declared");
                    return self.scanner.reader.error(Problem::Other, message, start);
                }
            },
        };
        let mut name = prefix.to_owned();
        let mut parts = suffix.split('%');
        name += parts.next().unwrap_or("");
        for part in parts {
            // Each escape is a character of its own, whatever its bytes mean together.
            let (code, rest) = part.split_at_checked(2).unwrap_or((part, ""));
            name.extend(u32::from_str_radix(code, 16).ok().and_then(char::from_u32));
            name += rest;
        }
        let (handle, suffix) = (handle.map(str::to_owned), suffix.into_owned());
        Ok(Tag::Written(Box::new(WrittenTag { handle, suffix, name })))
    }

    /// One node; in block context a sequence may be indented no more than the key it belongs to.
    fn node(&mut self, block: bool, indentless: bool) -> Result<Child> {
        // Kept small, since it recurses: what needs room is done in `start`.
        let (child, kind) = self.start(block, indentless)?;
        let Some(kind) = kind else { return Ok(child) };
        let id = child.id;
        match kind {
            Kind::BlockEntry => self.indentless_sequence(id)?,
            Kind::BlockSequenceStart => self.block_sequence(id)?,
            Kind::BlockMappingStart => self.block_mapping(id)?,
            Kind::FlowSequenceStart => self.flow_sequence(id)?,
            _ => self.flow_mapping(id)?,
        }
        self.open.pop();
        Ok(child)
    }

    /// A whole scalar or alias, or a collection still empty and the token that starts it.
    fn start(&mut self, block: bool, indentless: bool) -> Result<(Child, Option<Kind>)> {
        if self.scanner.check(&[Kind::Alias])? {
            let token = self.scanner.take()?;
            return match self.anchors.get(&*token.text) {
                Some(&id) => Ok((Child { id, alias: Some(token.span) }, None)),
                None => {
                    let message = format!("no anchor `{}` before this", token.text);
                    self.scanner.reader.error(Problem::UnknownAlias, message, token.start)
                }
            };
        }
        let Properties { anchor, tag, start, end } = self.properties()?;
        let next = self.scanner.peek()?;
        let (kind, span, start) = (next.kind, next.span.clone(), start.unwrap_or(next.start));
        // A lone `!` leaves the type open, even that of a quoted scalar.
        let lone = matches!(&tag, Some(Tag::Written(tag)) if tag.name == "!");
        let tag = tag.filter(|_| !lone);
        if kind == Kind::Scalar {
            let token = self.scanner.take()?;
            let plain = token.style == ScalarStyle::Plain || lone;
            let tag = tag.unwrap_or_else(|| Tag::Implicit(if plain { resolve(&token.text).name() } else { "str" }));
            let content = Content::Scalar(token.text, token.style);
            let node = Node { content, tag, flow: false, anchor, slots: token.slots, start, span };
            return Ok((self.add(node), None));
        }
        let flow = matches!(kind, Kind::FlowSequenceStart | Kind::FlowMappingStart);
        let mapping = matches!(kind, Kind::FlowMappingStart | Kind::BlockMappingStart);
        let starts = flow
            || indentless && kind == Kind::BlockEntry
            || block && matches!(kind, Kind::BlockSequenceStart | Kind::BlockMappingStart);
        if !starts {
            if anchor.is_none() && tag.is_none() && !lone {
                return self.unexpected(Problem::ExpectedValue, "a value");
            }
            let content = Content::Scalar(Cow::Borrowed(""), ScalarStyle::Plain);
            let tag = tag.unwrap_or(Tag::Implicit("null"));
            let span = end..end;
            return Ok((self.add(Node { content, tag, flow: false, anchor, slots: None, start, span }), None));
        }
        if self.open.len() >= self.max_depth {
            return self.scanner.reader.error(Problem::Depth, "the config is nested too deep", start);
        }
        self.open.push(flow.then_some(span.start));
        let span = span.start..if flow { span.end } else { span.start };
        let slots = match kind {
            Kind::BlockEntry => for_indentless(next),
            Kind::BlockSequenceStart => for_sequence(next),
            _ => next.slots.clone(),
        };
        let tag = tag.unwrap_or(Tag::Implicit(if mapping { "map" } else { "seq" }));
        let content = if mapping { Content::Mapping(Vec::new()) } else { Content::Sequence(Vec::new()) };
        Ok((self.add(Node { content, tag, flow, anchor, slots, start, span }), Some(kind)))
    }

    fn push_item(&mut self, id: NodeId, item: Child) {
        if let Some(Content::Sequence(items)) = self.nodes.get_mut(id).map(|node| &mut node.content) {
            items.push(item);
        }
    }

    fn push_pair(&mut self, id: NodeId, key: Child, value: Child) {
        if let Some(Content::Mapping(pairs)) = self.nodes.get_mut(id).map(|node| &mut node.content) {
            pairs.push((key, value));
        }
    }

    /// Hangs the comments that stood before the end of a collection on the collection.
    fn end_comments(&mut self, id: NodeId, before: Option<Vec<Before>>) {
        if let Some(before) = before.filter(|before| !before.is_empty())
            && let Some(node) = self.nodes.get_mut(id)
        {
            let slots = node.slots.get_or_insert_default();
            // Behind the comments of a `:` they come too late in ruamel.yaml's list to be found again.
            if !slots.is_moved() {
                slots.end = Some(before);
            }
        }
    }

    /// The comments at the end of a flow collection take the place of all others.
    fn flow_end(&mut self, id: NodeId) -> Result<()> {
        let token = self.scanner.take()?;
        let Some(node) = self.nodes.get_mut(id) else { return Ok(()) };
        node.span.end = token.end.offset;
        if let Some(mut slots) = token.slots {
            slots.end = slots.before.take_if(|before| !before.is_empty());
            node.slots = Some(slots);
        }
        Ok(())
    }

    /// Takes a token and gives its end.
    fn skip(&mut self) -> Result<Mark> {
        self.scanner.take().map(|token| token.end)
    }

    /// The node after a `?` or `:` in brackets; an empty one if one of `ends` is next.
    fn flow_after(&mut self, ends: &[Kind]) -> Result<Child> {
        let end = self.skip()?;
        if self.scanner.check(ends)? { Ok(self.empty(end, None)) } else { self.node(false, false) }
    }

    /// The end of a collection in brackets, or the `,` between its items.
    fn flow_separator(&mut self, first: bool, expected: &str) -> Result<()> {
        if !first {
            if !self.scanner.check(&[Kind::FlowEntry])? {
                return self.unexpected(Problem::ExpectedComma, expected);
            }
            self.skip()?;
        }
        Ok(())
    }

    /// Takes an indicator whose comments go to the next token; gives its end.
    fn indicator(&mut self) -> Result<Mark> {
        let mut token = self.scanner.take()?;
        move_comments(&mut token, &mut self.scanner, false)?;
        Ok(token.end)
    }

    /// The node after a `-` or `?`; an empty one if one of `ends` is next.
    fn after_indicator(&mut self, ends: &[Kind], indentless: bool) -> Result<Child> {
        let end = self.indicator()?;
        if self.scanner.check(ends)? { Ok(self.empty(end, None)) } else { self.node(true, indentless) }
    }

    fn block_sequence(&mut self, id: NodeId) -> Result<()> {
        self.scanner.take()?;
        while self.scanner.check(&[Kind::BlockEntry])? {
            let item = self.after_indicator(&[Kind::BlockEntry, Kind::BlockEnd], false)?;
            self.push_item(id, item);
        }
        if !self.scanner.check(&[Kind::BlockEnd])? {
            return self.unexpected(Problem::ExpectedDash, "a `-` or the end of the sequence");
        }
        let token = self.scanner.take()?;
        self.end_comments(id, token.slots.and_then(|slots| slots.before));
        Ok(())
    }

    fn indentless_sequence(&mut self, id: NodeId) -> Result<()> {
        while self.scanner.check(&[Kind::BlockEntry])? {
            let item = self.after_indicator(&[Kind::BlockEntry, Kind::Key, Kind::Value, Kind::BlockEnd], false)?;
            self.push_item(id, item);
        }
        // Nothing marks the end, so that the comments are those of the next token.
        let next = self.scanner.peek()?;
        let before = next.slots.as_mut().and_then(|slots| slots.before.take_if(|before| !before.is_empty()));
        self.end_comments(id, before);
        Ok(())
    }

    fn block_mapping(&mut self, id: NodeId) -> Result<()> {
        self.scanner.take()?;
        loop {
            let key = if self.scanner.check(&[Kind::Key])? {
                self.after_indicator(&[Kind::Key, Kind::Value, Kind::BlockEnd], true)?
            } else if self.scanner.check(&[Kind::Value])? {
                let start = self.scanner.peek()?.start;
                self.empty(start, None)
            } else {
                break;
            };
            let value = match self.empty_value()? {
                Some(empty) => empty,
                None => self.node(true, true)?,
            };
            self.push_pair(id, key, value);
        }
        if !self.scanner.check(&[Kind::BlockEnd])? {
            return self.unexpected(Problem::ExpectedKey, "a key or the end of the mapping");
        }
        let mut token = self.scanner.take()?;
        move_comments(&mut token, &mut self.scanner, false)?;
        self.end_comments(id, token.slots.and_then(|slots| slots.before));
        Ok(())
    }

    /// Takes the `:` of a value, and the value if it is not there.
    fn empty_value(&mut self) -> Result<Option<Child>> {
        if !self.scanner.check(&[Kind::Value])? {
            let start = self.scanner.peek()?.start;
            return Ok(Some(self.empty(start, None)));
        }
        let mut token = self.scanner.take()?;
        if self.scanner.check(&[Kind::Value])? {
            move_comments(&mut token, &mut self.scanner, false)?;
        } else if !self.scanner.check(&[Kind::Key])? {
            move_comments(&mut token, &mut self.scanner, true)?;
        }
        if !self.scanner.check(&[Kind::Key, Kind::Value, Kind::BlockEnd])? {
            return Ok(None);
        }
        let slots = token.slots.or_else(|| {
            // The comment after the `:` has moved on: it comes back, and only the lines before the next key stay.
            let next = self.scanner.peek().ok()?;
            let there = next.slots.take()?;
            next.slots = Some(Box::new(Slots { before: there.before, ..Slots::default() }));
            Some(Box::new(Slots { after: there.after, ..Slots::default() }))
        });
        Ok(Some(self.empty(token.end, slots)))
    }

    fn flow_sequence(&mut self, id: NodeId) -> Result<()> {
        self.skip()?;
        let mut first = true;
        while !self.scanner.check(&[Kind::FlowSequenceEnd])? {
            self.flow_separator(first, "`,` or `]`")?;
            first = false;
            if self.scanner.check(&[Kind::Key])? {
                let pair = self.flow_pair()?;
                self.push_item(id, pair);
            } else if !self.scanner.check(&[Kind::FlowSequenceEnd])? {
                let item = self.node(false, false)?;
                self.push_item(id, item);
            }
        }
        self.flow_end(id)
    }

    /// A mapping of one pair without braces in a flow sequence.
    fn flow_pair(&mut self) -> Result<Child> {
        let start = self.scanner.peek()?.start;
        let pair = self.pair_mapping(start);
        let key = self.flow_after(&[Kind::Value, Kind::FlowEntry, Kind::FlowSequenceEnd])?;
        let value = self.flow_value(&[Kind::FlowEntry, Kind::FlowSequenceEnd])?;
        self.push_pair(pair.id, key, value);
        Ok(pair)
    }

    fn pair_mapping(&mut self, start: Mark) -> Child {
        let content = Content::Mapping(Vec::new());
        let (tag, span) = (Tag::Implicit("map"), start.offset..start.offset);
        self.add(Node { content, tag, flow: true, anchor: None, slots: None, start, span })
    }

    fn flow_value(&mut self, ends: &[Kind]) -> Result<Child> {
        if self.scanner.check(&[Kind::Value])? {
            return self.flow_after(ends);
        }
        let start = self.scanner.peek()?.start;
        Ok(self.empty(start, None))
    }

    fn flow_mapping(&mut self, id: NodeId) -> Result<()> {
        self.skip()?;
        let mut first = true;
        let mut missing = None;
        while !self.scanner.check(&[Kind::FlowMappingEnd])? {
            self.flow_separator(first, "`,` or `}`")?;
            first = false;
            let key = if self.scanner.check(&[Kind::Key])? {
                self.flow_after(&[Kind::Value, Kind::FlowEntry, Kind::FlowMappingEnd])?
            } else if self.scanner.check(&[Kind::Value])? {
                let start = self.scanner.peek()?.end;
                self.empty(start, None)
            } else if !self.scanner.check(&[Kind::FlowMappingEnd])? {
                let key = self.node(false, false)?;
                let start = self.scanner.peek()?.start;
                let value = self.empty(start, None);
                missing = Some(value.id);
                self.push_pair(id, key, value);
                continue;
            } else {
                continue;
            };
            missing = None;
            let value = self.flow_value(&[Kind::FlowEntry, Kind::FlowMappingEnd])?;
            self.push_pair(id, key, value);
        }
        // In `{mem}` the bracket stands where the value is missing.
        let bracket = self.scanner.peek()?.span.clone();
        if let Some(value) = missing.and_then(|id| self.nodes.get_mut(id)) {
            value.span = bracket;
        }
        self.flow_end(id)
    }
}
