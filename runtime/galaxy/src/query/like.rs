//! SQL's `LIKE`, as SQLite has it: letters of ASCII without case, `%` for any run of characters, `_` for any one.

use std::borrow::Cow;
use std::str::Chars;

/// A pattern of `LIKE`.
pub enum Like<'a> {
    /// Text, and then `%`: the beginning of a tool's id, mostly.
    Prefix(&'a str),
    /// Any other.
    Wildcards(&'a str),
}

impl<'a> Like<'a> {
    /// The pattern that SQL writes so.
    pub fn new(pattern: &'a str) -> Self {
        match pattern.strip_suffix('%') {
            Some(prefix) if !prefix.contains(['%', '_']) => Self::Prefix(prefix),
            _ => Self::Wildcards(pattern),
        }
    }

    /// The pattern as SQL writes it.
    pub fn text(&self) -> Cow<'a, str> {
        match self {
            Self::Prefix(prefix) => format!("{prefix}%").into(),
            Self::Wildcards(pattern) => (*pattern).into(),
        }
    }

    /// The common prefix of all matching texts, up to the case of its letters.
    pub fn beginning(&self) -> &'a str {
        match self {
            Self::Prefix(prefix) => prefix,
            Self::Wildcards(pattern) => pattern.split(['%', '_']).next().unwrap_or_default(),
        }
    }

    /// Returns `true` if a text matches.
    pub fn matches(&self, text: &str) -> bool {
        match self {
            // Ids of tools differ at their ends, so that is where it begins.
            Self::Prefix(prefix) => text.as_bytes().get(..prefix.len()).is_some_and(|start| {
                start.iter().rev().zip(prefix.bytes().rev()).all(|(a, b)| a.eq_ignore_ascii_case(&b))
            }),
            Self::Wildcards(pattern) => matches(pattern.chars(), text.chars()),
        }
    }
}

fn matches(mut pattern: Chars<'_>, mut text: Chars<'_>) -> bool {
    // What follows the last `%`, and the text after what that `%` has taken. On a mismatch it takes one character more.
    let mut retry: Option<(Chars<'_>, Chars<'_>)> = None;
    loop {
        let wanted = pattern.next();
        if wanted == Some('%') {
            if pattern.as_str().is_empty() {
                return true;
            }
            retry = Some((pattern.clone(), text.clone()));
            continue;
        }
        let matches = match (wanted, text.next()) {
            (None, None) => return true,
            (Some(wanted), Some(found)) => wanted == '_' || found.eq_ignore_ascii_case(&wanted),
            _ => false,
        };
        if !matches {
            let Some((after, mut from)) = retry.take() else { return false };
            if from.next().is_none() {
                return false;
            }
            pattern = after.clone();
            text = from.clone();
            retry = Some((after, from));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_is_sqlites() {
        let like = |pattern, text| Like::new(pattern).matches(text);
        for (pattern, text) in [
            ("a/b/%", "A/b/1.0"),
            ("a_c/%", "aXc/1"),
            ("a%c/%", "abbcbc/1"),
            ("%c_/%", "abcxcy/"),
            ("fast%", "Fastp/1.0"),
            ("_b_", "abc"),
            ("%x%x%", "aXbXc"),
            ("%", ""),
            ("", ""),
        ] {
            assert!(like(pattern, text), "{text} LIKE {pattern}");
        }
        for (pattern, text) in [
            ("a/b/%", "a/c/1.0"),
            ("a_c/%", "ac/1"),
            ("%z/%", "abc/"),
            ("É/_%", "é/x"),
            ("abc%", "ab"),
            ("a%d", "abc"),
            ("_", ""),
            ("", "a"),
        ] {
            assert!(!like(pattern, text), "{text} NOT LIKE {pattern}");
        }
    }
}
