//! Data as YAML text, laid out as ruamel.yaml lays it out, which TPV prints its results with.

mod scalar;

use tpv_runtime::galaxy::json::Json;

use crate::config::value::float_repr;
use scalar::Analysis;

/// The column after which lines are broken.
const WIDTH: usize = 80;
/// The longest key that stands before a `:` on its own line.
const MAX_SIMPLE_KEY: usize = 128;

/// How to lay out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layout {
    /// Collections without collections inside stand on one line, as `{a: 1}`.
    pub flow_leaves: bool,
    /// Keys are sorted.
    pub sorted: bool,
    /// The tag of the outermost value, such as `!!python/object:...`.
    pub tag: Option<&'static str>,
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
    fn node(&mut self, value: &Json, context: Context) {
        match value {
            Json::List(items) if self.flow_level > 0 || items.is_empty() || self.is_leaf(value) => {
                self.flow_sequence(items);
            }
            Json::List(items) => self.block_sequence(items, context),
            Json::Object(items) => {
                let mut items: Vec<(&str, &Json)> = items.iter().map(|(key, value)| (&**key, value)).collect();
                if self.layout.sorted {
                    items.sort_by(|a, b| a.0.cmp(b.0));
                }
                if self.flow_level > 0 || items.is_empty() || self.is_leaf(value) {
                    self.flow_mapping(&items);
                } else {
                    self.block_mapping(&items);
                }
            }
            Json::Null => self.word("null"),
            Json::Bool(true) => self.word("true"),
            Json::Bool(false) => self.word("false"),
            Json::Int(number) => self.word(&number.to_string()),
            Json::BigInt(number) => self.word(&number.to_string()),
            Json::Float(number) => self.word(&float(*number)),
            Json::Str(text) => self.string(text, context == Context::Key),
        }
    }

    /// Whether the collection goes on one line: nothing in it is a collection or a quoted string.
    fn is_leaf(&self, value: &Json) -> bool {
        // ruamel.yaml chooses quotes only when it writes: a string has no style of its own here.
        let scalar = |value: &Json| !matches!(value, Json::List(_) | Json::Object(_));
        self.layout.flow_leaves
            && match value {
                Json::List(items) => items.iter().all(scalar),
                Json::Object(items) => items.iter().all(|(_, value)| scalar(value)),
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

    fn flow_sequence(&mut self, items: &[Json]) {
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

    fn flow_mapping(&mut self, items: &[(&str, &Json)]) {
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
            if is_simple_key(key) {
                self.string(key, true);
                self.indicator(":", false, false, false);
            } else {
                self.indicator("?", true, false, false);
                self.string(key, false);
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

    fn block_sequence(&mut self, items: &[Json], context: Context) {
        let indentless = context == Context::Mapping && !self.indention;
        self.increase_indent(false, indentless);
        for item in items {
            self.write_indent();
            self.indicator("-", true, false, true);
            self.node(item, Context::Sequence);
        }
        self.decrease_indent();
    }

    fn block_mapping(&mut self, items: &[(&str, &Json)]) {
        self.increase_indent(false, false);
        for (key, value) in items {
            self.write_indent();
            if is_simple_key(key) {
                self.string(key, true);
                self.indicator(":", false, false, false);
            } else {
                self.indicator("?", true, false, true);
                self.string(key, false);
                self.write_indent();
                self.indicator(":", true, false, true);
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

    fn string(&mut self, text: &str, key: bool) {
        self.increase_indent(true, false);
        self.string_in_indent(text, key);
        self.decrease_indent();
    }

    fn string_in_indent(&mut self, text: &str, key: bool) {
        let analysis = Analysis::new(text);
        let fits = if self.flow_level > 0 { analysis.flow_plain } else { analysis.block_plain };
        if scalar::is_string(text) && fits && !(key && (text.is_empty() || analysis.multiline)) {
            self.plain(text, !key);
        } else if text.contains(['\'', '\n']) || !analysis.single_quoted || (key && analysis.multiline) {
            self.double_quoted(text, !key);
        } else {
            self.single_quoted(text, !key);
        }
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

fn float(number: f64) -> String {
    if number.is_nan() {
        ".nan".to_owned()
    } else if number.is_infinite() {
        if number > 0.0 { ".inf" } else { "-.inf" }.to_owned()
    } else {
        float_repr(number)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use tpv_runtime::galaxy::json::Reader;

    fn emit(json: &str, flow_leaves: bool) -> String {
        let value = Json::read(&mut Reader::new(json)).unwrap();
        yaml(&value, Layout { flow_leaves, sorted: true, tag: None })
    }

    #[test]
    fn layouts_are_those_of_ruamel() {
        let text = r#"{"b": [{"x": "1", "y": null}, []], "a": {"c": {"d": 1.5}}, "e": "it's", "f": "a: b"}"#;
        assert_eq!(
            emit(text, true),
            "a:\n  c: {d: 1.5}\nb:\n- {x: '1', y: null}\n- []\ne: it's\nf: 'a: b'\n"
        );
        assert_eq!(
            emit(text, false),
            "a:\n  c:\n    d: 1.5\nb:\n- x: '1'\n  y: null\n- []\ne: it's\nf: 'a: b'\n"
        );
        assert_eq!(emit(r#"[[1, [2]], "x\ny", "true", "", " a"]"#, false), "- - 1\n  - - 2\n- \"x\\ny\"\n- 'true'\n- ''\n- ' a'\n");
    }
}
