//! Leftovers of code in a text: Python's `None`, and names in braces that nobody filled in.

/// More letters than these in braces are no name.
const MOST_LETTERS: usize = 60;

/// The help for a part that code left.
pub(super) const HELP: &str = "let the expression give a value for each job, or leave the option out of the text";

/// Returns `true` if a value is Python's `None`.
pub(super) fn is_none(value: &str) -> bool {
    value.trim() == "None"
}

/// A name in braces, such as `{cores}`; not a variable of the shell, `${cores}`.
pub(super) fn placeholder(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        let (before, after) = rest.split_once('{')?;
        let (inner, end) = after.split_once('}')?;
        let is_name = inner.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && inner.len() <= MOST_LETTERS
            && inner.chars().all(|c| c.is_ascii_alphanumeric() || "_.()[]'* /+-".contains(c));
        if is_name && !before.ends_with('$') {
            let start = text.len() - rest.len() + before.len();
            return text.get(start..text.len() - end.len());
        }
        rest = after;
    }
}

/// The part of a value that code left, if any.
pub(super) fn left(value: &str) -> Option<&str> {
    if is_none(value) { Some(value.trim()) } else { placeholder(value) }
}

#[cfg(test)]
mod tests {
    use super::placeholder;

    #[test]
    fn names_in_braces_are_told_from_the_shell() {
        assert_eq!(placeholder("--mem={mem}G"), Some("{mem}"));
        assert_eq!(placeholder("{int(mem * 1024)}"), Some("{int(mem * 1024)}"));
        assert_eq!(placeholder("${LANG:-C} {cores}"), Some("{cores}"));
        for text in ["${cores}", "{1..4}", "{a,b}", "{}", "plain", "{\"a\": 1}", "}{"] {
            assert_eq!(placeholder(text), None, "{text}");
        }
    }
}
