//! Rows as text, table, JSON or CSV.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

use clap::ValueEnum;

use super::error::CliError;
use super::output::{print_stdout, width};
use tpv_analysis::diff::report::escaped;
use tpv_text::printable::{self, Form};

/// The format of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Columns that line up
    Table,
    /// A line a row, values separated by tabs, without a header
    #[value(name = "tsv", alias = "text")]
    Text,
    /// A list of objects
    Json,
    /// Comma-separated values with a header, safe to open in a spreadsheet
    Csv,
    /// The same with unchanged texts, for programs
    CsvRaw,
}

impl Format {
    /// The form in which such rows are printed.
    pub(super) fn form(self) -> Form {
        match self {
            Self::Table | Self::Text => Form::Text,
            Self::Json => Form::Json,
            Self::Csv | Self::CsvRaw => Form::Data,
        }
    }
}

/// Rows under a header. Values that are numbers in JSON are given as such.
#[derive(Default)]
pub(super) struct Rows {
    header: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    Text(String),
    Number(u64),
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
            Self::Number(number) => number.to_string(),
            Self::Empty => String::new(),
        }
    }
}

impl Rows {
    pub(super) fn new(header: Vec<&'static str>) -> Self {
        Self { header, rows: Vec::new() }
    }

    pub(super) fn push(&mut self, row: Vec<Cell>) {
        self.rows.push(row);
    }

    /// Returns `true` if there are no rows.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The text; that of a table is empty where there are no rows.
    pub(super) fn show(&self, format: Format) -> String {
        match format {
            Format::Table => self.table(None),
            Format::Text | Format::Csv | Format::CsvRaw => {
                self.rows.iter().fold(header(format, &self.header), |text, cells| text + &row(format, cells))
            }
            Format::Json => self.json(),
        }
    }

    /// Prints the rows.
    ///
    /// # Errors
    /// Stdout cannot be written.
    pub(super) fn print(&self, format: Format) -> Result<(), CliError> {
        print_stdout(format.form(), &self.show_at(format, Path::new("-")))
    }

    /// The text for this output: a table fits the terminal.
    pub(super) fn show_at(&self, format: Format, output: &Path) -> String {
        match format {
            Format::Table => self.table(width(output)),
            _ => self.show(format),
        }
    }

    /// A table of Markdown; empty where there are no rows.
    pub(super) fn markdown(&self) -> String {
        let Some(first) = self.rows.first() else { return String::new() };
        let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let header = row(self.header.iter().map(|name| escaped(name)).collect());
        let is_number = |cell: &Cell| matches!(cell, Cell::Number(_) | Cell::Decimal(_));
        let rule = row(first.iter().map(|cell| if is_number(cell) { "---:" } else { "---" }.to_owned()).collect());
        let rows =
            self.rows.iter().map(|cells| row(cells.iter().map(|cell| escaped(&one_line(&cell.text()))).collect()));
        header + &rule + &rows.collect::<String>()
    }

    /// The table, with lines of at most this width.
    pub(super) fn table(&self, width: Option<usize>) -> String {
        let cell = |cell: &Cell| tpv_text::table::Cell {
            text: one_line(&cell.text()),
            is_number: matches!(cell, Cell::Number(_) | Cell::Decimal(_)),
        };
        let rows: Vec<Vec<_>> = self.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
        tpv_text::table::table(&self.header, &rows, width)
    }

    fn json(&self) -> String {
        let value = |cell: &Cell| match cell {
            Cell::Text(text) => serde_json::Value::from(text.as_str()).to_string(),
            Cell::Number(number) => number.to_string(),
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

/// The line before the rows in a form that has a line a row; `tsv` has none.
pub(super) fn header(format: Format, names: &[&str]) -> String {
    match format {
        Format::Csv | Format::CsvRaw => joined(names.iter().map(|name| quoted(name)), ","),
        Format::Table | Format::Text | Format::Json => String::new(),
    }
}

/// A row in a form that has a line a row.
pub(super) fn row(format: Format, cells: &[Cell]) -> String {
    match format {
        Format::Csv => joined(
            cells.iter().map(|cell| match cell {
                Cell::Text(text) => quoted(&unevaluated(text)),
                cell => quoted(&cell.text()),
            }),
            ",",
        ),
        Format::CsvRaw => joined(cells.iter().map(|cell| quoted(&cell.text())), ","),
        Format::Table | Format::Text | Format::Json => joined(cells.iter().map(|cell| one_line(&cell.text())), "\t"),
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
        rows.push(vec!["q3".into(), 12_u64.into(), "a, \"b\"".into()]);
        rows.push(vec!["a-long-one".into(), 3_u64.into(), Cell::Empty]);
        assert_eq!(rows.show(Format::Table), "TAG         IDLE  NOTE\nq3            12  a, \"b\"\na-long-one     3\n");
        assert_eq!(rows.show(Format::Text), "q3\t12\ta, \"b\"\na-long-one\t3\t\n");
        assert_eq!(rows.show(Format::Csv), "TAG,IDLE,NOTE\nq3,12,\"a, \"\"b\"\"\"\na-long-one,3,\n");
        assert_eq!(
            rows.show(Format::Json),
            "[\n  {\"tag\": \"q3\", \"idle\": 12, \"note\": \"a, \\\"b\\\"\"},\n  {\"tag\": \"a-long-one\", \"idle\": 3, \"note\": null}\n]\n"
        );
        assert_eq!(Rows::new(vec!["TAG"]).show(Format::Json), "[]\n");
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
            assert_eq!(rows.show(Format::Csv), format!("A\n{csv}\n"), "{text}");
        }
        let mut rows = Rows::new(vec!["A", "B", "C"]);
        rows.push(vec!["=1".into(), Cell::Decimal("-1.5".to_owned()), 2_u64.into()]);
        assert_eq!(rows.show(Format::Csv), "A,B,C\n'=1,-1.5,2\n");
        assert_eq!(rows.show(Format::CsvRaw), "A,B,C\n=1,-1.5,2\n");
    }
}
