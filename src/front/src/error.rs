//! The faults of a piece of Python source, in CPython's words and in an admin's.

use std::fmt;

/// The exception that CPython raises for the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not Python.
    SyntaxError,
    /// The lines are not indented as Python wants it.
    IndentationError,
    /// Tabs and spaces are mixed.
    TabError,
    /// The last statement of a block is not an expression (TPV's own `assert`).
    AssertionError,
    /// A block has no statement at all (TPV takes the last one from an empty list).
    IndexError,
    /// The source is nested too deep.
    RecursionError,
    /// The text cannot be source: it holds a null character.
    ValueError,
    /// The code is larger than the compiler handles.
    MemoryError,
}

impl ErrorKind {
    /// The exception's class name.
    pub fn name(self) -> &'static str {
        match self {
            Self::SyntaxError => "SyntaxError",
            Self::IndentationError => "IndentationError",
            Self::TabError => "TabError",
            Self::AssertionError => "AssertionError",
            Self::IndexError => "IndexError",
            Self::RecursionError => "RecursionError",
            Self::ValueError => "ValueError",
            Self::MemoryError => "MemoryError",
        }
    }

    /// Returns `true` for `SyntaxError` and its subclasses, whose text ends in file and line.
    pub fn is_syntax(self) -> bool {
        matches!(self, Self::SyntaxError | Self::IndentationError | Self::TabError)
    }
}

/// Which of CPython's stages refuses the source: TPV parses the text and compiles the tree in two calls, which name the
/// text differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// `ast.parse(text)`
    Parse,
    /// `compile(tree, "<string>", ...)`
    Compile,
}

impl Stage {
    /// The file name that the message shows.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Parse => "<unknown>",
            Self::Compile => "<string>",
        }
    }
}

/// An error in Python source.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PythonError {
    /// The exception.
    pub kind: ErrorKind,
    /// CPython's message, without file and line.
    pub message: String,
    /// The line within the text, from 1.
    pub line: u32,
    /// The column within the line, from 1, in characters.
    pub column: u32,
    /// The remedy, in words for the author of the config; empty if the message says all.
    pub help: String,
    /// The stage that refuses it.
    pub stage: Stage,
    /// The line that CPython's message names, where it is another than that of the mistake.
    pub named_line: Option<u32>,
}

impl PythonError {
    /// `str(exception)` as CPython gives it: for syntax errors with file name and line.
    pub fn text(&self) -> String {
        if self.kind.is_syntax() {
            format!("{} ({}, line {})", self.message, self.stage.file_name(), self.named_line.unwrap_or(self.line))
        } else {
            self.message.clone()
        }
    }
}

impl fmt::Display for PythonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.message.is_empty() {
            return f.write_str(self.kind.name());
        }
        write!(f, "{}: {}", self.kind.name(), self.message)
    }
}

impl std::error::Error for PythonError {}
