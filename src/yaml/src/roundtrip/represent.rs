//! Values to the nodes that are written, as ruamel.yaml's `RoundTripRepresenter` makes them with TPV's settings, and
//! those to events (its `Serializer`).

use std::collections::HashMap;

use super::emit::{Ending, Event, Start};
use super::error::{Result, RoundTripError};
use super::value::{Anchor, Form, Mapping, Scalar, Sequence, Value, ValueId, Values};
use crate::read::MAX_DEPTH;
use crate::read::comment::{Before, CommentId, Comments, ItemSlots};
use crate::read::node::Tag;
use crate::style::ScalarStyle;

/// Returns `true` if an anchor looks like one that ruamel.yaml created: `id001` and the like. Those are numbered anew.
pub(super) fn is_generated(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("id") else { return false };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    digits >= 3 && rest != "000"
}

/// The comments of a node that is written.
#[derive(Clone, Debug, Default)]
pub(super) struct OutSlots {
    pub after: Option<CommentId>,
    pub before: Option<Vec<Before>>,
    pub end: Option<Vec<Before>>,
}

enum Content {
    Scalar(String, ScalarStyle),
    Sequence(Vec<usize>),
    Mapping(Vec<(usize, usize)>),
}

struct OutNode {
    content: Content,
    tag: Tag,
    flow: bool,
    anchor: Option<Anchor>,
    slots: Option<OutSlots>,
    /// `true` for a key or a value of a set.
    in_set: bool,
}

struct Representer<'a> {
    values: &'a Values,
    comments: &'a Comments,
    nodes: Vec<OutNode>,
    done: HashMap<ValueId, usize>,
    depth: usize,
}

/// The events that write a value.
pub(super) fn represent(values: &Values, root: ValueId, comments: &Comments) -> Result<Vec<Event>> {
    let mut representer = Representer { values, comments, nodes: Vec::new(), done: HashMap::new(), depth: 0 };
    let root = representer.value(root)?;
    let nodes = representer.nodes;
    let mut serializer = Serializer { nodes: &nodes, names: HashMap::new(), last: 0, events: Vec::new() };
    serializer.name_anchors(root, &mut vec![0; nodes.len()]);
    serializer.node(root, &mut vec![false; nodes.len()]);
    Ok(serializer.events)
}

/// Returns `true` if a header of a block scalar is among the comments before items: ruamel.yaml then drops all of them.
fn has_header<'a>(slots: impl Iterator<Item = &'a ItemSlots>) -> bool {
    slots.flat_map(|slots| slots.key_before.iter().flatten()).any(|before| matches!(before, Before::Header(_)))
}

