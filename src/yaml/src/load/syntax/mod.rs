//! Explanations of why a text is not YAML. The parser reports where it could not go on, which is often the line after the
//! mistake, and in terms of its grammar; the author's likely mistake is found here.

mod structure;
mod values;

use super::lines::{Line, quoted};
use crate::load::MAX_DEPTH;
use crate::read::fault::{Fault, Problem};
use tpv_text::diagnostic::Diagnostic;
use tpv_text::source::{SourceId, Span};

/// An error of the parser in its text.
pub(super) struct Stop<'a> {
    /// The text.
    pub(super) text: &'a str,
    /// Its source.
    pub(super) id: SourceId,
    /// The error.
    pub(super) fault: &'a Fault,
}

impl<'a> Stop<'a> {
    /// The mistake that likely made the parser stop.
    pub(super) fn explain(&self) -> Diagnostic {
        let mistakes = [
            Self::beyond_syntax,
            Self::alias,
            Self::conflict,
            Self::template,
            Self::tab,
            Self::first_character,
            Self::behind_quotes,
            Self::escape_behind_open_quotes,
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

    /// Returns `true` for an error of one of these kinds.
    fn is(&self, problems: &[Problem]) -> bool {
        problems.contains(&self.fault.problem)
    }

    fn line(&self) -> Line<'a> {
        Line::around(self.text, self.fault.at)
    }

    /// The text of the line before the place.
    fn before(&self) -> &'a str {
        self.text.get(self.line().start..self.fault.at).unwrap_or("")
    }

    /// The text from the place on.
    fn rest(&self) -> &'a str {
        self.text.get(self.fault.at..).unwrap_or("")
    }

    /// From the place to the end of the line's content.
    fn rest_of_line(&self) -> Span {
        self.span(self.fault.at, self.line().content_range().end)
    }

    /// An error that is no mistake in the syntax.
    fn beyond_syntax(&self) -> Option<Diagnostic> {
        let at = self.fault.at;
        if let Some(mark) = self.text.get(..at).and_then(|before| before.find("\n\u{feff}")) {
            return Some(byte_order_mark(self.id, mark + 1));
        }
        let problem = match self.fault.problem {
            Problem::Character(found) => {
                Diagnostic::error(format!("the character U+{:04X} is not allowed in YAML", u32::from(found)))
                    .at(self.span(at, at + found.len_utf8()), "")
                    .help("in a string in double quotes, write it as an escape such as `\\x07`")
            }
            // DIFFERENCE: ruamel.yaml switches to the types of YAML 1.1, in which `yes` is a boolean.
            Problem::Version => {
                let version = self.rest().lines().next().unwrap_or("").trim_start_matches("%YAML").trim();
                Diagnostic::error(format!("YAML version `{version}` is not supported"))
                    .at(self.rest_of_line(), "")
                    .help("remove the line: the file is then read as YAML 1.2")
            }
            Problem::SecondDocument => {
                let place = if self.rest().starts_with("---") { self.span(at, at + 3) } else { self.rest_of_line() };
                Diagnostic::error("expected a single document in the file, but found another one")
                    .at(place, "the second document starts here")
                    .help("move it to a file of its own, and list that file after this one")
            }
            Problem::Depth => Diagnostic::error(format!("collections are nested deeper than {MAX_DEPTH} levels"))
                .at(self.span(at, at), ""),
            Problem::Comments => Diagnostic::error(self.fault.message.clone())
                .at(self.span(at, at), "TPV fails here, too")
                .help("move a comment to another line"),
            _ => return None,
        };
        Some(problem)
    }

    /// An alias without an anchor; mostly a pattern as shells have them.
    fn alias(&self) -> Option<Diagnostic> {
        if !self.is(&[Problem::UnknownAlias]) {
            return None;
        }
        let rest = self.rest();
        let alias = rest.split(|c: char| c.is_whitespace() || matches!(c, ',' | ']' | '}')).next().unwrap_or("");
        let alias = alias.trim_end_matches(':');
        let name = alias.trim_start_matches('*');
        let at = self.span(self.fault.at, self.fault.at + alias.len());
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
            Diagnostic::error(format!("`{alias}` is read as an alias because it starts with `*`"))
                .at(at, "")
                .help(help),
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
        if !behind_tab && !self.is(&[Problem::Tab]) {
            return None;
        }
        let at = if let Some(found) = line.margin().find('\t') {
            line.start + found
        } else if behind_tab {
            self.fault.at - 1
        } else {
            self.fault.at + self.rest().find('\t')?
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
            Diagnostic::error("a tab is not allowed here")
                .at(place, "this is a tab")
                .help("use spaces, or put the text in quotes"),
        )
    }

    /// The parser's own words.
    fn other(&self) -> Diagnostic {
        let length = self.rest().chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8);
        let diagnostic = Diagnostic::error(format!("invalid YAML: {}", self.fault.message));
        let diagnostic = diagnostic.at(self.span(self.fault.at, self.fault.at + length), "");
        let help = match () {
            () if self.is(&[Problem::Escape]) => "write a backslash as `\\\\`, or put the text in single quotes",
            () if self.is(&[Problem::OpenQuotes]) => "close the quotes, or leave them out",
            () => "check the indentation, and put text that contains `: ` or ` #` in quotes",
        };
        diagnostic.help(help)
    }
}

/// The error for a byte order mark inside the text.
pub(super) fn byte_order_mark(id: SourceId, at: usize) -> Diagnostic {
    Diagnostic::error("a byte order mark (U+FEFF) is inside the file")
        .at(Span::new(id, at, at + '\u{feff}'.len_utf8()), "")
        .help("remove it; joining files leaves such marks")
}

/// `4 spaces`
fn spaces(count: usize) -> String {
    match count {
        0 => "no spaces".to_owned(),
        1 => "1 space".to_owned(),
        _ => format!("{count} spaces"),
    }
}
