//! The words in texts of code, for checks that ask whether a name occurs at all.

/// The names in a text, in its order: runs of letters, digits and underscores.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Returns `true` if a text has a word.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    text.contains(word) && words(text).any(|own| own == word)
}
