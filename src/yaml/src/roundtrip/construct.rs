//! Nodes to values, as ruamel.yaml's `RoundTripConstructor` makes them: types, merge keys, and comments kept by key.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use num_bigint::BigInt;

use super::base64;
use super::error::{Result, RoundTripError};
use super::represent::is_generated;
use super::value::{Anchor, Form, Key, Mapping, Merge, OwnSlots, Pair, Scalar, Sequence, Value, ValueId, Values};
use super::written_number;
use crate::number;
use crate::read::comment::{Before, Comments, ItemSlots, Slots};
use crate::read::node::{Child, Content, Node, NodeId, NodeTree, Tag, WrittenTag};
use crate::read::reader::Mark;
use crate::read::{FOLD, MAX_DEPTH, lost, unfolded};
use crate::style::ScalarStyle;
use crate::timestamp::Timestamp;

struct Constructor<'t> {
    nodes: Vec<Node<'t>>,
    values: Values,
    made: HashMap<NodeId, ValueId>,
    /// Collections under construction: an alias to one of them is null in ruamel.yaml.
    open: HashSet<NodeId>,
    depth: usize,
}

/// The values of a document and its root.
pub(super) fn construct(tree: NodeTree<'_>) -> Result<(Values, Option<ValueId>, Comments)> {
    let NodeTree { nodes, root, comments } = tree;
    let (values, made, open) = (Values::default(), HashMap::new(), HashSet::new());
    let mut constructor = Constructor { nodes, values, made, open, depth: 0 };
    let root = root.map(|root| constructor.value(root)).transpose()?;
    Ok((constructor.values, root, comments))
}

/// The value of a null.
fn null() -> Scalar {
    Scalar {
        text: String::new(),
        tag: Tag::Implicit("null"),
        style: ScalarStyle::Plain,
        header: None,
        anchor: None,
        shared: false,
        key: Key::Null,
    }
}

impl<'t> Constructor<'t> {
    fn error<T>(&self, message: impl Into<String>, node: &Node<'t>) -> Result<T> {
        Err(RoundTripError::new(message).at(node.start.offset))
    }

