//! The characters of scalars, indicators and line breaks, as ruamel.yaml's `Emitter` writes them.

use super::escape::{escape, must_escape, needs_backslash};
use crate::characters::is_break;

/// The additional indentation of each level.
pub(crate) const INDENT: usize = 2;

/// After which column lines are folded.
pub(crate) const WIDTH: usize = 80;

/// Text that grows, and where in its last line the next character will stand.
pub(crate) struct Writer {
    pub(crate) out: String,
    pub(crate) column: usize,
    /// The last character was white space.
    pub(crate) whitespace: bool,
    /// Only an indent and indicators stand in the line.
    pub(crate) indention: bool,
    /// The column that new lines start at.
    pub(crate) indent: Option<usize>,
    /// The indents of the collections around, and whether these are sequences.
    pub(crate) indents: Vec<(Option<usize>, bool)>,
    /// The indent of lines inside brackets at the root, which depends on how ruamel.yaml is set up.
    root_flow_indent: Option<usize>,
    /// The next line break is left out.
    pub(crate) no_newline: bool,
    /// A block scalar that keeps its line breaks was the last thing written.
    pub(crate) open_ended: bool,
}

/// The part of a text from `start` up to `end`.
pub(crate) fn part(text: &[char], start: usize, end: usize) -> &[char] {
    text.get(start..end).unwrap_or(&[])
}

impl Writer {
    /// A writer of an empty document; `root_flow_indent` is the indent of lines inside brackets at the root.
    pub(crate) fn new(root_flow_indent: Option<usize>) -> Self {
        Self {
            out: String::new(),
            column: 0,
            whitespace: true,
            indention: true,
            indent: None,
            indents: Vec::new(),
            root_flow_indent,
            no_newline: false,
            open_ended: false,
        }
    }

    /// Writes an indicator, tag or anchor; `need_whitespace` puts a space before it if there is none.
    pub(crate) fn write_indicator(&mut self, text: &str, need_whitespace: bool, whitespace: bool, indention: bool) {
        if need_whitespace && !self.whitespace {
            self.put(&[' ']);
        }
        self.out += text;
        self.column += text.chars().count();
        self.whitespace = whitespace;
        self.indention = self.indention && indention;
        self.open_ended = false;
    }

    /// Goes to the column of the indent, on a new line unless there is nothing else on this one.
    pub(crate) fn write_indent(&mut self) {
        let indent = self.indent.unwrap_or(0);
        if !self.indention || self.column > indent || (self.column == indent && !self.whitespace) {
            if self.no_newline {
                self.no_newline = false;
            } else {
                self.write_line_break('\n');
            }
        }
        if self.column < indent {
            self.whitespace = true;
            self.out.extend(std::iter::repeat_n(' ', indent - self.column));
            self.column = indent;
        }
    }

    /// Indents what follows by one level more, for a scalar or the items of a collection; a sequence below a key may be
    /// `indentless`.
    pub(crate) fn increase_indent(&mut self, flow: bool, sequence: bool, indentless: bool) {
        self.indents.push((self.indent, sequence));
        self.indent = match self.indent {
            None if flow => self.root_flow_indent,
            None => Some(0),
            Some(indent) if indentless => Some(indent),
            Some(indent) => Some(indent + INDENT),
        };
    }

    /// Goes back to the indent before.
    pub(crate) fn decrease_indent(&mut self) {
        self.indent = self.indents.pop().and_then(|(indent, _)| indent);
    }

    /// Ends the line.
    pub(crate) fn write_line_break(&mut self, ch: char) {
        self.whitespace = true;
        self.indention = true;
        self.column = 0;
        self.out.push(ch);
    }

    /// Writes characters as they are.
    pub(crate) fn put(&mut self, text: &[char]) {
        self.column += text.len();
        self.out.extend(text);
    }

    /// Line breaks of a text that is written on several lines; one more if a single one would be read as a space.
    fn put_breaks(&mut self, breaks: &[char]) {
        if breaks.first() == Some(&'\n') {
            self.write_line_break('\n');
        }
        breaks.iter().for_each(|&ch| self.write_line_break(ch));
    }

