//! The trees of fields, put into the tree of their text.
//!
//! Each field is hidden from the parser behind a name of the same length, so that all places stay what they are. Its own text
//! is parsed in the same way, which reads f-strings within fields within f-strings.

use std::collections::HashMap;
use std::ops::Range;

use crate::syntax::ast::{self, Constant, ConversionFlag, Expr, Ranged, Stmt};
use crate::syntax::text_size::{TextRange, TextSize};
use crate::syntax::{Parse, ParseError};

use super::scanner::{FString, Field, Refusal, Scan, scan};
use super::{occurs, version_3_11};
use crate::diagnose;
use crate::error::{PythonError, Stage};
use crate::parse::Text;
use crate::tokens::tokenize;
use crate::walk::{self, PartMut};

/// A parsed text.
pub(crate) struct Suite {
    /// Its statements.
    pub(crate) body: ast::Suite,
    /// CPython 3.11's error for an f-string that only later versions accept.
    pub(crate) newer: Option<PythonError>,
}

/// The error of parsing a text with f-strings.
pub(crate) enum Failure {
    /// An f-string is not formed as later versions of CPython want it either.
    FString(PythonError),
    /// The f-strings are fine, the rest is not. With an f-string that only later versions read, there is the text with all
    /// fields hidden, in which the mistake is the first one.
    Rest(Option<Box<Text>>, ParseError),
}

/// Parses a text with f-strings.
///
/// # Errors
/// The error that CPython 3.12 and later raise for it.
pub(crate) fn parse(text: &Text) -> Result<Suite, Failure> {
    let mut reader = Reader { text, depth: 0, newer: None };
    reader
        .suite()
        .map_err(|problem| match problem {
            Problem::Refused(refusal) => Failure::FString(text.syntax(size(refusal.at), refusal.message)),
            Problem::Rest(mask, error) => {
                Failure::Rest(reader.newer.is_some().then(|| Box::new(text.with_source(mask))), error)
            }
        })
        .map(|body| Suite { body, newer: reader.newer })
}

struct Reader<'a> {
    text: &'a Text,
    /// The number of f-strings that enclose the place.
    depth: usize,
    newer: Option<PythonError>,
}

enum Problem {
    Refused(Refusal),
    Rest(String, ParseError),
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// The hidden fields by the place of the name that hides them, with prefix and opening quotes of their string.
type Hidden = HashMap<usize, (Field, Range<usize>)>;

impl Reader<'_> {
    fn source(&self) -> &str {
        &self.text.source
    }

    fn suite(&mut self) -> Result<ast::Suite, Problem> {
        let whole = 0..self.source().len();
        let scan = scan(self.source(), whole.clone(), 0)?;
        let mask = self.mask(&whole, fields_of(&scan), &[]);
        self.newer = refused_by_3_11(self.text, &mask);
        let mut body = match ast::Suite::parse(&mask, "") {
            Ok(body) => body,
            Err(error) => return Err(Problem::Rest(mask, error)),
        };
        let mut hidden = hidden(scan.strings);
        for statement in &mut body {
            self.restore(&mut hidden, PartMut::Stmt(statement))?;
        }
        Ok(body)
    }

