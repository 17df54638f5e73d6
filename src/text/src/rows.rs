//! Rows of values as a table, lines with separators, Markdown or JSON.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::figures::grouped_text;
use crate::markdown_text::escaped;
use crate::{printable, table};

/// A form with a line a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delimited {
    /// Values separated by tabs, without a header.
    Tabs,
    /// Comma-separated values with a header, safe to open in a spreadsheet.
    Csv,
    /// The same with unchanged texts, for programs.
    CsvRaw,
}

impl Delimited {
    /// The line before the rows; empty if the form has none.
    pub fn header(self, names: &[&str]) -> String {
        match self {
            Self::Csv | Self::CsvRaw => joined(names.iter().map(|name| quoted(name)), ","),
            Self::Tabs => String::new(),
        }
    }

    /// The line of a row.
    pub fn row(self, cells: &[Cell]) -> String {
        match self {
            Self::Csv => joined(
                cells.iter().map(|cell| match cell {
                    Cell::Text(text) => quoted(&unevaluated(text)),
                    cell => quoted(&cell.text()),
                }),
                ",",
            ),
            Self::CsvRaw => joined(cells.iter().map(|cell| quoted(&cell.text())), ","),
            Self::Tabs => joined(cells.iter().map(|cell| one_line(&cell.text())), "\t"),
        }
    }
}

/// Rows under a header. Values that are numbers in JSON are given as such.
#[derive(Default)]
pub struct Rows {
    header: Vec<Cow<'static, str>>,
    rows: Vec<Vec<Cell>>,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A text.
    Text(String),
    /// A whole number.
    Number(u64),
    /// A number that is a name, such as that of a component.
    Id(u64),
    /// A number with a fraction, as it is written.
    Decimal(String),
    /// An empty value.
    Empty,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<usize> for Cell {
    fn from(number: usize) -> Self {
        Self::Number(number as u64)
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Empty, Into::into)
    }
}

impl Cell {
    fn text(&self) -> String {
        match self {
            Self::Text(text) | Self::Decimal(text) => text.clone(),
            Self::Number(number) | Self::Id(number) => number.to_string(),
            Self::Empty => String::new(),
        }
    }
}

/// Returns `true` if the cell stands at the right of its column.
fn is_number(cell: &Cell) -> bool {
    matches!(cell, Cell::Number(_) | Cell::Id(_) | Cell::Decimal(_))
}

impl Rows {
    /// No rows, under these names.
    pub fn new(header: impl IntoIterator<Item: Into<Cow<'static, str>>>) -> Self {
        Self { header: header.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    fn names(&self) -> Vec<&str> {
        self.header.iter().map(|name| &**name).collect()
    }

    /// Adds a row, with a value for each name of the header.
    pub fn push(&mut self, row: Vec<Cell>) {
        self.rows.push(row);
    }

    /// Returns `true` if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// A line a row, under a header if the form has one.
    pub fn delimited(&self, form: Delimited) -> String {
        self.rows.iter().fold(form.header(&self.names()), |text, cells| text + &form.row(cells))
    }

    /// A table of Markdown; empty where there are no rows.
    pub fn markdown(&self) -> String {
        let Some(first) = self.rows.first() else { return String::new() };
        let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let header = row(self.header.iter().map(|name| escaped(name)).collect());
        let rule = row(first.iter().map(|cell| if is_number(cell) { "---:" } else { "---" }.to_owned()).collect());
        let rows =
            self.rows.iter().map(|cells| row(cells.iter().map(|cell| escaped(&one_line(&cell.text()))).collect()));
        header + &rule + &rows.collect::<String>()
    }

    /// The table, with lines of at most this width and digits in groups of three; empty where there are no rows.
    pub fn table(&self, width: Option<usize>) -> String {
        let cell = |cell: &Cell| {
            let text = one_line(&cell.text());
            let text =
                if matches!(cell, Cell::Number(_) | Cell::Decimal(_)) { grouped_text(&text).into() } else { text };
            table::Cell { text, is_number: is_number(cell) }
        };
        let rows: Vec<Vec<_>> = self.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
        table::table(&self.names(), &rows, width)
    }

    /// A list of objects.
    pub fn json(&self) -> String {
        let value = |cell: &Cell| match cell {
            Cell::Text(text) => serde_json::Value::from(text.as_str()).to_string(),
            Cell::Number(number) | Cell::Id(number) => number.to_string(),
            Cell::Decimal(number) => number.clone(),
            Cell::Empty => "null".to_owned(),
        };
        let mut text = String::from("[");
        for (at, row) in self.rows.iter().enumerate() {
            text.push_str(if at == 0 { "\n  {" } else { ",\n  {" });
            for (at, (name, cell)) in self.header.iter().zip(row).enumerate() {
                let comma = if at == 0 { "" } else { ", " };
                let name = name.to_lowercase().replace(' ', "_");
                let _ = write!(text, "{comma}\"{name}\": {}", value(cell));
            }
            text.push('}');
        }
        text.push_str(if self.rows.is_empty() { "]\n" } else { "\n]\n" });
        text
    }
}

fn joined(parts: impl Iterator<Item = String>, separator: &str) -> String {
    parts.collect::<Vec<_>>().join(separator) + "\n"
}

/// A text without what separates rows or columns.
fn one_line(text: &str) -> String {
    printable::line(text).replace('\t', "\\t")
}

/// A text that no spreadsheet takes for a formula, by OWASP's rule: an apostrophe in front makes it text. Numbers stay numbers, and control
/// characters become escapes, line ends among them: a row is a line, which begins with no command of a CI server.
fn unevaluated(text: &str) -> Cow<'_, str> {
    let is_number = text.parse::<f64>().is_ok_and(f64::is_finite);
    if !is_number && text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
        return Cow::Owned(format!("'{}", printable::line(text)));
    }
    printable::cell(text)
}

