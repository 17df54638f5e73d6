//! Characters that stand as escapes in `"`.

use super::writer::part;
use crate::characters::is_printable;

/// Returns `true` if a character is written as an escape.
pub(super) fn must_escape(ch: char) -> bool {
    !is_printable(ch) || matches!(ch, '"' | '\\' | '\u{2028}' | '\u{2029}')
}

/// The escape of a character.
pub(super) fn escape(ch: char) -> String {
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

/// Returns `true` if a line break inserted into a double-quoted string at `end` has to be escaped.
pub(super) fn needs_backslash(text: &[char], start: usize, end: usize) -> bool {
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
