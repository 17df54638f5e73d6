//! The rest of a text that is not YAML: it is read without the blocks that hold its mistakes.
//!
//! A block is an entity of a config: a key of the second level with all that is indented deeper. It is overwritten with blanks, so that all other
//! text keeps its place.

use std::borrow::Cow;
use std::ops::Range;

use super::lines::Line;
use super::outline::{block, header_moved};
use super::{Document, Duplicates, attempt};
use crate::read::fault::Problem;
use tpv_text::diagnostic::{Diagnostic, Diagnostics, Severity};
use tpv_text::source::{SourceId, SourceMap, Span};

/// The most blocks that are left out of a text.
const MOST_BLOCKS: usize = 16;
/// The most bytes that are read again for it.
const MOST_BYTES: usize = 8 << 20;

/// The readable part of a source.
#[derive(Debug)]
pub struct Rest {
    /// The document without what is lost. `None` if nothing can be read.
    pub document: Option<Document>,
    /// The ranges of the text that are not in the document.
    pub lost: Vec<Span>,
}

/// Reads a source as [`super::load`] does, and around its mistakes: a document comes even if there are errors, without what they are in.
pub fn load_rest(sources: &SourceMap, id: SourceId, problems: &mut Diagnostics) -> Rest {
    let Some(source) = sources.get(id) else { return Rest { document: None, lost: Vec::new() } };
    let mut text: Cow<'_, str> = Cow::Borrowed(&source.text);
    let (mut lost, mut found): (Vec<Span>, Vec<Diagnostic>) = (Vec::new(), Vec::new());
    let (mut of_whole, mut last_fault) = (None, None);
    // The entity of which only a part is left out, with the text before.
    let mut tried: Option<(Range<usize>, Cow<'_, str>)> = None;
    for _ in 0..=(MOST_BYTES / text.len().max(1)).min(MOST_BLOCKS) {
        let mut errors = Diagnostics::new();
        let stopped = match attempt(&text, id, Duplicates::Refused, &mut errors) {
            Ok(document) => {
                found.into_iter().for_each(|error| problems.push(error));
                problems.extend(errors);
                return Rest { document: Some(document), lost };
            }
            Err(stopped) => stopped,
        };
        let error = errors.iter().filter(|error| error.severity == Severity::Error).last().cloned();
        of_whole.get_or_insert(errors);
        let at = error.as_ref().and_then(|error| Some(error.primary.as_ref()?.span.range().start));
        // A text that is YAML and makes no value may hold more than is wrong with it: aliases that multiply.
        let (Some(error), Some(at), Some((problem, fault))) = (error, at, stopped) else { break };
        // The parser stops where it stopped before if the mistake is not where it seemed to be.
        let is_again = last_fault.replace(fault) == Some(fault);
        let block = block(&text, if is_again { fault } else { at });
        if let Some((entity, before)) = tried.take()
            && (entity.contains(&fault) || block.start == entity.start)
        {
            // More of it is wrong, or the mistake was elsewhere.
            text = Cow::Owned(without(&before, &entity));
            last_fault = None;
            continue;
        }
        let is_blank = text.get(block.clone()).is_none_or(|text| text.trim().is_empty());
        if is_blank || is_of_whole(problem, &text) {
            break;
        }
        if !is_again && !is_of_lost_anchor(&error, &source.text, &lost) {
            found.push(error);
        }
        if let Some(moved) = header_moved(&text, at).filter(|_| !is_again) {
            text = Cow::Owned(moved);
            continue;
        }
        let part = part(&text, at, &block).filter(|_| !is_again);
        let rest = without(&text, part.as_ref().unwrap_or(&block));
        if part.is_some() {
            tried = Some((block.clone(), text));
        }
        text = Cow::Owned(rest);
        lost.push(Span::new(id, block.start, block.end));
    }
    // The mistakes after the first may all come from it.
    problems.extend(of_whole.unwrap_or_default());
    Rest { document: None, lost: vec![Span::new(id, 0, source.text.len())] }
}

/// Returns `true` if no part of a text can be left out: of a template or both sides of a merge conflict, any part may be meant or not.
fn is_of_whole(problem: Problem, text: &str) -> bool {
    matches!(problem, Problem::SecondDocument | Problem::Version | Problem::Depth)
        || text.contains("{%")
        || text.lines().any(|line| line.starts_with("<<<<<<< "))
}

/// The part of an entity that holds a byte, if the entity has others: one of its rules, or else one of its fields. A rule without a field would be
/// another one, and so would a field without a part of its value.
fn part(text: &str, at: usize, entity: &Range<usize>) -> Option<Range<usize>> {
    let here = Line::around(text, at);
    if here.margin().contains('\t') {
        return None;
    }
    let inside = |line: &Line<'_>, range: &Range<usize>| range.start < line.start && line.start < range.end;
    let first = Line::around(text, entity.start).below().next().filter(|line| inside(line, entity))?;
    let field = Piece { indent: first.indent(), is_item: false };
    let range = field.around(here, entity)?;
    let head = Line::around(text, range.start);
    // A line that is no field is a part of the field above it, which says something else without it.
    let is_name = |key: &&str| key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if head.key().filter(is_name)? == "rules" {
        let first = head.below().next().filter(|line| inside(line, &range))?;
        let item = Piece { indent: first.indent(), is_item: true };
        return item.around(here, &range).filter(|rule| item.is_beside(text, rule, &range));
    }
    Some(range).filter(|range| field.is_beside(text, range, entity))
}

/// The form of the parts that something is made of: fields, or items of a list.
struct Piece {
    indent: usize,
    is_item: bool,
}

impl Piece {
    fn is_start(&self, line: &Line<'_>) -> bool {
        line.indent() == self.indent && line.is_item() == self.is_item && !line.content().is_empty()
    }

    /// The part around a line within a range.
    fn around(&self, here: Line<'_>, range: &Range<usize>) -> Option<Range<usize>> {
        let ends = |line: &Line<'_>| line.indent() < self.indent || self.is_start(line);
        let start = std::iter::once(here).chain(here.above()).find(ends)?;
        if !self.is_start(&start) || start.start <= range.start {
            return None;
        }
        let end = here.below().find(ends).map_or(range.end, |line| line.start);
        Some(start.start..end.min(range.end))
    }

    /// Returns `true` if a range has another such part.
    fn is_beside(&self, text: &str, part: &Range<usize>, range: &Range<usize>) -> bool {
        let lines = Line::around(text, range.start).below().take_while(|line| line.start < range.end);
        lines.filter(|line| self.is_start(line)).any(|line| !part.contains(&line.start))
    }
}

/// The text with blanks in place of a block; a section that has nothing else is left out with it.
fn without(text: &str, block: &Range<usize>) -> String {
    let blank = |text: &str, range: &Range<usize>| {
        let mut bytes = text.as_bytes().to_vec();
        let lost = bytes.get_mut(range.clone()).unwrap_or_default();
        lost.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
        String::from_utf8(bytes).unwrap_or_default()
    };
    let rest = blank(text, block);
    let line = Line::around(&rest, block.start);
    let section = line.above().next().filter(|above| above.indent() == 0 && above.content().ends_with(':'));
    match section {
        Some(section) if section.below().next().is_none_or(|below| below.indent() == 0 && !below.is_item()) => {
            blank(&rest, &(section.start..section.start + section.text.len()))
        }
        _ => rest,
    }
}

/// Returns `true` for the error of an alias whose anchor was left out.
fn is_of_lost_anchor(error: &Diagnostic, source: &str, lost: &[Span]) -> bool {
    let Some(alias) = error.primary.as_ref().and_then(|label| source.get(label.span.range())) else { return false };
    let anchor = alias.replacen('*', "&", 1);
    alias.starts_with('*')
        && lost.iter().any(|lost| source.get(lost.range()).is_some_and(|text| text.contains(&anchor)))
}
