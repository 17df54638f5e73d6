//! Parser events to values.

use std::collections::HashMap;
use std::sync::Arc;

use saphyr_parser::{Event, ScalarStyle as Style, Tag as EventTag};

use super::construct::construct;
use super::merge::OpenMap;
use super::noqa::noqa_between;
use super::short_texts::ShortTexts;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{Source, SourceId, Span};
use crate::yaml::resolve::{Tag, resolve};
use crate::yaml::style::ScalarStyle;
use crate::yaml::tag::YAML_TAGS;
use crate::yaml::value::{ConfigValue, Entry, TaggedScalar, Text, ValueKind};

/// The maximum nesting of collections: later stages walk values recursively.
const MAX_DEPTH: usize = 128;
/// The number of bytes of a scalar shown in a message.
const MAX_SHOWN: usize = 60;
/// The number of values that aliases may stand for: a few lines of aliases to aliases mean billions.
const MAX_ALIASED: u64 = 5_000_000;

/// Builds the value of a document from its events.
pub(super) struct Composer<'a> {
    text: &'a str,
    id: SourceId,
    problems: &'a mut Diagnostics,
    open: Vec<Frame>,
    anchors: HashMap<usize, Anchored>,
    aliased: u64,
    texts: ShortTexts,
    root: Option<ConfigValue>,
}

/// The node of an anchor.
struct Anchored {
    /// `None` while the value is under construction.
    value: Option<ConfigValue>,
    /// The number of values in it.
    size: u64,
    /// The codes of the comment before a mapping's content, which every alias to it carries along.
    noqa: Noqa,
}

type Noqa = Option<Arc<[Arc<str>]>>;

/// A collection under construction.
struct Frame {
    start: Span,
    anchor: usize,
    tag: Option<String>,
    kind: FrameKind,
    size: u64,
}

enum FrameKind {
    Seq(Vec<ConfigValue>),
    Map { map: OpenMap, key: Option<Key> },
}

/// A key that waits for its value.
struct Key {
    value: ConfigValue,
    is_merge: bool,
}

/// A value that is complete, on its way into its collection.
struct Node {
    value: ConfigValue,
    size: u64,
    /// A plain `<<` without a tag.
    is_merge: bool,
    /// The location of its first key or opening bracket.
    content: Span,
    /// The comments that an alias carries along.
    noqa: Noqa,
}

impl<'a> Composer<'a> {
    pub(super) fn new(source: &'a Source, id: SourceId, problems: &'a mut Diagnostics) -> Self {
        let (open, anchors) = (Vec::new(), HashMap::new());
        Self { text: &source.text, id, problems, open, anchors, aliased: 0, texts: ShortTexts::new(), root: None }
    }

    /// The document's value, if there was one.
    pub(super) fn finish(self) -> Option<ConfigValue> {
        self.root
    }

    /// Takes the next event; `None` after a problem after which the document has no value.
    pub(super) fn event(&mut self, event: Event<'_>, span: Span) -> Option<()> {
        match event {
            Event::Scalar(text, style, anchor, tag) => self.scalar(&text, style, anchor, tag.as_deref(), span),
            Event::Alias(anchor) => self.alias(anchor, span),
            Event::SequenceStart(anchor, tag) => self.start(FrameKind::Seq(Vec::new()), anchor, tag.as_deref(), span),
            Event::MappingStart(anchor, tag) => {
                let kind = FrameKind::Map { map: OpenMap::default(), key: None };
                self.start(kind, anchor, tag.as_deref(), span)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span),
            _ => Some(()),
        }
    }

    fn fail(&mut self, diagnostic: Diagnostic) -> Option<()> {
        self.problems.push(diagnostic);
        None
    }

