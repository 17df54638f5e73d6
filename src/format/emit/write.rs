//! The characters of scalars, indicators and line breaks.

use super::analysis::is_break;
use super::{Emitter, WIDTH};
use crate::format::error::{FormatError, Result};
use crate::format::scan::FOLD;

/// The part of a text from `start` up to `end`.
fn part(text: &[char], start: usize, end: usize) -> &[char] {
    text.get(start..end).unwrap_or(&[])
}

/// The indentation and chomping indicators of a block scalar.
fn block_hints(text: &[char]) -> String {
    let Some((first, last)) = text.first().zip(text.last()) else { return String::new() };
    let mut hints = String::new();
    if *first == ' ' || is_break(*first) {
        hints.push('2');
    }
    let before_last = text.len().checked_sub(2).and_then(|index| text.get(index));
    if !is_break(*last) {
        hints.push('-');
    } else if before_last.is_none_or(|&ch| is_break(ch)) {
        hints.push('+');
    }
    hints
}

impl Emitter<'_> {
    pub(super) fn write_indicator(&mut self, text: &str, need_whitespace: bool, whitespace: bool, indention: bool) {
        if need_whitespace && !self.whitespace {
            self.put(&[' ']);
        }
        self.out += text;
        self.column += text.chars().count();
        self.whitespace = whitespace;
        self.indention = self.indention && indention;
        self.open_ended = false;
    }

    pub(super) fn write_indent(&mut self) {
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

    pub(super) fn write_line_break(&mut self, ch: char) {
        self.whitespace = true;
        self.indention = true;
        self.column = 0;
        self.out.push(ch);
    }

    fn put(&mut self, text: &[char]) {
        self.column += text.len();
        self.out.extend(text);
    }

    /// Line breaks of a text that is written on several lines; one more where a single one would be read as a space.
    fn put_breaks(&mut self, breaks: &[char]) {
        if breaks.first() == Some(&'\n') {
            self.write_line_break('\n');
        }
        breaks.iter().for_each(|&ch| self.write_line_break(ch));
    }

    pub(super) fn write_single_quoted(&mut self, text: &[char], split: bool) {
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

    pub(super) fn write_double_quoted(&mut self, text: &[char], split: bool) {
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

    pub(super) fn write_plain(&mut self, text: &[char], split: bool) {
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

    fn start_block(&mut self, indicator: char, text: &[char], header: &str) {
        let hints = block_hints(text);
        self.write_indicator(&format!("{indicator}{hints}{header}"), true, false, false);
        if hints.ends_with('+') {
            self.open_ended = true;
        }
        self.write_line_break('\n');
    }

    pub(super) fn write_literal(&mut self, text: &[char], header: &str) {
        self.start_block('|', text, header);
        let mut breaks = true;
        let mut start = 0;
        for end in 0..=text.len() {
            let ch = text.get(end).copied();
            let at_break = ch.is_some_and(is_break);
            if breaks && !at_break {
                part(text, start, end).iter().for_each(|&ch| self.write_line_break(ch));
                if ch.is_some() {
                    self.write_indent();
                }
                start = end;
            } else if !breaks && (ch.is_none() || at_break) {
                self.out.extend(part(text, start, end));
                if ch.is_none() {
                    self.write_line_break('\n');
                }
                start = end;
            }
            breaks = at_break;
        }
    }

    pub(super) fn write_folded(&mut self, text: &[char], header: &str) -> Result<()> {
        self.start_block('>', text, header);
        let (mut leading_space, mut spaces, mut breaks) = (true, false, true);
        let (mut start, mut end) = (0, 0);
        while end <= text.len() {
            let ch = text.get(end).copied();
            if breaks {
                if !ch.is_some_and(|ch| is_break(ch) || ch == FOLD) {
                    let indented = ch.is_none_or(|ch| ch == ' ');
                    if !leading_space && !indented && text.get(start) == Some(&'\n') {
                        self.write_line_break('\n');
                    }
                    leading_space = ch == Some(' ');
                    part(text, start, end).iter().for_each(|&ch| self.write_line_break(ch));
                    if ch.is_some() {
                        self.write_indent();
                    }
                    start = end;
                }
            } else if spaces {
                if ch != Some(' ') {
                    if start + 1 == end && self.column > WIDTH {
                        self.write_indent();
                    } else {
                        self.put(part(text, start, end));
                    }
                    start = end;
                }
            } else if ch.is_none_or(|ch| ch == ' ' || ch == FOLD || is_break(ch)) {
                self.put(part(text, start, end));
                if ch == Some(FOLD) {
                    if text.get(end + 2).is_none_or(|ch| ch.is_whitespace()) {
                        return Err(FormatError::new("a folded scalar has a fold before a space"));
                    }
                    self.write_line_break('\n');
                    self.write_indent();
                    // The mark and the space that the fold is read as.
                    end += 2;
                }
                if ch.is_none() {
                    self.write_line_break('\n');
                }
                start = end;
            }
            breaks = ch.is_some_and(is_break);
            spaces = ch == Some(' ');
            end += 1;
        }
        Ok(())
    }
}

fn must_escape(ch: char) -> bool {
    let printable = matches!(ch, ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    !printable || matches!(ch, '"' | '\\' | '\u{2028}' | '\u{2029}' | '\u{feff}')
}

fn escape(ch: char) -> String {
    let short = match ch {
        '\0' => '0',
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\u{b}' => 'v',
        '\u{c}' => 'f',
        '\r' => 'r',
        '\u{1b}' => 'e',
        '"' | '\\' => ch,
        '\u{85}' => 'N',
        '\u{a0}' => '_',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        _ => {
            let code = u32::from(ch);
            return match code {
                ..=0xff => format!("\\x{code:02X}"),
                0x100..=0xffff => format!("\\u{code:04X}"),
                _ => format!("\\U{code:08X}"),
            };
        }
    };
    format!("\\{short}")
}

/// Whether a line break put into a double-quoted string at `end` has to be escaped.
fn needs_backslash(text: &[char], start: usize, end: usize) -> bool {
    let find = |wanted, from: usize, to: usize| {
        part(text, from, to).iter().position(|&ch| ch == wanted).map(|index| from + index)
    };
    let Some(space) = find(' ', end, text.len()) else { return true };
    let stop = find('\n', end, space).unwrap_or(space);
    let Some(&next) = text.get(stop + 1) else { return true };
    if text.get(stop) == Some(&'\n') && next != ' ' {
        return true;
    }
    let word = part(text, end, stop);
    word.contains(&'"')
        || word.contains(&'\'')
        || matches!(next, ' ' | '\n')
        || part(text, end - 1, end + 1) == [' ', ' ']
        || start == end
}