impl Representer<'_> {
    fn add(&mut self, node: OutNode) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn value(&mut self, id: ValueId) -> Result<usize> {
        if let Some(&node) = self.done.get(&id) {
            return Ok(node);
        }
        let values = self.values;
        match values.get(id) {
            Some(Value::Scalar(scalar)) => {
                let node = self.scalar(scalar);
                if scalar.shared {
                    self.done.insert(id, node);
                }
                Ok(node)
            }
            Some(Value::Sequence(sequence)) => self.nested(|this| this.sequence(id, sequence)),
            Some(Value::Mapping(mapping)) => self.nested(|this| this.mapping(id, mapping)),
            Some(Value::Set(set)) => self.nested(|this| this.set(id, set)),
            Some(Value::OrderedMap(mapping)) => self.nested(|this| this.ordered_map(id, mapping)),
            None => Err(RoundTripError::new("a value is missing")),
        }
    }

    fn nested(&mut self, make: impl FnOnce(&mut Self) -> Result<usize>) -> Result<usize> {
        self.depth += 1;
        if self.depth > MAX_DEPTH + 50 {
            return Err(RoundTripError::new("the config is nested too deep").help("use fewer aliases to aliases"));
        }
        let node = make(self);
        self.depth -= 1;
        node
    }

    fn scalar(&mut self, scalar: &Scalar) -> usize {
        let header = scalar.header.clone().map(|header| vec![Before::Header(header)]);
        self.add(OutNode {
            content: Content::Scalar(scalar.text.clone(), scalar.style),
            tag: scalar.tag.clone(),
            flow: false,
            anchor: scalar.anchor.clone(),
            slots: header.map(|before| OutSlots { before: Some(before), ..OutSlots::default() }),
            in_set: false,
        })
    }

    /// The node of a collection, still empty.
    fn collection(&mut self, id: ValueId, form: &Form, kind: &'static str, content: Content, keeps_end: bool) -> usize {
        let slots = form.own.as_ref().map(|own| OutSlots {
            after: own.after,
            before: own.before.clone(),
            end: keeps_end.then(|| own.end.clone()),
        });
        let node = OutNode {
            content,
            tag: form.tag.clone().unwrap_or(Tag::Implicit(kind)),
            flow: form.flow.unwrap_or(false),
            anchor: form.anchor.clone().map(|name| Anchor { name, always: false }),
            slots,
            in_set: false,
        };
        let node = self.add(node);
        self.done.insert(id, node);
        node
    }

    fn sequence(&mut self, id: ValueId, sequence: &Sequence) -> Result<usize> {
        let keeps = !has_header(sequence.slots.values());
        let node = self.collection(id, &sequence.form, "seq", Content::Sequence(Vec::new()), keeps);
        let mut items = Vec::with_capacity(sequence.items.len());
        for (index, &item) in sequence.items.iter().enumerate() {
            let item = self.value(item)?;
            if let Some(slots) = sequence.slots.get(&index).filter(|_| keeps) {
                self.merge_slots(item, slots)?;
            }
            items.push(item);
        }
        if let Some(node) = self.nodes.get_mut(node) {
            node.flow = sequence.form.flow.unwrap_or(items.is_empty());
            node.content = Content::Sequence(items);
        }
        Ok(node)
    }

    /// Gives an item of a sequence its comments.
    fn merge_slots(&mut self, item: usize, slots: &ItemSlots) -> Result<()> {
        let comments = self.comments;
        let Some(node) = self.nodes.get_mut(item) else { return Ok(()) };
        let mut merged = OutSlots { after: slots.key_after, before: slots.key_before.clone(), end: None };
        if let Some(own) = node.slots.take() {
            let same = |a: &Before, b: &Before| match (a, b) {
                (Before::Comment(a), Before::Comment(b)) => comments.same(*a, *b),
                (Before::Header(a), Before::Header(b)) => a == b,
                _ => false,
            };
            let clash_after = matches!((own.after, merged.after), (Some(a), Some(b)) if !comments.same(a, b));
            let clash_before = matches!((&own.before, &merged.before), (Some(a), Some(b))
                if a.len() != b.len() || !a.iter().zip(b).all(|(a, b)| same(a, b)));
            if clash_after || clash_before {
                return Err(RoundTripError::new("two comments of one sequence item have one place to be kept")
                    .help("move one of the comments to another line: `tpv format` stops here too"));
            }
            merged.after = own.after.or(merged.after);
            merged.before = own.before.or(merged.before);
            merged.end = own.end;
        }
        node.slots = Some(merged);
        Ok(())
    }

    fn mapping(&mut self, id: ValueId, mapping: &Mapping) -> Result<usize> {
        let keeps = !has_header(mapping.slots.values());
        let node = self.collection(id, &mapping.form, "map", Content::Mapping(Vec::new()), keeps);
        let mut pairs = Vec::with_capacity(mapping.pairs.len());
        for (key, pair) in &mapping.pairs {
            let key_node = self.value(pair.key)?;
            let value_node = self.value(pair.value)?;
            if let Some(slots) = mapping.slots.get(key).filter(|_| keeps) {
                if let Some(node) = self.nodes.get_mut(key_node) {
                    let (after, before) = (slots.key_after, slots.key_before.clone());
                    node.slots = Some(OutSlots { after, before, end: None });
                }
                if let Some(node) = self.nodes.get_mut(value_node) {
                    let own = node.slots.get_or_insert_default();
                    (own.after, own.before) = (slots.value_after, slots.value_before.clone());
                }
            }
            pairs.push((key_node, value_node));
        }
        let empty = pairs.is_empty() && mapping.merge.is_none();
        if let Some(merge) = &mapping.merge {
            let value = match merge.sequence.or(merge.mappings.first().copied()) {
                Some(value) => self.value(value)?,
                None => return Err(RoundTripError::new("`<<` merges nothing")),
            };
            let (content, tag) = (Content::Scalar("<<".to_owned(), ScalarStyle::Plain), Tag::Implicit("merge"));
            let key = self.add(OutNode { content, tag, flow: false, anchor: None, slots: None, in_set: false });
            pairs.insert(merge.at.min(pairs.len()), (key, value));
        }
        if let Some(node) = self.nodes.get_mut(node) {
            node.flow = mapping.form.flow.unwrap_or(empty);
            node.content = Content::Mapping(pairs);
        }
        Ok(node)
    }

    fn set(&mut self, id: ValueId, set: &Mapping) -> Result<usize> {
        let node = self.collection(id, &set.form, "set", Content::Mapping(Vec::new()), true);
        let mut pairs = Vec::with_capacity(set.pairs.len());
        for (key, pair) in &set.pairs {
            let (key_node, value_node) = (self.value(pair.key)?, self.value(pair.value)?);
            if let Some(node) = self.nodes.get_mut(key_node) {
                if let Some(slots) = set.slots.get(key) {
                    let (after, before) = (slots.key_after, slots.key_before.clone());
                    node.slots = Some(OutSlots { after, before, end: None });
                }
                if let Content::Scalar(_, style) = &mut node.content {
                    *style = ScalarStyle::Plain;
                }
                node.in_set = true;
            }
            if let Some(node) = self.nodes.get_mut(value_node) {
                node.in_set = true;
            }
            pairs.push((key_node, value_node));
        }
        if let Some(node) = self.nodes.get_mut(node) {
            node.content = Content::Mapping(pairs);
        }
        Ok(node)
    }

    /// A sequence of mappings of one pair.
    fn ordered_map(&mut self, id: ValueId, mapping: &Mapping) -> Result<usize> {
        let node = self.collection(id, &mapping.form, "omap", Content::Sequence(Vec::new()), true);
        let mut items = Vec::with_capacity(mapping.pairs.len());
        for (key, pair) in &mapping.pairs {
            let (key_node, value_node) = (self.value(pair.key)?, self.value(pair.value)?);
            let slots = mapping.slots.get(key).cloned().unwrap_or_default();
            if let Some(node) = self.nodes.get_mut(key_node) {
                node.slots = Some(OutSlots { after: slots.key_after, ..OutSlots::default() });
            }
            if let Some(node) = self.nodes.get_mut(value_node) {
                let own = node.slots.get_or_insert_default();
                (own.after, own.before) = (slots.value_after, slots.value_before);
            }
            items.push(self.add(OutNode {
                content: Content::Mapping(vec![(key_node, value_node)]),
                tag: Tag::Implicit("map"),
                flow: false,
                anchor: None,
                slots: Some(OutSlots { before: slots.key_before, ..OutSlots::default() }),
                in_set: false,
            }));
        }
        if let Some(node) = self.nodes.get_mut(node) {
            node.flow = mapping.form.flow.unwrap_or(items.is_empty());
            node.content = Content::Sequence(items);
        }
        Ok(node)
    }
}

