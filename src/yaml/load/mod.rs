//! YAML 1.2 as ruamel.yaml's round-trip loader reads it, with the place of every value.
//!
//! The grammar comes from `saphyr-parser`; what ruamel.yaml does beyond it (types, merge keys, tags, duplicate keys,
//! tabs) is done here.

mod compose;
mod construct;
mod indent;
mod lexical;
mod lines;
mod merge;
mod noqa;
mod short_texts;
mod syntax;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError};

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{Source, SourceId, SourceMap, Span};
use crate::yaml::value::{ConfigValue, ValueKind};

use compose::Composer;
use indent::Indented;
pub use lexical::Comment;
pub(crate) use lines::{mistake, quoted};
use syntax::Stop;

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
    let mut attempt = Diagnostics::new();
    let mut parsed = parse(source, id, &source.text, |offset| offset, &mut attempt);
    if let Err(stopped) = &parsed {
        let mut indented = Indented::new(&source.text);
        let mut stopped = stopped.clone();
        for _ in 0..MAX_MENDED {
            if !indented.mend(&stopped.error, stopped.offset) {
                break;
            }
            attempt = Diagnostics::new();
            parsed = parse(source, id, &indented.text, |offset| indented.original(offset), &mut attempt);
            let Err(next) = &parsed else { break };
            stopped = next.clone();
        }
        if parsed.is_err() {
            let (info, at, bracket) = (stopped.error.info(), indented.original(stopped.offset), stopped.bracket);
            problems.push(Stop { text: &source.text, id, info, at, bracket }.explain());
            return None;
        }
    }
    problems.extend(attempt);
    let Ok(Some(Parsed { root, scalars, documents })) = parsed else { return None };
    if let [_, second, ..] = documents.as_slice() {
        problems.push(
            Diagnostic::error("expected a single document in the file, but found another one")
                .at(*second, "the second document starts here")
                .help("move it to a file of its own, and list that file after this one"),
        );
        return None;
    }
    let comments = lexical::scan(source, id, &scalars, problems);
    let root = root.unwrap_or_else(|| ConfigValue::new(ValueKind::Null, Span::new(id, 0, 0)));
    (problems.errors() == before).then_some(Document { root, comments })
}

/// The number of lines or scalars repaired before giving up: each costs another parse.
const MAX_MENDED: usize = 1000;

struct Parsed {
    root: Option<ConfigValue>,
    scalars: Vec<(Span, ScalarStyle)>,
    documents: Vec<Span>,
}

/// An error of the parser.
#[derive(Clone)]
struct Stopped {
    error: ScanError,
    /// The offset in the parsed text.
    offset: usize,
    /// The innermost open bracket, in the source.
    bracket: Option<usize>,
}

/// Parses `text`, whose offsets `original` turns into those of `source`. `None` stands for a problem that was reported.
fn parse(
    source: &Source,
    id: SourceId,
    text: &str,
    original: impl Fn(usize) -> usize,
    problems: &mut Diagnostics,
) -> Result<Option<Parsed>, Stopped> {
    let offsets = Offsets::new(text);
    let mut composer = Composer::new(source, id, problems);
    let mut scalars = Vec::new();
    let mut documents = Vec::new();
    // The starts of what is open; those of block collections are empty.
    let mut open: Vec<Span> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, at) = match event {
            Ok(event) => event,
            Err(error) => {
                let offset = offsets.byte(error.marker().index());
                let bracket = open.last().filter(|start| start.start < start.end).map(|start| start.range().start);
                return Err(Stopped { error, offset, bracket });
            }
        };
        let offset = |index: usize| original(offsets.byte(index));
        let span = Span::new(id, offset(at.start.index()), offset(at.end.index()));
        match &event {
            Event::StreamEnd => break,
            Event::DocumentStart(_) => {
                documents.push(span);
                if documents.len() > 1 {
                    break;
                }
                continue;
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => open.push(span),
            Event::SequenceEnd | Event::MappingEnd => drop(open.pop()),
            Event::Scalar(_, style, ..) if span.start < span.end => scalars.push((span, *style)),
            _ => {}
        }
        if composer.event(event, span).is_none() {
            return Ok(None);
        }
    }
    Ok(Some(Parsed { root: composer.finish(), scalars, documents }))
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
