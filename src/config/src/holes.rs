//! The texts that a config lacks because of errors: what is said of the rest holds only if none of them may define what is missed.

use tpv_text::diagnostic::Diagnostic;
use tpv_text::source::{SourceId, SourceMap, Span};
use tpv_yaml::load::block;

/// The most bytes of texts that are kept: with more, anything may be in them.
const MOST: usize = 256 << 10;

/// The most errors whose entities are looked for: with more, anything may be missing.
const MOST_ERRORS: usize = 200;

/// The texts that a config lacks because of errors.
#[derive(Clone, Debug, Default)]
pub struct Holes {
    /// The texts, without what quotes and escapes add.
    texts: Vec<String>,
    size: usize,
    /// `true` if there are texts that nobody knows.
    is_unknown: bool,
}

impl Holes {
    /// Returns `true` if the config is whole.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty() && !self.is_unknown
    }

    /// Adds a text that nobody knows, such as that of a file that is not there.
    pub fn add_unknown(&mut self) {
        self.is_unknown = true;
    }

    /// Adds a range of a text.
    pub fn add(&mut self, span: Span, sources: &SourceMap) {
        self.add_text(sources.text(span));
    }

    fn add_text(&mut self, text: &str) {
        self.size += text.len();
        self.is_unknown |= self.size > MOST;
        if !self.is_unknown {
            self.texts.push(bare(text));
        }
    }

    /// Adds a template that cannot be filled. It may define anything if it names other files or computes keys.
    pub(crate) fn add_template(&mut self, id: SourceId, sources: &SourceMap) {
        let text = sources.get(id).map_or("", |source| &source.text);
        let is_computed = |line: &str| match (line.find("{{"), line.find(": ")) {
            (Some(expression), Some(colon)) => expression < colon,
            (Some(_), None) => true,
            _ => false,
        };
        let statements = ["include", "import", "extends", "macro", "call"];
        let names_others = text.split("{%").skip(1).any(|rest| {
            let word = rest.trim_start_matches(['-', '+']).split_whitespace().next().unwrap_or("");
            statements.contains(&word) || word == "from"
        });
        if names_others || text.lines().any(is_computed) {
            self.add_unknown();
        } else {
            self.add_text(text);
        }
    }

    /// Adds what errors are about: the entities that they point to.
    pub fn add_errors(&mut self, errors: &[&Diagnostic], sources: &SourceMap) {
        let mut last: Option<Span> = None;
        if errors.len() > MOST_ERRORS {
            return self.add_unknown();
        }
        for error in errors {
            // An error without a place is about a text that was added when it could not be read.
            let Some(span) = error.primary.as_ref().map(|label| label.span) else { continue };
            if last.is_some_and(|last| last.source == span.source && last.start <= span.start && span.start < last.end)
            {
                continue;
            }
            let Some(source) = sources.get(span.source) else { continue };
            let range = block(&source.text, span.range().start);
            let hole = Span::new(span.source, range.start, range.end);
            self.add(hole, sources);
            last = Some(hole);
        }
    }

    /// Returns `true` if a missing text may say something of a name: it has it, or is not known.
    pub fn mention(&self, name: &str) -> bool {
        self.have(name, |_, _| true)
    }

    /// Returns `true` if a missing text may define an entity or a field of this name: it has it as a key, or where a key would be if its colon were
    /// there, or is not known.
    pub fn define(&self, name: &str) -> bool {
        // `${LANG:-C}` is a shell's variable, with its default.
        let is_variable = |before: &str| before.ends_with('{') && before.trim_end_matches('{').ends_with('$');
        let is_first = |before: &str| before.rsplit('\n').next().is_none_or(|line| line.trim().is_empty());
        self.have(name, |before, after| {
            !is_variable(before)
                && (after.trim_start().starts_with(':') || before.trim_end().ends_with('?') || is_first(before))
        })
    }

    /// Looks for a name that is a word of its own, between texts such as are wanted.
    fn have(&self, name: &str, wanted: impl Fn(&str, &str) -> bool) -> bool {
        let name = &*bare(name);
        let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let (first, last) = (is_part(name.chars().next()), is_part(name.chars().next_back()));
        let is_found = |text: &String| {
            text.match_indices(name).any(|(at, _)| {
                let (before, after) =
                    (text.get(..at).unwrap_or_default(), text.get(at + name.len()..).unwrap_or_default());
                let is_longer = first && is_part(before.chars().next_back()) || last && is_part(after.chars().next());
                !is_longer && wanted(before, after)
            })
        };
        self.is_unknown || self.texts.iter().any(is_found)
    }
}

/// A text without the characters with which YAML and patterns write the same in several ways.
fn bare(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '"' | '\'' | '\\')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_however_they_are_written() {
        let mut holes = Holes::default();
        assert!(holes.is_empty() && !holes.mention("bwa"));
        holes.add_text("tools:\n  \"a\\\\.b\": {inherits: '_base', tags: [high-mem]}\n");
        for word in ["a\\.b", "a.b", "_base", "high-mem", "mem", "tags"] {
            assert!(holes.mention(word), "{word}");
        }
        for word in ["bas", "base", "high-me", "tag", "c"] {
            assert!(!holes.mention(word), "{word}");
        }
        for (word, is_defined) in [("a\\.b", true), ("inherits", true), ("_base", false), ("mem", false)] {
            assert_eq!(holes.define(word), is_defined, "{word}");
        }
        holes.add_text("env: {A: '${{LANG:-C}}', B: '${TMPDIR: -x}', C:{LANGUAGE: de}}\n");
        for (word, is_defined) in [("LANG", false), ("TMPDIR", false), ("A", true), ("LANGUAGE", true)] {
            assert_eq!(holes.define(word), is_defined, "{word}");
        }
        holes.add_unknown();
        assert!(holes.mention("c"));
    }

    #[test]
    fn templates_that_compute_keys_may_define_anything() {
        for (text, is_known) in [
            ("tools:\n  bwa:\n    mem: {{ mem }}\n", true),
            ("tools:\n{% for tool in tools %}\n  a:\n    mem: 1\n{% endfor %}\n", true),
            ("tools:\n  {{ tool }}:\n    mem: 1\n", false),
            ("tools:\n{% include 'tools.yml' %}\n", false),
            ("{%- from 'macros.j2' import tool %}\n", false),
        ] {
            let (mut holes, mut sources) = (Holes::default(), SourceMap::new());
            let id = sources.add("a.yml.j2", text);
            holes.add_template(id, &sources);
            assert_eq!(holes.mention("other"), !is_known, "{text}");
        }
    }
}
