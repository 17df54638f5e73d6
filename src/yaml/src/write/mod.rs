//! Data as YAML text, laid out as ruamel.yaml lays it out, which TPV prints its results with.

pub(super) mod analysis;
mod escape;
mod node;
pub(super) mod writer;

pub use node::{Kind, Node, float};

use crate::resolve::{Tag, resolve};
use crate::style::ScalarStyle;
use analysis::Analysis;
use writer::{INDENT, WIDTH, Writer};

/// A key of this length does not stand before a `:` on its own line: ruamel.yaml counts 128 with its unwritten tag `!!str`.
const MAX_SIMPLE_KEY: usize = 128 - 5;

/// The layout options.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layout {
    /// Collections without collections inside stand on one line, as `{a: 1}`.
    pub flow_leaves: bool,
    /// Keys are sorted.
    pub sorted: bool,
    /// The tag of the outermost value, such as `!!python/object:...`.
    pub tag: Option<&'static str>,
    /// A null is written as nothing.
    pub empty_nulls: bool,
}

/// The context of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    Root,
    Sequence,
    Mapping,
    Key,
}

/// The node as a YAML document.
pub fn document(value: &Node, layout: Layout) -> String {
    let mut emitter = Emitter { writer: Writer::new(Some(INDENT)), layout, flow_level: 0 };
    if let Some(tag) = layout.tag {
        emitter.writer.write_indicator(tag, true, false, false);
    }
    emitter.node(value, Context::Root);
    let mut out = emitter.writer.out;
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

struct Emitter {
    writer: Writer,
    layout: Layout,
    flow_level: usize,
}

impl Emitter {
    fn node(&mut self, value: &Node, context: Context) {
        match &value.kind {
            Kind::List(items) if self.flow_level > 0 || items.is_empty() || self.is_leaf(value) => {
                self.flow_sequence(items);
            }
            Kind::List(items) => return self.block_sequence(items, context),
            Kind::Map(items) => {
                let mut items: Vec<(&Node, &Node)> = items.iter().map(|(key, value)| (key, value)).collect();
                if self.layout.sorted {
                    items.sort_by(|a, b| a.0.text().cmp(b.0.text()));
                }
                if self.flow_level > 0 || items.is_empty() || self.is_leaf(value) {
                    self.flow_mapping(&items);
                } else {
                    return self.block_mapping(&items);
                }
            }
            Kind::OrderedMap(items) => {
                self.writer.write_indicator("!!omap", true, false, false);
                let items = items.iter().map(|item| Kind::Map(vec![item.clone()]).into()).collect();
                return self.node(&Node { kind: Kind::List(items), comment: value.comment.clone() }, context);
            }
            Kind::Set(items) => self.set(items),
            _ => self.scalar(value, context == Context::Key),
        }
        self.comment(value);
    }

    /// Writes a node's comment, which ends the line.
    fn comment(&mut self, value: &Node) {
        if let Some(comment) = value.comment.as_ref().filter(|_| self.flow_level == 0) {
            self.writer.put(&format!("  # {comment}").chars().collect::<Vec<_>>());
        }
    }

    fn scalar(&mut self, value: &Node, key: bool) {
        match &value.kind {
            Kind::Null if self.layout.empty_nulls && !key => {}
            Kind::Null => self.word("null"),
            Kind::Plain(text) => self.word(text),
            Kind::Str(text) => self.string(text, key, resolve(text) == Tag::Str),
            Kind::Tagged(tag, text) => {
                self.writer.write_indicator(tag, true, false, false);
                // With a tag, quotes are not needed to tell a string from a number.
                self.string(text, key, !text.is_empty());
            }
            Kind::List(_) | Kind::Set(_) | Kind::Map(_) | Kind::OrderedMap(_) => {}
        }
    }

    /// Returns `true` if the collection goes on one line: it contains no collection.
    fn is_leaf(&self, value: &Node) -> bool {
        let scalar =
            |value: &Node| !matches!(value.kind, Kind::List(_) | Kind::Set(_) | Kind::Map(_) | Kind::OrderedMap(_));
        self.layout.flow_leaves
            && match &value.kind {
                Kind::List(items) => items.iter().all(scalar),
                Kind::Map(items) => items.iter().all(|(_, value)| scalar(value)),
                _ => false,
            }
    }

    fn flow_sequence(&mut self, items: &[Node]) {
        self.writer.write_indicator("[", true, true, false);
        self.writer.increase_indent(true, true, false);
        self.flow_level += 1;
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.writer.write_indicator(",", false, false, false);
            }
            if self.writer.column > WIDTH {
                self.writer.write_indent();
            }
            self.node(item, Context::Sequence);
        }
        self.flow_level -= 1;
        self.writer.decrease_indent();
        self.writer.write_indicator("]", false, false, false);
    }

    fn set(&mut self, items: &[Node]) {
        self.writer.write_indicator("!!set", true, false, false);
        self.writer.write_indicator("{", true, true, false);
        self.writer.increase_indent(true, false, false);
        self.flow_level += 1;
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.writer.write_indicator(",", false, false, false);
            }
            self.scalar(item, true);
        }
        self.flow_level -= 1;
        self.writer.decrease_indent();
        self.writer.write_indicator("}", false, false, false);
    }

    fn flow_mapping(&mut self, items: &[(&Node, &Node)]) {
        self.writer.write_indicator("{", true, true, false);
        self.writer.increase_indent(true, false, false);
        self.flow_level += 1;
        for (index, (key, value)) in items.iter().enumerate() {
            if index > 0 {
                self.writer.write_indicator(",", false, false, false);
            }
            if self.writer.column > WIDTH {
                self.writer.write_indent();
            }
            if is_simple_key(key.text()) {
                self.scalar(key, true);
                self.writer.write_indicator(":", false, false, false);
            } else {
                self.writer.write_indicator("?", true, false, false);
                self.scalar(key, false);
                if self.writer.column > WIDTH {
                    self.writer.write_indent();
                }
                self.writer.write_indicator(":", true, false, false);
            }
            self.node(value, Context::Mapping);
        }
        self.flow_level -= 1;
        self.writer.decrease_indent();
        self.writer.write_indicator("}", false, false, false);
    }

    fn block_sequence(&mut self, items: &[Node], context: Context) {
        let indentless = context == Context::Mapping && !self.writer.indention;
        self.writer.increase_indent(false, true, indentless);
        for item in items {
            self.writer.write_indent();
            self.writer.write_indicator("-", true, false, true);
            self.node(item, Context::Sequence);
        }
        self.writer.decrease_indent();
    }

    fn block_mapping(&mut self, items: &[(&Node, &Node)]) {
        self.writer.increase_indent(false, false, false);
        for (key, value) in items {
            self.writer.write_indent();
            if is_simple_key(key.text()) {
                self.scalar(key, true);
                self.writer.write_indicator(":", false, false, false);
            } else {
                self.writer.write_indicator("?", true, false, true);
                self.scalar(key, false);
                self.writer.write_indent();
                self.writer.write_indicator(":", true, false, true);
            }
            if value.is_block() && !self.is_leaf(value) {
                self.comment(value);
            }
            self.node(value, Context::Mapping);
        }
        self.writer.decrease_indent();
    }

    /// Writes a number, a boolean, a date or a null.
    fn word(&mut self, text: &str) {
        self.writer.increase_indent(true, false, false);
        self.writer.write_plain(&text.chars().collect::<Vec<_>>(), false);
        self.writer.decrease_indent();
    }

    /// A string: without quotes where it may be `plain` and can be.
    fn string(&mut self, text: &str, key: bool, plain: bool) {
        self.writer.increase_indent(true, false, false);
        let chars: Vec<char> = text.chars().collect();
        match Analysis::of(text).choose(text, plain, self.flow_level > 0, key) {
            ScalarStyle::Plain if key => self.writer.write_plain_key(&chars),
            ScalarStyle::Plain => self.writer.write_plain(&chars, true),
            ScalarStyle::SingleQuoted => self.writer.write_single_quoted(&chars, !key),
            _ => self.writer.write_double_quoted(&chars, !key),
        }
        self.writer.decrease_indent();
    }
}

fn is_simple_key(key: &str) -> bool {
    key.chars().count() < MAX_SIMPLE_KEY && !Analysis::of(key).multiline
}
