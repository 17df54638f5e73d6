//! Block scalars.

use crate::characters::is_break;
use crate::read::FOLD;
use crate::roundtrip::error::{Result, RoundTripError};
use crate::write::writer::{WIDTH, Writer, part};

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

impl Writer {
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
                        return Err(RoundTripError::new("a folded scalar has a fold before a space"));
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