/// A value as RFC 4180 has it.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_four_forms() {
        let mut rows = Rows::new(vec!["TAG", "IDLE", "NOTE"]);
        rows.push(vec!["q3".into(), 1234_u64.into(), "a, \"b\"".into()]);
        rows.push(vec!["a-long-one".into(), 3_u64.into(), Cell::Empty]);
        assert_eq!(rows.table(None), "TAG          IDLE  NOTE\nq3          1,234  a, \"b\"\na-long-one      3\n");
        assert_eq!(rows.delimited(Delimited::Tabs), "q3\t1234\ta, \"b\"\na-long-one\t3\t\n");
        assert_eq!(rows.delimited(Delimited::Csv), "TAG,IDLE,NOTE\nq3,1234,\"a, \"\"b\"\"\"\na-long-one,3,\n");
        assert_eq!(
            rows.json(),
            "[\n  {\"tag\": \"q3\", \"idle\": 1234, \"note\": \"a, \\\"b\\\"\"},\n  {\"tag\": \"a-long-one\", \"idle\": 3, \"note\": null}\n]\n"
        );
        assert_eq!(Rows::new(vec!["TAG"]).json(), "[]\n");
    }

    #[test]
    fn no_text_is_a_formula() {
        for (text, csv) in [
            ("=1+1", "'=1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
            ("-2+3", "'-2+3"),
            ("=\"a\",b", "\"'=\"\"a\"\",b\""),
            ("\t=1", "'\t=1"),
            ("\r=1", "'\\r=1"),
            ("\n=1", "'\\n=1"),
            ("::error::a", "\\x3a:error::a"),
            ("a\r\nb\nc", "a\\r\\nb\\nc"),
            ("＝1", "'＝1"),
            ("-1", "-1"),
            ("+1.5e3", "+1.5e3"),
            ("-inf", "'-inf"),
            ("a=1", "a=1"),
            ("a\u{1b}[0m", "a\\x1b[0m"),
        ] {
            let mut rows = Rows::new(vec!["A"]);
            rows.push(vec![text.into()]);
            assert_eq!(rows.delimited(Delimited::Csv), format!("A\n{csv}\n"), "{text}");
        }
        let mut rows = Rows::new(vec!["A", "B", "C"]);
        rows.push(vec!["=1".into(), Cell::Decimal("-1.5".to_owned()), 2_u64.into()]);
        assert_eq!(rows.delimited(Delimited::Csv), "A,B,C\n'=1,-1.5,2\n");
        assert_eq!(rows.delimited(Delimited::CsvRaw), "A,B,C\n=1,-1.5,2\n");
    }
}
