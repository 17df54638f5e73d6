//! What keeps a text from being YAML, in its author's words: the parser says where it could not go on, which is often the
//! line after the mistake, and in the words of the grammar.

use super::lines::{Line, quoted, slip};
use crate::diagnostic::Diagnostic;
use crate::source::{SourceId, Span};

/// Where and why the parser stopped.
pub(super) struct Stop<'a> {
    /// The text.
    pub(super) text: &'a str,
    /// Its source.
    pub(super) id: SourceId,
    /// What the parser says.
    pub(super) info: &'a str,
    /// Where it stopped.
    pub(super) at: usize,
    /// The innermost bracket that is open there.
    pub(super) bracket: Option<usize>,
}

impl<'a> Stop<'a> {
    /// The mistake that is behind it.
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

    /// Jinja that nothing has rendered.
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
                line.find("{{").or_else(|| line.find("{%")).filter(|_| start == here.start)
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

    /// `@`, a backtick, `%`, or `&` and `*` without a name.
    fn first_character(&self) -> Option<Diagnostic> {
        if !self.says("unexpected character") && !self.says("scanning an anchor or alias") {
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
    fn behind_quotes(&self) -> Option<Diagnostic> {
        if !self.says("trailing content after double-quoted scalar") {
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

    fn open_quotes(&self) -> Option<Diagnostic> {
        if !self.says("quoted scalar") || !(self.says("end of stream") || self.says("document indicator")) {
            return None;
        }
        let place = self.rest_of_line();
        let value = self.text.get(place.range()).unwrap_or("");
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        Some(
            Diagnostic::error("the quotes that open here are never closed")
                .at(self.span(self.at, self.at + 1), "")
                .help(format!("close them: `{value}{quote}`")),
        )
    }

    /// `{cores} --mem {mem}`, `[1, 2] == x`: the value ends with the bracket.
    fn behind_bracket(&self) -> Option<Diagnostic> {
        if !self.says("did not find expected key") || !self.before().trim_end().ends_with(['}', ']']) {
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

    fn open_bracket(&self) -> Option<Diagnostic> {
        let here = self.span(self.at, self.at + self.rest().chars().next().map_or(0, char::len_utf8));
        if self.says("misplaced bracket") {
            let help = "remove it, or put the value in quotes";
            return Some(Diagnostic::error("this bracket closes nothing").at(here, "").help(help));
        }
        let is_about_it = [
            "expected ',' or",
            "illegal placement of ':'",
            "simple key",
            "unexpected end of plain scalar",
            "did not find expected node content",
            "unexpected eof",
            "invalid indentation in flow",
        ];
        let open = self.bracket.filter(|_| is_about_it.iter().any(|part| self.says(part)))?;
        let (bracket, close) = match self.text.get(open..)?.chars().next()? {
            '[' => ('[', ']'),
            '{' => ('{', '}'),
            _ => return None,
        };
        let line = Line::around(self.text, open);
        if self.at > line.start + line.text.len() {
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
    fn behind_marker(&self) -> Option<Diagnostic> {
        let line = self.line();
        if let Some(rest) = line.text.strip_prefix("---").filter(|rest| !rest.trim().is_empty())
            && self.says("mapping values are not allowed")
        {
            let start = line.start + line.text.len() - rest.trim_start().len();
            return Some(
                Diagnostic::error("a key stands on the line of the marker `---`")
                    .at(self.span(start, line.content_range().end), "")
                    .help("write it on the next line"),
            );
        }
        if !self.says("scanning a block scalar, did not find expected comment") {
            return None;
        }
        let header = self.rest().split_whitespace().next()?;
        let key = line.key().unwrap_or("the key");
        Some(
            Diagnostic::error(format!("text stands on the line of `{header}`"))
                .at(self.span(self.at + header.len() + 1, line.content_range().end), "")
                .help(format!("write it on the next line, indented deeper than `{key}`")),
        )
    }

    /// `a: b: c`
    fn second_colon(&self) -> Option<Diagnostic> {
        let line = self.line();
        let is_here = self.says("mapping values are not allowed") && self.before().contains(": ");
        let (value, range) = line.value();
        let key = line.key().filter(|_| is_here && line.content_range().contains(&self.at))?;
        Some(
            Diagnostic::error(format!("the value of `{key}` has a `: ` of its own"))
                .at(self.span(range.start, range.end), "this reads as another key")
                .help(format!("put it in quotes: `{key}: {}`", quoted(value))),
        )
    }

    /// A key without its colon, which is noticed at the next one.
    fn no_colon(&self) -> Option<Diagnostic> {
        let next = self.says("mapping values are not allowed");
        if !next && !self.says("simple key expect") {
            return None;
        }
        let here = self.line();
        let at_end = self.at >= self.text.len() && !here.content().is_empty();
        let line = if at_end { here } else { here.above().next()? };
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
        let is_slip = !line.is_item() && line.key().is_none();
        if let Some(short) = self.short_of_block(line).filter(|_| is_slip) {
            return Some(short);
        }
        let sibling = line.above().find(|above| above.indent() <= line.indent());
        if is_slip && sibling.is_some_and(|above| above.indent() == line.indent() && above.is_item()) {
            return Some(
                Diagnostic::error("this item of a list has no `- `").at(whole, "").help(format!("write `- {text}`")),
            );
        }
        if let Some(slip) = slip(text).filter(|_| is_slip || text.contains('\u{a0}') || text.starts_with('-')) {
            return Some(Diagnostic::error(slip.message).at(place(slip.at), "").help(slip.help));
        }
        if is_slip {
            return Some(
                Diagnostic::error("this line is no `key: value`")
                    .at(whole, "")
                    .help("write `key: value`, `- item`, or `#` before a comment"),
            );
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
    fn indentation(&self) -> Option<Diagnostic> {
        let is_lost = self.says("block mapping, did not find expected key");
        if !is_lost || !matches!(self.before().trim(), "" | "-") {
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
        if line.is_item() && same.is_some_and(|above| above.behind_dashes().1 == indent) {
            let above = name(&same?);
            return Some(Diagnostic::error("an item of a list stands among keys").at(place, "").help(format!(
                "indent it deeper than the key it belongs to, or remove the `- ` to have a key beside `{above}`"
            )));
        }
        let inner = with_key().take_while(|above| above.behind_dashes().1 > indent).last();
        let outer = with_key().find(|above| above.behind_dashes().1 < indent);
        let spot = |line: &Line<'_>| format!("{} to stand beside `{}`", spaces(line.behind_dashes().1), name(line));
        let help: Vec<String> = inner.iter().chain(&outer).map(spot).collect();
        let diagnostic =
            Diagnostic::error(format!("the indentation of `{here}` is that of no key above it")).at(place, "");
        Some(if help.is_empty() {
            diagnostic
        } else {
            diagnostic.help(format!("indent it by {}", help.join(", or by ")))
        })
    }

    /// What stands in a list and is no item of it.
    fn no_dash(&self) -> Option<Diagnostic> {
        let line = self.line();
        let content = line.content_range();
        let place = self.span(content.start, content.end);
        if self.says("block sequence entries are not allowed") {
            let (key, item) = (line.key()?, self.rest().trim_start_matches('-').trim_start());
            let item = item.lines().next().unwrap_or("");
            return Some(
                Diagnostic::error(format!("a list item stands on the line of `{key}`"))
                    .at(self.rest_of_line(), "")
                    .help(format!("write it on the next line, or `{key}: [{item}]`")),
            );
        }
        if !self.says("did not find expected '-' indicator") || !self.before().trim().is_empty() {
            return None;
        }
        let item = line.above().find(|above| above.is_item() && above.indent() <= line.indent())?;
        let column = item.behind_dashes().1;
        let diagnostic = if item.indent() == line.indent() {
            Diagnostic::error("this stands among the items of a list, and has no `- `").help(format!(
                "write `- {}` for an item of its own, or indent it by {} for the item above",
                line.content(),
                spaces(column)
            ))
        } else {
            let name = line.key().unwrap_or_else(|| line.content());
            let beside = item.key().unwrap_or_else(|| item.behind_dashes().0);
            Diagnostic::error(format!("the indentation of `{name}` is that of nothing above it"))
                .help(format!("indent it by {} to stand beside `{beside}`", spaces(column)))
        };
        Some(diagnostic.at(place, ""))
    }

    /// A first key that is indented, where the next is not.
    fn first_line(&self) -> Option<Diagnostic> {
        if self.says("byte order mark") {
            return Some(
                Diagnostic::error("a byte order mark (U+FEFF) stands inside the file")
                    .at(self.span(self.at, self.at + '\u{feff}'.len_utf8()), "")
                    .help("remove it; joining files leaves such marks"),
            );
        }
        if !self.says("did not find expected <document") {
            return None;
        }
        let first = self.line().above().last().filter(|first| first.indent() > self.line().indent())?;
        let range = first.content_range();
        Some(
            Diagnostic::error("the first key is indented, and this one is not")
                .at(self.rest_of_line(), "")
                .also(self.span(range.start, range.end), "the first key")
                .help("indent both alike: best not at all"),
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

fn spaces(count: usize) -> String {
    match count {
        0 => "no spaces".to_owned(),
        1 => "1 space".to_owned(),
        _ => format!("{count} spaces"),
    }
}
