//! Which styles a scalar can be written in, as ruamel.yaml's `analyze_scalar` decides.

use crate::characters::{ends_word, is_break, is_printable};
use crate::style::ScalarStyle;

/// The styles that the text of a scalar allows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Analysis {
    pub(crate) empty: bool,
    /// `true` if it has line breaks.
    pub(crate) multiline: bool,
    /// Without quotes inside brackets.
    pub(crate) flow_plain: bool,
    /// Without quotes elsewhere.
    pub(crate) block_plain: bool,
    /// In `'`.
    pub(crate) single_quoted: bool,
}

impl Analysis {
    /// Looks at every character.
    pub(crate) fn of(text: &str) -> Self {
        if text.is_empty() {
            return Self { empty: true, multiline: false, flow_plain: false, block_plain: true, single_quoted: true };
        }
        let document_mark = text.starts_with("---") || text.starts_with("...");
        let (mut flow_indicators, mut block_indicators) = (document_mark, document_mark);
        let (mut breaks, mut special, mut break_space, mut space_break) = (false, false, false, false);
        let mut before = None;
        let mut chars = text.chars().peekable();
        while let Some(ch) = chars.next() {
            let next = chars.peek().copied().unwrap_or('\0');
            let (flow, block) = match (before, ch) {
                (
                    None,
                    '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`',
                ) => (true, true),
                (None, '?' | ':') => (chars.peek().is_none(), ends_word(next)),
                (None, '-') => (ends_word(next), ends_word(next)),
                (Some(_), ',' | '[' | ']' | '{' | '}') => (true, false),
                (Some(_), ':') => (ends_word(next), ends_word(next)),
                (Some(before), '#') => (ends_word(before), ends_word(before)),
                _ => (false, false),
            };
            flow_indicators |= flow;
            block_indicators |= block;
            breaks |= is_break(ch);
            special |= !(is_printable(ch) || matches!(ch, '\n' | '\u{85}'));
            break_space |= ch == ' ' && before.is_some_and(is_break);
            space_break |= is_break(ch) && before == Some(' ');
            before = Some(ch);
        }
        let is_blank = |ch: Option<char>| ch.is_some_and(|ch| ch == ' ' || is_break(ch));
        let edges = is_blank(text.chars().next()) || is_blank(before);
        let quotable = !(break_space || special || space_break);
        let plain = quotable && !edges && !breaks;
        Self {
            empty: false,
            multiline: breaks,
            flow_plain: plain && !flow_indicators,
            block_plain: plain && !block_indicators,
            single_quoted: quotable,
        }
    }

    /// The style for a scalar that asks for none: without quotes where it may be `plain` and can be, else in the quotes that
    /// fit. `key` is one that stands before a `:` on its line.
    pub(crate) fn choose(&self, text: &str, plain: bool, flow: bool, key: bool) -> ScalarStyle {
        let fits = if flow { self.flow_plain } else { self.block_plain };
        if plain && fits && !(key && (self.empty || self.multiline)) {
            ScalarStyle::Plain
        } else if text.contains(['\'', '\n']) || !self.can_be_single_quoted(key) {
            ScalarStyle::DoubleQuoted
        } else {
            ScalarStyle::SingleQuoted
        }
    }

    /// Returns `true` if the scalar can be written in `'`.
    pub(crate) fn can_be_single_quoted(&self, key: bool) -> bool {
        self.single_quoted && !(key && self.multiline)
    }
}
