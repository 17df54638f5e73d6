//! YAML as configs have it: values with the place of each, and the comments.
//!
//! [`crate::read`] makes the nodes; here these become values ([`construct`], [`merge`], [`noqa`]), and errors are
//! explained as their author's mistakes ([`syntax`]).

mod construct;
mod lines;
mod merge;
mod noqa;
mod outline;
pub mod rest;
mod scalar;
mod short_texts;
mod syntax;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::read::fault::Problem;
use crate::read::read;
use crate::value::ConfigValue;
use tpv_text::diagnostic::Diagnostics;
use tpv_text::source::{SourceId, SourceMap, Span};

use construct::Constructor;
pub use lines::{mistake, quoted};
pub use merge::Duplicates;
pub use outline::block;
use syntax::Stop;

/// The maximum nesting of collections: later stages walk values recursively.
const MAX_DEPTH: usize = 128;

/// A source read as YAML.
#[derive(Debug)]
pub struct Document {
    /// The value of the one document; null for an empty file.
    pub root: ConfigValue,
    /// All comments, in order.
    pub comments: Vec<Comment>,
}

/// A comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// From the `#` to the end of the line.
    pub span: Span,
    /// `true` if only blanks precede it on its line.
    pub own_line: bool,
}

/// Reads a source that holds one YAML document. Problems are added to `problems`; `None` if one of them is an error.
pub fn load(sources: &SourceMap, id: SourceId, problems: &mut Diagnostics) -> Option<Document> {
    load_with(sources, id, Duplicates::Refused, problems)
}

/// As [`load`], with a choice for keys that occur twice.
pub fn load_with(
    sources: &SourceMap,
    id: SourceId,
    duplicates: Duplicates,
    problems: &mut Diagnostics,
) -> Option<Document> {
    let source = sources.get(id)?;
    let before = problems.errors();
    let document = attempt(&source.text, id, duplicates, problems).ok()?;
    (problems.errors() == before).then_some(document)
}

/// Reads a text of the length of a source's. A document may come with errors: of duplicate keys it has the first. Without one, the last error says
/// why, and the parser's error and its place are returned if the text is not YAML.
fn attempt(
    text: &str,
    id: SourceId,
    duplicates: Duplicates,
    problems: &mut Diagnostics,
) -> Result<Document, Option<(Problem, usize)>> {
    let tree = match read(text, MAX_DEPTH) {
        Ok(tree) => tree,
        Err(fault) => {
            problems.push(Stop { text, id, fault: &fault }.explain());
            return Err(Some((fault.problem, fault.at)));
        }
    };
    let comment = |place: &Range<usize>| {
        let line = text.get(..place.start).and_then(|before| before.rsplit('\n').next()).unwrap_or("");
        Comment { span: Span::new(id, place.start, place.end), own_line: line.trim().is_empty() }
    };
    let comments = tree.comments.places.iter().map(comment).collect();
    let root = Constructor::new(text, id, tree, duplicates, problems).document().ok_or(None)?;
    Ok(Document { root, comments })
}
