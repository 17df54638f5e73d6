//! Tokens to nodes: the grammar of YAML, and where the comments of tokens go.
//!
//! ruamel.yaml moves the comments of tokens that leave no trace (`-`, `?`, `:`, anchors) to the next token, and those at
//! the end of a collection to the collection. The moves are done here as there, odd ones included: what they lose, the
//! formatted text loses.

use std::collections::HashMap;

use super::attach::{for_indentless, for_sequence, move_comments};
use super::comment::{Before, Slots};
use super::error::Result;
use super::node::{Content, Node, NodeId, Tag};
use super::reader::Mark;
use super::scan::Scanner;
use super::token::{Kind, Token};
use crate::yaml::resolve::resolve;
use crate::yaml::style::ScalarStyle;
use crate::yaml::tag::YAML_TAGS;

/// The maximum nesting of collections. CPython's recursion limit stops TPV at about this depth, too.
pub(super) const MAX_DEPTH: usize = 245;

/// The nodes of a document.
pub(super) struct NodeTree {
    pub nodes: Vec<Node>,
    /// The root; `None` for a text without a document.
    pub root: Option<NodeId>,
}

/// The properties before the content of a node.
struct Properties {
    anchor: Option<String>,
    tag: Option<Tag>,
    start: Option<Mark>,
}

