//! Text in Markdown, as GitHub shows it: no HTML, markup or reference of its own.

use crate::printable;

/// A text as code: what GitHub makes of names, numbers and addresses elsewhere, it leaves alone there.
pub fn code(text: &str) -> String {
    let text = printable::line(text);
    // In these the backticks or the cell of a table would end too early.
    if text.is_empty() || text.contains('`') || text.contains("\\|") {
        let escaped = text.chars().map(|c| match c {
            c if c.is_ascii_punctuation() => format!("&#{};", u32::from(c)),
            c => c.to_string(),
        });
        return format!("<code>{}</code>", escaped.collect::<String>());
    }
    format!("`{}`", text.replace('|', "\\|"))
}

/// A sentence in which what stands in backticks is code, and all else is text: no HTML, markup, link, `@mention` or `#1`.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('`') {
        let Some((name, after)) = after.split_once('`') else { break };
        plain(&mut out, before);
        out += &code(name);
        rest = after;
    }
    plain(&mut out, rest);
    out
}

/// Adds text without markup.
fn plain(out: &mut String, text: &str) {
    /// Parts what GitHub would take for a reference, and does not show.
    const NOTHING: &str = "<!-- -->";
    let text = printable::line(text).replace(" -> ", " → ");
    let mut before = ' ';
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        if c == '.' && text.get(at.saturating_sub(3)..at).is_some_and(|before| before.eq_ignore_ascii_case("www")) {
            out.push_str(NOTHING);
        }
        if matches!(c, '\\' | '`' | '<' | '>' | '*' | '_' | '[' | ']' | '#' | '~' | '|' | '&' | '!') {
            out.push('\\');
        }
        out.push(c);
        let is_reference = match c {
            '@' => true,
            // `#1`, `GH-1`, and the keys that a repository links itself.
            '#' => next.is_alphanumeric(),
            '-' => before.is_alphabetic() && next.is_ascii_digit(),
            ':' => next == '/',
            _ => false,
        };
        if is_reference {
            out.push_str(NOTHING);
        }
        before = c;
    }
}
