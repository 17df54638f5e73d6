//! Mistakes between lines: a missing colon, dash or blank, wrong indentation.

use super::{Stop, spaces};
use crate::load::lines::{Line, mistake};
use crate::load::outline::is_odd_first;
use crate::read::fault::Problem;
use tpv_text::diagnostic::Diagnostic;

/// The number of lines of a block searched for its header.
const MOST_LINES: usize = 200;

impl Stop<'_> {
    /// A key without its colon, which is noticed at the next one.
    pub(super) fn no_colon(&self) -> Option<Diagnostic> {
        if !self.is(&[Problem::Colon, Problem::MissingColon]) {
            return None;
        }
        let here = self.line();
        let at_end = self.fault.at >= self.text.len() && !here.content().is_empty();
        let line = if at_end { here } else { here.above().next()? };
        // The items of a list below a key without its colon, which are one text with that key.
        let key_above = line.above().find(|above| above.indent() < line.indent() && !above.is_item());
        let line = key_above.filter(|above| line.is_item() && above.key().is_none()).unwrap_or(line);
        let content = line.content_range();
        let place = |range: std::ops::Range<usize>| self.span(content.start + range.start, content.start + range.end);
        let text = line.content();
        let whole = place(0..text.len());
        if let Some(above) = line.above().next().filter(|above| above.starts_block()) {
            let key = above.key().unwrap_or("the key");
            let column = above.behind_dashes().1 + 2;
            return Some(
                Diagnostic::error(format!("the text of `{key}` is not indented"))
                    .at(whole, "")
                    .help(format!("indent it deeper than `{key}`: {}", spaces(column))),
            );
        }
        if let Some(header) = self.header_without_colon(line) {
            return Some(header);
        }
        let has_no_key = line.key().is_none();
        if let Some(short) = self.short_of_block(line).filter(|_| has_no_key) {
            return Some(short);
        }
        let sibling = line.above().find(|above| above.indent() <= line.indent()).filter(|_| !line.is_item());
        if has_no_key && sibling.is_some_and(|above| above.indent() == line.indent() && above.is_item()) {
            return Some(
                Diagnostic::error("this item of a list has no `- `").at(whole, "").help(format!("write `- {text}`")),
            );
        }
        let (inner, column) = line.behind_dashes();
        let dashes = text.len() - inner.len();
        if let Some(key) = here.key().filter(|_| line.is_item() && has_no_key && here.indent() != column && !at_end) {
            let beside =
                line.above().find(|above| above.key().is_some() && above.behind_dashes().1 <= line.indent())?;
            let start = here.start + here.behind_dashes().1;
            return Some(
                Diagnostic::error(format!("`{key}` is indented deeper than the item of a list above it"))
                    .at(self.span(start, start + key.len()), "")
                    .help(format!("indent it by {}, as `{}`", spaces(beside.behind_dashes().1), beside.key()?)),
            );
        }
        if let Some(mistake) = mistake(inner).filter(|_| has_no_key || text.contains('\u{a0}') || text.starts_with('-'))
        {
            let at = place(dashes + mistake.at.start..dashes + mistake.at.end);
            return Some(Diagnostic::error(mistake.message).at(at, "").help(mistake.help));
        }
        // Ids of tools are no plain words.
        if has_no_key && !inner.contains(char::is_whitespace) && here.indent() > column {
            return Some(
                Diagnostic::error(format!("a `:` is missing after `{inner}`"))
                    .at(place(dashes..text.len()), "")
                    .help(format!("write `{inner}:`")),
            );
        }
        if has_no_key {
            return Some(
                Diagnostic::error("this line is no `key: value`")
                    .at(whole, "")
                    .help("write `key: value`, `- item`, or `#` before a comment"),
            );
        }
        if is_odd_first(line, here.indent()) {
            return Some(self.odd(&line, &here));
        }
        // The line above is whole, so that this one is a second value for it.
        let (key, above) = (here.key()?, line.key()?);
        let (_, column) = line.behind_dashes();
        let start = here.start + here.behind_dashes().1;
        Some(
            Diagnostic::error(format!("`{key}` is indented deeper than `{above}`, which has its value already"))
                .at(self.span(start, start + key.len()), "")
                .also(place(text.len() - line.behind_dashes().0.len()..text.len()), "")
                .help(format!("indent it by {}, as `{above}`", spaces(column))),
        )
    }

    /// `if |` above a block: without the colon, header and block are one plain text.
    fn header_without_colon(&self, line: Line<'_>) -> Option<Diagnostic> {
        let mut outermost = line.indent();
        for line in std::iter::once(line).chain(line.above()).take(MOST_LINES) {
            let (inner, column) = line.behind_dashes();
            if line.indent() < outermost && line.key().is_some() {
                return None;
            }
            outermost = outermost.min(line.indent());
            let bare = inner.trim_end_matches(['|', '>', '-', '+']);
            if let Some(key) = bare.strip_suffix(':').filter(|key| bare.len() < inner.len() && !key.contains(' ')) {
                let (start, header) = (line.start + column, inner.get(bare.len()..).unwrap_or(""));
                return Some(
                    Diagnostic::error(format!("a blank is missing after `{bare}`"))
                        .at(self.span(start + key.len(), start + bare.len()), "")
                        .help(format!("write `{key}: {header}`")),
                );
            }
            if let Some((key, header)) = inner.split_once(' ')
                && line.starts_block()
                && line.key().is_none()
                && !header.contains(' ')
            {
                let start = line.start + column;
                return Some(
                    Diagnostic::error(format!("a `:` is missing after `{key}`"))
                        .at(self.span(start, start + key.len()), "")
                        .help(format!("write `{key}: {header}`")),
                );
            }
        }
        None
    }

    /// A line of a block of text that is indented too little.
    fn short_of_block(&self, line: Line<'_>) -> Option<Diagnostic> {
        let first = line.above().next().filter(|above| above.indent() > line.indent())?;
        let outer = line.above().find(|above| above.indent() <= line.indent()).filter(|outer| outer.starts_block())?;
        let range = line.content_range();
        let message = format!("this line is indented less than the text of `{}` above it", outer.key()?);
        let diagnostic = Diagnostic::error(message).at(self.span(range.start, range.end), "");
        Some(diagnostic.help(format!("indent it by {}, as the line above", spaces(first.indent()))))
    }

    /// A key that stands under none of those above.
    pub(super) fn indentation(&self) -> Option<Diagnostic> {
        if !self.is(&[Problem::ExpectedKey]) || !matches!(self.before().trim(), "" | "-") {
            return None;
        }
        let line = self.line();
        if let Some(short) = self.short_of_block(line).filter(|_| line.key().is_none()) {
            return Some(short);
        }
        let indent = line.indent();
        let name = |line: &Line<'_>| line.key().unwrap_or_else(|| line.content()).to_owned();
        let here = name(&line);
        let place = line.content_range();
        let place = self.span(place.start, place.start + here.len());
        let with_key = || line.above().filter(|above| above.key().is_some());
        let same = with_key().find(|above| above.behind_dashes().1 <= indent);
        let no_item = same.filter(|above| !above.is_item() && above.content().starts_with('-'));
        if let Some((above, mistake)) = no_item.and_then(|above| Some((above, mistake(above.content())?))) {
            let start = above.content_range().start;
            let at = self.span(start + mistake.at.start, start + mistake.at.end);
            return Some(Diagnostic::error(mistake.message).at(at, "").help(mistake.help));
        }
        let of_line = |line: &Line<'_>| {
            let range = line.content_range();
            self.span(range.start, range.end)
        };
        if let Some(above) = line.above().next().filter(|above| line.is_item() && above.is_item()) {
            return Some(
                Diagnostic::error("this item of a list is not indented as the one above it")
                    .at(place, "")
                    .also(of_line(&above), "")
                    .help(format!("indent it by {}", spaces(above.indent()))),
            );
        }
        if line.is_item() && same.is_some_and(|above| above.behind_dashes().1 == indent) {
            let above = name(&same?);
            let help = if matches!(line.key(), Some("if" | "id")) {
                "write `rules:` in the line above, and indent the rule deeper than that".to_owned()
            } else {
                format!(
                    "indent it deeper than the key it belongs to, or remove the `- ` to have a key beside `{above}`"
                )
            };
            return Some(Diagnostic::error("a list item is among keys").at(place, "").help(help));
        }
        let inner = with_key().take_while(|above| above.behind_dashes().1 > indent).last();
        let outer = with_key().find(|above| above.behind_dashes().1 < indent);
        if let Some(odd) = inner.iter().chain(&outer).find(|first| is_odd_first(**first, indent)) {
            return Some(self.odd(odd, &line));
        }
        let spot = |line: &Line<'_>| format!("{} to align it with `{}`", spaces(line.behind_dashes().1), name(line));
        let help: Vec<String> = inner.iter().chain(&outer).map(spot).collect();
        let diagnostic =
            Diagnostic::error(format!("the indentation of `{here}` matches no key above it")).at(place, "");
        let diagnostic = match &inner {
            Some(inner) => diagnostic.also(of_line(inner), ""),
            None => diagnostic,
        };
        Some(if help.is_empty() {
            diagnostic
        } else {
            diagnostic.help(format!("indent it by {}", help.join(", or by ")))
        })
    }

    /// The first key of a mapping, with another indentation than the others.
    fn odd(&self, first: &Line<'_>, other: &Line<'_>) -> Diagnostic {
        let key = |line: &Line<'_>| {
            let name = line.key().unwrap_or_else(|| line.content()).to_owned();
            let start = line.content_range().start;
            (self.span(start, start + name.len()), name)
        };
        let ((place, name), (below, sibling)) = (key(first), key(other));
        Diagnostic::error(format!("`{name}` is not indented as the keys below it"))
            .at(place, "")
            .also(below, "")
            .help(format!("indent it by {}, as `{sibling}`", spaces(other.indent())))
    }

    /// A line in a list that does not start an item.
    pub(super) fn no_dash(&self) -> Option<Diagnostic> {
        let line = self.line();
        let content = line.content_range();
        let place = self.span(content.start, content.end);
        if self.is(&[Problem::Dash]) {
            let (key, item) = (line.key()?, self.rest().trim_start_matches('-').trim_start());
            let item = item.lines().next().unwrap_or("");
            return Some(
                Diagnostic::error(format!("a list item is on the line of `{key}`"))
                    .at(self.rest_of_line(), "")
                    .help(format!("write it on the next line, or `{key}: [{item}]`")),
            );
        }
        if !self.is(&[Problem::ExpectedDash]) || !self.before().trim().is_empty() {
            return None;
        }
        let item = line.above().find(|above| above.is_item() && above.indent() <= line.indent())?;
        let column = item.behind_dashes().1;
        let diagnostic = if item.indent() == line.indent() {
            Diagnostic::error("this is among the items of a list but has no `- `").help(format!(
                "write `- {}` for an item of its own, or indent it by {} for the item above",
                line.content(),
                spaces(column)
            ))
        } else {
            let name = line.key().unwrap_or_else(|| line.content());
            let beside = item.key().unwrap_or_else(|| item.behind_dashes().0);
            Diagnostic::error(format!("the indentation of `{name}` matches nothing above it"))
                .help(format!("indent it by {} to align it with `{beside}`", spaces(column)))
        };
        Some(diagnostic.at(place, ""))
    }

    /// A first key that is indented, where the next is not.
    pub(super) fn first_line(&self) -> Option<Diagnostic> {
        if !self.is(&[Problem::ExpectedEnd]) {
            return None;
        }
        let first = self.line().above().last().filter(|first| first.indent() > self.line().indent())?;
        let range = first.content_range();
        Some(
            Diagnostic::error("the first key is indented, and the others are not")
                .at(self.span(range.start, range.end), "")
                .also(self.rest_of_line(), "")
                .help("remove the blanks before it"),
        )
    }
}
