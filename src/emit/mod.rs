//! Data as YAML text, laid out as ruamel.yaml lays it out, which TPV prints its results with.

mod node;
mod scalar;

pub use node::{Kind, Node};

use tpv_runtime::galaxy::json::Json;

use scalar::Analysis;

/// The column after which lines are broken.
const WIDTH: usize = 80;
/// A key of this length does not stand before a `:` on its own line: ruamel.yaml counts 128 with its unwritten tag `!!str`.
const MAX_SIMPLE_KEY: usize = 128 - 5;

/// How to lay out.
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

/// Where a node stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    Root,
    Sequence,
    Mapping,
    Key,
}

/// The value as a YAML document.
pub fn yaml(value: &Json, layout: Layout) -> String {
    document(&Node::from(value), layout)
}

/// The node as a YAML document.
pub fn document(value: &Node, layout: Layout) -> String {
    let mut emitter = Emitter {
        out: String::new(),
        layout,
        column: 0,
        whitespace: true,
        indention: true,
        indents: Vec::new(),
        indent: None,
        flow_level: 0,
    };
    if let Some(tag) = layout.tag {
        emitter.indicator(tag, true, false, false);
    }
    emitter.node(value, Context::Root);
    if !emitter.out.ends_with('\n') {
        emitter.out.push('\n');
    }
    emitter.out
}

