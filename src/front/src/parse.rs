//! Text to syntax tree, as TPV has it parsed: `ast.parse` of the block, or of `f'''` + text + `'''`.

use std::cell::Cell;

use crate::syntax::Parse;
use crate::syntax::ast;
use crate::syntax::text_size::TextSize;
use tpv_bytecode::CodeKind;

use super::diagnose;
use super::error::{ErrorKind, PythonError, Stage};
use super::fstring;
use super::numbers;
use super::stack::MAX_SOURCE;
use super::tokens::tokenize;

/// The text that TPV puts before an f-string.
const FSTRING_PREFIX: &str = "f'''";
/// The text that TPV puts after an f-string.
const FSTRING_SUFFIX: &str = "'''";

/// The nesting of brackets that CPython's tokenizer refuses.
const MAX_BRACKETS: usize = 200;

/// A parsed text.
pub struct Parsed {
    /// The text as it was parsed, with places.
    pub text: Text,
    /// The statements.
    pub body: ast::Suite,
    /// CPython 3.11's error for an f-string that only later versions accept.
    pub newer: Option<PythonError>,
}

/// A parsed text without its places.
pub struct Tree {
    /// The text as it was parsed.
    pub source: String,
    /// The statements.
    pub body: ast::Suite,
    /// CPython 3.11's error for an f-string that only later versions accept.
    pub newer: Option<PythonError>,
}

impl Parsed {
    /// The parsed tree, without its places.
    pub fn into_tree(self) -> Tree {
        Tree { source: self.text.source, body: self.body, newer: self.newer }
    }
}

/// A text and where its lines start.
pub struct Text {
    /// The text as Python reads it: wrapped if it is an f-string, lines ended by `\n`.
    pub source: String,
    line_starts: Vec<usize>,
    /// The number of characters added before the author's first line.
    added: u32,
    /// The place asked for last: start of its line, offset, characters between.
    last: Cell<(usize, usize, usize)>,
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

    /// Another text of the same lines and places.
    pub(super) fn with_source(&self, source: String) -> Self {
        Self { source, line_starts: self.line_starts.clone(), added: self.added, last: Cell::default() }
    }

    fn of(source: String, added: u32) -> Self {
        let source = if source.contains('\r') { source.replace("\r\n", "\n").replace('\r', "\n") } else { source };
        let line_starts = std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { source, line_starts, added, last: Cell::default() }
    }

    /// Line and column, both from 1, of a byte offset; in the author's text.
    pub fn place(&self, offset: usize) -> (u32, u32) {
        let line = self.line_starts.partition_point(|start| *start <= offset).max(1);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0);
        let offset = offset.clamp(start, self.source.len().max(start));
        // Places are asked for mostly in the order of the text: counting goes on from the last one, so that a long line is
        // not counted from its start each time.
        let (from, counted) = match self.last.get() {
            (last_start, last, count) if last_start == start && last <= offset => (last, count),
            _ => (start, 0),
        };
        let characters = counted + self.source.get(from..offset).map_or(0, |between| between.chars().count());
        self.last.set((start, offset, characters));
        let column = u32::try_from(characters).unwrap_or(u32::MAX - 1) + 1;
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
/// DIFFERENCE: names stay as they are written, where CPython normalizes them by NFKC.
///
/// # Errors
/// The exception of `ast.parse` for the text.
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
    if let Some((at, digits)) = numbers::too_long(&text.source) {
        let message = format!(
            "Exceeds the limit ({} digits) for integer string conversion: value has {digits} digits; use \
             sys.set_int_max_str_digits() to increase the limit - Consider hexadecimal for huge integer literals to avoid \
             decimal conversion limits.",
            tpv_literal::int_text::MAX_DIGITS
        );
        return Err(text.error(ErrorKind::SyntaxError, Stage::Parse, at, message));
    }
    let mut later = None;
    // DIFFERENCE: f-strings that only CPython 3.12 and later read are read.
    if fstring::occurs(&text.source) {
        match fstring::parse(&text) {
            Ok(fstring::Suite { body, newer }) => return Ok(Parsed { text, body, newer }),
            Err(fstring::Failure::Rest(Some(mask), error)) => return Err(diagnose::explain(&mask, &error)),
            Err(fstring::Failure::Rest(None, _)) => {}
            Err(fstring::Failure::FString(error)) => later = Some(error),
        }
    }
    let mut error = match ast::Suite::parse(&text.source, "") {
        // Python 3.11 reads some f-strings that later versions do not: `f"{x for x in y}"`.
        Ok(body) => match fstring::check(&text, &tokenize(&text.source), false) {
            None => return Ok(Parsed { text, body, newer: None }),
            Some(error) => error,
        },
        Err(error) => diagnose::explain(&text, &error),
    };
    // Later versions came further: that mistake is to be mended too.
    if let Some(later) = later.filter(|later| (later.line, later.column) > (error.line, error.column)) {
        error.help = format!(
            "later versions of Python refuse line {}, column {} of this code: {}",
            later.line, later.column, later.message
        );
    }
    Err(error)
}

