//! Texts of several lines, as messages and reports show them on one.

/// The first line of a text, at most `most` characters of it; ` ...` follows if the text has more.
pub fn first_line(text: &str, most: usize) -> String {
    // As most ids are.
    if text.len() <= most && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return text.to_owned();
    }
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default();
    let shown = line.char_indices().nth(most).and_then(|(end, _)| line.get(..end)).unwrap_or(line);
    if shown.len() < text.len() { format!("{} ...", shown.trim_end()) } else { shown.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_marked() {
        for (text, shown) in [
            ("", ""),
            ("mem > 4", "mem > 4"),
            ("\n  gpus\n", "gpus"),
            ("if a:\n  b", "if a: ..."),
            ("größer als", "größer als"),
            ("größer als 1", "größer als ..."),
        ] {
            assert_eq!(first_line(text, 10), shown);
        }
    }
}
