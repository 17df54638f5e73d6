//! Text to syntax tree, as TPV has it parsed: `ast.parse` of the block, or of `f'''` + text + `'''`.

use rustpython_parser::Parse;
use rustpython_parser::ast;
use rustpython_parser::text_size::TextSize;
use tpv_runtime::python::code::CodeKind;

use super::diagnose;
use super::error::{ErrorKind, PythonError, Stage};
use super::fstring;
use super::stack::MAX_SOURCE;
use super::tokens::tokenize;

/// What TPV writes before the text of an f-string.
const FSTRING_PREFIX: &str = "f'''";
/// What TPV writes after the text of an f-string.
const FSTRING_SUFFIX: &str = "'''";

/// The nesting of brackets that CPython's tokenizer refuses.
const MAX_BRACKETS: usize = 200;

/// A parsed text.
pub struct Parsed {
    /// The text as it was parsed, with places.
    pub text: Text,
    /// The statements.
    pub body: ast::Suite,
}

/// A text and where its lines start.
pub struct Text {
    /// The text as Python reads it: wrapped where it is an f-string, lines ended by `\n`.
    pub source: String,
    line_starts: Vec<usize>,
    /// How many characters before the first line were added to what the author wrote.
    added: u32,
}

impl Text {
    /// The text that Python reads for a block of this kind.
    pub fn new(source: &str, kind: CodeKind) -> Self {
        let (source, added) = match kind {
            CodeKind::FString => (format!("{FSTRING_PREFIX}{source}{FSTRING_SUFFIX}"), 4),
            _ => (source.to_owned(), 0),
        };
        Self::of(source, added)
    }

    /// A text that is no block.
    pub(super) fn plain(source: String) -> Self {
        Self::of(source, 0)
    }

    fn of(source: String, added: u32) -> Self {
        let source = if source.contains('\r') { source.replace("\r\n", "\n").replace('\r', "\n") } else { source };
        let line_starts = std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { source, line_starts, added }
    }

    /// Line and column, both from 1, of a byte offset; in the author's text.
    pub fn place(&self, offset: usize) -> (u32, u32) {
        let line = self.line_starts.partition_point(|start| *start <= offset).max(1);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0);
        let before = self.source.get(start..offset.min(self.source.len())).unwrap_or("");
        let column = u32::try_from(before.chars().count()).unwrap_or(u32::MAX - 1) + 1;
        let column = if line == 1 { column.saturating_sub(self.added).max(1) } else { column };
        (u32::try_from(line).unwrap_or(u32::MAX), column)
    }

    /// The byte offset of a line and column as [`Text::place`] gives them.
    pub(super) fn offset(&self, line: u32, column: u32) -> usize {
        let start = self.line_starts.get(line.saturating_sub(1) as usize).copied().unwrap_or(0);
        let column = if line == 1 { column + self.added } else { column };
        let rest = self.source.get(start..).unwrap_or("");
        let within = rest.char_indices().nth(column.saturating_sub(1) as usize).map_or(rest.len(), |(at, _)| at);
        start + within
    }

    /// An error at a byte offset.
    pub fn error(&self, kind: ErrorKind, stage: Stage, offset: usize, message: impl Into<String>) -> PythonError {
        let (line, column) = self.place(offset);
        PythonError { kind, message: message.into(), line, column, help: String::new(), stage, named_line: None }
    }

    /// A `SyntaxError` of `ast.parse` at a byte offset.
    pub fn syntax(&self, offset: TextSize, message: impl Into<String>) -> PythonError {
        self.error(ErrorKind::SyntaxError, Stage::Parse, offset.to_usize(), message)
    }

    /// The line, from 1, of a byte offset in the text as Python reads it.
    pub fn line(&self, offset: usize) -> u32 {
        self.place(offset).0
    }
}

/// Parses a block.
///
/// # Errors
/// What `ast.parse` raises for the text.
pub fn parse(source: &str, kind: CodeKind) -> Result<Parsed, PythonError> {
    let text = Text::new(source, kind);
    if text.source.len() > MAX_SOURCE {
        let mut error = text.error(ErrorKind::MemoryError, Stage::Parse, 0, "the source is too long");
        error.help = format!("a block of code may have up to {MAX_SOURCE} bytes");
        return Err(error);
    }
    if let Some(at) = text.source.find('\0') {
        let message = "source code string cannot contain null bytes";
        return Err(text.error(ErrorKind::ValueError, Stage::Parse, at, message));
    }
    if let Some(at) = too_deep(&text.source) {
        return Err(text.error(ErrorKind::SyntaxError, Stage::Parse, at, "too many nested parentheses"));
    }
    match ast::Suite::parse(&text.source, "") {
        Ok(body) => {
            // Our parser reads backslashes and comments in the fields of f-strings, which CPython 3.11 refuses.
            if text.source.contains(['\\', '#'])
                && let Some(error) = fstring::check(&text, &tokenize(&text.source), false)
            {
                return Err(error);
            }
            Ok(Parsed { text, body })
        }
        Err(error) => Err(diagnose::explain(&text, &error)),
    }
}

/// Where brackets nest deeper than CPython reads. Brackets in strings count too: that errs only for texts that no one
/// writes, and spares a second tokenizer.
fn too_deep(source: &str) -> Option<usize> {
    if source.len() < MAX_BRACKETS {
        return None;
    }
    let mut depth = 0usize;
    for (at, byte) in source.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => {
                depth += 1;
                if depth >= MAX_BRACKETS {
                    return Some(at);
                }
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}
