//! Nodes to the values of a config, as ruamel.yaml's `RoundTripConstructor` makes them.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::merge::{Duplicates, OpenMap};
use super::noqa::noqa_between;
use super::scalar;
use super::short_texts::ShortTexts;
use super::syntax::byte_order_mark;
use crate::read::node::{Child, Content, Node, NodeId, NodeTree, Tag};
use crate::read::unfolded;
use crate::style::ScalarStyle;
use crate::value::{ConfigValue, Entry, TaggedScalar, Text, ValueKind};
use tpv_text::code::Code;
use tpv_text::diagnostic::{Diagnostic, Diagnostics};
use tpv_text::source::{SourceId, Span};

/// The number of bytes of a scalar shown in a message.
const MAX_SHOWN: usize = 60;
/// The number of values that aliases may stand for: a few lines of aliases to aliases mean billions.
const MAX_ALIASED: u64 = 5_000_000;

/// Constructs the value of a document.
pub(super) struct Constructor<'a> {
    /// The text, for comments between values.
    text: &'a str,
    id: SourceId,
    problems: &'a mut Diagnostics,
    duplicates: Duplicates,
    nodes: Vec<Node<'a>>,
    root: Option<NodeId>,
    /// The values of nodes with anchors.
    anchored: HashMap<NodeId, Anchored>,
    aliased: u64,
    texts: ShortTexts,
}

/// The value of a node with an anchor.
#[derive(Default)]
struct Anchored {
    /// `None` while the value is under construction.
    value: Option<ConfigValue>,
    /// The number of values in it.
    size: u64,
    /// The codes of the comment before a mapping's content, which every alias to it carries along.
    noqa: Noqa,
}

type Noqa = Option<Arc<[Arc<str>]>>;

/// A value on its way into its collection.
struct Built {
    value: ConfigValue,
    /// The number of values in it.
    size: u64,
    /// `true` for `<<`.
    is_merge: bool,
    /// The offset of its first key, its opening bracket or the alias to it.
    content: usize,
    /// The codes of the comment that an alias carries along.
    noqa: Noqa,
}

impl<'a> Constructor<'a> {
    pub(super) fn new(
        text: &'a str,
        id: SourceId,
        tree: NodeTree<'a>,
        duplicates: Duplicates,
        problems: &'a mut Diagnostics,
    ) -> Self {
        let NodeTree { nodes, root, .. } = tree;
        let (anchored, texts) = (HashMap::new(), ShortTexts::new());
        Self { text, id, problems, duplicates, nodes, root, anchored, aliased: 0, texts }
    }

