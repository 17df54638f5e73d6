//! The outline of a text as its author meant it, which may not be YAML: sections at the margin, their entries, the lines of each.

use std::ops::Range;

use super::lines::Line;

/// The most lines of a section whose indentations are compared.
const MOST_LINES: usize = 2000;

/// The range of the entity that holds a byte; of the section if no entity does.
pub fn block(text: &str, at: usize) -> Range<usize> {
    let here = Line::around(text, at);
    // A line that is indented with a tab is where the one above it is.
    let is_out = |line: &Line<'_>, indent: usize| line.indent() <= indent && !has_tab(line);
    let end = |from: Line<'_>, indent: usize| {
        let mut below = from.below().filter(|line| is_out(line, indent) && !(indent == 0 && line.is_item()));
        below.next().map_or(text.len(), |line| line.start)
    };
    let Some(section) = std::iter::once(here).chain(here.above()).find(is_section) else {
        let is_header = header_moved(text, at).is_some();
        return if is_header { here.start..here.start + here.text.len() } else { 0..text.len() };
    };
    let whole = section.start..end(section, 0);
    let indent = indent_of_entries(section);
    if section.start == here.start || indent == 0 {
        return whole;
    }
    let is_start = |line: &Line<'_>| is_out(line, indent) && !line.content().is_empty();
    match std::iter::once(here).chain(here.above()).find(is_start) {
        Some(entity) if entity.start > section.start => entity.start..end(here, indent).max(entity.start),
        // The first entry is indented deeper than the others.
        Some(_) if section.below().next().is_some_and(|first| first.start <= here.start) => {
            let first = section.below().next().map_or(section.start, |first| first.start);
            first..end(here, indent).max(first)
        }
        _ => whole,
    }
}

/// Returns `true` for a line whose indentation is not known, because it has tabs.
fn has_tab(line: &Line<'_>) -> bool {
    line.margin().contains('\t')
}

/// Returns `true` for the first line of a section.
fn is_section(line: &Line<'_>) -> bool {
    line.indent() == 0 && !line.content().is_empty() && !line.is_item()
}

/// The deepest indentation that entries may have.
const DEEPEST: usize = 16;

/// The indentation of the entries below a line: that of the first, unless it is alone with it and several lines below share another.
fn indent_of_entries(section: Line<'_>) -> usize {
    let Some(first) = section.below().next() else { return 0 };
    if has_tab(&first) {
        // The next line may be in the entry whose indentation is not known.
        let lines =
            || section.below().take_while(|line| !is_section(line)).filter(|line| !has_tab(line)).take(MOST_LINES);
        let is_theirs = |indent: &usize| {
            let mut beside = lines().filter(|line| line.indent() == *indent);
            beside.next().is_some_and(|line| line.content().ends_with(':')) || beside.next().is_some()
        };
        return (1..=DEEPEST).find(is_theirs).or_else(|| lines().map(Line::indent).min()).unwrap_or(0);
    }
    (1..=DEEPEST).find(|indent| is_odd_first(first, *indent)).unwrap_or_else(|| first.indent())
}

/// Returns `true` if the first key of a mapping is the only one that is indented as it is, and several below it have this other indentation.
pub(super) fn is_odd_first(first: Line<'_>, indent: usize) -> bool {
    let Some(parent) = first.above().find(|line| !has_tab(line)) else { return false };
    let outer = parent.indent();
    if first.key().is_none()
        || parent.key().is_none()
        || outer >= first.indent().min(indent)
        || first.indent() == indent
        || first.is_item()
    {
        return false;
    }
    let is_header = first.content().ends_with(':');
    let (mut count, has_own) = (0, is_header && indent > first.indent());
    // Below a key with a value, lines that are much deeper are meant as its fields.
    let is_near = |next: Line<'_>| next.indent() == indent && indent <= first.indent() + 1;
    if !is_header && !first.below().next().is_some_and(is_near) {
        return false;
    }
    let lines = first.below().take_while(|line| line.indent() > outer).filter(|line| !has_tab(line));
    for (at, line) in lines.take(MOST_LINES).enumerate() {
        let is_beside = line.indent() == indent && !line.is_item();
        // Deeper lines may be the first key's own: those that follow it at once, and those that have values, as fields do.
        let is_own = has_own && (at == 0 || !line.content().ends_with(':'));
        if line.indent() == first.indent() || is_beside && is_own {
            return false;
        }
        count += usize::from(is_beside && line.key().is_some());
    }
    count > 1
}

/// The text with the header of a section moved to the margin, if the line that holds a byte is one: its entries are indented as those of the section
/// above it, or it is the first line and others stand at the margin.
pub(super) fn header_moved(text: &str, at: usize) -> Option<String> {
    let here = Line::around(text, at);
    let (content, indent) = (here.text.trim_start(), here.indent());
    let below = here.below().find(|line| !has_tab(line))?;
    if indent == 0 || !here.content().ends_with(':') || here.is_item() || below.indent() <= indent {
        return None;
    }
    let is_header = match here.above().find(is_section) {
        Some(section) => below.indent() == indent_of_entries(section),
        None => here.above().next().is_none() && here.below().any(|line| is_section(&line)),
    };
    let moved = format!("{content}{}", " ".repeat(indent));
    is_header.then(|| {
        [text.get(..here.start), Some(&moved), text.get(here.start + here.text.len()..)].into_iter().flatten().collect()
    })
}
