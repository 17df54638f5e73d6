//! Tables for people: columns line up, and no line is wider than the terminal.

use std::fmt::Write as _;

use crate::fold;

/// A cell: its text, which is one line, and whether it is a number, which stands at the right of its column and is never cut.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The text.
    pub text: String,
    /// `true` for a number.
    pub is_number: bool,
}

/// The most characters to which a column is filled up where there is no bound; longer cells shift the rest of their own line.
const WIDEST: usize = 88;

/// The fewest characters that are left of a text.
const NARROWEST: usize = 14;

/// The characters that the first column of texts has more than others which are cut.
const MORE: usize = 12;

/// The fewest characters of a line of words.
const WORDS: usize = 24;

/// The characters between columns.
const GAP: usize = 2;

/// A table with a header; empty where there are no rows. Lines have at most `width` characters: long ids are cut in the middle, texts of several words go
/// on in the next line, and where that is not enough the columns stand in several tables, each with the first column.
pub fn table(header: &[&str], rows: &[Vec<Cell>], width: Option<usize>) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let longest = |at: usize, most: usize| {
        let cells = rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.text.chars().count());
        let name = header.get(at).map_or(0, |name| name.chars().count());
        cells.filter(|length| *length <= most).chain([name]).max().unwrap_or(0)
    };
    let Some(width) = width else {
        let widths: Vec<usize> = (0..header.len()).map(|at| longest(at, WIDEST)).collect();
        return lines(header, first, rows, &widths, None);
    };
    let mut widths: Vec<usize> = (0..header.len()).map(|at| longest(at, usize::MAX)).collect();
    let is_text = |at: usize| rows.iter().all(|row| row.get(at).is_none_or(|cell| !cell.is_number));
    // The longest word of each column whose texts have several.
    let words: Vec<Option<usize>> = (0..header.len())
        .map(|at| {
            let texts = rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.text.as_str());
            let words = texts.filter(|text| text.contains(' ')).flat_map(|text| text.split(' '));
            words.map(|word| word.chars().count()).max()
        })
        .collect();
    let word = |at: usize| words.get(at).copied().flatten();
    let least: Vec<usize> = (0..header.len())
        .map(|at| {
            let own = longest(at, usize::MAX);
            let name = header.get(at).map_or(0, |name| name.chars().count());
            let few = match word(at) {
                Some(_) if at + 1 == header.len() => WORDS,
                Some(word) => word.clamp(NARROWEST, WORDS),
                None => NARROWEST,
            };
            if is_text(at) { own.min(few.max(name)) } else { own }
        })
        .collect();
    // The widest column gives first; of the texts, the first is what a row is about.
    let subject = (0..header.len()).find(|at| is_text(*at));
    let weight = |at: usize, now: usize| now.saturating_sub(if Some(at) == subject { MORE } else { 0 });
    while whole(&widths) > width {
        let can_give = widths.iter().zip(&least).enumerate().filter(|(_, (now, least))| now > least);
        let Some(at) = can_give.max_by_key(|(at, (now, _))| (weight(*at, **now), word(*at))).map(|(at, _)| at) else {
            return parts(header, rows, &least, width);
        };
        if let Some(one) = widths.get_mut(at) {
            *one -= 1;
        }
    }
    lines(header, first, rows, &widths, Some(width))
}

/// The characters of a line.
fn whole(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

fn lines(header: &[&str], first: &[Cell], rows: &[Vec<Cell>], widths: &[usize], width: Option<usize>) -> String {
    let mut out = String::new();
    let names = header.iter().zip(first).map(|(name, cell)| (*name, cell.is_number));
    line(&mut out, names, widths, width);
    for row in rows {
        line(&mut out, row.iter().map(|cell| (cell.text.as_str(), cell.is_number)), widths, width);
    }
    out
}

fn line<'t>(out: &mut String, cells: impl Iterator<Item = (&'t str, bool)>, widths: &[usize], width: Option<usize>) {
    let cells: Vec<(Vec<String>, bool)> = cells
        .zip(widths)
        .map(|((cell, is_number), column)| match width {
            Some(_) if !is_number => (wrapped(cell, *column), false),
            _ => (vec![cell.to_owned()], is_number),
        })
        .collect();
    for at in 0..cells.iter().map(|(parts, _)| parts.len()).max().unwrap_or(0) {
        let mut text = String::new();
        for ((parts, is_number), column) in cells.iter().zip(widths) {
            let shown = parts.get(at).map_or("", String::as_str);
            let _ = if *is_number { write!(text, "{shown:>column$}  ") } else { write!(text, "{shown:<column$}  ") };
        }
        out.push_str(text.trim_end());
        out.push('\n');
    }
}