    fn value(&mut self, id: NodeId) -> Result<ValueId> {
        if let Some(&value) = self.made.get(&id) {
            return Ok(value);
        }
        let Some(node) = self.nodes.get(id).cloned().map(Box::new) else {
            return Ok(self.values.add(Value::Scalar(null())));
        };
        if !self.open.insert(id) {
            return Ok(self.values.add(Value::Scalar(null())));
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH + 50 {
            return self.error("the config is nested too deep", &node);
        }
        let value = match &node.content {
            Content::Scalar(text, style) => self.add_scalar(&node, text, *style)?,
            Content::Sequence(items) => match node.tag.kind() {
                Some("omap") => self.ordered_map(&node, items)?,
                Some("pairs") => self.pairs(&node, items)?,
                _ => self.sequence(&node, items)?,
            },
            Content::Mapping(pairs) if node.tag.kind() == Some("set") => self.set(&node, pairs)?,
            Content::Mapping(pairs) => self.mapping(&node, pairs)?,
        };
        self.depth -= 1;
        self.open.remove(&id);
        self.made.insert(id, value);
        Ok(value)
    }

    fn add_scalar(&mut self, node: &Node<'t>, text: &str, style: ScalarStyle) -> Result<ValueId> {
        // A tagged scalar is its own key, so that its number must be known before.
        let place = self.values.add(Value::Scalar(null()));
        let scalar = self.scalar(node, text, style, place)?;
        self.values.set(place, Value::Scalar(scalar));
        Ok(place)
    }

    fn scalar(&self, node: &Node<'t>, text: &str, style: ScalarStyle, place: ValueId) -> Result<Scalar> {
        let kind = node.tag.scalar_kind();
        let anchor = node.anchor.as_ref().map(|name| Anchor { name: name.to_string(), always: true });
        let shared = anchor.is_some();
        let simple = |text: String, kind: &'static str, key: Key| Scalar {
            text,
            tag: Tag::Implicit(kind),
            anchor: anchor.clone(),
            shared,
            key,
            ..null()
        };
        let plain: Rc<str> = unfolded(text, style).into();
        match kind {
            Some("null") => Ok(null()),
            Some("str") => Ok(self.string(node, text, style, anchor)),
            Some("bool") => match number::boolean(&plain) {
                Some(value) => {
                    let key = Key::Int(BigInt::from(u8::from(value)));
                    Ok(simple(value.to_string(), "bool", key))
                }
                None => self.error("this isn't a boolean", node),
            },
            Some("int") => match written_number::integer(&plain) {
                Some(integer) => Ok(simple(integer.text, "int", Key::Int(integer.value))),
                None => self.error("this isn't an integer", node),
            },
            Some("float") => match written_number::float(&plain) {
                Some(float) => {
                    let key = written_number::whole(float.value).map_or(Key::Float(float.value.to_bits()), Key::Int);
                    Ok(simple(float.text, "float", key))
                }
                None => self.error("this isn't a number", node),
            },
            Some("timestamp") => match Timestamp::read(&plain).map(|read| read.written()) {
                // Python's dates have no anchors; two of one value get a new one.
                Some(text) => {
                    let key = Key::Time(text.as_str().into());
                    Ok(Scalar { anchor: None, shared: true, ..simple(text, "timestamp", key) })
                }
                None => self.error("no such day or time", node),
            },
            Some("binary") => match base64::rewritten(&plain) {
                // As dates, bytes have no anchors.
                Some(written) => Ok(Scalar {
                    anchor: None,
                    shared: true,
                    style: ScalarStyle::Literal,
                    ..simple(written, "binary", Key::Tagged(place, Rc::clone(&plain)))
                }),
                None => self.error("this isn't base64", node),
            },
            Some(kind @ ("omap" | "pairs" | "set" | "seq" | "map")) => {
                self.error(format!("a scalar cannot have the tag `!!{kind}`"), node)
            }
            _ => {
                let tag = match &node.tag {
                    // ruamel.yaml writes handle and suffix with a space between them, and escapes the space.
                    Tag::Written(tag) if tag.handle.as_deref() == Some("!!") => {
                        let name = format!("!! {}", tag.suffix);
                        Tag::Written(Box::new(WrittenTag { handle: None, suffix: name.clone(), name }))
                    }
                    _ => node.tag.clone(),
                };
                let anchor = anchor.filter(|anchor| !is_generated(&anchor.name));
                let header = self.header(node, style);
                let key = Key::Tagged(place, Rc::clone(&plain));
                Ok(Scalar { text: plain.to_string(), tag, style, header, anchor, shared: true, key })
            }
        }
    }

