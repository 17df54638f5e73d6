//! Problems as text for terminals and logs, with excerpts of the files that they are in.

mod excerpt;

use std::borrow::Cow;
use std::fmt::Write;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet, Title};

use crate::diagnostic::{Diagnostic, Diagnostics, Label, Severity};
use crate::printable;
use crate::source::{Place, SourceId, SourceMap, Span};

/// Problems that can be shown to a person.
pub trait Render {
    /// The problem as text: title, `file:line:column`, excerpt with carets, notes and help. With `colour` it has ANSI styles; in either case
    /// they are the only characters that a terminal obeys.
    fn render(&self, sources: &SourceMap, colour: bool) -> String;
}

impl Render for Diagnostic {
    fn render(&self, sources: &SourceMap, colour: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut title = level.primary_title(printable::line(&self.message));
        if let Some(code) = self.code {
            title = title.id(code.as_str());
        }
        let mut moved = Vec::new();
        let mut groups = vec![group(self, title, sources, &mut moved)];
        let mut behind = self.behind.as_deref();
        while let Some(other) = behind {
            let title = Level::NOTE.secondary_title(printable::line(&other.message));
            groups.push(group(other, title, sources, &mut moved));
            behind = other.behind.as_deref();
        }
        // The help comes last, behind the problems that led to this one.
        if let Some(help) = &self.help
            && let Some(last) = groups.pop()
        {
            groups.push(last.element(Level::HELP.message(printable::line(help))));
        }
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let mut text = renderer.render(&groups);
        for Moved { cut, real } in moved {
            text = text.replacen(&cut, &real, 1);
        }
        text
    }
}

/// In order of place, with an empty line between them.
impl Render for Diagnostics {
    fn render(&self, sources: &SourceMap, colour: bool) -> String {
        let mut sorted = self.clone();
        sorted.sort();
        let mut out = String::new();
        for item in sorted.iter() {
            let _ = writeln!(out, "{}\n", item.render(sources, colour));
        }
        out
    }
}

/// All that stands under a title.
fn group<'a>(
    diagnostic: &'a Diagnostic,
    title: Title<'a>,
    sources: &'a SourceMap,
    moved: &mut Vec<Moved>,
) -> Group<'a> {
    let mut group = Group::with_title(title);
    let calls = diagnostic.trace.iter().filter_map(|label| snippet(sources, None, vec![label]));
    for (snippet, header) in snippets(diagnostic, sources).into_iter().chain(calls) {
        group = group.element(snippet);
        moved.extend(header);
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(printable::line(note)));
    }
    group
}

/// One excerpt for each source that has a label, the primary one's first; several where labels are far from each other.
fn snippets<'a>(diagnostic: &'a Diagnostic, sources: &'a SourceMap) -> Vec<(Excerpt<'a>, Option<Moved>)> {
    let mut excerpts: Vec<Near<'a>> = Vec::new();
    let primary = diagnostic.primary.iter().map(|label| (label, true));
    for (label, is_primary) in primary.chain(diagnostic.secondary.iter().map(|label| (label, false))) {
        let (source, line) = (label.span.source, sources.place(label.span).line);
        let is_near = |other: &Near<'a>| other.lines.iter().any(|other| other.abs_diff(line) <= FAR);
        let known = excerpts.iter().position(|other| other.source == source && is_near(other));
        let at = known.unwrap_or_else(|| {
            excerpts.push(Near { source, lines: Vec::new(), primary: None, secondary: Vec::new() });
            excerpts.len() - 1
        });
        let Some(near) = excerpts.get_mut(at) else { continue };
        near.lines.push(line);
        if is_primary {
            near.primary = Some(label);
        } else {
            near.secondary.push(label);
        }
    }
    let snippets = excerpts.into_iter().map(|near| snippet(sources, near.primary, near.secondary));
    snippets.flatten().collect()
}

/// Labels of one file that are more lines apart than this are in two excerpts: the renderer walks all lines between them.
const FAR: usize = 200;

/// Labels of one file that are near each other.
struct Near<'a> {
    source: SourceId,
    lines: Vec<usize>,
    primary: Option<&'a Label>,
    secondary: Vec<&'a Label>,
}

type Excerpt<'a> = Snippet<'a, annotate_snippets::Annotation<'a>>;

/// A place as the renderer takes it from a cut line, and the one that it has in the file.
struct Moved {
    cut: String,
    real: String,
}