    fn start(&mut self, kind: FrameKind, anchor: usize, tag: Option<&EventTag>, span: Span) -> Option<()> {
        if self.open.len() >= MAX_DEPTH {
            return self.fail(
                Diagnostic::error(format!("collections are nested deeper than {MAX_DEPTH} levels")).at(span, ""),
            );
        }
        if anchor != 0 {
            self.anchors.insert(anchor, Anchored { value: None, size: 0, noqa: None });
        }
        let tag = tag.map(full_tag);
        self.open.push(Frame { start: span, anchor, tag, kind, size: 1 });
        Some(())
    }

    fn end(&mut self, span: Span) -> Option<()> {
        let Some(Frame { start, anchor, tag, kind, size }) = self.open.pop() else { return Some(()) };
        // A block collection ends where its last value does, a flow collection with its bracket.
        let is_flow = span.end > span.start;
        let tag = tag.as_deref().and_then(|tag| tag.strip_prefix(YAML_TAGS)).unwrap_or("");
        if matches!(tag, "null" | "bool" | "int" | "float" | "timestamp" | "binary") {
            return self.fail(Diagnostic::error(format!("a collection cannot have the tag `!!{tag}`")).at(start, ""));
        }
        let begin = Span::new(self.id, skip_properties(self.text, start), start.range().end.max(span.range().start));
        let (kind, last) = match kind {
            FrameKind::Seq(items) => {
                let last = items.last().map(|item| item.span);
                (self.sequence(items, tag, start)?, last)
            }
            FrameKind::Map { map, .. } => {
                let last = map.end();
                (self.mapping(map, tag, start)?, last)
            }
        };
        let end = if is_flow { span } else { last.unwrap_or(start) };
        let value = ConfigValue::new(kind, Span { end: end.end.max(begin.start), ..begin });
        let content = Span { start: start.end, ..start };
        self.place(Node { value, size, is_merge: false, content, noqa: None }, anchor)
    }

