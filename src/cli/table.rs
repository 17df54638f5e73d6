//! The forms of rows that options name.

use std::path::Path;

use clap::ValueEnum;

use super::error::CliError;
use super::output::{print_stdout, width};
use tpv_text::printable::Form;
use tpv_text::rows::{Delimited, Rows};

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

    /// The rows in this form, with the lines of a table at most so wide; the table of no rows is empty.
    pub(super) fn show(self, rows: &Rows, width: Option<usize>) -> String {
        match self {
            Self::Table => rows.table(width),
            Self::Text => rows.delimited(Delimited::Tabs),
            Self::Csv => rows.delimited(Delimited::Csv),
            Self::CsvRaw => rows.delimited(Delimited::CsvRaw),
            Self::Json => rows.json(),
        }
    }

    /// Prints rows.
    ///
    /// # Errors
    /// Stdout cannot be written.
    pub(super) fn print(self, rows: &Rows) -> Result<(), CliError> {
        print_stdout(self.form(), &self.show(rows, width(Path::new("-"))))
    }
}
