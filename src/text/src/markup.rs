//! Text in HTML and XML.

use crate::printable;

/// Text for an element or an attribute. Characters that a reader would not see, that reorder others or that XML cannot hold appear as escapes, and
/// no line is a command of a CI server whose log the page is printed to.
pub fn escape(text: &str) -> String {
    let text = printable::paragraph(text);
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            ':' if chars.peek() == Some(&':') => out.push_str("&#58;"),
            c => out.push(c),
        }
    }
    out
}