    /// Writes a scalar in `'`; with `split` it may be folded over several lines, as those below.
    pub(crate) fn write_single_quoted(&mut self, text: &[char], split: bool) {
        self.write_indicator("'", true, false, false);
        let (mut spaces, mut breaks) = (false, false);
        let mut start = 0;
        for end in 0..=text.len() {
            let ch = text.get(end).copied();
            if spaces {
                if ch != Some(' ') {
                    let may_break = start + 1 == end && split && start != 0 && end != text.len();
                    if may_break && self.column > WIDTH {
                        self.write_indent();
                    } else {
                        self.put(part(text, start, end));
                    }
                    start = end;
                }
            } else if breaks {
                if !ch.is_some_and(is_break) {
                    self.put_breaks(part(text, start, end));
                    self.write_indent();
                    start = end;
                }
            } else if ch.is_none_or(|ch| ch == ' ' || ch == '\'' || is_break(ch)) && start < end {
                self.put(part(text, start, end));
                start = end;
            }
            if ch == Some('\'') {
                self.put(&['\'', '\'']);
                start = end + 1;
            }
            spaces = ch == Some(' ');
            breaks = ch.is_some_and(is_break);
        }
        self.write_indicator("'", false, false, false);
    }

    /// Writes a scalar in `"`.
    pub(crate) fn write_double_quoted(&mut self, text: &[char], split: bool) {
        self.write_indicator("\"", true, false, false);
        let mut start = 0;
        for end in 0..=text.len() {
            let ch = text.get(end).copied();
            if ch.is_none_or(must_escape) {
                if start < end {
                    self.put(part(text, start, end));
                    start = end;
                }
                if let Some(ch) = ch {
                    self.put(&escape(ch).chars().collect::<Vec<_>>());
                    start = end + 1;
                }
            }
            let inside = end > 0 && end + 1 < text.len();
            if inside && (ch == Some(' ') || start >= end) && split && self.column + end > WIDTH + start {
                let backslash = needs_backslash(text, start, end);
                self.put(part(text, start, end));
                if backslash {
                    self.put(&['\\']);
                }
                start = start.max(end);
                self.write_indent();
                self.whitespace = false;
                self.indention = false;
                if text.get(start) == Some(&' ') {
                    if backslash {
                        self.put(&['\\']);
                    } else {
                        start += 1;
                    }
                }
            }
        }
        self.write_indicator("\"", false, false, false);
    }

    /// Writes a key without quotes, if it stays on one line.
    ///
    /// DIFFERENCE: ruamel.yaml breaks a key of several words at the 80th column, and what it writes is no YAML: a key must be on one line.
    /// Here it stands in `'` then.
    pub(crate) fn write_plain_key(&mut self, text: &[char]) {
        let length = self.out.len();
        let before = (self.column, self.whitespace, self.indention, self.no_newline, self.open_ended);
        self.write_plain(text, false);
        // On a line of its own it is whole.
        if self.out.get(length..).is_some_and(|written| written.trim_start().contains('\n')) {
            self.out.truncate(length);
            (self.column, self.whitespace, self.indention, self.no_newline, self.open_ended) = before;
            self.write_single_quoted(text, false);
        }
    }

    /// Writes a scalar without quotes.
    pub(crate) fn write_plain(&mut self, text: &[char], split: bool) {
        if text.is_empty() {
            return;
        }
        if !self.whitespace {
            self.put(&[' ']);
        }
        self.whitespace = false;
        self.indention = false;
        let (mut spaces, mut breaks) = (false, false);
        let mut start = 0;
        for end in 0..=text.len() {
            let ch = text.get(end).copied();
            if spaces {
                if ch != Some(' ') {
                    if start + 1 == end && self.column >= WIDTH && split {
                        self.write_indent();
                        self.whitespace = false;
                        self.indention = false;
                    } else {
                        self.put(part(text, start, end));
                    }
                    start = end;
                }
            } else if breaks {
                if !ch.is_some_and(is_break) {
                    self.put_breaks(part(text, start, end));
                    self.write_indent();
                    self.whitespace = false;
                    self.indention = false;
                    start = end;
                }
            } else if ch.is_none_or(|ch| ch == ' ' || is_break(ch)) {
                let word = part(text, start, end);
                // A word longer than a line gets one of its own.
                if word.len() + self.column > WIDTH && self.indent.is_some_and(|indent| self.column > indent) {
                    self.write_indent();
                }
                self.put(word);
                start = end;
            }
            spaces = ch == Some(' ');
            breaks = ch.is_some_and(is_break);
        }
    }
}