    /// The document's value, null if it is empty. `None` after a problem that leaves it without a value.
    pub(super) fn document(mut self) -> Option<ConfigValue> {
        match self.root {
            Some(root) => self.node(root, false).map(|built| built.value),
            None => Some(ConfigValue::new(ValueKind::Null, Span::new(self.id, 0, 0))),
        }
    }

    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.id, range.start, range.end)
    }

    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.problems.push(diagnostic);
        None
    }

    fn child(&mut self, child: Child, is_key: bool) -> Option<Built> {
        match child.alias {
            Some(alias) => self.alias(child.id, self.span(alias)),
            None => self.node(child.id, is_key),
        }
    }

    fn node(&mut self, id: NodeId, is_key: bool) -> Option<Built> {
        let node = self.nodes.get_mut(id)?;
        let (span, start, is_anchored) = (node.span.clone(), node.start.offset, node.anchor.is_some());
        let tag = node.tag.clone();
        let content = std::mem::replace(&mut node.content, Content::Sequence(Vec::new()));
        if is_anchored {
            self.anchored.insert(id, Anchored::default());
        }
        let built = match content {
            Content::Scalar(text, style) => self.scalar(&text, style, &tag, is_anchored, is_key, span)?,
            Content::Sequence(items) => self.sequence(items, &tag, start, span)?,
            Content::Mapping(pairs) => self.mapping(pairs, &tag, start, span)?,
        };
        if is_anchored {
            self.anchored.insert(id, Anchored { value: Some(built.value.clone()), size: built.size, noqa: None });
        }
        Some(built)
    }

    fn alias(&mut self, id: NodeId, span: Span) -> Option<Built> {
        let built = |value, size, noqa| Built { value, size, is_merge: false, content: span.range().start, noqa };
        let Some(anchored) = self.anchored.get(&id) else {
            return self.fail(Diagnostic::error("this alias names no anchor").at(span, ""));
        };
        let Some(value) = anchored.value.clone() else {
            // ruamel.yaml puts `None` where a value would contain itself, except at the root, which TPV then fails on.
            if self.root == Some(id) {
                return self.fail(Diagnostic::error("this alias makes the config contain itself").at(span, ""));
            }
            self.problems.push(
                Diagnostic::warning("an alias inside the value of its own anchor is null")
                    .code(Code::WrongType)
                    .at(span, "the anchor's value is not complete here"),
            );
            return Some(built(ConfigValue::new(ValueKind::Null, span), 1, None));
        };
        let (size, noqa) = (anchored.size, anchored.noqa.clone());
        self.aliased = self.aliased.saturating_add(size);
        if self.aliased > MAX_ALIASED {
            return self.fail(
                Diagnostic::error(format!("the aliases expand to more than {MAX_ALIASED} values"))
                    .at(span, "with this alias")
                    .help("aliases to values that contain aliases multiply: repeat fewer of them"),
            );
        }
        Some(built(value, size, noqa))
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        tag: &Tag,
        is_anchored: bool,
        is_key: bool,
        span: Range<usize>,
    ) -> Option<Built> {
        let (content, span) = (span.start, self.span(span));
        if style == ScalarStyle::Plain && text.starts_with('\u{feff}') {
            return self.fail(byte_order_mark(self.id, content));
        }
        let text = &*unfolded(text, style);
        let mut new_text = || Text { value: self.texts.share(text), span, style };
        let kind = tag.scalar_kind();
        let value = match kind {
            Some("str") => ValueKind::Str(new_text()),
            Some("merge" | "value") if is_key => ValueKind::Str(new_text()),
            Some("map" | "seq" | "set" | "omap" | "pairs") => {
                let message = format!("a scalar cannot have the tag `!!{}`", kind.unwrap_or_default());
                return self.fail(Diagnostic::error(message).at(span, ""));
            }
            Some(kind @ ("null" | "bool" | "int" | "float" | "timestamp")) => match scalar::construct(kind, text) {
                Some(ValueKind::Bool(value)) if is_anchored => ValueKind::AnchoredBool(value),
                Some(value) => value,
                None => return self.fail(unreadable(text, tag, kind).at(span, "")),
            },
            // `<<` means something as a key only; elsewhere ruamel.yaml makes an object of no known type of it, too.
            _ => ValueKind::Tagged(Arc::new(TaggedScalar { tag: tag.name().into(), text: new_text() })),
        };
        let is_merge = is_key && kind == Some("merge");
        Some(Built { value: ConfigValue::new(value, span), size: 1, is_merge, content, noqa: None })
    }

    /// Reports a tag of a scalar type, or one of `others`, on a collection that starts at `start`.
    fn refuse(&mut self, what: &str, tag: &Tag, others: &[&str], start: Range<usize>) -> Option<()> {
        let kind = tag.kind().unwrap_or("");
        let of_scalars = ["null", "bool", "int", "float", "timestamp", "binary"].contains(&kind);
        if !of_scalars && !others.contains(&kind) {
            return Some(());
        }
        let what = if of_scalars { "a collection" } else { what };
        let span = self.span(start);
        self.fail(Diagnostic::error(format!("{what} cannot have the tag `!!{kind}`")).at(span, ""))
    }

    /// A collection that ends with its bracket, or with its last value.
    fn collection(&self, kind: ValueKind, size: u64, span: Range<usize>, last: Option<Span>) -> Built {
        let end = last.filter(|_| span.is_empty()).map_or(span.end, |last| last.range().end);
        let value = ConfigValue::new(kind, self.span(span.start..end));
        Built { value, size, is_merge: false, content: span.start, noqa: None }
    }

    fn sequence(&mut self, items: Vec<Child>, tag: &Tag, start: usize, span: Range<usize>) -> Option<Built> {
        self.refuse("a list", tag, &["map", "set"], start..span.start)?;
        let mut values = Vec::with_capacity(items.len());
        let mut size: u64 = 1;
        for item in items {
            let item = self.child(item, false)?;
            size = size.saturating_add(item.size);
            values.push(item.value);
        }
        let last = values.last().map(|value| value.span);
        let kind = match tag.kind() {
            Some(kind @ ("omap" | "pairs")) => self.pairs(&values, kind)?,
            _ => ValueKind::List(Arc::new(values)),
        };
        Some(self.collection(kind, size, span, last))
    }

    /// The value of `!!omap` or `!!pairs`: a list of mappings of one key.
    fn pairs(&mut self, items: &[ConfigValue], tag: &str) -> Option<ValueKind> {
        let mut pairs = Vec::new();
        for item in items {
            let Some([entry]) = item.as_map().map(|map| map.entries.as_slice()) else {
                let message = format!("the items of a list with the tag `!!{tag}` must be mappings of one key");
                return self.fail(Diagnostic::error(message).at(item.span, format!("this is {}", item.describe())));
            };
            pairs.push(entry.clone());
        }
        if tag == "pairs" {
            let pair = |entry: Entry| {
                let span = entry.key.span.to(entry.value.span);
                ConfigValue::new(ValueKind::List(Arc::new(vec![entry.key, entry.value])), span)
            };
            return Some(ValueKind::List(Arc::new(pairs.into_iter().map(pair).collect())));
        }
        let mut map = OpenMap::default();
        for entry in pairs {
            map.insert(entry, self.duplicates, self.problems);
        }
        Some(ValueKind::Map(Arc::new(map.finish())))
    }

    fn mapping(&mut self, pairs: Vec<(Child, Child)>, tag: &Tag, start: usize, span: Range<usize>) -> Option<Built> {
        self.refuse("a mapping", tag, &["seq", "omap", "pairs"], start..span.start)?;
        let mut map = OpenMap::default();
        let mut size: u64 = 1;
        for (key, value) in pairs {
            let id = value.alias.is_none().then_some(value.id);
            let (key, value) = (self.child(key, true)?, self.child(value, false)?);
            if !is_hashable(&key.value) {
                let problem = Diagnostic::error("a key cannot hold collections in collections").at(key.value.span, "");
                return self.fail(problem.help("put it in quotes if it is text"));
            }
            size = size.saturating_add(key.size).saturating_add(value.size);
            if key.is_merge {
                map.merge(key.value.span, &value.value, self.problems)?;
                continue;
            }
            let noqa = value.noqa.or_else(|| match value.value.kind {
                ValueKind::Map(_) => self.text.get(key.value.span.range().end..value.content).and_then(noqa_between),
                _ => None,
            });
            if let Some(anchored) = id.and_then(|id| self.anchored.get_mut(&id)) {
                anchored.noqa.clone_from(&noqa);
            }
            map.insert(Entry { key: key.value, value: value.value, noqa }, self.duplicates, self.problems);
        }
        let last = map.end();
        let map = map.finish();
        let kind = match tag.kind() {
            Some("set") => ValueKind::Set(Arc::new(map.entries.into_iter().map(|entry| entry.key).collect())),
            _ => ValueKind::Map(Arc::new(map)),
        };
        Some(self.collection(kind, size, span, last))
    }
}

/// Returns `true` if Python can hash the value as a key: ruamel.yaml makes tuples of a collection, but not of those in it.
fn is_hashable(key: &ConfigValue) -> bool {
    let is_collection =
        |value: &ConfigValue| matches!(value.kind, ValueKind::List(_) | ValueKind::Map(_) | ValueKind::Set(_));
    match &key.kind {
        ValueKind::List(items) => !items.iter().any(is_collection),
        ValueKind::Map(map) => !map.entries.iter().any(|entry| is_collection(&entry.value)),
        ValueKind::Set(_) => false,
        _ => true,
    }
}

/// The error for a scalar whose text does not fit its type.
fn unreadable(text: &str, tag: &Tag, kind: &str) -> Diagnostic {
    let end = text.floor_char_boundary(MAX_SHOWN);
    let (shown, more) = (text.get(..end).unwrap_or(text), if end < text.len() { "..." } else { "" });
    let what = match tag {
        Tag::Written(_) => format!("`!!{kind}`"),
        Tag::Implicit("timestamp") => "date".to_owned(),
        Tag::Implicit(_) => "number".to_owned(),
    };
    Diagnostic::error(format!("`{shown}{more}` is no {what} that can be read")).help("put it in quotes if it is text")
}