    /// A part of the text with these fields hidden and these places blank.
    fn mask<'f>(
        &self,
        part: &Range<usize>,
        fields: impl Iterator<Item = &'f Field>,
        blanks: &[Range<usize>],
    ) -> String {
        let mut bytes = self.source().as_bytes().get(part.clone()).unwrap_or_default().to_vec();
        let mut write = |range: Range<usize>, first: u8| {
            if let Some(place) = bytes.get_mut(range.start - part.start..range.end - part.start) {
                place.fill(b' ');
                if let Some(byte) = place.first_mut() {
                    *byte = first;
                }
            }
        };
        for field in fields {
            write(field.range.start + 1..field.range.end - 1, b'_');
        }
        for blank in blanks {
            write(blank.clone(), b' ');
        }
        String::from_utf8(bytes).unwrap_or_default()
    }

    /// Puts the hidden fields back into the strings of a node.
    fn restore(&mut self, hidden: &mut Hidden, part: PartMut<'_>) -> Result<(), Refusal> {
        match part {
            PartMut::Stmt(node) => walk::statement_mut(node, &mut |part| self.restore(hidden, part)),
            PartMut::Pattern(node) => walk::pattern_mut(node, &mut |part| self.restore(hidden, part)),
            PartMut::Expr(Expr::JoinedStr(node)) => self.restore_string(hidden, node),
            PartMut::Expr(node) => walk::expression_mut(node, &mut |part| self.restore(hidden, part)),
        }
    }

    fn restore_string(&mut self, hidden: &mut Hidden, node: &mut ast::ExprJoinedStr) -> Result<(), Refusal> {
        let mut values = Vec::with_capacity(node.values.len());
        for value in std::mem::take(&mut node.values) {
            let place = match &value {
                Expr::FormattedValue(value) => value.value.start().to_usize(),
                _ => usize::MAX,
            };
            match hidden.remove(&place) {
                Some((field, opening)) => self.field(&field, &opening, &mut values)?,
                None => values.push(value),
            }
        }
        node.values = values;
        Ok(())
    }

    /// The parts of a string that a field stands for.
    fn field(&mut self, field: &Field, opening: &Range<usize>, values: &mut Vec<Expr>) -> Result<(), Refusal> {
        let range = TextRange::new(size(field.range.start), size(field.range.end));
        if let Some(shown) = &field.shown {
            let raw = self.source().get(opening.clone()).is_some_and(|opening| opening.contains(['r', 'R']));
            let text = self.shown(shown);
            let value = Constant::Str(if raw { text } else { decoded(text) });
            values.push(Expr::Constant(ast::ExprConstant { range, value, kind: None }));
        }
        self.depth += 1;
        let value = self.expression(&field.expression)?;
        self.depth -= 1;
        let spec = match &field.spec {
            Some((part, fields)) => Some(Box::new(self.spec(part, fields, opening)?)),
            None => None,
        };
        let conversion = match field.conversion {
            ConversionFlag::None if field.shown.is_some() && spec.is_none() => ConversionFlag::Repr,
            conversion => conversion,
        };
        let value = Box::new(value);
        values.push(Expr::FormattedValue(ast::ExprFormattedValue { range, value, conversion, format_spec: spec }));
        Ok(())
    }

    /// The text of a field that `=` shows, without comments.
    fn shown(&self, part: &Range<usize>) -> String {
        let mut text = String::new();
        let mut at = part.start;
        let blanks = scan(self.source(), part.clone(), self.depth).map(|scan| scan.blanks).unwrap_or_default();
        for comment in blanks.iter().filter(|blank| self.source().get((*blank).clone()).unwrap_or("").starts_with('#'))
        {
            text.push_str(self.source().get(at..comment.start).unwrap_or(""));
            at = comment.end;
        }
        text.push_str(self.source().get(at..part.end).unwrap_or(""));
        text
    }

    fn expression(&mut self, part: &Range<usize>) -> Result<Expr, Refusal> {
        let scan = scan(self.source(), part.clone(), self.depth)?;
        let mask = self.mask(part, fields_of(&scan), &scan.blanks);
        self.look_for_newer(part);
        let inner = mask.trim_start();
        let start = part.start + (mask.len() - inner.len());
        let mut body = ast::Suite::parse_starts_at(inner, "", size(start)).map_err(|error| {
            let inner = Text::plain(inner.to_owned());
            let error = ParseError { offset: error.offset.checked_sub(size(start)).unwrap_or_default(), ..error };
            let explained = diagnose::explain(&inner, &error);
            let at = (start + inner.offset(explained.line, explained.column)).min(part.end);
            let message = explained.message;
            let known = message.starts_with("f-string");
            Refusal { message: if known { message } else { format!("f-string: {message}") }, at }
        })?;
        let mut expression = match (body.pop(), body.is_empty()) {
            (Some(Stmt::Expr(statement)), true) if !statement.value.is_starred_expr() => *statement.value,
            _ => {
                return Err(Refusal {
                    message: "f-string: expecting a valid expression after '{'".to_owned(),
                    at: start,
                });
            }
        };
        self.restore(&mut hidden(scan.strings), PartMut::Expr(&mut expression))?;
        Ok(expression)
    }

    /// The text of a format spec with its fields, read as a string of the kind it stands in.
    fn spec(&mut self, part: &Range<usize>, fields: &[Field], opening: &Range<usize>) -> Result<Expr, Refusal> {
        let prefix = self.source().get(opening.clone()).unwrap_or("").to_owned();
        let quotes = prefix.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let string = format!("{prefix}{}{quotes}", self.mask(part, fields.iter(), &[]));
        let refused = |_| Refusal { message: "f-string: invalid format spec".to_owned(), at: part.start };
        let mut expression =
            ast::Expr::parse_starts_at(&string, "", size(part.start - prefix.len())).map_err(refused)?;
        let mut hidden = fields.iter().map(|field| (field.range.start + 1, (field.clone(), opening.clone()))).collect();
        self.restore(&mut hidden, PartMut::Expr(&mut expression))?;
        Ok(expression)
    }

    /// Notes what CPython 3.11 refuses in the f-strings within an expression.
    fn look_for_newer(&mut self, part: &Range<usize>) {
        let source = self.source().get(part.clone()).unwrap_or("");
        if self.newer.is_some() || !occurs(source) {
            return;
        }
        let inner = Text::plain(format!("({source})"));
        if let Some(error) = version_3_11::check(&inner, &tokenize(&inner.source), false) {
            self.newer = Some(self.text.syntax(size(part.start), error.message));
        }
    }
}

/// CPython decodes the escapes in what `=` shows, as in the rest of the string.
fn decoded(text: String) -> String {
    if !text.contains('\\') {
        return text;
    }
    let mut literal = "\"\"\"".to_owned();
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '"' => literal.push_str("\\x22"),
            '\\' => literal.extend(std::iter::once(c).chain(characters.next())),
            _ => literal.push(c),
        }
    }
    literal.push_str("\"\"\"");
    match ast::Expr::parse(&literal, "") {
        Ok(Expr::Constant(ast::ExprConstant { value: Constant::Str(decoded), .. })) => decoded,
        _ => text,
    }
}

fn fields_of(scan: &Scan) -> impl Iterator<Item = &Field> {
    scan.strings.iter().flat_map(|string| &string.fields)
}

fn hidden(strings: Vec<FString>) -> Hidden {
    let fields = strings.into_iter().flat_map(|FString { opening, fields }| {
        fields.into_iter().map(move |field| (field.range.start + 1, (field, opening.clone())))
    });
    fields.collect()
}

/// CPython 3.11's error for the f-strings of a text; `mask` is the text with their fields hidden.
fn refused_by_3_11(text: &Text, mask: &str) -> Option<PythonError> {
    let tokens = tokenize(&text.source);
    match &tokens.error {
        Some(error) if tokenize(mask).error.is_none() => {
            Some(text.error(error.kind, Stage::Parse, error.at, error.message.clone()))
        }
        _ => version_3_11::check(text, &tokens, false),
    }
}

fn size(at: usize) -> TextSize {
    TextSize::new(u32::try_from(at).unwrap_or(u32::MAX))
}
