//! YAML 1.2 as ruamel.yaml's round-trip loader reads it, with the place of every value.
//!
//! The grammar comes from `saphyr-parser`; what ruamel.yaml does beyond it (types, merge keys, tags, duplicate keys,
//! tabs) is done here.

mod compose;
mod lexical;
mod merge;
mod resolve;
mod timestamp;

use saphyr_parser::{Event, Parser, ScanError};

use crate::config::value::ConfigValue;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{Source, SourceId, SourceMap, Span};

use compose::Composer;
pub(crate) use compose::insert_noqa;
pub use lexical::{Comment, noqa_codes};
pub(crate) use resolve::int_kind;

/// A source read as YAML.
#[derive(Debug)]
pub struct Document {
    /// The value of the one document; null for an empty file.
    pub root: ConfigValue,
    /// All comments, in order.
    pub comments: Vec<Comment>,
}

/// Reads a source that holds one YAML document. Problems are added to `problems`; `None` where no value came out.
pub fn load(sources: &SourceMap, id: SourceId, problems: &mut Diagnostics) -> Option<Document> {
    let source = sources.get(id)?;
    let before = problems.errors();
    lexical::check_characters(source, id, problems);
    lexical::check_version(source, id, problems);
    if problems.errors() > before {
        return None;
    }
    let offsets = Offsets::new(&source.text);
    let mut composer = Composer::new(source, id, problems);
    let mut scalars = Vec::new();
    let mut documents: Vec<Span> = Vec::new();
    let mut failure = None;
    for event in Parser::new_from_str(&source.text) {
        let (event, at) = match event {
            Ok(event) => event,
            Err(error) => {
                failure = Some(error);
                break;
            }
        };
        let span = Span::new(id, offsets.byte(at.start.index()), offsets.byte(at.end.index()));
        match &event {
            Event::StreamEnd => break,
            Event::DocumentStart(_) => {
                documents.push(span);
                if documents.len() > 1 {
                    break;
                }
                continue;
            }
            Event::Scalar(_, style, ..) if span.start < span.end => scalars.push((span, *style)),
            _ => {}
        }
        if composer.event(event, span).is_none() {
            return None;
        }
    }
    let root = composer.finish();
    if let Some(error) = failure {
        problems.push(syntax_error(&error, source, id, &offsets));
        return None;
    }
    if let [_, second, ..] = documents.as_slice() {
        problems.push(
            Diagnostic::error("expected a single document in the file, but found another one")
                .at(*second, "the second document starts here")
                .help("move it to a file of its own, and list that file after this one"),
        );
        return None;
    }
    let comments = lexical::scan(source, id, &scalars, problems);
    let end = Span::new(id, 0, 0);
    let root = root.unwrap_or_else(|| ConfigValue::new(crate::config::value::ValueKind::Null, end));
    (problems.errors() == before).then_some(Document { root, comments })
}

/// The parser counts characters, spans count bytes.
struct Offsets {
    /// The byte of each character; empty for ASCII text, where both are the same.
    bytes: Vec<u32>,
    len: usize,
}

impl Offsets {
    fn new(text: &str) -> Self {
        let bytes = if text.is_ascii() {
            Vec::new()
        } else {
            text.char_indices().map(|(byte, _)| u32::try_from(byte).unwrap_or(u32::MAX)).collect()
        };
        Self { bytes, len: text.len() }
    }

    fn byte(&self, index: usize) -> usize {
        if self.bytes.is_empty() {
            index.min(self.len)
        } else {
            self.bytes.get(index).map_or(self.len, |&byte| byte as usize)
        }
    }
}

fn syntax_error(error: &ScanError, source: &Source, id: SourceId, offsets: &Offsets) -> Diagnostic {
    let at = offsets.byte(error.marker().index());
    let length =
        source.text.get(at..).and_then(|rest| rest.chars().next()).filter(|c| *c != '\n').map_or(0, char::len_utf8);
    let info = error.info();
    let diagnostic = Diagnostic::error(format!("invalid YAML: {info}")).at(Span::new(id, at, at + length), "");
    if info.contains("tab") {
        diagnostic.help("indent with spaces")
    } else if info.contains("unknown anchor") {
        diagnostic.help("define the anchor with `&name` before its first use")
    } else if info.contains("expected key") || info.contains("not allowed in this context") {
        diagnostic.help("check the indentation here, and put text that contains `: ` or ` #` in quotes")
    } else {
        diagnostic
    }
}