/// The same in several tables, each with the first column and as many of the others as there is room for.
fn parts(header: &[&str], rows: &[Vec<Cell>], least: &[usize], width: usize) -> String {
    let first = least.first().copied().unwrap_or(0);
    let mut groups: Vec<(Vec<usize>, usize)> = Vec::new();
    for (at, own) in least.iter().enumerate().skip(1) {
        match groups.last_mut() {
            Some((group, used)) if *used + GAP + own <= width => {
                group.push(at);
                *used += GAP + own;
            }
            _ => groups.push((vec![at], first + GAP + own)),
        }
    }
    let tables = groups.iter().map(|(group, used)| {
        let chosen: Vec<usize> = std::iter::once(0).chain(group.iter().copied()).collect();
        let header: Vec<&str> = chosen.iter().filter_map(|at| header.get(*at)).copied().collect();
        let rows: Vec<Vec<Cell>> =
            rows.iter().map(|row| chosen.iter().filter_map(|at| row.get(*at)).cloned().collect()).collect();
        table(&header, &rows, Some(width).filter(|_| *used <= width))
    });
    tables.collect::<Vec<_>>().join("\n")
}

/// A text of at most so many characters, of which the middle is left out where it is longer.
pub fn shortened(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most || most < 3 {
        return text.to_owned();
    }
    // The end of an id says more than its beginning.
    let start = (most - 1) / 3;
    let end = most - 1 - start;
    let head: String = text.chars().take(start).collect();
    let tail: String = text.chars().skip(length - end).collect();
    format!("{head}…{tail}")
}

/// A text as lines of whole words; a longer word is cut in the middle.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let lines = fold::lines(text, width, width).into_iter();
    let lines: Vec<String> = lines.filter_map(|line| Some(shortened(text.get(line)?, width))).collect();
    if lines.is_empty() { vec![String::new()] } else { lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: &[&str]) -> Vec<Cell> {
        let is_number = |text: &str| text.parse::<f64>().is_ok();
        cells.iter().map(|text| Cell { text: (*text).to_owned(), is_number: is_number(text) }).collect()
    }

    #[test]
    fn ids_are_cut_in_the_middle_and_numbers_are_whole() {
        let rows = [row(&["toolshed.example.org/repos/owner/bwa/bwa_mem/0.7.17", "12345"]), row(&["cat", "1"])];
        assert_eq!(
            table(&["TOOL", "JOBS"], &rows, Some(30)),
            "TOOL                      JOBS\ntoolshe…/bwa_mem/0.7.17  12345\ncat                          1\n"
        );
        assert!(table(&["TOOL", "JOBS"], &rows, None).contains("/repos/owner/bwa/bwa_mem/0.7.17  12345"));
    }

    #[test]
    fn sentences_go_on_below() {
        let rows = [row(&["bwa", "keep: the values that were tried lose more jobs than today's"])];
        assert_eq!(
            table(&["TOOL", "WHY"], &rows, Some(40)),
            "TOOL  WHY\nbwa   keep: the values that were tried\n      lose more jobs than today's\n"
        );
    }

    #[test]
    fn texts_of_several_words_are_not_cut() {
        let rows = [row(&["bwa", "second, main from 100 GiB", "1-shared.yml:92"])];
        assert_eq!(
            table(&["TOOL", "JOBS", "PLACE"], &rows, Some(37)),
            "TOOL  JOBS            PLACE\nbwa   second, main    1-shared.yml:92\n      from 100 GiB\n"
        );
    }

    #[test]
    fn what_has_no_room_stands_below() {
        let rows = [row(&["bwa", "1234567", "1234567", ""]), row(&["cat", "1", "2", "x"])];
        let header = ["TOOL", "RESERVED", "UNUSED", "NOTE"];
        assert_eq!(
            table(&header, &rows, Some(20)),
            "TOOL  RESERVED\nbwa    1234567\ncat          1\n\nTOOL   UNUSED  NOTE\nbwa   1234567\ncat         2  x\n"
        );
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let long = "a/very/long/id/that/nobody/reads/to/its/end/but/that/is/needed/0.1.2+galaxy3";
        let words = "words and more words and words that go on";
        let rows = [row(&[long, "1", long, "12.5", words]), row(&["a", "123456", "b", "0.1", "c"])];
        for width in 44..160 {
            let text = table(&["FIRST", "JOBS", "SECOND", "GIB", "WHY"], &rows, Some(width));
            let widest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
            assert!(widest <= width, "{width}:\n{text}");
            assert!(text.contains("123456") && text.contains("12.5") && text.contains("more"), "{text}");
        }
    }
}
