//! An explanation's text on a terminal: its verdicts in colour, its long lines broken between words.

use tpv_text::style::Style;
use tpv_text::styled::Styled;

/// The indentation of a line that goes on, beside that of its beginning.
const GOES_ON: &str = "    ";

/// A text of an explanation, which is printable, with colours if they are wanted, and in lines of at most this width if there is one.
pub(super) fn painted(text: &str, width: Option<usize>, colour: bool) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let fits = width.is_none_or(|width| line.chars().count() <= width);
        let body = line.trim_start_matches(' ');
        let margin = line.strip_suffix(body).unwrap_or_default();
        let (verdict, style) = Some(verdict(line)).filter(|_| colour).unwrap_or(("", None));
        let rest = body.strip_prefix(verdict).unwrap_or(body);
        if fits {
            let shown = style.map_or_else(|| verdict.to_owned(), |style| style.paint(verdict));
            out += &format!("{margin}{shown}{rest}\n");
            continue;
        }
        let mut styled = Styled::default();
        styled.push(verdict, style);
        styled.push(rest, None);
        for line in styled.lines(margin, &format!("{margin}{GOES_ON}"), width.unwrap_or(usize::MAX)) {
            out += &(line + "\n");
        }
    }
    out
}

/// The beginning of a line, behind its margin, that has a style.
fn verdict(line: &str) -> (&str, Option<Style>) {
    if let Some(rest) = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')) {
        let word = rest.split(' ').next().unwrap_or_default();
        let style = match word {
            "FIRED" => Some(Style::Good),
            "FAILED" | "RAISED" => Some(Style::Bad),
            "no" => Some(Style::Dim),
            _ if word.starts_with('#') => Some(Style::Good),
            _ => None,
        };
        return style.map_or(("", None), |style| (word, Some(style)));
    }
    match line {
        _ if line.starts_with(' ') => ("", None),
        _ if line.starts_with("MAPPED") => (line, Some(Style::Good)),
        _ if line.starts_with("NOT MAPPED") => (line, Some(Style::Bad)),
        _ => (line, Some(Style::Bold)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_have_colours_and_words_are_whole() {
        let text =
            "NOT MAPPED: ValueError\n\nRULES\n  FIRED   large  tpv.yml:3\n          if  input_size > 5 and user\n";
        assert_eq!(painted(text, None, false), text);
        assert_eq!(
            painted(text, Some(30), true),
            "\u{1b}[1;31mNOT MAPPED: ValueError\u{1b}[0m\n\n\u{1b}[1mRULES\u{1b}[0m\n  \u{1b}[32mFIRED\u{1b}[0m   large  tpv.yml:3\n          \
             if  input_size > 5\n              and user\n"
        );
    }
}
