//! Text whose parts have styles, laid out in lines of whole words.

use crate::style::Style;

/// Characters with their styles.
#[derive(Clone, Debug, Default)]
pub struct Styled(Vec<(char, Option<Style>)>);

impl Styled {
    /// Appends a text.
    pub fn push(&mut self, text: &str, style: Option<Style>) {
        self.0.extend(text.chars().map(|c| (c, style)));
    }

    /// The lines of whole words; the first has `first` before it, each other one `rest`. A longer word has a line of its own.
    pub fn lines(&self, first: &str, rest: &str, width: usize) -> Vec<String> {
        let mut lines: Vec<Vec<(char, Option<Style>)>> = Vec::new();
        for word in self.0.split(|(c, _)| *c == ' ').filter(|word| !word.is_empty()) {
            let before = if lines.len() > 1 { rest } else { first };
            let room = width.saturating_sub(before.chars().count());
            match lines.last_mut() {
                Some(line) if line.len() + 1 + word.len() <= room => {
                    // A blank between words of one style has that style.
                    let style = line
                        .last()
                        .map(|(_, style)| *style)
                        .filter(|style| word.first().map(|(_, of)| of) == Some(style));
                    line.push((' ', style.flatten()));
                    line.extend_from_slice(word);
                }
                _ => lines.push(word.to_vec()),
            }
        }
        let before = |at: usize| if at == 0 { first } else { rest };
        lines.iter().enumerate().map(|(at, line)| before(at).to_owned() + &painted(line)).collect()
    }
}

/// Each run of one style.
fn painted(line: &[(char, Option<Style>)]) -> String {
    let runs = line.chunk_by(|(_, one), (_, other)| one == other);
    runs.map(|run| {
        let text: String = run.iter().map(|(c, _)| *c).collect();
        match run.first().and_then(|(_, style)| *style) {
            Some(style) => style.paint(&text),
            None => text,
        }
    })
    .collect()
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
