//! Pages of documentation on a terminal: Markdown as headings, lines of whole words, lists, tables and code.

use crate::style::Style;
use crate::styled::Styled;
use crate::table::{Cell, table};

/// The indentation of code.
const CODE: &str = "    ";

/// The page in lines of at most this width, but for code. Without colour, code in sentences keeps its backticks.
pub fn shown(page: &str, width: usize, colour: bool) -> String {
    let mut out = Page { text: String::new(), width, colour };
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim().is_empty() {
            out.blank();
        } else if line.starts_with("```") {
            for line in lines.by_ref().take_while(|line| !line.starts_with("```")) {
                out.line(&if line.is_empty() { String::new() } else { format!("{CODE}{line}") });
            }
        } else if let Some(title) = heading(line) {
            let style = colour.then_some(Style::Bold);
            out.styled(title, "", "", style);
        } else if line.starts_with('|') {
            let mut rows = vec![cells(line)];
            while let Some(line) = lines.next_if(|line| line.starts_with('|')) {
                rows.push(cells(line));
            }
            out.table(&rows);
        } else {
            let (mark, first) = item(line);
            let mut text = first.to_owned();
            let goes_on = |line: &&str| !line.trim().is_empty() && item(line).0.is_empty() && !begins_block(line);
            while let Some(line) = lines.next_if(goes_on) {
                text = text + " " + line.trim();
            }
            let rest = " ".repeat(mark.chars().count());
            out.styled(&text, mark, &rest, None);
        }
    }
    out.text
}

fn begins_block(line: &str) -> bool {
    line.starts_with("```") || line.starts_with('|') || heading(line).is_some()
}

/// The text of a heading.
fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    text.strip_prefix(' ').filter(|_| text.len() < line.len())
}

/// The mark of an item of a list, with the blanks around it, and the text behind it; no mark before other lines.
fn item(line: &str) -> (&str, &str) {
    let text = line.trim_start();
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let behind = match text.strip_prefix("- ") {
        Some(behind) => Some(behind),
        None if digits.len() < text.len() => digits.strip_prefix(". "),
        None => None,
    };
    match behind {
        Some(behind) => line.split_at_checked(line.len() - behind.len()).unwrap_or(("", line)),
        None => ("", text),
    }
}

/// The cells of a line of a table.
fn cells(line: &str) -> Vec<String> {
    const BAR: &str = "\u{1}";
    let line = line.replace("\\|", BAR);
    let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
    inner.split('|').map(|cell| plain(cell.trim()).replace(BAR, "|")).collect()
}

/// A text without its links.
fn plain(text: &str) -> String {
    parts(text).into_iter().map(|part| part.written()).collect()
}

/// A part of a sentence.
#[derive(Debug, PartialEq)]
enum Part<'t> {
    Text(&'t str),
    /// Code, with the backticks on each side.
    Code(&'t str, &'t str),
    Bold(&'t str),
    /// Text with the address that it leads to.
    Link(&'t str, &'t str),
}

impl Part<'_> {
    /// As text without styles.
    fn written(&self) -> String {
        match self {
            Self::Text(text) | Self::Bold(text) => (*text).to_owned(),
            Self::Code(ticks, code) => format!("{ticks}{code}{ticks}"),
            Self::Link(text, target) if target.starts_with("http") => format!("{} ({target})", plain(text)),
            Self::Link(text, _) => plain(text),
        }
    }
}

/// The parts of a sentence.
fn parts(mut text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(['`', '*', '['])).map(|at| from + at) {
        let (before, rest) = text.split_at_checked(at).unwrap_or((text, ""));
        let Some((part, behind)) = special(rest) else {
            from = at + 1;
            continue;
        };
        parts.extend(Some(Part::Text(before)).filter(|_| !before.is_empty()));
        parts.push(part);
        (text, from) = (behind, 0);
    }
    parts.extend(Some(Part::Text(text)).filter(|_| !text.is_empty()));
    parts
}

