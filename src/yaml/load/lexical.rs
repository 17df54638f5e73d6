//! Facts that the parser does not report: characters that are not allowed in a file, tabs between tokens, and comments.

use saphyr_parser::ScalarStyle;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{Source, SourceId, Span};
use crate::yaml::characters::is_allowed;

/// A comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// From the `#` to the end of the line.
    pub span: Span,
    /// `true` if only blanks precede it on its line.
    pub own_line: bool,
}

/// Reports the first character that ruamel.yaml's reader does not accept.
pub(super) fn check_characters(source: &Source, id: SourceId, problems: &mut Diagnostics) {
    if let Some((at, found)) = source.text.char_indices().find(|&(_, c)| !is_allowed(c)) {
        problems.push(
            Diagnostic::error(format!("the character U+{:04X} may not stand in a YAML file", u32::from(found)))
                .at(Span::new(id, at, at + found.len_utf8()), "")
                .help("in a string in double quotes, write it as an escape such as `\\x07`"),
        );
    }
}

/// Reports a `%YAML 1.1` directive.
///
/// DIFFERENCE: ruamel.yaml switches to the types of YAML 1.1, in which `yes` is a boolean; the directive is refused here.
pub(super) fn check_version(source: &Source, id: SourceId, problems: &mut Diagnostics) {
    let mut at = 0;
    for line in source.text.split_inclusive('\n') {
        if let Some(version) = line.strip_prefix("%YAML") {
            if version.split('#').next().unwrap_or("").trim() != "1.2" {
                problems.push(
                    Diagnostic::error(format!("YAML version `{}` is not supported", version.trim()))
                        .at(Span::new(id, at, at + line.trim_end().len()), "")
                        .help("remove the line: the file is then read as YAML 1.2"),
                );
            }
        } else if !line.starts_with(['%', '#']) && !line.trim().is_empty() {
            return;
        }
        at += line.len();
    }
}

/// Finds all comments, and reports the first tab that ruamel.yaml's scanner stumbles over: outside of flow collections,
/// tabs may stand only in comments and in scalars that are quoted or blocks.
pub(super) fn scan(
    source: &Source,
    id: SourceId,
    scalars: &[(Span, ScalarStyle)],
    problems: &mut Diagnostics,
) -> Vec<Comment> {
    let mut scanner = Scanner { text: &source.text, id, depth: 0, tab: None, comments: Vec::new() };
    let mut at = 0;
    for (span, style) in scalars {
        scanner.gap(at, span.range().start);
        if *style == ScalarStyle::Plain && scanner.depth == 0 {
            scanner.tab_in(span.range());
        }
        at = span.range().end.max(at);
    }
    scanner.gap(at, source.text.len());
    if let Some(tab) = scanner.tab {
        problems.push(
            Diagnostic::error("a tab may not stand here")
                .at(Span::new(id, tab, tab + 1), "this is a tab")
                .help("use spaces, or put the text in quotes"),
        );
    }
    scanner.comments
}

struct Scanner<'a> {
    text: &'a str,
    id: SourceId,
    depth: usize,
    tab: Option<usize>,
    comments: Vec<Comment>,
}

impl Scanner<'_> {
    fn tab_in(&mut self, range: std::ops::Range<usize>) {
        let found = self.text.get(range.clone()).and_then(|text| text.find('\t'));
        self.tab = self.tab.or(found.map(|tab| range.start + tab));
    }

    /// The text between two scalars.
    fn gap(&mut self, start: usize, end: usize) {
        let bytes = self.text.as_bytes();
        let mut at = start;
        while at < end {
            match bytes.get(at) {
                Some(b'#') if self.starts_comment(at) => {
                    let rest = self.text.get(at..).unwrap_or("");
                    let stop = at + rest.find(['\n', '\r']).unwrap_or(rest.len());
                    let own_line = self.before_on_line(at).trim().is_empty();
                    self.comments.push(Comment { span: Span::new(self.id, at, stop), own_line });
                    at = stop;
                    continue;
                }
                Some(b'\t') if self.depth == 0 => self.tab = self.tab.or(Some(at)),
                Some(b'[' | b'{') => self.depth += 1,
                Some(b']' | b'}') => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
            at += 1;
        }
    }

    fn starts_comment(&self, at: usize) -> bool {
        at == 0 || self.text.as_bytes().get(at - 1).is_some_and(u8::is_ascii_whitespace)
    }

    fn before_on_line(&self, at: usize) -> &str {
        let before = self.text.get(..at).unwrap_or("");
        before.rsplit('\n').next().unwrap_or("")
    }
}