    fn sequence(&mut self, mut items: Vec<ConfigValue>, tag: &str, start: Span) -> Option<ValueKind> {
        if !matches!(tag, "omap" | "pairs") {
            if matches!(tag, "map" | "set") {
                self.fail(Diagnostic::error(format!("a list cannot have the tag `!!{tag}`")).at(start, ""))?;
            }
            items.shrink_to_fit();
            return Some(ValueKind::List(Arc::new(items)));
        }
        let mut pairs = Vec::new();
        for item in &items {
            let Some([entry]) = item.as_map().map(|map| map.entries.as_slice()) else {
                let message = format!("the items of a list with the tag `!!{tag}` must be mappings of one key");
                self.fail(Diagnostic::error(message).at(item.span, format!("this is {}", item.describe())))?;
                continue;
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
            map.insert(entry, self.problems);
        }
        Some(ValueKind::Map(Arc::new(map.finish())))
    }

    fn mapping(&mut self, map: OpenMap, tag: &str, start: Span) -> Option<ValueKind> {
        match tag {
            "seq" | "omap" | "pairs" => {
                self.fail(Diagnostic::error(format!("a mapping cannot have the tag `!!{tag}`")).at(start, ""))?;
                None
            }
            "set" => {
                let keys = map.finish().entries.into_iter().map(|entry| entry.key).collect();
                Some(ValueKind::Set(Arc::new(keys)))
            }
            _ => Some(ValueKind::Map(Arc::new(map.finish()))),
        }
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Option<()> {
        let Some(anchored) = self.anchors.get(&anchor) else {
            return self.fail(Diagnostic::error("this alias names no anchor").at(span, ""));
        };
        let Some(value) = anchored.value.clone() else {
            // ruamel.yaml puts `None` where a value would contain itself, except at the root, which TPV then fails on.
            if self.open.first().is_some_and(|frame| frame.anchor == anchor) {
                return self.fail(Diagnostic::error("this alias makes the config contain itself").at(span, ""));
            }
            self.problems.push(
                Diagnostic::warning("an alias inside the value of its own anchor is null")
                    .code("T108")
                    .at(span, "the anchor's value is not complete here"),
            );
            let value = ConfigValue::new(ValueKind::Null, span);
            return self.place(Node { value, size: 1, is_merge: false, content: span, noqa: None }, 0);
        };
        let (size, noqa) = (anchored.size, anchored.noqa.clone());
        self.aliased = self.aliased.saturating_add(size);
        if self.aliased > MAX_ALIASED {
            return self.fail(
                Diagnostic::error(format!("the aliases stand for more than {MAX_ALIASED} values"))
                    .at(span, "with this alias")
                    .help("aliases to values that contain aliases multiply: repeat fewer of them"),
            );
        }
        self.place(Node { value, size, is_merge: false, content: span, noqa }, 0)
    }

    fn scalar(&mut self, text: &str, style: Style, anchor: usize, tag: Option<&EventTag>, span: Span) -> Option<()> {
        let style = scalar_style(style);
        let span = if anchor != 0 || tag.is_some() { self.content_of(span, style) } else { span };
        let text = self.trim_last_line(text, style, span);
        let tag = tag.map(full_tag).filter(|tag| tag != "!");
        let is_tagged = tag.is_some();
        let resolved = if style == ScalarStyle::Plain { resolve(text) } else { Tag::Str };
        let expects_key = self.expects_key();
        let texts = &mut self.texts;
        let mut new_text = || Text { value: texts.share(text), span, style };
        let unreadable = |what: &str| {
            let end = text.floor_char_boundary(MAX_SHOWN);
            let (shown, more) = (text.get(..end).unwrap_or(text), if end < text.len() { "..." } else { "" });
            Diagnostic::error(format!("`{shown}{more}` is no {what} that can be read"))
                .at(span, "")
                .help("put it in quotes if it is meant as text")
        };
        let kind = match tag.as_deref().map(|tag| tag.strip_prefix(YAML_TAGS).unwrap_or("!")) {
            None => match resolved {
                Tag::Str | Tag::Yaml | Tag::Merge => ValueKind::Str(new_text()),
                Tag::Value if expects_key => ValueKind::Str(new_text()),
                Tag::Value => tagged(format!("{YAML_TAGS}value"), new_text()),
                tag => match construct(tag, text) {
                    Some(kind) => kind,
                    None => return self.fail(unreadable(if tag == Tag::Timestamp { "date" } else { "number" })),
                },
            },
            Some(suffix @ ("null" | "bool" | "int" | "float" | "timestamp")) => {
                let tag = match suffix {
                    "null" => Tag::Null,
                    "bool" => Tag::Bool,
                    "int" => Tag::Int,
                    "float" => Tag::Float,
                    _ => Tag::Timestamp,
                };
                match construct(tag, text) {
                    Some(kind) => kind,
                    None => return self.fail(unreadable(&format!("`!!{suffix}`"))),
                }
            }
            Some(suffix @ ("map" | "seq" | "set" | "omap" | "pairs")) => {
                return self.fail(Diagnostic::error(format!("a scalar cannot have the tag `!!{suffix}`")).at(span, ""));
            }
            Some(_) => tagged(tag.unwrap_or_default(), new_text()),
        };
        let kind = match kind {
            ValueKind::Bool(value) if anchor != 0 => ValueKind::AnchoredBool(value),
            kind => kind,
        };
        let is_merge = !is_tagged && resolved == Tag::Merge;
        let value = ConfigValue::new(kind, span);
        if anchor != 0 {
            self.anchors.insert(anchor, Anchored { value: None, size: 0, noqa: None });
        }
        self.place(Node { value, size: 1, is_merge, content: span, noqa: None }, anchor)
    }

    /// In a file without a last line end, a block at its end has none in its value either, as in PyYAML.
    fn trim_last_line<'t>(&self, text: &'t str, style: ScalarStyle, span: Span) -> &'t str {
        let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        if is_block && span.range().end == self.text.len() && !self.text.ends_with(['\n', '\r']) {
            return text.strip_suffix('\n').unwrap_or(text);
        }
        text
    }