pub(super) struct Parser<'a> {
    scanner: &'a mut Scanner,
    nodes: Vec<Node>,
    anchors: HashMap<String, NodeId>,
    /// The prefixes of the handles of tags.
    handles: HashMap<String, String>,
    depth: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(scanner: &'a mut Scanner) -> Self {
        Self { scanner, nodes: Vec::new(), anchors: HashMap::new(), handles: HashMap::new(), depth: 0 }
    }

    /// The one document of the text.
    pub(super) fn document(mut self) -> Result<NodeTree> {
        self.scanner.take()?;
        let mut root = None;
        let explicit = self.scanner.check(&[Kind::Directive, Kind::DocumentStart])?;
        self.default_handles();
        if explicit {
            self.directives()?;
            if !self.scanner.check(&[Kind::DocumentStart])? {
                return self.unexpected("`---`");
            }
            let token = self.scanner.take()?;
            let empty = [Kind::Directive, Kind::DocumentStart, Kind::DocumentEnd, Kind::StreamEnd];
            root =
                Some(if self.scanner.check(&empty)? { self.empty(token.end, None) } else { self.node(true, false)? });
        } else if !self.scanner.check(&[Kind::StreamEnd])? {
            root = Some(self.node(true, false)?);
        }
        if root.is_some() && self.scanner.check(&[Kind::DocumentEnd])? {
            self.scanner.take()?;
        }
        if self.scanner.check(&[Kind::DocumentStart, Kind::Directive])? {
            let place = self.scanner.peek()?.start;
            return self.scanner.reader.error("a config must be one YAML document: here starts another", place);
        }
        if !self.scanner.check(&[Kind::StreamEnd])? {
            return self.unexpected("the end of the text");
        }
        Ok(NodeTree { nodes: self.nodes, root })
    }

    fn default_handles(&mut self) {
        for (handle, prefix) in [("!", "!"), ("!!", YAML_TAGS)] {
            self.handles.entry(handle.to_owned()).or_insert_with(|| prefix.to_owned());
        }
    }

    fn directives(&mut self) -> Result<()> {
        self.handles.clear();
        while self.scanner.check(&[Kind::Directive])? {
            let token = self.scanner.take()?;
            if let Some(handle) = token.handle
                && self.handles.insert(handle, token.text).is_some()
            {
                return self.scanner.reader.error("this handle is declared twice", token.start);
            }
        }
        self.default_handles();
        Ok(())
    }

    fn unexpected<T>(&mut self, expected: &str) -> Result<T> {
        let token = self.scanner.peek()?;
        let (name, start) = (token.kind.name(), token.start);
        self.scanner.reader.error(format!("expected {expected} but found {name}"), start)
    }

    fn add(&mut self, node: Node) -> NodeId {
        let id = self.nodes.len();
        if let Some(anchor) = &node.anchor {
            self.anchors.insert(anchor.clone(), id);
        }
        self.nodes.push(node);
        id
    }

    /// A value that is not there.
    fn empty(&mut self, start: Mark, slots: Option<Slots>) -> NodeId {
        let content = Content::Scalar(String::new(), ScalarStyle::Plain);
        self.add(Node { content, tag: Tag::implicit("null"), flow: false, anchor: None, slots, start })
    }

    fn properties(&mut self) -> Result<Properties> {
        let mut found = Properties { anchor: None, tag: None, start: None };
        let first = [Kind::Anchor, Kind::Tag];
        let mut rest: &[Kind] = &first;
        while !rest.is_empty() && self.scanner.check(rest)? {
            let mut token = self.scanner.take()?;
            if found.start.is_none() {
                // The comments of the second of the two are lost.
                self.scanner.peek()?;
                let moved = move_comments(&mut token, self.scanner, false);
                if token.kind == Kind::Anchor {
                    moved?;
                }
                found.start = Some(token.start);
            }
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

    fn tag(&self, token: Token) -> Result<Tag> {
        let Token { handle, text: suffix, start, .. } = token;
        let prefix = match &handle {
            None => "",
            Some(handle) => match self.handles.get(handle) {
                Some(prefix) => prefix,
                None => return self.scanner.reader.error(format!("the handle `{handle}` is not declared"), start),
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
        Ok(Tag { handle, suffix, name })
    }

    /// One node; in block context a sequence may be indented no more than the key it belongs to.
    fn node(&mut self, block: bool, indentless: bool) -> Result<NodeId> {
        // Kept small, since it recurses: what needs room is done in `start`.
        let (id, kind) = self.start(block, indentless)?;
        let Some(kind) = kind else { return Ok(id) };
        self.depth += 1;
        match kind {
            Kind::BlockEntry => self.indentless_sequence(id)?,
            Kind::BlockSequenceStart => self.block_sequence(id)?,
            Kind::BlockMappingStart => self.block_mapping(id)?,
            Kind::FlowSequenceStart => self.flow_sequence(id)?,
            _ => self.flow_mapping(id)?,
        }
        self.depth -= 1;
        Ok(id)
    }

    /// A whole scalar or alias, or a collection still empty and the token that starts it.
    fn start(&mut self, block: bool, indentless: bool) -> Result<(NodeId, Option<Kind>)> {
        if self.scanner.check(&[Kind::Alias])? {
            let token = self.scanner.take()?;
            return match self.anchors.get(&token.text) {
                Some(&id) => Ok((id, None)),
                None => {
                    let message = format!("there is no anchor `{}` before this", token.text);
                    self.scanner.reader.error(message, token.start)
                }
            };
        }
        let Properties { anchor, tag, start } = self.properties()?;
        let next = self.scanner.peek()?;
        let (kind, start) = (next.kind, start.unwrap_or(next.start));
        // A lone `!` leaves the type open, even that of a quoted scalar.
        let lone = tag.as_ref().is_some_and(|tag| tag.name == "!");
        let tag = tag.filter(|_| !lone);
        if kind == Kind::Scalar {
            let token = self.scanner.take()?;
            let plain = token.style == ScalarStyle::Plain || lone;
            let tag = tag.unwrap_or_else(|| Tag::implicit(if plain { resolve(&token.text).name() } else { "str" }));
            let content = Content::Scalar(token.text, token.style);
            let node = Node { content, tag, flow: false, anchor, slots: token.slots, start };
            return Ok((self.add(node), None));
        }
        let flow = matches!(kind, Kind::FlowSequenceStart | Kind::FlowMappingStart);
        let mapping = matches!(kind, Kind::FlowMappingStart | Kind::BlockMappingStart);
        let starts = flow
            || indentless && kind == Kind::BlockEntry
            || block && matches!(kind, Kind::BlockSequenceStart | Kind::BlockMappingStart);
        if !starts {
            if anchor.is_none() && tag.is_none() && !lone {
                return self.unexpected("a value");
            }
            let content = Content::Scalar(String::new(), ScalarStyle::Plain);
            let tag = tag.unwrap_or_else(|| Tag::implicit("null"));
            return Ok((self.add(Node { content, tag, flow: false, anchor, slots: None, start }), None));
        }
        if self.depth >= MAX_DEPTH {
            return self.scanner.reader.error("the config is nested too deep", start);
        }
        let slots = match kind {
            Kind::BlockEntry => for_indentless(next),
            Kind::BlockSequenceStart => for_sequence(next),
            _ => next.slots.clone(),
        };
        let tag = tag.unwrap_or_else(|| Tag::implicit(if mapping { "map" } else { "seq" }));
        let content = if mapping { Content::Mapping(Vec::new()) } else { Content::Sequence(Vec::new()) };
        Ok((self.add(Node { content, tag, flow, anchor, slots, start }), Some(kind)))
    }

    fn push_item(&mut self, id: NodeId, item: NodeId) {
        if let Some(Content::Sequence(items)) = self.nodes.get_mut(id).map(|node| &mut node.content) {
            items.push(item);
        }
    }

    fn push_pair(&mut self, id: NodeId, key: NodeId, value: NodeId) {
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
        if let (Some(mut slots), Some(node)) = (token.slots, self.nodes.get_mut(id)) {
            slots.end = slots.before.take_if(|before| !before.is_empty());
            node.slots = Some(slots);
        }
        Ok(())
    }

    /// Takes a token and gives its end.
    fn skip(&mut self) -> Result<Mark> {
        self.scanner.take().map(|token| token.end)
    }

    /// The node after a `?` or `:` in brackets; an empty one where one of `ends` is next.
    fn flow_after(&mut self, ends: &[Kind]) -> Result<NodeId> {
        let end = self.skip()?;
        if self.scanner.check(ends)? { Ok(self.empty(end, None)) } else { self.node(false, false) }
    }

    /// The end of a collection in brackets, or the `,` between its items.
    fn flow_separator(&mut self, first: bool, expected: &str) -> Result<()> {
        if !first {
            if !self.scanner.check(&[Kind::FlowEntry])? {
                return self.unexpected(expected);
            }
            self.skip()?;
        }
        Ok(())
    }

    /// Takes an indicator whose comments go to the next token; gives its end.
    fn indicator(&mut self) -> Result<Mark> {
        let mut token = self.scanner.take()?;
        move_comments(&mut token, self.scanner, false)?;
        Ok(token.end)
    }

    /// The node after a `-` or `?`; an empty one where one of `ends` is next.
    fn after_indicator(&mut self, ends: &[Kind], indentless: bool) -> Result<NodeId> {
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
            return self.unexpected("a `-` or the end of the sequence");
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
            return self.unexpected("a key or the end of the mapping");
        }
        let mut token = self.scanner.take()?;
        move_comments(&mut token, self.scanner, false)?;
        self.end_comments(id, token.slots.and_then(|slots| slots.before));
        Ok(())
    }

    /// Takes the `:` of a value, and the value if it is not there.
    fn empty_value(&mut self) -> Result<Option<NodeId>> {
        if !self.scanner.check(&[Kind::Value])? {
            let start = self.scanner.peek()?.start;
            return Ok(Some(self.empty(start, None)));
        }
        let mut token = self.scanner.take()?;
        if self.scanner.check(&[Kind::Value])? {
            move_comments(&mut token, self.scanner, false)?;
        } else if !self.scanner.check(&[Kind::Key])? {
            move_comments(&mut token, self.scanner, true)?;
        }
        if !self.scanner.check(&[Kind::Key, Kind::Value, Kind::BlockEnd])? {
            return Ok(None);
        }
        let slots = token.slots.or_else(|| {
            // The comment after the `:` has moved on: it comes back, and only the lines before the next key stay.
            let next = self.scanner.peek().ok()?;
            let there = next.slots.take()?;
            next.slots = Some(Slots { before: there.before, ..Slots::default() });
            Some(Slots { after: there.after, ..Slots::default() })
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
    fn flow_pair(&mut self) -> Result<NodeId> {
        let start = self.scanner.peek()?.start;
        let id = self.pair_mapping(start);
        let key = self.flow_after(&[Kind::Value, Kind::FlowEntry, Kind::FlowSequenceEnd])?;
        let value = self.flow_value(&[Kind::FlowEntry, Kind::FlowSequenceEnd])?;
        self.push_pair(id, key, value);
        Ok(id)
    }

    fn pair_mapping(&mut self, start: Mark) -> NodeId {
        let content = Content::Mapping(Vec::new());
        self.add(Node { content, tag: Tag::implicit("map"), flow: true, anchor: None, slots: None, start })
    }

    fn flow_value(&mut self, ends: &[Kind]) -> Result<NodeId> {
        if self.scanner.check(&[Kind::Value])? {
            return self.flow_after(ends);
        }
        let start = self.scanner.peek()?.start;
        Ok(self.empty(start, None))
    }

    fn flow_mapping(&mut self, id: NodeId) -> Result<()> {
        self.skip()?;
        let mut first = true;
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
                self.push_pair(id, key, value);
                continue;
            } else {
                continue;
            };
            let value = self.flow_value(&[Kind::FlowEntry, Kind::FlowMappingEnd])?;
            self.push_pair(id, key, value);
        }
        self.flow_end(id)
    }
}