/// The position at which brackets nest deeper than CPython accepts. Brackets in strings count too: that errs only for
/// texts that no one writes, and spares a second tokenizer.
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use std::convert::Infallible;

    use crate::syntax::ast::Ranged;

    use super::super::walk::{self, PartMut};
    use super::*;

    #[test]
    fn places_count_characters_in_the_authors_text() {
        let text = Text::new("é + ü\r\nx", CodeKind::Block);
        assert_eq!(text.place(0), (1, 1));
        assert_eq!(text.place(5), (1, 5));
        assert_eq!(text.place(2), (1, 2));
        assert_eq!(text.place(8), (2, 1));
        let wrapped = Text::new("{x}\n{y}", CodeKind::FString);
        assert_eq!(wrapped.place(5), (1, 2));
        assert_eq!(wrapped.place(9), (2, 2));
    }

    #[test]
    fn errors_in_fields_are_placed_in_the_field() {
        let error = parse("a\nbc {x y}", CodeKind::FString).err().unwrap();
        assert_eq!((error.line, error.column), (2, 7), "{error:?}");
    }
    #[test]
    fn newer_f_strings_keep_their_places() {
        let source = "x = 1\nf\"é{f\"{\n  x # one\n  + y}\"}{\"\\n\"!r:{\"z\"}}\"";
        let parsed = parse(source, CodeKind::Block).unwrap_or_else(|error| panic!("{error:?}"));
        let newer = parsed.newer.unwrap();
        assert_eq!(newer.message, "unexpected character after line continuation character");
        let mut names = Vec::new();
        let mut places = |part: PartMut<'_>| collect(part, &mut names);
        let mut body = parsed.body;
        for statement in &mut body {
            let _ = walk::statement_mut(statement, &mut places);
        }
        let places: Vec<_> = names.iter().map(|(name, at)| (name.as_str(), parsed.text.place(*at))).collect();
        assert_eq!(places, [("x", (1, 1)), ("x", (3, 3)), ("y", (4, 5))]);
    }

    /// Names and where they are.
    fn collect(part: PartMut<'_>, names: &mut Vec<(String, usize)>) -> Result<(), Infallible> {
        match part {
            PartMut::Expr(ast::Expr::Name(node)) => names.push((node.id.to_string(), node.start().to_usize())),
            PartMut::Expr(node) => return walk::expression_mut(node, &mut |part| collect(part, names)),
            PartMut::Stmt(node) => return walk::statement_mut(node, &mut |part| collect(part, names)),
            PartMut::Pattern(_) => {}
        }
        Ok(())
    }

    #[test]
    fn mistakes_beside_newer_f_strings_are_placed_right() {
        let place = |source: &str| {
            let error = parse(source, CodeKind::Block).err().unwrap();
            (error.line, error.column, error.message)
        };
        assert_eq!(place("x = f\"{\"a\"}\"\n(1 + )"), (2, 6, "invalid syntax".to_owned()));
    }
}