/// The excerpt with labels of one source.
fn snippet<'a>(
    sources: &'a SourceMap,
    primary: Option<&'a Label>,
    secondary: Vec<&'a Label>,
) -> Option<(Excerpt<'a>, Option<Moved>)> {
    let labels = || primary.iter().chain(&secondary).map(|label| label.span);
    let text = sources.get(labels().next()?.source)?;
    let written = |span: Span| text.written(span.range()).1;
    let (source, _) = text.written(0..0);
    let first = labels().map(|span| written(span).start).min()?;
    let last = labels().map(|span| fit(&source.text, written(span)).end).max().unwrap_or_default();
    // Only the lines between the labels: the renderer walks all it is given.
    let line = source.place(u32::try_from(first).unwrap_or(u32::MAX)).line;
    let start = source.line_start(line);
    let rest = source.text.get(last..).unwrap_or("");
    let end = last + rest.find('\n').unwrap_or(rest.len());
    // The renderer would print the line ends of Windows as symbols.
    let lines = source.text.get(start..end).unwrap_or("");
    let lines = if lines.contains('\r') { Cow::Owned(lines.replace('\r', " ")) } else { Cow::Borrowed(lines) };
    let within = |label: &Label| {
        let range = fit(&source.text, written(label.span));
        range.start.saturating_sub(start)..range.end.saturating_sub(start)
    };
    let mut ranges: Vec<std::ops::Range<usize>> =
        labels_of(primary, &secondary).map(|(_, label)| within(label)).collect();
    let shown = printable_excerpt(&excerpt::cut(&lines, &mut ranges), &mut ranges);
    let moved = ranges.first().filter(|_| shown != *lines).map(|range| {
        let label = primary.or(secondary.first().copied());
        let place = label.map_or(Place { line, column: 1 }, |label| sources.place(label.span));
        let before = shown.get(..range.start).unwrap_or("");
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        let at = |column: usize| format!("{}:{}:{column}", printable::line(&source.name), place.line);
        Moved { cut: at(column), real: at(place.column) }
    });
    let annotations = labels_of(primary, &secondary).zip(ranges).map(|((kind, label), range)| {
        let annotation = kind.span(range);
        if label.text.is_empty() { annotation } else { annotation.label(printable::line(&label.text)) }
    });
    let annotations: Vec<annotate_snippets::Annotation<'a>> = annotations.collect();
    let snippet = Snippet::source(shown).line_start(line).path(printable::line(&source.name));
    Some((snippet.annotations(annotations), moved))
}

/// The lines of an excerpt as they may be printed, with the ranges moved along: odd characters become longer.
fn printable_excerpt(lines: &str, ranges: &mut [std::ops::Range<usize>]) -> String {
    let length = |end: usize| printable::excerpt(lines.get(..end).unwrap_or(lines)).len();
    for range in ranges {
        *range = length(range.start)..length(range.end);
    }
    printable::excerpt(lines).into_owned()
}

/// The labels with their kinds, the primary one first.
fn labels_of<'a>(
    primary: Option<&'a Label>,
    secondary: &[&'a Label],
) -> impl Iterator<Item = (AnnotationKind, &'a Label)> {
    let secondary = secondary.iter().map(|label| (AnnotationKind::Context, *label));
    primary.into_iter().map(|label| (AnnotationKind::Primary, label)).chain(secondary)
}

/// The span's bytes, kept within the text and cut at the end of its first line: a caret under one line reads better
/// than a bracket over a whole section.
fn fit(text: &str, span: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let start = floor_char_boundary(text, span.start);
    let end = floor_char_boundary(text, span.end).max(start);
    let covered = text.get(start..end).unwrap_or("");
    let line = covered.split(['\n', '\r']).next().unwrap_or("").trim_end();
    start..start + line.len()
}

fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]
    use super::*;

    #[test]
    fn renders_excerpt_caret_and_help() {
        let mut sources = SourceMap::new();
        let id = sources.add("a.yml", "tools:\n  bwa:\n    cores: [1, 2]\n");
        let at = Span::new(id, 25, 31);
        let also = Span::new(id, 9, 12);
        let diagnostic = Diagnostic::error("`cores` must be a number or an expression")
            .at(at, "this is a list")
            .also(also, "in this tool")
            .help("write `cores: 2`");
        let expected = "\
error: `cores` must be a number or an expression
 --> a.yml:3:12
  |
2 |   bwa:
  |   --- in this tool
3 |     cores: [1, 2]
  |            ^^^^^^ this is a list
  |
  = help: write `cores: 2`";
        assert_eq!(diagnostic.render(&sources, false), expected);
        assert!(diagnostic.render(&sources, true).contains("\u{1b}["));
    }

    #[test]
    fn line_ends_of_windows_are_not_shown() {
        let mut sources = SourceMap::new();
        let id = sources.add("a.yml", "tools:\r\n  bwa: x\r\n");
        let text =
            Diagnostic::error("x").at(Span::new(id, 15, 16), "").also(Span::new(id, 0, 5), "").render(&sources, false);
        assert!(
            text.lines().any(|line| line.trim_end() == "2 |   bwa: x") && !text.contains(['\r', '\u{240d}']),
            "{text}"
        );
    }

    #[test]
    fn odd_spans_are_kept_within_the_text() {
        let mut sources = SourceMap::new();
        for text in ["", "é", "a: é\r\n", "a\n\n\n"] {
            let id = sources.add("a.yml", text);
            for (start, end) in [(0, 0), (1, 2), (5, 99), (99, 200), (0, 99)] {
                let diagnostic =
                    Diagnostic::error("x").at(Span::new(id, start, end), "here").also(Span::new(id, 0, 1), "");
                assert!(diagnostic.render(&sources, false).starts_with("error: x"));
            }
        }
    }

    #[test]
    fn problems_without_a_place_come_first() {
        let mut sources = SourceMap::new();
        let id = sources.add("a.yml", "a: b\n");
        let mut all = Diagnostics::new();
        all.push(Diagnostic::warning("`a` is not a section").at(Span::new(id, 0, 1), ""));
        all.push(Diagnostic::error("cannot read `b.yml`: no such file"));
        assert_eq!((all.errors(), all.warnings()), (1, 1));
        let text = all.render(&sources, false);
        assert!(
            text.starts_with("error: cannot read `b.yml`: no such file\n\nwarning: `a` is not a section\n"),
            "{text}"
        );
    }
}