struct Emitter {
    out: String,
    layout: Layout,
    column: usize,
    whitespace: bool,
    indention: bool,
    indents: Vec<Option<usize>>,
    indent: Option<usize>,
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
                self.indicator("!!omap", true, false, false);
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
            self.write(&format!("  # {comment}"));
        }
    }

    fn scalar(&mut self, value: &Node, key: bool) {
        match &value.kind {
            Kind::Null if self.layout.empty_nulls && !key => {}
            Kind::Null => self.word("null"),
            Kind::Plain(text) => self.word(text),
            Kind::Str(text) => self.string(text, key, scalar::is_string(text)),
            Kind::Tagged(tag, text) => {
                self.indicator(tag, true, false, false);
                // The tag says what it is, so that no quotes need to.
                self.string(text, key, !text.is_empty());
            }
            Kind::List(_) | Kind::Set(_) | Kind::Map(_) | Kind::OrderedMap(_) => {}
        }
    }

    /// Whether the collection goes on one line: nothing in it is a collection.
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

    fn increase_indent(&mut self, flow: bool, indentless: bool) {
        self.indents.push(self.indent);
        self.indent = Some(match self.indent {
            None if flow => 2,
            None => 0,
            Some(indent) if indentless => indent,
            Some(indent) => indent + 2,
        });
    }

    fn decrease_indent(&mut self) {
        self.indent = self.indents.pop().flatten();
    }

    fn flow_sequence(&mut self, items: &[Node]) {
        self.indicator("[", true, true, false);
        self.increase_indent(true, false);
        self.flow_level += 1;
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.indicator(",", false, false, false);
            }
            if self.column > WIDTH {
                self.write_indent();
            }
            self.node(item, Context::Sequence);
        }
        self.flow_level -= 1;
        self.decrease_indent();
        self.indicator("]", false, false, false);
    }

    fn set(&mut self, items: &[Node]) {
        self.indicator("!!set", true, false, false);
        self.indicator("{", true, true, false);
        self.increase_indent(true, false);
        self.flow_level += 1;
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.indicator(",", false, false, false);
            }
            self.scalar(item, true);
        }
        self.flow_level -= 1;
        self.decrease_indent();
        self.indicator("}", false, false, false);
    }

    fn flow_mapping(&mut self, items: &[(&Node, &Node)]) {
        self.indicator("{", true, true, false);
        self.increase_indent(true, false);
        self.flow_level += 1;
        for (index, (key, value)) in items.iter().enumerate() {
            if index > 0 {
                self.indicator(",", false, false, false);
            }
            if self.column > WIDTH {
                self.write_indent();
            }
            if is_simple_key(key.text()) {
                self.scalar(key, true);
                self.indicator(":", false, false, false);
            } else {
                self.indicator("?", true, false, false);
                self.scalar(key, false);
                if self.column > WIDTH {
                    self.write_indent();
                }
                self.indicator(":", true, false, false);
            }
            self.node(value, Context::Mapping);
        }
        self.flow_level -= 1;
        self.decrease_indent();
        self.indicator("}", false, false, false);
    }

    fn block_sequence(&mut self, items: &[Node], context: Context) {
        let indentless = context == Context::Mapping && !self.indention;
        self.increase_indent(false, indentless);
        for item in items {
            self.write_indent();
            self.indicator("-", true, false, true);
            self.node(item, Context::Sequence);
        }
        self.decrease_indent();
    }

    fn block_mapping(&mut self, items: &[(&Node, &Node)]) {
        self.increase_indent(false, false);
        for (key, value) in items {
            self.write_indent();
            if is_simple_key(key.text()) {
                self.scalar(key, true);
                self.indicator(":", false, false, false);
            } else {
                self.indicator("?", true, false, true);
                self.scalar(key, false);
                self.write_indent();
                self.indicator(":", true, false, true);
            }
            if value.is_block() && !self.is_leaf(value) {
                self.comment(value);
            }
            self.node(value, Context::Mapping);
        }
        self.decrease_indent();
    }

    /// A scalar that is no string.
    fn word(&mut self, text: &str) {
        self.increase_indent(true, false);
        self.plain(text, false);
        self.decrease_indent();
    }

    /// A string: without quotes where it may be `plain` and can be.
    fn string(&mut self, text: &str, key: bool, plain: bool) {
        self.increase_indent(true, false);
        let analysis = Analysis::new(text);
        let fits = if self.flow_level > 0 { analysis.flow_plain } else { analysis.block_plain };
        if plain && fits && !(key && (text.is_empty() || analysis.multiline)) {
            self.plain(text, !key);
        } else if text.contains(['\'', '\n']) || !analysis.single_quoted || (key && analysis.multiline) {
            self.double_quoted(text, !key);
        } else {
            self.single_quoted(text, !key);
        }
        self.decrease_indent();
    }

    fn write(&mut self, text: &str) {
        self.column += text.chars().count();
        self.out.push_str(text);
    }

    fn indicator(&mut self, text: &str, need_whitespace: bool, whitespace: bool, indention: bool) {
        if !self.whitespace && need_whitespace {
            self.write(" ");
        }
        self.whitespace = whitespace;
        self.indention = self.indention && indention;
        self.write(text);
    }

    fn write_indent(&mut self) {
        let indent = self.indent.unwrap_or(0);
        if !self.indention || self.column > indent || (self.column == indent && !self.whitespace) {
            self.line_break();
        }
        if self.column < indent {
            self.whitespace = true;
            self.write(&" ".repeat(indent - self.column));
        }
    }

    fn line_break(&mut self) {
        self.whitespace = true;
        self.indention = true;
        self.column = 0;
        self.out.push('\n');
    }

    /// A plain scalar; it has no line breaks in it.
    fn plain(&mut self, text: &str, split: bool) {
        if text.is_empty() {
            return;
        }
        if !self.whitespace {
            self.write(" ");
        }
        self.whitespace = false;
        self.indention = false;
        for (run, is_spaces, _) in scalar::runs(text) {
            if is_spaces {
                if run.len() == 1 && self.column >= WIDTH && split {
                    self.write_indent();
                    self.whitespace = false;
                    self.indention = false;
                    continue;
                }
            } else if run.chars().count() + self.column > WIDTH && self.indent.is_some_and(|to| self.column > to) {
                self.write_indent();
            }
            self.write(run);
        }
    }

    /// A scalar in `'`; it has neither quotes nor line breaks in it, which choose the other style.
    fn single_quoted(&mut self, text: &str, split: bool) {
        self.indicator("'", true, false, false);
        for (run, is_spaces, at) in scalar::runs(text) {
            let inside = at > 0 && at + run.len() < text.len();
            if is_spaces && run.len() == 1 && self.column > WIDTH && split && inside {
                self.write_indent();
            } else {
                self.write(run);
            }
        }
        self.indicator("'", false, false, false);
    }

    fn double_quoted(&mut self, text: &str, split: bool) {
        self.indicator("\"", true, false, false);
        let chars: Vec<char> = text.chars().collect();
        let slice = |from: usize, to: usize| chars.get(from..to).unwrap_or_default().iter().collect::<String>();
        let (mut start, mut end) = (0, 0);
        while end <= chars.len() {
            let current = chars.get(end).copied();
            if current.is_none_or(scalar::is_escaped) {
                if start < end {
                    self.write(&slice(start, end));
                    start = end;
                }
                if let Some(current) = current {
                    self.write(&scalar::escape(current));
                    start = end + 1;
                }
            }
            let inside = 0 < end && end + 1 < chars.len();
            let width = self.column + end.saturating_sub(start);
            if inside && (current == Some(' ') || start >= end) && width > WIDTH && split {
                let backslash = scalar::needs_backslash(&chars, start, end);
                let mut data = slice(start, end);
                if backslash {
                    data.push('\\');
                }
                start = start.max(end);
                self.write(&data);
                self.write_indent();
                self.whitespace = false;
                self.indention = false;
                if chars.get(start) == Some(&' ') {
                    if backslash {
                        self.write("\\");
                    } else {
                        start += 1;
                    }
                }
            }
            end += 1;
        }
        self.indicator("\"", false, false, false);
    }
}

fn is_simple_key(key: &str) -> bool {
    key.chars().count() < MAX_SIMPLE_KEY && !Analysis::new(key).multiline
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use tpv_runtime::galaxy::json::Reader;

    fn emit(json: &str, flow_leaves: bool) -> String {
        let value = Json::read(&mut Reader::new(json)).unwrap();
        yaml(&value, Layout { flow_leaves, sorted: true, ..Layout::default() })
    }

    #[test]
    fn layouts_are_those_of_ruamel() {
        let text = r#"{"b": [{"x": "1", "y": null}, []], "a": {"c": {"d": 1.5}}, "e": "it's", "f": "a: b"}"#;
        assert_eq!(emit(text, true), "a:\n  c: {d: 1.5}\nb:\n- {x: '1', y: null}\n- []\ne: it's\nf: 'a: b'\n");
        assert_eq!(emit(text, false), "a:\n  c:\n    d: 1.5\nb:\n- x: '1'\n  y: null\n- []\ne: it's\nf: 'a: b'\n");
        assert_eq!(
            emit(r#"[[1, [2]], "x\ny", "true", "", " a"]"#, false),
            "- - 1\n  - - 2\n- \"x\\ny\"\n- 'true'\n- ''\n- ' a'\n"
        );
    }
}