    /// The comment in the first line of a block scalar.
    fn header(&self, node: &Node<'t>, style: ScalarStyle) -> Option<Rc<str>> {
        if !matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
            return None;
        }
        match node.slots.as_ref()?.before.as_ref()?.first()? {
            Before::Header(header) => Some(Rc::clone(header)),
            Before::Comment(_) => None,
        }
    }

    fn string(&self, node: &Node<'t>, text: &str, style: ScalarStyle, anchor: Option<Anchor>) -> Scalar {
        let mut header = self.header(node, style);
        let key = Key::Str(unfolded(text, style).into());
        let mut text = text.to_owned();
        // Quotes are not kept; what needs them gets them again.
        let mut written = ScalarStyle::Plain;
        match style {
            ScalarStyle::Literal => written = ScalarStyle::Literal,
            ScalarStyle::Folded => {
                written = ScalarStyle::Folded;
                text = keep_folds(&text);
                if text.contains(FOLD) {
                    // Marking the folds makes another string of it in ruamel.yaml, which has no comment.
                    header = None;
                }
            }
            _ if text.contains('\n') && anchor.is_none() => written = ScalarStyle::Literal,
            _ => {}
        }
        let shared = anchor.is_some();
        Scalar { text, tag: Tag::Implicit("str"), style: written, header, anchor, shared, key }
    }

    /// The form of a collection, with the comments that are still on its node.
    fn form(&self, node: &Node<'t>, empty: bool, kind: &str) -> Form {
        let own = node.slots.as_ref().map(|slots| OwnSlots {
            after: slots.after,
            before: slots.before.clone(),
            end: slots.end.clone().unwrap_or_default(),
        });
        let anchor = node.anchor.as_deref().filter(|anchor| !is_generated(anchor)).map(str::to_owned);
        let known = node.tag.kind() == Some(kind);
        let tag = (!known).then(|| node.tag.clone());
        Form { own, flow: (!empty || !known).then_some(node.flow), anchor, tag }
    }

    fn sequence(&mut self, node: &Node<'t>, items: &[Child]) -> Result<ValueId> {
        self.refuse(node, &["seq"])?;
        let mut sequence = Sequence { form: self.form(node, items.is_empty(), "seq"), ..Sequence::default() };
        let plain = sequence.form.tag.is_none();
        if !plain {
            // Those with a tag of their own lose their comments.
            sequence.form.own = None;
        }
        for (index, item) in items.iter().map(|item| item.id).enumerate() {
            if plain && let Some(slots) = self.nodes.get_mut(item).and_then(|item| item.slots.take()) {
                let entry = sequence.slots.entry(index).or_default();
                (entry.key_after, entry.key_before) = (slots.after, slots.before);
            }
            let value = self.value(item)?;
            sequence.items.push(value);
        }
        Ok(self.values.add(Value::Sequence(sequence)))
    }

    /// Refuses tags that ask for a type that the node is not.
    fn refuse(&self, node: &Node<'t>, kinds: &[&str]) -> Result<()> {
        const KINDS: [&str; 10] =
            ["null", "bool", "int", "float", "binary", "timestamp", "omap", "pairs", "set", "seq"];
        match node.tag.kind() {
            Some(kind) if !kinds.contains(&kind) && (kind == "map" || KINDS.contains(&kind)) => {
                self.error(format!("this cannot have the tag `!!{kind}`"), node)
            }
            _ => Ok(()),
        }
    }

    fn mapping(&mut self, node: &Node<'t>, pairs: &[(Child, Child)]) -> Result<ValueId> {
        self.refuse(node, &["map"])?;
        let mut pairs = pairs.to_vec();
        let merge = self.merge(node, &mut pairs)?;
        let mut mapping = Box::new(Mapping { form: self.form(node, false, "map"), ..Mapping::default() });
        for (key_node, value_node) in pairs.into_iter().map(|(key, value)| (key.id, value.id)) {
            let (key_id, key) = self.key(key_node)?;
            let pair = Pair { key: key_id, value: self.value(value_node)? };
            self.add_pair(&mut mapping, key, pair, key_node, value_node)?;
        }
        if merge.iter().flat_map(|merge| &merge.mappings).any(|&merged| self.values.mapping(merged).is_none()) {
            return self.error("a mapping cannot be merged into itself", node);
        }
        mapping.merge = merge;
        if mapping.form.tag.is_none() && self.values.has_no_pairs(&mapping) {
            mapping.form.flow = None;
        }
        Ok(self.values.add(Value::Mapping(*mapping)))
    }

    /// `!!set`. What stands after the keys is lost, as in ruamel.yaml.
    fn set(&mut self, node: &Node<'t>, pairs: &[(Child, Child)]) -> Result<ValueId> {
        let mut set = Mapping { form: self.form(node, false, "set"), ..Mapping::default() };
        for (key_node, value_node) in pairs.iter().map(|(key, value)| (key.id, value.id)) {
            let (key_id, key) = self.key(key_node)?;
            if !matches!(self.values.get(key_id), Some(Value::Scalar(_))) {
                return self.error("a set cannot hold collections", node);
            }
            self.value(value_node)?;
            let pair = Pair { key: key_id, value: self.values.add(Value::Scalar(null())) };
            if set.pairs.contains_key(&key) {
                return self.error("this set has a value twice", node);
            }
            if let Some(slots) = self.slots(key_node) {
                key_comment(&mut set, &key, &slots, node.start)?;
            }
            set.pairs.insert(key, pair);
        }
        Ok(self.values.add(Value::Set(set)))
    }

    /// The pairs of a sequence of mappings of one key, as `!!omap` and `!!pairs` have them.
    fn single_pairs(&self, node: &Node<'t>, items: &[Child]) -> Result<Vec<(Child, Child)>> {
        let pair = |item: &Child| match self.nodes.get(item.id).map(|item| &item.content) {
            Some(Content::Mapping(pairs)) => pairs.first().cloned().filter(|_| pairs.len() == 1),
            _ => None,
        };
        match items.iter().map(pair).collect() {
            Some(pairs) => Ok(pairs),
            None => self.error("each item must be a mapping of one key", node),
        }
    }

    /// `!!omap`
    fn ordered_map(&mut self, node: &Node<'t>, items: &[Child]) -> Result<ValueId> {
        let mut mapping = Mapping { form: self.form(node, items.is_empty(), "omap"), ..Mapping::default() };
        for ((key_node, value_node), item) in self.single_pairs(node, items)?.into_iter().zip(items) {
            let (key_node, value_node, item) = (key_node.id, value_node.id, item.id);
            let (key_id, key) = self.key(key_node)?;
            let pair = Pair { key: key_id, value: self.value(value_node)? };
            let own = self.slots(item);
            self.add_pair(&mut mapping, key.clone(), pair, key_node, value_node)?;
            if let Some(slots) = own {
                key_comment(&mut mapping, &key, &slots, node.start)?;
            }
        }
        Ok(self.values.add(Value::OrderedMap(mapping)))
    }

    /// `!!pairs`: tuples, which are written as sequences.
    fn pairs(&mut self, node: &Node<'t>, items: &[Child]) -> Result<ValueId> {
        let mut sequence = Sequence::default();
        for (key, value) in self.single_pairs(node, items)? {
            let items = vec![self.value(key.id)?, self.value(value.id)?];
            sequence.items.push(self.values.add(Value::Sequence(Sequence { items, ..Sequence::default() })));
        }
        Ok(self.values.add(Value::Sequence(sequence)))
    }

    /// Adds a pair with the comments of its nodes.
    fn add_pair(
        &mut self,
        mapping: &mut Mapping,
        key: Key,
        pair: Pair,
        key_node: NodeId,
        value_node: NodeId,
    ) -> Result<()> {
        let Some(start) = self.nodes.get(key_node).map(|node| node.start) else { return Ok(()) };
        if mapping.pairs.contains_key(&key) {
            return Err(RoundTripError::new("this key occurs twice in the mapping").at(start.offset));
        }
        let (mut key_slots, value_slots) = (self.slots(key_node), self.slots(value_node));
        if let Some(slots) = key_slots.take_if(|slots| slots.moved.flatten().is_some()) {
            let last = mapping.pairs.last().map(|(key, pair)| (key.clone(), pair.value));
            match last.filter(|&(_, value)| self.values.key(value) == Some(Key::Null)) {
                Some((last, _)) => {
                    let slots = Slots { after: slots.moved.flatten(), ..*slots };
                    value_comment(mapping, &last, &slots, start)?;
                }
                None => key_comment(mapping, &key, &slots, start)?,
            }
            if let Some(node) = self.nodes.get_mut(key_node) {
                node.slots = None;
            }
        }
        if let Some(slots) = key_slots {
            key_comment(mapping, &key, &slots, start)?;
        }
        if let Some(slots) = value_slots {
            value_comment(mapping, &key, &slots, start)?;
        }
        mapping.pairs.insert(key, pair);
        Ok(())
    }

    fn slots(&self, id: NodeId) -> Option<Box<Slots>> {
        self.nodes.get(id)?.slots.clone()
    }

    /// Takes the `<<` out of the pairs.
    fn merge(&mut self, node: &Node<'t>, pairs: &mut Vec<(Child, Child)>) -> Result<Option<Merge>> {
        let mut merge: Option<Merge> = None;
        let mut index = 0;
        while let Some((key, value)) = pairs.get(index).map(|(key, value)| (key.id, value.id)) {
            let kind = self.nodes.get(key).and_then(|key| key.tag.kind()).unwrap_or("").to_owned();
            if kind != "merge" {
                if kind == "value"
                    && let Some(key) = self.nodes.get_mut(key)
                {
                    key.tag = Tag::Implicit("str");
                }
                index += 1;
                continue;
            }
            if merge.as_ref().is_some_and(|merge| !merge.mappings.is_empty()) {
                return self.error("`<<` occurs twice in this mapping", node);
            }
            pairs.remove(index);
            let mut found = Merge { at: index, sequence: None, mappings: Vec::new() };
            match self.nodes.get(value).map(|node| node.content.clone()) {
                Some(Content::Mapping(_)) => found.mappings.push(self.value(value)?),
                Some(Content::Sequence(items)) => {
                    found.sequence = Some(self.value(value)?);
                    for item in items {
                        if !matches!(self.nodes.get(item.id).map(|node| &node.content), Some(Content::Mapping(_))) {
                            return self.error("`<<` can merge mappings only", node);
                        }
                        found.mappings.push(self.value(item.id)?);
                    }
                }
                _ => return self.error("`<<` can merge mappings only", node),
            }
            merge = Some(found);
        }
        Ok(merge.filter(|merge| !merge.mappings.is_empty()))
    }

    /// The value of a key, and what it is equal to. Collections become tuples and the like, without their comments.
    fn key(&mut self, id: NodeId) -> Result<(ValueId, Key)> {
        let value = self.value(id)?;
        let flow = self.nodes.get(id).map(|node| node.flow);
        let form = Form { flow, ..Form::default() };
        let frozen = match self.values.get(value) {
            Some(Value::Sequence(sequence)) => {
                Value::Sequence(Sequence { form, items: sequence.items.clone(), ..Sequence::default() })
            }
            Some(Value::Mapping(mapping)) => {
                Value::Mapping(Mapping { form, pairs: self.values.all_pairs(mapping), ..Mapping::default() })
            }
            _ => {
                let key = self.values.key(value).unwrap_or(Key::Null);
                return Ok((value, key));
            }
        };
        let key = match &frozen {
            Value::Sequence(sequence) => {
                sequence.items.iter().map(|&item| self.values.key(item)).collect::<Option<_>>().map(Key::Tuple)
            }
            Value::Mapping(mapping) => {
                let pairs = mapping.pairs.iter().map(|(key, pair)| Some((key.clone(), self.values.key(pair.value)?)));
                pairs.collect::<Option<_>>().map(Key::Mapping)
            }
            _ => None,
        };
        match (key, self.nodes.get(id)) {
            (Some(key), _) => Ok((self.values.add(frozen), key)),
            (None, Some(node)) => self.error("a key cannot hold collections in collections", node),
            (None, None) => Ok((value, Key::Null)),
        }
    }
}