struct Serializer<'a> {
    nodes: &'a [OutNode],
    /// The anchors of the nodes that have one.
    names: HashMap<usize, String>,
    /// The number of the last anchor that was made.
    last: usize,
    events: Vec<Event>,
}

impl Serializer<'_> {
    /// Finds the anchors: numbers go by the place of the second use.
    fn name_anchors(&mut self, id: usize, seen: &mut [usize]) {
        let (Some(node), Some(uses)) = (self.nodes.get(id), seen.get_mut(id)) else { return };
        *uses += 1;
        if *uses > 1 {
            if !self.names.contains_key(&id) {
                let name = match &node.anchor {
                    Some(anchor) => anchor.name.clone(),
                    None => {
                        self.last += 1;
                        format!("id{:03}", self.last)
                    }
                };
                self.names.insert(id, name);
            }
            return;
        }
        if let Some(anchor) = node.anchor.as_ref().filter(|anchor| anchor.always) {
            self.names.insert(id, anchor.name.clone());
        }
        match &node.content {
            Content::Scalar(..) => {}
            Content::Sequence(items) => items.iter().for_each(|&item| self.name_anchors(item, seen)),
            Content::Mapping(pairs) => {
                for &(key, value) in pairs {
                    self.name_anchors(key, seen);
                    self.name_anchors(value, seen);
                }
            }
        }
    }

    fn node(&mut self, id: usize, written: &mut [bool]) {
        let (Some(node), Some(was_written)) = (self.nodes.get(id), written.get_mut(id)) else { return };
        let anchor = self.names.get(&id).cloned();
        if std::mem::replace(was_written, true) {
            self.events.push(Event::Alias(anchor.unwrap_or_default()));
            return;
        }
        let slots = node.slots.clone();
        let start = Start { anchor, tag: node.tag.clone(), slots: slots.clone(), flow: node.flow, in_set: node.in_set };
        let slots = slots.unwrap_or_default();
        let ending = Ending { after: slots.after.filter(|_| node.flow), before: slots.end };
        match &node.content {
            Content::Scalar(text, style) => self.events.push(Event::Scalar(start, text.clone(), *style)),
            Content::Sequence(items) => {
                self.events.push(Event::SequenceStart(start));
                items.iter().for_each(|&item| self.node(item, written));
                self.events.push(Event::SequenceEnd(ending));
            }
            Content::Mapping(pairs) => {
                self.events.push(Event::MappingStart(start, pairs.len()));
                for &(key, value) in pairs {
                    self.node(key, written);
                    self.node(value, written);
                }
                self.events.push(Event::MappingEnd(ending));
            }
        }
    }
}