    /// A scalar's span without its anchor, tag and block header.
    fn content_of(&self, span: Span, style: ScalarStyle) -> Span {
        let mut start = skip_properties(self.text, span);
        if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
            let rest = self.text.get(start..span.range().end).unwrap_or("");
            let header = rest.find('\n').map_or(rest.len(), |newline| newline + 1);
            let body = rest.get(header..).unwrap_or("");
            let blank = body.len() - body.trim_start().len();
            start += header + blank;
        }
        Span::new(self.id, start.min(span.range().end), span.range().end)
    }

    fn expects_key(&self) -> bool {
        matches!(self.open.last(), Some(Frame { kind: FrameKind::Map { key: None, .. }, .. }))
    }

    /// Puts a complete value into the innermost open collection.
    fn place(&mut self, node: Node, anchor: usize) -> Option<()> {
        if anchor != 0 {
            self.anchors.insert(anchor, Anchored { value: Some(node.value.clone()), size: node.size, noqa: None });
        }
        let Some(frame) = self.open.last_mut() else {
            self.root = Some(node.value);
            return Some(());
        };
        frame.size = frame.size.saturating_add(node.size);
        let Node { mut value, is_merge, content, noqa, .. } = node;
        if is_merge && !matches!(&frame.kind, FrameKind::Map { key: None, .. }) {
            // `<<` means something as a key only; elsewhere ruamel.yaml makes an object of no known type of it.
            let text = Text { value: "<<".into(), span: value.span, style: ScalarStyle::Plain };
            value.kind = tagged(format!("{YAML_TAGS}merge"), text);
        }
        match &mut frame.kind {
            FrameKind::Seq(items) => {
                items.push(value);
                Some(())
            }
            FrameKind::Map { map, key } => {
                let Some(Key { value: key, is_merge }) = key.take() else {
                    *key = Some(Key { value, is_merge });
                    return Some(());
                };
                if is_merge {
                    return map.merge(key.span, &value, self.problems);
                }
                let between = match value.kind {
                    ValueKind::Map(_) if content.start >= key.span.end => {
                        self.text.get(key.span.range().end..content.range().start).and_then(noqa_between)
                    }
                    _ => None,
                };
                let noqa = noqa.or(between);
                if let Some(anchored) = self.anchors.get_mut(&anchor) {
                    anchored.noqa.clone_from(&noqa);
                }
                map.insert(Entry { key, value, noqa }, self.problems);
                Some(())
            }
        }
    }
}

/// The start of the node itself, after its anchor and tag.
fn skip_properties(text: &str, span: Span) -> usize {
    let mut start = span.range().start;
    loop {
        let rest = text.get(start..span.range().end).unwrap_or("");
        if !rest.starts_with(['&', '!']) {
            return start;
        }
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let after = rest.get(length..).unwrap_or("");
        start += length + (after.len() - after.trim_start().len());
    }
}

fn full_tag(tag: &EventTag) -> String {
    // A verbatim `!<tag:yaml.org,2002:str>` is a plain string for ruamel.yaml, unlike `!!str`.
    if tag.handle.is_empty() && tag.suffix == "tag:yaml.org,2002:str" {
        return "!".to_owned();
    }
    format!("{}{}", tag.handle, tag.suffix)
}

fn tagged(tag: String, text: Text) -> ValueKind {
    ValueKind::Tagged(Arc::new(TaggedScalar { tag: tag.into(), text }))
}

fn scalar_style(style: Style) -> ScalarStyle {
    match style {
        Style::Plain => ScalarStyle::Plain,
        Style::SingleQuoted => ScalarStyle::SingleQuoted,
        Style::DoubleQuoted => ScalarStyle::DoubleQuoted,
        Style::Literal => ScalarStyle::Literal,
        Style::Folded => ScalarStyle::Folded,
    }
}
