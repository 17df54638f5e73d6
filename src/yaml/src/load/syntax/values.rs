//! Mistakes inside a line: quotes, brackets, characters that YAML keeps for itself, a second colon.

use super::Stop;
use crate::load::lines::{Line, quoted};
use crate::read::fault::Problem;
use tpv_text::diagnostic::Diagnostic;

impl Stop<'_> {
    /// `@`, a backtick, `%`, or `&` and `*` without a name.
    pub(super) fn first_character(&self) -> Option<Diagnostic> {
        if !self.is(&[Problem::FirstCharacter, Problem::AnchorName]) {
            return None;
        }
        let place = self.rest_of_line();
        let value = self.text.get(place.range()).unwrap_or("");
        let first = value.chars().next()?;
        let shown = if first == '`' { "a backtick".to_owned() } else { format!("`{first}`") };
        Some(
            Diagnostic::error(format!("a value cannot start with {shown}, which YAML keeps for itself"))
                .at(place, "")
                .help(format!("put it in quotes: `{}`", quoted(value))),
        )
    }

    /// `'a' in b`: the value ends with the quotes.
    pub(super) fn behind_quotes(&self) -> Option<Diagnostic> {
        if !self.is(&[Problem::BehindQuotes]) {
            return None;
        }
        let before = self.before().trim_end();
        let quote = before.chars().next_back().filter(|c| matches!(c, '"' | '\''))?;
        if before.matches(quote).count() % 2 == 1 {
            let open = self.line().above().find(|line| line.text.matches(quote).count() % 2 == 1)?;
            let start = open.start + open.text.rfind(quote)?;
            let close = self.line().start + before.len() - 1;
            let value = self.text.get(start..open.content_range().end).unwrap_or("");
            return Some(
                Diagnostic::error("these quotes are not closed on their line")
                    .at(self.span(start, start + 1), "they open here")
                    .also(self.span(close, close + 1), "and are closed by these")
                    .help(format!("close them: `{value}{quote}`")),
            );
        }
        let (value, _) = self.line().value();
        Some(
            Diagnostic::error("the value goes on behind its closing quotes")
                .at(self.rest_of_line(), "")
                .help(format!("put the whole value in quotes: `{}`", quoted(value))),
        )
    }

    /// An escape that does not exist, in quotes that were not closed in a line above.
    pub(super) fn escape_behind_open_quotes(&self) -> Option<Diagnostic> {
        let is_odd = |text: &str| text.matches('"').count() % 2 == 1;
        if !self.is(&[Problem::Escape]) || is_odd(self.before()) {
            return None;
        }
        let open = self.line().above().find(|line| is_odd(line.text))?;
        let is_key = |line: &Line<'_>| line.indent() <= open.indent() && line.key().is_some();
        let next = open.below().take_while(|line| line.start <= self.fault.at).find(is_key)?;
        let start = open.start + open.text.rfind('"')?;
        let value = self.text.get(start..open.content_range().end).unwrap_or("");
        let place = next.content_range();
        Some(
            Diagnostic::error("these quotes are not closed on their line")
                .at(self.span(start, start + 1), "they open here")
                .also(self.span(place.start, place.end), "this is read as a part of the text")
                .help(format!("close them: `{value}\"`")),
        )
    }

    pub(super) fn open_quotes(&self) -> Option<Diagnostic> {
        if !self.is(&[Problem::OpenQuotes]) {
            return None;
        }
        let place = self.rest_of_line();
        let value = self.text.get(place.range()).unwrap_or("");
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        Some(
            Diagnostic::error("the quotes that open here are never closed")
                .at(self.span(self.fault.at, self.fault.at + 1), "")
                .help(format!("close them: `{value}{quote}`")),
        )
    }

    /// `{cores} --mem {mem}`, `[1, 2] == x`: the value ends with the bracket.
    pub(super) fn behind_bracket(&self) -> Option<Diagnostic> {
        if !self.is(&[Problem::ExpectedKey]) || !self.before().trim_end().ends_with(['}', ']']) {
            return None;
        }
        let (value, _) = self.line().value();
        let what = if value.starts_with('{') { "mapping" } else { "list" };
        Some(
            Diagnostic::error(format!("the value goes on behind the bracket that closes a {what}"))
                .at(self.rest_of_line(), "")
                .help(format!("put the whole value in quotes: `{}`", quoted(value))),
        )
    }

    pub(super) fn open_bracket(&self) -> Option<Diagnostic> {
        let here = self.span(self.fault.at, self.fault.at + self.rest().chars().next().map_or(0, char::len_utf8));
        if self.is(&[Problem::Bracket]) {
            let help = "remove it, or put the value in quotes";
            return Some(Diagnostic::error("this bracket has no opening bracket").at(here, "").help(help));
        }
        let is_about_it = self.is(&[Problem::ExpectedComma, Problem::ExpectedValue, Problem::MissingColon]);
        let open = self.fault.bracket.filter(|_| is_about_it)?;
        let (bracket, close) = match self.text.get(open..)?.chars().next()? {
            '[' => ('[', ']'),
            '{' => ('{', '}'),
            _ => return None,
        };
        let line = Line::around(self.text, open);
        if self.fault.at > line.start + line.text.len() {
            let content = line.content();
            return Some(
                Diagnostic::error(format!("the bracket `{bracket}` is not closed"))
                    .at(self.span(open, open + 1), "it opens here")
                    .help(format!("write `{content}{close}`")),
            );
        }
        let (value, range) = line.value();
        if bracket == '{' && range.start == open && !value.contains(": ") {
            return Some(
                Diagnostic::error("a value that starts with `{` is a mapping for YAML")
                    .at(self.span(range.start, range.end), "")
                    .help(format!("put an f-string in quotes: `{}`", quoted(value))),
            );
        }
        Some(
            Diagnostic::error("a comma or the closing bracket is missing")
                .at(here, format!("`,` or `{close}` is expected before this"))
                .also(self.span(open, open + 1), "")
                .help(format!("put a comma between items, and `{close}` after the last")),
        )
    }

    /// Text beside `---` or `|`.
    pub(super) fn behind_marker(&self) -> Option<Diagnostic> {
        let line = self.line();
        if let Some(rest) = line.text.strip_prefix("---").filter(|rest| !rest.trim().is_empty())
            && self.is(&[Problem::Colon])
        {
            let start = line.start + line.text.len() - rest.trim_start().len();
            return Some(
                Diagnostic::error("a key is on the line of the marker `---`")
                    .at(self.span(start, line.content_range().end), "")
                    .help("write it on the next line"),
            );
        }
        if !self.is(&[Problem::BlockHeader]) {
            return None;
        }
        let header = self.rest().split_whitespace().next()?;
        let key = line.key().unwrap_or("the key");
        Some(
            Diagnostic::error(format!("text is on the line of `{header}`"))
                .at(self.span(self.fault.at + header.len() + 1, line.content_range().end), "")
                .help(format!("write it on the next line, indented deeper than `{key}`")),
        )
    }

    /// `a: b: c`
    pub(super) fn second_colon(&self) -> Option<Diagnostic> {
        let line = self.line();
        let is_here = self.is(&[Problem::Colon]) && self.before().contains(": ");
        let (value, range) = line.value();
        let key = line.key().filter(|_| is_here && line.content_range().contains(&self.fault.at))?;
        Some(
            Diagnostic::error(format!("the value of `{key}` has a `: ` of its own"))
                .at(self.span(range.start, range.end), "this reads as another key")
                .help(format!("put it in quotes: `{key}: {}`", quoted(value))),
        )
    }
}
