//! The parts of Galaxy that a mapping asked for and the world does not have.

/// A part that the world does not have.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Lack {
    /// A setting: `app.config.NAME`.
    Config(Box<str>),
    /// A tool data table.
    Table(Box<str>),
    /// A row, or a cell of it, of a tool data table that the world has.
    Entry {
        /// The name of the table.
        table: Box<str>,
        /// The column that was searched.
        column: Box<str>,
        /// The text that was searched for.
        value: Box<str>,
        /// The column that was asked for.
        returned: Box<str>,
    },
    /// A file.
    File {
        /// Its path.
        path: Box<str>,
        /// `true` if the code raises an exception without the file, as one that asks for its size does.
        needed: bool,
    },
    /// An environment variable.
    Variable(Box<str>),
    /// The answer to a query in SQL text, which is on one line.
    Query(Box<str>),
}