/// Marks the folds that are kept: those between two words.
fn keep_folds(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut before: Option<char> = None;
    for (index, &ch) in chars.iter().enumerate() {
        if ch != FOLD {
            out.push(ch);
            before = Some(ch);
            continue;
        }
        let next = chars.get(index + 1) == Some(&' ');
        let is_word = |ch: Option<&char>| ch.is_some_and(|ch| !ch.is_whitespace());
        // What follows the space may be marked as a fold itself only after a word.
        let after = chars.iter().skip(index + 2).find(|&&ch| ch != FOLD);
        if next && is_word(before.as_ref()) && is_word(after) {
            out.push(FOLD);
        }
    }
    out
}

fn key_comment(mapping: &mut Mapping, key: &Key, slots: &Slots, at: Mark) -> Result<()> {
    let entry: &mut ItemSlots = mapping.slots.entry(key.clone()).or_default();
    if entry.key_before.is_some() {
        return Err(lost(at).into());
    }
    (entry.key_after, entry.key_before) = (slots.after, slots.before.clone());
    Ok(())
}

fn value_comment(mapping: &mut Mapping, key: &Key, slots: &Slots, at: Mark) -> Result<()> {
    let entry: &mut ItemSlots = mapping.slots.entry(key.clone()).or_default();
    if entry.value_before.is_some() {
        return Err(lost(at).into());
    }
    (entry.value_after, entry.value_before) = (slots.after, slots.before.clone());
    Ok(())
}
