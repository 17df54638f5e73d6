//! Text whose parts have styles, laid out in lines of whole words.

use std::ops::Range;

use crate::fold;
use crate::style::Style;

/// A text with the styles of its parts.
#[derive(Clone, Debug, Default)]
pub struct Styled {
    text: String,
    /// The ends of the parts, with their styles.
    parts: Vec<(usize, Option<Style>)>,
}

impl Styled {
    /// Appends a text.
    pub fn push(&mut self, text: &str, style: Option<Style>) {
        self.text.push_str(text);
        match self.parts.last_mut() {
            Some((end, of)) if *of == style => *end = self.text.len(),
            _ => self.parts.push((self.text.len(), style)),
        }
    }

    /// The lines of whole words; the first has `first` before it, each other one `rest`. A longer word has a line of its own.
    pub fn lines(&self, first: &str, rest: &str, width: usize) -> Vec<String> {
        let room = |before: &str| width.saturating_sub(before.chars().count());
        let lines = fold::lines(&self.text, room(first), room(rest)).into_iter();
        lines
            .enumerate()
            .map(|(at, line)| if at == 0 { first } else { rest }.to_owned() + &self.painted(line))
            .collect()
    }

    /// A line with its styles.
    fn painted(&self, line: Range<usize>) -> String {
        let mut out = String::new();
        let mut from = line.start;
        for (end, style) in &self.parts {
            let to = (*end).min(line.end);
            let Some(text) = self.text.get(from..to).filter(|text| !text.is_empty()) else { continue };
            match style {
                Some(style) => out += &style.paint(text),
                None => out += text,
            }
            from = to;
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_whole_words_and_their_styles() {
        let mut text = Styled::default();
        text.push("give a name that ", None);
        text.push("entity.params", Some(Style::Code));
        text.push(" has", None);
        assert_eq!(
            text.lines("- ", "  ", 14),
            ["- give a name", "  that", "  \u{1b}[36mentity.params\u{1b}[0m", "  has"]
        );
        assert_eq!(Styled::default().lines("", "", 10), Vec::<String>::new());
    }
}