/// The part that begins a text with its mark, and the text behind it. `None` if the mark is a character like others.
fn special(text: &str) -> Option<(Part<'_>, &str)> {
    if let Some(rest) = text.strip_prefix("**") {
        let (bold, behind) = rest.split_once("**")?;
        return Some((Part::Bold(bold), behind));
    }
    if text.starts_with('`') {
        let code = text.trim_start_matches('`');
        let (ticks, _) = text.split_at_checked(text.len() - code.len())?;
        let (code, behind) = code.split_once(ticks)?;
        return Some((Part::Code(ticks, code), behind));
    }
    let (words, rest) = text.strip_prefix('[')?.split_once("](")?;
    let (target, behind) = rest.split_once(')')?;
    (!words.contains(']')).then_some((Part::Link(words, target), behind))
}

struct Page {
    text: String,
    width: usize,
    colour: bool,
}

impl Page {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// An empty line, unless there is one.
    fn blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// A sentence, with these texts before its first line and the others, and this style.
    fn styled(&mut self, text: &str, first: &str, rest: &str, style: Option<Style>) {
        let mut styled = Styled::default();
        for part in parts(text) {
            match part {
                Part::Code(_, code) if self.colour => styled.push(code.trim(), style.or(Some(Style::Code))),
                Part::Bold(text) if self.colour => styled.push(text, Some(Style::Bold)),
                part => styled.push(&part.written(), style),
            }
        }
        for line in styled.lines(first, rest, self.width) {
            self.line(&line);
        }
    }

    fn table(&mut self, rows: &[Vec<String>]) {
        let Some((header, rows)) = rows.split_first() else { return };
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        let is_rule =
            |row: &&Vec<String>| row.iter().all(|cell| cell.starts_with(['-', ':']) && cell.ends_with(['-', ':']));
        let rows: Vec<Vec<Cell>> = rows
            .iter()
            .filter(|row| !is_rule(row))
            .map(|row| row.iter().map(|text| Cell { text: text.clone(), is_number: false }).collect())
            .collect();
        self.text.push_str(&table(&header, &rows, Some(self.width)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Code;

    const PAGE: &str = "# T1: a `name`\n\nThe [rule](T2.md) of **all**, as `a b`\nsays.\n\n- one thing that is long\n  enough\n- two\n\n\
        ```yaml\ntools: {}  # T1\n\n```\n\n| a | b |\n| --- | --- |\n| `x\\|y` | 1 |\n";

    #[test]
    fn a_page_has_lines_of_whole_words() {
        assert_eq!(
            shown(PAGE, 20, false),
            "T1: a `name`\n\nThe rule of all, as\n`a b` says.\n\n- one thing that is\n  long enough\n- two\n\n    tools: {}  # T1\n\na      b\n`x|y`  1\n"
        );
        let coloured = shown(PAGE, 40, true);
        assert!(
            coloured.starts_with(
                "\u{1b}[1mT1: a name\u{1b}[0m\n\nThe rule of \u{1b}[1mall\u{1b}[0m, as \u{1b}[36ma b\u{1b}[0m says.\n"
            ),
            "{coloured:?}"
        );
    }

    #[test]
    fn all_pages_of_findings_fit() {
        for code in Code::ALL {
            let text = shown(code.page(), 80, false);
            let sentences = text.lines().filter(|line| !line.starts_with(CODE) && line.contains(' '));
            for line in sentences.filter(|line| line.chars().count() > 80) {
                // Only what has no blank to break at.
                let words = line.split_whitespace().map(|word| word.chars().count()).max().unwrap_or(0);
                assert!(words > 60, "{code}: {line}");
            }
            let coloured = shown(code.page(), 80, true);
            let has_links = coloured.lines().any(|line| !line.starts_with(CODE) && line.contains("]("));
            assert!(!has_links && coloured.starts_with("\u{1b}[1m"), "{code}:\n{coloured}");
        }
    }
}
