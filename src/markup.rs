//! Characters that HTML and XML write as references.

/// The reference to a character that would be taken for markup, in text and between double quotes.
pub(crate) fn reference(c: char) -> Option<&'static str> {
    Some(match c {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => "&quot;",
        _ => return None,
    })
}
