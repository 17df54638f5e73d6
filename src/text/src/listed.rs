//! Lists of names in messages and reports.

use std::fmt::Display;

/// The names joined by commas.
pub fn joined<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> String {
    let mut text = String::new();
    for (index, name) in names.into_iter().enumerate() {
        if index > 0 {
            text += ", ";
        }
        text += name.as_ref();
    }
    text
}

/// The first `most` names joined by commas, and `...` for the rest.
pub fn shortened(names: &[&str], most: usize) -> String {
    let first = joined(names.iter().take(most));
    if names.len() > most { first + ", ..." } else { first }
}

/// The names as the end of a sentence lists them, with the number of those after the first `most` and the word for them:
/// "a", "a and b", "a, b and 3 more". A single further name takes the place of its number.
pub fn counted<T: Display>(names: &[T], most: usize, rest: &str) -> String {
    let shown = if names.len() > most + 1 { most } else { names.len() };
    let mut items: Vec<String> = names.iter().take(shown).map(ToString::to_string).collect();
    if names.len() > shown {
        items.push(format!("{} {rest}", names.len() - shown));
    }
    match items.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => items.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::{counted, joined, shortened};

    const NAMES: [&str; 4] = ["a", "b", "c", "d"];

    #[test]
    fn names_are_listed() {
        assert_eq!(joined(NAMES), "a, b, c, d");
        assert_eq!(joined([] as [&str; 0]), "");
        assert_eq!(shortened(&NAMES, 4), "a, b, c, d");
        assert_eq!(shortened(&NAMES, 3), "a, b, c, ...");
    }

    #[test]
    fn the_rest_is_counted_if_it_is_more_than_one_name() {
        let of = |count: usize| counted(&NAMES.iter().take(count).collect::<Vec<_>>(), 2, "more");
        assert_eq!([0, 1, 2, 3, 4].map(of), ["", "a", "a and b", "a, b and c", "a, b and 2 more"]);
    }
}
