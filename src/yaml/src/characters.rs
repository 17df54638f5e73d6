//! Classes of characters: those that end a line or a word, and those that a file may hold.

/// Stands for the end of a text where the next character is looked at. No file holds it, since it is a control character.
pub(crate) const END: char = '\0';

/// A line break of YAML 1.1, which ruamel.yaml keeps to. Its readers have turned `\r` into `\n` before.
pub(crate) fn is_break(ch: char) -> bool {
    matches!(ch, '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// A line break or the end of the text.
pub(crate) fn ends_line(ch: char) -> bool {
    ch == END || is_break(ch)
}

/// White space, a line break or the end of the text.
pub(crate) fn ends_word(ch: char) -> bool {
    matches!(ch, ' ' | '\t' | '\r') || ends_line(ch)
}

/// Returns `true` if a character may appear in a file as it is.
pub(crate) fn is_allowed(ch: char) -> bool {
    match ch {
        '\t' | '\n' | '\r' | '\u{85}' => true,
        ch => !ch.is_control() && !matches!(ch, '\u{fffe}' | '\u{ffff}'),
    }
}

/// Returns `true` if a character is visible when printed: neither white space other than blanks, nor a byte order mark.
pub(crate) fn is_printable(ch: char) -> bool {
    is_allowed(ch) && !matches!(ch, '\t' | '\n' | '\r' | '\u{85}' | '\u{feff}')
}
