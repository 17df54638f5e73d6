//! Why a text is not YAML, in its author's words. The parser tells where it could not go on, which is often the line after the
//! mistake, and in terms of its grammar; here the likely mistake is found.

mod structure;
mod values;

use super::lines::{Line, quoted};
use crate::diagnostic::Diagnostic;
use crate::source::{SourceId, Span};

/// The place at which the parser stopped, and the reason.
pub(super) struct Stop<'a> {
    /// The text.
    pub(super) text: &'a str,
    /// Its source.
    pub(super) id: SourceId,
    /// The parser's message.
    pub(super) info: &'a str,
    /// The place at which it stopped.
    pub(super) at: usize,
    /// The innermost bracket that is open there.
    pub(super) bracket: Option<usize>,
}

impl<'a> Stop<'a> {
    /// The mistake that likely made the parser stop.
    pub(super) fn explain(&self) -> Diagnostic {
        let mistakes = [
            Self::alias,
            Self::conflict,
            Self::template,
            Self::tab,
            Self::first_character,
            Self::behind_quotes,
            Self::open_quotes,
            Self::behind_bracket,
            Self::open_bracket,
            Self::behind_marker,
            Self::second_colon,
            Self::no_colon,
            Self::indentation,
            Self::no_dash,
            Self::first_line,
        ];
        mistakes.iter().find_map(|mistake| mistake(self)).unwrap_or_else(|| self.other())
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.id, start, end.max(start))
    }

    fn says(&self, part: &str) -> bool {
        self.info.contains(part)
    }

    fn line(&self) -> Line<'a> {
        Line::around(self.text, self.at)
    }

    /// The text of the line before the place.
    fn before(&self) -> &'a str {
        self.text.get(self.line().start..self.at).unwrap_or("")
    }

    /// The text from the place on.
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// From the place to the end of the line's content.
    fn rest_of_line(&self) -> Span {
        self.span(self.at, self.line().content_range().end)
    }

    /// An alias without an anchor; mostly a pattern as shells have them.
    fn alias(&self) -> Option<Diagnostic> {
        if !self.says("unknown anchor") {
            return None;
        }
        let rest = self.rest();
        let alias = rest.split(|c: char| c.is_whitespace() || matches!(c, ',' | ']' | '}')).next().unwrap_or("");
        let alias = alias.trim_end_matches(':');
        let name = alias.trim_start_matches('*');
        let at = self.span(self.at, self.at + alias.len());
        if !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-')) {
            return Some(
                Diagnostic::error(format!("the alias `{alias}` names no anchor"))
                    .at(at, "")
                    .help(format!("define the anchor before its first use, with `&{name}`")),
            );
        }
        let is_key = rest.get(alias.len()..).is_some_and(|rest| rest.starts_with(':'));
        let help = if is_key {
            format!("ids are regular expressions, in which `.*` is any text: write `{}:`", alias.replace('*', ".*"))
        } else {
            format!("put it in quotes: `{}`", quoted(alias))
        };
        Some(
            Diagnostic::error(format!("`{alias}` is read as an alias, since it starts with `*`")).at(at, "").help(help),
        )
    }

    fn conflict(&self) -> Option<Diagnostic> {
        let mut at = 0;
        for line in self.text.split_inclusive('\n') {
            if line.starts_with("<<<<<<< ") {
                return Some(
                    Diagnostic::error("the file holds both sides of a merge conflict")
                        .at(self.span(at, at + line.trim_end().len()), "it starts here")
                        .help("keep one side, and remove the lines with `<<<<<<<`, `=======` and `>>>>>>>`"),
                );
            }
            at += line.len();
        }
        None
    }

    /// A Jinja template that was not rendered.
    fn template(&self) -> Option<Diagnostic> {
        let here = self.line();
        let end = here.start + here.text.len();
        let mut start = 0;
        for line in self.text.get(..end)?.split_inclusive('\n') {
            let content = line.trim_start();
            let is_template = content.starts_with("{%") || content.starts_with("{#") || content.starts_with("{{");
            let place = if is_template {
                Some(line.len() - content.len())
            } else {
                let found = line.find("{{").or_else(|| line.find("{%")).filter(|_| start == here.start);
                found.filter(|found| line.get(..*found).is_some_and(|before| !before.contains(['"', '\''])))
            };
            if let Some(place) = place {
                let mark = line.get(place..place + 2).unwrap_or("{{");
                let close = mark.replace("{{", "}}").replace('{', "");
                let rest = line.get(place..).unwrap_or("");
                let closing = if close == "}}" { "}}".to_owned() } else { format!("{close}}}") };
                let length = rest.find(&closing).map_or(rest.trim_end().len(), |found| found + closing.len());
                return Some(
                    Diagnostic::error(format!("`{mark} ... {closing}` is a template, not YAML"))
                        .at(self.span(start + place, start + place + length), "")
                        .help("fill the template in first (Ansible, Jinja); TPV reads the file as it is"),
                );
            }
            start += line.len();
        }
        None
    }

    fn tab(&self) -> Option<Diagnostic> {
        let line = self.line();
        let behind_tab = self.before().ends_with('\t');
        if !behind_tab && !self.says("tab") {
            return None;
        }
        let at = if let Some(found) = line.margin().find('\t') {
            line.start + found
        } else if behind_tab {
            self.at - 1
        } else {
            self.at + self.rest().find('\t')?
        };
        let length = self.text.get(at..)?.len() - self.text.get(at..)?.trim_start_matches('\t').len();
        let line = Line::around(self.text, at);
        let place = self.span(at, at + length.max(1));
        if line.margin().contains('\t') && at < line.start + line.indent() {
            let depth = line.above().find(|above| !above.margin().contains('\t')).map(Line::indent);
            let help = match depth {
                Some(depth) => format!("indent with spaces; the line above has {}", spaces(depth)),
                None => "indent with spaces".to_owned(),
            };
            return Some(Diagnostic::error("the line is indented with a tab").at(place, "this is a tab").help(help));
        }
        Some(
            Diagnostic::error("a tab may not stand here")
                .at(place, "this is a tab")
                .help("use spaces, or put the text in quotes"),
        )
    }

    /// The parser's own words.
    fn other(&self) -> Diagnostic {
        let length = self.rest().chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8);
        let diagnostic = Diagnostic::error(format!("invalid YAML: {}", self.info));
        let diagnostic = diagnostic.at(self.span(self.at, self.at + length), "");
        let help = match () {
            () if self.says("escape") => "write a backslash as `\\\\`, or put the text in single quotes",
            () if self.says("quoted scalar") => "close the quotes, or leave them out",
            () => "check the indentation, and put text that contains `: ` or ` #` in quotes",
        };
        diagnostic.help(help)
    }
}

/// `4 spaces`
fn spaces(count: usize) -> String {
    match count {
        0 => "no spaces".to_owned(),
        1 => "1 space".to_owned(),
        _ => format!("{count} spaces"),
    }
}
